"""A second opinion on a graph: every index built anew from the state alone."""

from typing import Any

from sidecar.core.graph import ProjectGraph
from tests.core.builders import graph_of

INDEXES = (
    "scope_of",
    "edges_of_node",
    "edges_of_port",
    "group_of_node",
    "child_groups",
    "nodes_of_component",
    "uses",
    "used_by",
)


def assert_indexes_match(graph: ProjectGraph) -> None:
    """Compare the indexes that were kept with those of a graph built from the same state."""
    fresh = graph_of(graph.state())
    for name in INDEXES:
        assert getattr(graph, name) == getattr(fresh, name), name
    for scope, tables in graph.scopes.items():
        kept, built = graph.boxes(scope), fresh.boxes(scope)
        assert {id_: kept.get(id_) for id_ in tables.nodes} == {
            id_: built.get(id_) for id_ in tables.nodes
        }
        assert len(kept) == len(built)
    assert graph.scopes.keys() == fresh.scopes.keys()
    assert graph._boxes.keys() == graph.scopes.keys()  # noqa: SLF001 -- what is kept is the point
    assert_ranks_match(graph)


def assert_ranks_match(graph: ProjectGraph) -> None:
    """Compare each list's order with the ranks of its things."""
    tables: list[Any] = [graph.components, graph.subgraphs]
    for contents in graph.scopes.values():
        tables += [contents.nodes, contents.edges, contents.groups]
    for table in tables:
        by_rank = sorted(table, key=table.ranks.__getitem__)
        assert [table[id_] for id_ in by_rank] == list(table.ordered())
        assert table.ranks.keys() == table.keys()
        assert len(set(table.ranks.values())) == len(table)


def ranks(graph: ProjectGraph) -> dict[str, Any]:
    """Return every rank, to tell whether a list is exactly what it was."""
    found: dict[str, Any] = {
        "components": dict(graph.components.ranks),
        "subgraphs": dict(graph.subgraphs.ranks),
    }
    for scope, contents in graph.scopes.items():
        found[f"in {scope}"] = {
            "nodes": dict(contents.nodes.ranks),
            "edges": dict(contents.edges.ranks),
            "groups": dict(contents.groups.ranks),
        }
    return found
