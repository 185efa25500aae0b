import pytest

from protocol.graph import Position
from protocol.json_text import canonical
from sidecar.core.changes import Change, folded, in_order, reversed_changes
from sidecar.core.errors import InvariantError
from sidecar.core.graph import ROOT, ProjectGraph
from sidecar.core.sameness import identical
from sidecar.core.workspace import Workspace
from tests.core.arrays import apply_changes, wire_changes
from tests.core.builders import (
    CONVERTER,
    component,
    definition,
    do,
    edge,
    graph,
    group,
    node,
    node_of,
    text,
    without_contents,
)
from tests.core.rebuild import assert_indexes_match, ranks


def order(whole: ProjectGraph) -> list[str]:
    return [one.node_id for one in whole.scopes[ROOT].nodes.ordered()]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1, True),
        (1, 1.0, False),
        (1, True, False),
        (0.0, -0.0, False),
        (0.5, 0.5, True),
        (None, None, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ([1, [2.0]], [1, [2]], False),
        ([1], [1, 2], False),
        (Position(1, 2), Position(1, 2), True),
        (Position(1, 2), Position(1.0, 2), False),
    ],
)
def test_values_are_the_same_when_their_json_is(one: object, other: object, same: bool) -> None:  # noqa: FBT001
    assert identical(one, other) is same
    assert (canonical(plain(one)) == canonical(plain(other))) is same


def plain(value: object) -> object:
    return CONVERTER.unstructure(value)


def test_changes_of_one_thing_fold_into_one() -> None:
    whole = graph(node("a"), node("b"))
    workspace = Workspace(whole)
    workspace.put("node", ROOT, "a", node("a", at=(1, 1)))
    workspace.put("node", ROOT, "a", node("a", at=(2, 2)))
    workspace.remove("node", ROOT, "b")
    workspace.put("node", ROOT, "c", node("c"))
    workspace.remove("node", ROOT, "c")
    workspace.put("title", None, None, "Other")
    workspace.put("title", None, None, "Test")

    changes = workspace.changes()

    assert [(one.id, one.before, one.after) for one in changes] == [
        ("b", node("b"), None),
        ("a", node("a"), node("a", at=(2, 2))),
    ]


def test_a_thing_that_comes_back_at_its_place_is_no_change() -> None:
    whole = graph(node("a"), node("b"))
    workspace = Workspace(whole)
    workspace.remove("node", ROOT, "a")
    workspace.put("node", ROOT, "a", node("a"), 0)

    assert workspace.changes() == []


def test_a_thing_that_comes_back_elsewhere_has_moved() -> None:
    whole = graph(node("a"), node("b"))
    before = plain(whole.state())
    workspace = Workspace(whole)
    workspace.remove("node", ROOT, "a")
    workspace.put("node", ROOT, "a", node("a"))

    (change,) = workspace.changes()

    assert change.moved
    assert order(whole) == ["b", "a"]
    assert isinstance(before, dict)
    assert apply_changes(before, wire_changes(whole, [change])) == plain(whole.state())


def test_things_may_swap_their_places() -> None:
    whole = graph(node("a"), node("b"), node("c"))
    before = plain(whole.state())
    was = ranks(whole)
    workspace = Workspace(whole)
    workspace.put("node", ROOT, "a", node("a"), 2)
    workspace.put("node", ROOT, "c", node("c"), 0)

    assert order(whole) == ["c", "b", "a"]
    assert isinstance(before, dict)
    assert apply_changes(before, wire_changes(whole, workspace.changes())) == plain(whole.state())
    assert_indexes_match(whole)
    workspace.rollback()
    assert order(whole) == ["a", "b", "c"]
    assert ranks(whole) == was


def test_reversed_changes_lead_back_places_included() -> None:
    inner = definition("s", nodes=[node("x")], edges=[edge("xx", "x.out", "x.in")])
    whole = graph(
        node("a"),
        node("b"),
        node("c"),
        edges=[edge("ab", "a.out", "b.in")],
        groups=[group("g", "a")],
        components=[component("k")],
        subgraphs=[inner],
    )
    before, was = text(whole), ranks(whole)
    workspace = Workspace(whole)
    for kind, scope, id_ in (
        ("edge", "s", "xx"),
        ("node", "s", "x"),
        ("subgraph", None, "s"),
        ("edge", None, "ab"),
        ("group", None, "g"),
        ("node", None, "a"),
        ("component", None, "k"),
    ):
        workspace.remove(kind, scope, id_)  # type: ignore[arg-type]
    workspace.put("node", ROOT, "d", node("d"))

    back = Workspace(whole)
    for change in reversed_changes(workspace.changes()):
        back.apply(change)

    assert text(whole) == before
    assert ranks(whole) == was
    assert_indexes_match(whole)


def test_a_peer_removes_contents_before_containers_and_adds_containers_first() -> None:
    inner = without_contents(definition("s"))
    changes = [
        Change("node", "s", "x", None, node("x"), 0, 0),  # type: ignore[arg-type]
        Change("subgraph", None, "s", None, inner, 0, 0),
        Change("subgraph", None, "t", inner, None, 0, 0),
        Change("node", "t", "y", node("y"), None, 0, 0),  # type: ignore[arg-type]
    ]

    assert [change.id for change in in_order(changes)] == ["y", "t", "s", "x"]
    assert [change.id for change in folded(changes)] == ["y", "t", "s", "x"]


def test_an_id_cannot_stand_in_two_scopes() -> None:
    whole = graph(node("a"), subgraphs=[definition("s")])
    workspace = Workspace(whole)

    with pytest.raises(InvariantError):
        workspace.put("node", "s", "a", node("a"))  # type: ignore[arg-type]


def test_a_first_thing_follows_nothing_and_others_the_one_before() -> None:
    whole = graph(node("a"), node("b"))
    done = do(whole, "add-node", nodeId="c", componentId="x")
    keys = {key[2]: previous for key, previous in whole.previous_ids(done.changes).items()}
    assert keys == {"c": "b"}

    undone = reversed_changes(do(whole, "remove-node", nodeId="a").changes)
    workspace = Workspace(whole)
    workspace.apply(undone[-1])

    assert {key[2]: previous for key, previous in whole.previous_ids(undone).items()} == {"a": None}


def test_a_change_in_place_names_no_neighbour() -> None:
    whole = graph(node("a"), node("b"))
    done = do(whole, "rename-node", nodeId="b", name="New")

    assert whole.previous_ids(done.changes) == {}
    assert node_of(whole, "b").name == "New"
