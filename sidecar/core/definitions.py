"""Definitions and who uses whom: recursion, depth, and release of what nobody uses.

The reference graph is read from the counts that the graph keeps, so a question costs what the
definitions concerned are, never what the nodes in them are.
"""

from collections.abc import Callable, Iterable, Iterator

from protocol.graph import SUBGRAPH_PREFIX, ComponentId, Node, SubgraphId
from sidecar.core.edit import Edit
from sidecar.core.errors import RejectedError
from sidecar.core.graph import ProjectGraph, Scope
from sidecar.core.limits import MAX_SUBGRAPH_DEPTH

Uses = Callable[[SubgraphId], Iterable[SubgraphId]]
"""The definitions that a definition holds instances of."""


def instance_component(subgraph_id: SubgraphId) -> ComponentId:
    """Return the component id of a definition's instances."""
    return ComponentId(SUBGRAPH_PREFIX + subgraph_id)


def referenced(node: Node) -> SubgraphId | None:
    """Return the id of the definition that a node names, whether or not there is one."""
    if not node.component_id.startswith(SUBGRAPH_PREFIX):
        return None
    return SubgraphId(node.component_id.removeprefix(SUBGRAPH_PREFIX))


def used_in(graph: ProjectGraph, scope: Scope) -> list[SubgraphId]:
    """Return the definitions that a scope holds instances of, in a fixed order."""
    return sorted(used for used in graph.uses.get(scope, ()) if used in graph.subgraphs)


def release_unused(edit: Edit, subgraph_id: SubgraphId) -> None:
    """Remove a definition without instances, with its contents and all that only it used."""
    waiting = [subgraph_id]
    while waiting:
        candidate = waiting.pop()
        if candidate not in edit.graph.subgraphs or edit.graph.instances(candidate):
            continue
        used = used_in(edit.graph, candidate)
        remove_definition(edit, candidate)
        waiting.extend(reversed(used))


def remove_definition(edit: Edit, subgraph_id: SubgraphId) -> None:
    """Remove a definition and its contents, whoever uses it."""
    workspace = edit.workspace
    contents = edit.graph.scopes[subgraph_id]
    for edge_id in list(contents.edges):
        workspace.remove("edge", subgraph_id, edge_id)
    for group_id in list(contents.groups):
        workspace.remove("group", subgraph_id, group_id)
    for node_id in list(contents.nodes):
        workspace.remove("node", subgraph_id, node_id)
    workspace.remove("subgraph", None, subgraph_id)


def check_nesting(edit: Edit, used: Iterable[SubgraphId], *, levels: int = 0) -> None:
    """Refuse instances of existing definitions in the scope that would recurse or nest too deep.

    ``levels`` counts new definitions between the scope and the instances.
    ``subgraph-recursion`` (details: ``path``, from the scope's definition back to it),
    ``depth-limit``.
    """
    wanted = list(used)
    refuse_recursion(edit, wanted)
    inside = deepest(wanted, lambda one: used_in(edit.graph, one))
    check_depth(height(edit.graph, edit.scope) + levels + inside)


def refuse_recursion(edit: Edit, used: Iterable[SubgraphId]) -> None:
    """Refuse instances of existing definitions that hold the scope's own definition."""
    if edit.scope is None:
        return
    for start in used:
        path = way(start, edit.scope, lambda one: used_in(edit.graph, one))
        if path is not None:
            raise recursion([edit.scope, *path])


def recursion(path: list[SubgraphId]) -> RejectedError:
    """Return the refusal of a cycle of definitions, given from one of them back to it."""
    return RejectedError("subgraph-recursion", "A subgraph would contain itself.", {"path": path})


def check_depth(levels: int) -> None:
    """Refuse more levels of definitions inside each other than there may be."""
    if levels > MAX_SUBGRAPH_DEPTH:
        raise RejectedError(
            "depth-limit",
            f"Subgraphs may be nested {MAX_SUBGRAPH_DEPTH} levels deep.",
            {"limit": MAX_SUBGRAPH_DEPTH, "depth": levels},
        )


def way(start: SubgraphId, goal: SubgraphId, uses: Uses) -> list[SubgraphId] | None:
    """Return definitions from ``start`` to ``goal``, each using the next, or None."""
    came_from: dict[SubgraphId, SubgraphId | None] = {start: None}
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if here == goal:
            return _walked(came_from, here)
        for used in uses(here):
            if used not in came_from:
                came_from[used] = here
                waiting.append(used)
    return None


def cycle(starts: Iterable[SubgraphId], uses: Uses) -> list[SubgraphId] | None:
    """Return a cycle of definitions, its first repeated at its end, or None."""
    done: set[SubgraphId] = set()
    for start in starts:
        trail: dict[SubgraphId, Iterator[SubgraphId]] = {}
        following: SubgraphId | None = start
        while following is not None:
            if following in trail:
                ids = list(trail)
                return [*ids[ids.index(following) :], following]
            if following not in done:
                trail[following] = iter(uses(following))
            following = _onwards(trail, done)
    return None


def deepest(starts: Iterable[SubgraphId], uses: Uses) -> int:
    """Return the number of definitions on the longest chain of uses; there must be no cycle."""
    wanted = list(starts)
    found = depths(wanted, uses)
    return max((found[start] for start in wanted), default=0)


def depths(starts: Iterable[SubgraphId], uses: Uses) -> dict[SubgraphId, int]:
    """Return the longest chain of uses from each definition on, those first that others use."""
    found: dict[SubgraphId, int] = {}
    waiting = list(starts)[::-1]
    while waiting:
        here = waiting[-1]
        missing = [used for used in uses(here) if used not in found] if here not in found else []
        if missing:
            waiting.extend(missing)
            continue
        waiting.pop()
        if here not in found:
            found[here] = 1 + max((found[used] for used in uses(here)), default=0)
    return found


def height(graph: ProjectGraph, scope: Scope) -> int:
    """Return how many definitions stand around the contents of a scope; 0 at the root."""
    if scope is None:
        return 0
    return deepest(
        [scope], lambda one: sorted(user for user in graph.used_by.get(one, ()) if user is not None)
    )


def _onwards(
    trail: dict[SubgraphId, Iterator[SubgraphId]], done: set[SubgraphId]
) -> SubgraphId | None:
    """Return the next definition of a depth-first walk, closing those that lead nowhere new."""
    while trail:
        here = next(reversed(trail))
        following = next(trail[here], None)
        if following is not None:
            return following
        done.add(here)
        del trail[here]
    return None


def _walked(came_from: dict[SubgraphId, SubgraphId | None], end: SubgraphId) -> list[SubgraphId]:
    path = [end]
    before = came_from[end]
    while before is not None:
        path.append(before)
        before = came_from[before]
    return path[::-1]
