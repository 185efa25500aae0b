"""Circles: of edges, which are told and never refused; of definitions, which no file may have."""

from collections import deque
from collections.abc import Iterable, Mapping

from protocol.graph import Edge, NodeId


def has_cycle(edges: Iterable[Edge]) -> bool:
    """Whether following edges can lead back to where one began."""
    after: dict[NodeId, list[NodeId]] = {}
    waiting: dict[NodeId, int] = {}
    for edge in edges:
        source, target = edge.source.node_id, edge.target.node_id
        if source is None or target is None:
            continue
        after.setdefault(source, []).append(target)
        waiting[target] = waiting.get(target, 0) + 1
        waiting.setdefault(source, 0)
    free = deque(node for node, count in waiting.items() if not count)
    seen = 0
    while free:
        seen += 1
        for target in after.get(free.popleft(), ()):
            waiting[target] -= 1
            if not waiting[target]:
                free.append(target)
    return seen < len(waiting)


def recursion(uses: Mapping[str, Iterable[str]]) -> list[str] | None:
    """Return a cycle among definitions as a path of ids, or None."""
    done: set[str] = set()
    for start in uses:
        trail: dict[str, None] = {}
        stack = [(start, iter(uses[start]))]
        trail[start] = None
        while stack:
            at, rest = stack[-1]
            step = next((one for one in rest if one in uses and one not in done), None)
            if step is None:
                stack.pop()
                trail.pop(at)
                done.add(at)
            elif step in trail:
                path = list(trail)
                return [*path[path.index(step) :], step]
            else:
                trail[step] = None
                stack.append((step, iter(uses[step])))
    return None
