"""Files as a format adapter reads them, and random ones with every kind of fault in them."""

from collections.abc import Iterable
from typing import Any

from attrs import evolve
from hypothesis import strategies as st

from protocol.graph import Edge, Group, Node, ProjectState, SubgraphDefinition
from sidecar.core.edit import Reading
from tests.core.builders import definition, edge, group, node, state

NOWHERE = [0.0, 300.0, float("nan"), float("inf"), 1e8]

few = st.sampled_from(["a", "b", "c"])
ends = st.one_of(
    st.builds("{}.{}".format, few, st.sampled_from(["in", "out", "p"])),
    st.sampled_from(["<input.p", ">output.q", ">output.p"]),
)


def file(*nodes: Node, placed: bool = True, title: str = "File", **parts: Any) -> Reading:
    """What an adapter makes of a file of the graph's own form."""
    parts.setdefault("format_", "graph")
    return Reading(state=evolve(state(*nodes, **parts), title=title), placed=placed)


@st.composite
def broken_states(draw: st.DrawFn) -> ProjectState:
    """A file of some nodes and two definitions, of which the first may hold the second."""
    inner = definition("t", **draw(contents(["c"])), inputs=["p"], outputs=draw(outputs()))
    outer = definition(
        "s", **draw(contents(["c", "subgraph:t"])), inputs=["p"], outputs=draw(outputs())
    )
    root = draw(contents(["c", "subgraph:s", "subgraph:t", "subgraph:gone"]))
    return state(*root.pop("nodes"), **root, subgraphs=[outer, inner], format_="graph")


@st.composite
def contents(draw: st.DrawFn, components: list[str]) -> dict[str, Any]:
    return {
        "nodes": draw(some_nodes(components)),
        "edges": draw(some_edges()),
        "groups": draw(some_groups()),
    }


def some_nodes(components: Iterable[str]) -> st.SearchStrategy[list[Node]]:
    made = st.builds(
        lambda id_, at, component: node(id_, at=at, component=component),
        few,
        st.tuples(st.sampled_from(NOWHERE), st.sampled_from(NOWHERE)),
        st.sampled_from(list(components)),
    )
    return st.lists(made, max_size=4)


def some_edges() -> st.SearchStrategy[list[Edge]]:
    return st.lists(st.builds(edge, few, ends, ends), max_size=6)


def some_groups() -> st.SearchStrategy[list[Group]]:
    made = st.builds(
        lambda id_, members, parent: group(id_, *members, parent_group_id=parent),
        few,
        st.lists(few, max_size=3),
        st.none() | few,
    )
    return st.lists(made, max_size=3)


def outputs() -> st.SearchStrategy[list[str]]:
    return st.sampled_from([["p"], ["q"], ["q", "q"], ["p", "q"]])


def all_ids(whole: ProjectState) -> list[str]:
    """Every id of a node, edge, group or definition, over all scopes."""
    found: list[str] = []
    scopes: list[Any] = [whole.graph, *whole.graph.subgraphs]
    for scope in scopes:
        found += [one.node_id for one in scope.nodes]
        found += [one.edge_id for one in scope.edges]
        found += [one.group_id for one in scope.groups]
        if isinstance(scope, SubgraphDefinition):
            found.append(scope.subgraph_id)
    return found
