from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings

from protocol.changes import Notice
from protocol.graph import (
    SUBGRAPH_PREFIX,
    Bounds,
    ParameterSpec,
    Position,
    ProjectState,
    SubgraphDefinition,
)
from sidecar.core.edit import Reading
from sidecar.core.errors import RejectedError
from tests.core.builders import (
    component,
    counter,
    definition,
    do,
    edge,
    graph,
    group,
    instance,
    node,
    ports,
    text,
)
from tests.core.files import all_ids, broken_states, file
from tests.core.subgraph_bench import Bench, bench

Ids = dict[tuple[str, str | None, str], str]


def imported(desk: Bench, reading: Reading, **fields: Any) -> Ids:
    """Import a file and return what each of its ids became."""
    desk.reading = reading
    effects = desk.do("import-workflow", content={}, **fields)
    return {(one.kind, one.scope, one.old): one.new for one in effects.id_map}


def box(subgraph_id: str = "s", **fields: Any) -> SubgraphDefinition:
    return definition(
        subgraph_id,
        nodes=[node("a"), node("b", at=(300, 0))],
        edges=[edge("in", "<input.p", "a.in"), edge("ab", "a.out", "b.in")],
        groups=[group("g", "a")],
        inputs=["p"],
        **fields,
    )


def simple() -> Reading:
    return file(
        node("a", native={"id": 7}),
        node("b", at=(300, 0)),
        instance("i", box(), at=(600, 0)),
        edges=[edge("ab", "a.out", "b.in"), edge("bi", "b.out", "i.p")],
        groups=[group("g", "a", bounds=Bounds(-10, -42, 260, 172))],
        subgraphs=[box()],
    )


def test_everything_is_added_under_new_ids() -> None:
    desk = bench(node("a", at=(-900, 0)))

    new = imported(desk, simple())

    a, b, i = (new["node", None, name] for name in "abi")
    made = new["subgraph", None, "s"]
    assert list(desk.nodes()) == ["a", a, b, i]
    assert desk.edges() == {
        new["edge", None, "ab"]: f"{a}.out {b}.in",
        new["edge", None, "bi"]: f"{b}.out {i}.p",
    }
    assert desk.groups()[new["group", None, "g"]].node_ids == (a,)
    assert desk.nodes()[i].component_id == f"subgraph:{made}"
    assert desk.edges(made)[new["edge", "s", "ab"]] == (
        f"{new['node', 's', 'a']}.out {new['node', 's', 'b']}.in"
    )
    assert desk.nodes()[a].native == {"id": 7}
    assert len(set(new.values())) == len(new)
    assert not set(new.values()) & {old for _, _, old in new}


def test_title_and_document_stay() -> None:
    desk = bench(node("a"), format_="n8n")
    before = desk.state()

    imported(desk, simple())

    assert (desk.state().title, desk.state().document) == (before.title, before.document)


def test_the_same_file_again_uses_its_definitions_again() -> None:
    desk = bench()

    first, second = imported(desk, simple()), imported(desk, simple())

    assert len(desk.graph.subgraphs) == 1
    inner = {key for key in first if key[1] == "s" or key[0] == "subgraph"}
    assert {key: first[key] for key in inner} == {key: second[key] for key in inner}
    assert not {first[key] for key in first.keys() - inner} & set(second.values())


@pytest.mark.parametrize(
    "other",
    [
        box(name="Other"),
        box(description="Other"),
        evolve(box(), nodes=(node("a"), node("b", at=(300, 0), name="Other"))),
        evolve(box(), nodes=(node("a", parameters={"x": 1}), node("b", at=(300, 0)))),
        evolve(box(), edges=(edge("in", "<input.p", "b.in"), edge("ab", "a.out", "b.in"))),
        evolve(box(), groups=(group("g", "b"),)),
    ],
)
def test_a_definition_that_differs_in_content_is_another(other: SubgraphDefinition) -> None:
    desk = bench()
    imported(desk, simple())

    imported(desk, file(instance("i", other), subgraphs=[other]))

    assert len(desk.graph.subgraphs) == 2


def test_ids_and_places_alone_make_no_difference() -> None:
    desk = bench()
    imported(desk, simple())
    same = definition(
        "other",
        name="s",
        nodes=[node("x", at=(7, 7), native={"id": 1}), node("y", native={"id": 2})],
        edges=[
            edge("e", "<input.p", "x.in"),
            edge("f", "x.out", "y.in", waypoints=(Position(1, 1),)),
        ],
        groups=[group("h", "x", name="g", bounds=Bounds(0, 0, 1, 1))],
        inputs=["p"],
        input_anchor=Position(5, 5),
    )

    imported(desk, file(instance("i", same), subgraphs=[same]))

    assert len(desk.graph.subgraphs) == 1


def nested_file() -> Reading:
    inner = definition("t", nodes=[node("n")])
    outer = definition("s", nodes=[instance("k", inner), instance("l", inner)])
    return file(instance("i", outer), subgraphs=[outer, inner])


def test_nested_definitions_imported_twice_differ_inside_where_the_first_were_edited() -> None:
    desk = bench()
    first = imported(desk, nested_file())
    desk.do(
        "annotate-node",
        scope=first["subgraph", None, "t"],
        nodeId=first["node", "t", "n"],
        annotation="mine",
    )

    second = imported(desk, nested_file())

    assert len(desk.graph.subgraphs) == 4
    assert not set(first.values()) & set(second.values())
    kept = desk.nodes(first["subgraph", None, "t"])[first["node", "t", "n"]]
    assert kept.annotation == "mine"
    used = {one.component_id for one in desk.nodes(second["subgraph", None, "s"]).values()}
    assert used == {SUBGRAPH_PREFIX + second["subgraph", None, "t"]}


def test_definitions_without_instances_stay_in_the_file() -> None:
    desk = bench()

    new = imported(desk, file(node("a"), subgraphs=[box()]))

    assert desk.graph.subgraphs == {}
    assert set(new) == {("node", None, "a")}


def test_an_import_into_a_definition_shows_in_all_instances() -> None:
    outer = definition("o", nodes=[node("x")])
    desk = bench(instance("i", outer), instance("j", outer), subgraphs=[outer])

    new = imported(desk, simple(), scope="o")

    assert {new["node", None, name] for name in "abi"} < set(desk.nodes("o"))
    assert set(desk.nodes()) == {"i", "j"}


def test_a_definition_is_not_used_again_inside_itself() -> None:
    whole = box("s")
    outer = definition("o", nodes=[instance("k", whole)])
    desk = bench(instance("i", outer), subgraphs=[outer, whole])
    into_itself = file(instance("x", whole), subgraphs=[whole])
    around = file(instance("x", outer), subgraphs=[outer, whole])

    first = imported(desk, into_itself, scope="s")
    second = imported(desk, around, scope="s")

    # An instance of the old one would hold itself; the copy of it serves the second time.
    assert first["subgraph", None, "s"] != "s"
    assert second["subgraph", None, "s"] == first["subgraph", None, "s"]
    assert second["subgraph", None, "o"] != "o"
    assert len(desk.graph.subgraphs) == 4


def test_an_import_nests_no_deeper_than_32_levels() -> None:
    levels = [definition("s31", nodes=[node("n")])]
    for level in range(30, 0, -1):
        levels.append(definition(f"s{level}", nodes=[instance("i", levels[-1])]))
    outer = definition("o", nodes=[node("x")])
    top = definition("top", nodes=[instance("k", outer)])
    desk = bench(instance("i", top), subgraphs=[outer, top])
    desk.reading = file(instance("i", levels[-1]), subgraphs=levels)

    refusal = desk.refused("import-workflow", scope="o", content={})
    desk.do("import-workflow", scope="top", content={})

    assert refusal.code == "depth-limit"


def test_a_block_stays_where_its_file_has_it_if_that_is_free() -> None:
    desk = bench(node("x", at=(5000, 5000)))
    desk.reading = simple()

    effects = desk.do("import-workflow", content={})

    places = [one.position.x for one in list(desk.nodes().values())[1:]]
    assert places == [0, 300, 600]
    assert effects.placed == ()


def test_a_block_without_room_goes_to_free_space_in_its_own_shape() -> None:
    desk = bench(node("x", at=(310, 50)))
    desk.reading = simple()

    effects = desk.do("import-workflow", content={})

    blocks = list(desk.nodes().values())
    a, b, i = (one.position for one in blocks[1:])
    frame = next(iter(desk.groups().values())).bounds
    assert (b.x - a.x, i.x - a.x, b.y - a.y) == (300, 600, 0)
    assert frame == Bounds(a.x - 10, a.y - 42, 260, 172)
    boxes = list(desk.graph.boxes(None))
    assert not any(one.overlaps(two) for n, one in enumerate(boxes) for two in boxes[:n])
    assert [one.position for one in effects.placed] == [a, b, i]


def test_bends_of_edges_move_with_the_block() -> None:
    desk = bench()
    bent = edge("e", "a.out", "b.in", waypoints=(Position(270, 10),))
    desk.reading = file(node("a"), node("b", at=(300, 0)), edges=[bent])

    desk.do("import-workflow", content={}, position={"x": 1000, "y": 1000})

    line = next(iter(desk.graph.scopes[None].edges.values()))
    assert line.waypoints == (Position(1270, 1010),)


@pytest.mark.parametrize(("x", "moved"), [(1000, False), (0, True)])
def test_a_block_goes_where_it_is_asked_for_if_that_is_free(x: float, *, moved: bool) -> None:
    desk = bench(node("x"))
    desk.reading = file(node("a", at=(70, 80)), node("b", at=(370, 80)))

    effects = desk.do("import-workflow", content={}, position={"x": x, "y": 0})

    a = list(desk.nodes().values())[1].position
    assert (a != Position(x, 0)) == moved
    assert bool(effects.placed) == moved


def test_a_file_without_places_is_laid_out() -> None:
    inner = definition("s", nodes=[node("n"), node("m")], edges=[edge("nm", "n.out", "m.in")])
    desk = bench()
    desk.reading = file(
        node("a"),
        node("b"),
        instance("i", inner),
        edges=[edge("ab", "a.out", "b.in")],
        subgraphs=[inner],
        placed=False,
    )

    effects = desk.do("import-workflow", content={})

    for scope in desk.graph.scopes:
        boxes = list(desk.graph.boxes(scope))
        assert not any(one.overlaps(two) for n, one in enumerate(boxes) for two in boxes[:n])
    a, b, _ = desk.nodes().values()
    assert a.position.x < b.position.x
    assert len(effects.placed) == 3


def test_a_block_can_be_wrapped_in_a_group() -> None:
    desk = bench()

    new = imported(desk, simple(), groupName=" Theirs ")

    around, inner = desk.groups().values()
    assert around.name == "Theirs"
    assert around.node_ids == (new["node", None, "b"], new["node", None, "i"])
    assert inner.parent_group_id == around.group_id
    assert around.bounds == Bounds(-20, -52, 870, 192)


def test_components_that_the_project_has_stay_as_they_are() -> None:
    mine = component("c", description="mine")
    theirs = component("c", description="theirs", parameters=[ParameterSpec(name="p")])
    desk = bench(node("x", component="c"), components=[mine])
    desk.reading = file(node("a", at=(900, 0)), components=[theirs, component("d")])

    effects = desk.do("import-workflow", content={})

    assert list(desk.graph.components.ordered()) == [mine, component("d")]
    assert [one.code for one in effects.warnings] == ["component-kept"]


def test_unknown_types_and_their_raw_data_come_in_as_they_are() -> None:
    desk = bench()
    raw = node("m", status="missing", native={"id": 3, "whatever": [None, 1.5]})

    new = imported(desk, file(raw))

    found = desk.nodes()[new["node", None, "m"]]
    assert (found.status, found.native) == ("missing", raw.native)


def test_what_was_repaired_is_reported_after_what_the_adapter_said() -> None:
    desk = bench()
    said = Notice(code="said", message="By the adapter.", path="/x")
    broken = file(node("a"), edges=[edge("e", "a.out", "gone.in")])
    desk.reading = evolve(broken, notices=(said,))

    warnings = desk.do("import-workflow", content={}).warnings

    assert [(one.code, one.path) for one in warnings] == [
        ("said", "/x"),
        ("edge-dropped", "/graph/edges/0/target"),
    ]


def two_cycles() -> Reading:
    s = definition("s", nodes=[node("k", component="subgraph:t")])
    t = definition("t", nodes=[node("l", component="subgraph:s")])
    return file(node("i", component="subgraph:s"), subgraphs=[s, t])


@pytest.mark.parametrize(
    ("reading", "code", "details"),
    [
        (file(), "empty-workflow", {}),
        (file(groups=[group("g")]), "empty-workflow", {}),
        (file(subgraphs=[box()]), "empty-workflow", {}),
        (two_cycles(), "subgraph-recursion", {"path": ["s", "t", "s"]}),
    ],
)
def test_a_file_that_cannot_be_imported_changes_nothing(
    reading: Reading, code: str, details: dict[str, Any]
) -> None:
    desk = bench(node("x"))
    desk.reading = reading

    refusal = desk.refused("import-workflow", content={})

    assert (refusal.code, refusal.details) == (code, details)


@pytest.mark.parametrize("code", ["unreadable-content", "unknown-format", "unsupported-version"])
def test_what_the_reader_refuses_is_refused(code: str) -> None:
    def read(*_: Any) -> Reading:
        raise RejectedError(code, "No.")

    for kind in ("import-workflow", "open-native"):
        project = graph(node("x"))
        before = text(project)
        with pytest.raises(RejectedError) as refused:
            do(project, kind, world=ports(read=read), content="?")
        assert refused.value.code == code
        assert text(project) == before


@pytest.mark.parametrize(
    ("fields", "code"),
    [({"groupName": " "}, "invalid-name"), ({"position": {"x": 2e7, "y": 0}}, "invalid-position")],
)
def test_an_impossible_name_or_place_is_refused(fields: dict[str, Any], code: str) -> None:
    desk = bench()
    desk.reading = simple()

    assert desk.refused("import-workflow", content={}, **fields).code == code


def test_a_block_as_wide_as_the_world_goes_below_what_is_there() -> None:
    desk = bench(node("x", at=(-1e7, 0)), node("y", at=(1e7, 0)))
    desk.reading = file(node("a", at=(-1e7, 0)), node("b", at=(1e7, 0)))

    desk.do("import-workflow", content={})
    boxes = list(desk.graph.boxes(None))

    assert not any(one.overlaps(two) for n, one in enumerate(boxes) for two in boxes[:n])


@given(broken_states())
@settings(max_examples=60, deadline=None)
def test_an_import_of_the_own_export_shares_nothing_with_what_was_there(
    whole: ProjectState,
) -> None:
    if not whole.graph.nodes:
        return
    desk = Bench(graph(), new_id=counter("first"))
    imported(desk, Reading(state=whole))
    own = desk.state()
    old_nodes = set(desk.graph.scope_of["node"])

    new = imported(desk, Reading(state=own))

    ids = all_ids(desk.state())
    assert len(set(ids)) == len(ids)
    root = set(desk.nodes()) - {one.node_id for one in own.graph.nodes}
    assert not root & old_nodes
    for one in desk.graph.scopes[None].edges.values():
        touched = {one.source.node_id, one.target.node_id}
        assert touched <= root or not touched & root
    assert {old for kind, scope, old in new if kind == "node" and scope is None} == {
        one.node_id for one in own.graph.nodes
    }
    assert desk.graph.subgraphs.keys() == {one.subgraph_id for one in own.graph.subgraphs}
