from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.graph import ComponentId, Node, NodeId, Position, Subgraph, SubgraphId
from sidecar.core.changes import reversed_changes
from sidecar.core.definitions import (
    check_nesting,
    cycle,
    deepest,
    height,
    instance_component,
    release_unused,
    way,
)
from sidecar.core.edit import Edit, Ports, Reading
from sidecar.core.errors import RejectedError
from sidecar.core.graph import ProjectGraph, Scope
from sidecar.core.workspace import Workspace

AT = Position(0, 0)


def no_reading(_content: object, _format: str) -> Reading:
    raise RejectedError("unreadable-content", "")


def an_edit(graph: ProjectGraph, scope: str | None = None) -> Edit:
    ports = Ports(new_id=lambda: "new", retired=lambda *_: False, read=no_reading)
    return Edit(workspace=Workspace(graph), ports=ports, scope=as_scope(scope))


def as_scope(scope: str | None) -> Scope:
    return None if scope is None else SubgraphId(scope)


def nested(uses: dict[str, list[str]], root: Iterable[str] = ()) -> ProjectGraph:
    """A project whose definitions use each other as told; the root holds instances of some."""
    graph = ProjectGraph()
    for number, name in enumerate(uses):
        graph.put("subgraph", None, name, Subgraph(subgraph_id=SubgraphId(name), name=name), number)
    for scope, used in [*uses.items(), (None, list(root))]:
        for number, name in enumerate(used):
            node_id = NodeId(f"{scope}>{name}{number}")
            component_id = instance_component(SubgraphId(name))
            node = Node(node_id=node_id, component_id=component_id, position=AT)
            graph.put("node", as_scope(scope), node_id, node, number)
    return graph


def ids(*names: str) -> list[SubgraphId]:
    return [SubgraphId(name) for name in names]


def test_a_definition_without_instances_goes_with_those_only_it_used() -> None:
    graph = nested({"a": ["b", "c"], "b": ["d"], "c": [], "d": [], "e": ["c"]}, root=["e"])
    edit = an_edit(graph)

    release_unused(edit, SubgraphId("a"))

    assert list(graph.subgraphs) == ["c", "e"]
    assert set(graph.scopes) == {None, "c", "e"}
    assert graph.uses == {None: {"e": 1}, "e": {"c": 1}}


def test_a_definition_with_an_instance_stays() -> None:
    graph = nested({"a": ["b"], "b": []}, root=["a"])

    release_unused(an_edit(graph), SubgraphId("a"))

    assert list(graph.subgraphs) == ["a", "b"]


def test_a_release_can_be_taken_back() -> None:
    graph = nested({"a": ["b", "b"], "b": []})
    before = graph.state()
    edit = an_edit(graph)

    release_unused(edit, SubgraphId("a"))
    for change in reversed_changes(edit.workspace.changes()):
        edit.workspace.apply(change)

    assert graph.state() == before
    assert graph.used_by == {"b": {"a": 2}}


@pytest.mark.parametrize(
    ("scope", "used", "path"),
    [("s", "s", ["s", "s"]), ("s", "t", ["s", "t", "s"]), ("s", "u", ["s", "u", "t", "s"])],
)
def test_a_subgraph_cannot_contain_itself(scope: str, used: str, path: list[str]) -> None:
    graph = nested({"s": [], "t": ["s"], "u": ["t"]}, root=["u"])

    with pytest.raises(RejectedError) as refused:
        check_nesting(an_edit(graph, scope), ids(used))

    assert refused.value.code == "subgraph-recursion"
    assert refused.value.details == {"path": path}


def a_chain(length: int) -> dict[str, list[str]]:
    return {f"d{n}": [f"d{n + 1}"] if n + 1 < length else [] for n in range(length)}


@pytest.mark.parametrize(("above", "below", "allowed"), [(16, 16, True), (16, 17, False)])
def test_nesting_ends_at_32_levels(above: int, below: int, *, allowed: bool) -> None:
    upper = a_chain(above)
    lower = {f"x{name}": [f"x{used}" for used in uses] for name, uses in a_chain(below).items()}
    edit = an_edit(nested(upper | lower, root=["d0"]), f"d{above - 1}")

    if allowed:
        check_nesting(edit, ids("xd0"))
    else:
        with pytest.raises(RejectedError) as refused:
            check_nesting(edit, ids("xd0"))
        assert refused.value.code == "depth-limit"


def test_height_is_the_longest_way_up() -> None:
    graph = nested({"a": ["b", "c"], "b": ["c"], "c": []}, root=["a", "c"])

    assert [height(graph, as_scope(scope)) for scope in (None, "a", "b", "c")] == [0, 1, 2, 3]


@pytest.mark.timeout(10)
def test_depth_of_many_shared_definitions_is_found_quickly() -> None:
    uses = {n: ids(f"{n + 1}", f"{n + 1}") for n in range(300)}

    assert deepest(ids("0"), lambda one: uses.get(int(one), [])) == 301


references = st.dictionaries(
    st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), max_size=3), max_size=6
)


@given(references)
def test_a_cycle_is_found_exactly_where_there_is_one(uses: dict[str, list[str]]) -> None:
    def of(one: SubgraphId) -> list[SubgraphId]:
        return ids(*uses.get(one, []))

    found = cycle(ids(*sorted(uses)), of)

    reachable_from_itself = any(
        way(used, SubgraphId(name), of) is not None
        for name in uses
        for used in of(SubgraphId(name))
    )
    assert (found is not None) == reachable_from_itself
    if found is not None:
        assert found[0] == found[-1]
        assert all(after in of(here) for here, after in pairwise(found))


def test_uses_follow_an_instance_that_changes_its_component() -> None:
    graph = nested({"a": [], "b": []}, root=["a"])
    node = next(iter(graph.scopes[None].nodes.values()))

    graph.put(
        "node",
        None,
        node.node_id,
        Node(node_id=node.node_id, component_id=ComponentId("subgraph:b"), position=AT),
        0,
    )

    assert graph.uses == {None: {"b": 1}}
    assert graph.used_by == {"b": {None: 1}}
