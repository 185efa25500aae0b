"""Whether what is to become one node can: no path may leave a set of nodes and come back."""

from collections.abc import Container, Iterable

from protocol.graph import Edge, NodeId
from sidecar.core.graph import ProjectGraph, Scope

Steps = dict[NodeId, NodeId]


def way_round(
    graph: ProjectGraph,
    scope: Scope,
    inside: Container[NodeId],
    *,
    leaving: Iterable[Edge],
    entering: Iterable[Edge],
) -> list[NodeId] | None:
    """Return a path from a node of a set through others back into the set, or None.

    ``leaving`` and ``entering`` are the edges out of and into the set.  The search goes from both
    sides in turn, and is over as soon as one of them leads no further.
    """
    ahead = _starts((edge.target.node_id, edge.source.node_id) for edge in leaving)
    behind = _starts((edge.source.node_id, edge.target.node_id) for edge in entering)
    forwards, backwards = list(ahead), list(behind)
    meeting = next((node_id for node_id in ahead if node_id in behind), None)
    while meeting is None and forwards and backwards:
        meeting = _step(graph, scope, inside, forwards, ahead, behind, down=True) or _step(
            graph, scope, inside, backwards, behind, ahead, down=False
        )
    return None if meeting is None else _joined(ahead, behind, meeting)


def _starts(pairs: Iterable[tuple[NodeId | None, NodeId | None]]) -> Steps:
    return {there: here for there, here in pairs if there is not None and here is not None}


def _step(  # noqa: PLR0913, PLR0917 -- the state of one half of the search
    graph: ProjectGraph,
    scope: Scope,
    inside: Container[NodeId],
    waiting: list[NodeId],
    seen: Steps,
    wanted: Steps,
    *,
    down: bool,
) -> NodeId | None:
    """Look at the neighbours of one node that waits; return one that the other side has seen."""
    here = waiting.pop()
    for edge in graph.node_edges(scope, here):
        near, far = (edge.source, edge.target) if down else (edge.target, edge.source)
        there = far.node_id
        if near.node_id != here or there is None or there in seen or there in inside:
            continue
        seen[there] = here
        if there in wanted:
            return there
        waiting.append(there)
    return None


def _joined(ahead: Steps, behind: Steps, meeting: NodeId) -> list[NodeId]:
    first, last = _trail(ahead, meeting), _trail(behind, meeting)
    return [*reversed(first), meeting, *last]


def _trail(steps: Steps, meeting: NodeId) -> list[NodeId]:
    """Return the steps back from a meeting point, the node inside the set at the end."""
    trail = []
    here = steps.get(meeting)
    while here is not None:
        trail.append(here)
        here = steps.get(here)
    return trail
