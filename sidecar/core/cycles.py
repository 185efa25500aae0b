"""Paths along edges within one scope."""

from collections.abc import Iterable

from protocol.graph import EdgeId, NodeId
from sidecar.core.graph import ProjectGraph, Scope

Steps = dict[NodeId, NodeId | None]


def find_path(
    graph: ProjectGraph,
    scope: Scope,
    start: NodeId,
    goal: NodeId,
    *,
    without: EdgeId | None = None,
) -> list[NodeId] | None:
    """Return nodes from ``start`` to ``goal`` along edges, both included, or None.

    The search goes from both ends in turn and stops as soon as one of them leads no further; so a
    new or a last node costs nothing, whatever hangs on the other end.
    """
    if start == goal:
        return [start]
    ahead: Steps = {start: None}
    behind: Steps = {goal: None}
    forwards, backwards = [start], [goal]
    while forwards and backwards:
        for node_id in _steps(graph, scope, forwards, ahead, without, down=True):
            if node_id in behind:
                return _joined(ahead, behind, node_id)
        for node_id in _steps(graph, scope, backwards, behind, without, down=False):
            if node_id in ahead:
                return _joined(ahead, behind, node_id)
    return None


def _steps(  # noqa: PLR0913 -- the state of one half of the search
    graph: ProjectGraph,
    scope: Scope,
    waiting: list[NodeId],
    seen: Steps,
    without: EdgeId | None,
    *,
    down: bool,
) -> Iterable[NodeId]:
    """Take one node that waits and yield its unseen neighbours, noted as seen."""
    here = waiting.pop()
    edges = graph.scopes[scope].edges
    for edge_id in graph.edges_of_node.get(here, ()):
        edge = edges[edge_id]
        near, far = (edge.source, edge.target) if down else (edge.target, edge.source)
        there = far.node_id
        if near.node_id != here or there is None or there in seen or edge_id == without:
            continue
        seen[there] = here
        waiting.append(there)
        yield there


def _joined(ahead: Steps, behind: Steps, middle: NodeId) -> list[NodeId]:
    first = _trail(ahead, middle)
    return [*reversed(first), *_trail(behind, middle)[1:]]


def _trail(steps: Steps, node_id: NodeId) -> list[NodeId]:
    trail = [node_id]
    before = steps[node_id]
    while before is not None:
        trail.append(before)
        before = steps[before]
    return trail
