"""Groups of a file: members that are there, each node in one group, groups as a forest."""

from collections.abc import Iterable

from attrs import evolve

from protocol.graph import Group, GroupId, Node, NodeId
from sidecar.core.limits import MAX_FRAME
from sidecar.core.repair_notes import Notes, fits_world, is_length


def repaired_groups(
    groups: Iterable[Group], nodes: Iterable[Node], notes: Notes, path: str
) -> list[Group]:
    """Return the groups of one scope; a node that several name stays in the first."""
    taken: set[str] = set()
    free = {node.node_id for node in nodes}
    made: list[Group] = []
    for number, raw in enumerate(groups):
        here = f"{path}/{number}"
        group = evolve(raw, group_id=notes.own_id(raw.group_id, taken, here))
        group = _with_members(group, free, notes, here)
        made.append(_framed(group, notes, here))
    return _as_forest(made, notes, path)


def _with_members(group: Group, free: set[NodeId], notes: Notes, path: str) -> Group:
    members: list[NodeId] = []
    for number, node_id in enumerate(group.node_ids):
        if node_id in free:
            free.discard(node_id)
            members.append(node_id)
        else:
            notes.add(
                "member-dropped",
                f"{node_id} is not there, or is in a group already.",
                f"{path}/nodeIds/{number}",
            )
    return evolve(group, node_ids=tuple(members))


def _framed(group: Group, notes: Notes, path: str) -> Group:
    frame = group.bounds
    if frame is None or (
        fits_world(frame.x, frame.y)
        and is_length(frame.width, MAX_FRAME)
        and is_length(frame.height, MAX_FRAME)
    ):
        return group
    notes.add("bounds-repaired", "The frame was at no possible place.", f"{path}/bounds")
    return evolve(group, bounds=None)


def _as_forest(groups: list[Group], notes: Notes, path: str) -> list[Group]:
    """Return the groups without parents that are not there or lead in a circle."""
    parents: dict[GroupId, GroupId | None] = {
        group.group_id: group.parent_group_id for group in groups
    }
    rooted: set[GroupId] = set()
    made: list[Group] = []
    for number, group in enumerate(groups):
        if _leads_nowhere(group.group_id, parents, rooted):
            parents[group.group_id] = None
            notes.add(
                "parent-dropped",
                "The group around this one is not there, or stands inside it.",
                f"{path}/{number}/parentGroupId",
            )
            rooted.add(group.group_id)
        made.append(evolve(group, parent_group_id=parents[group.group_id]))
    return made


def _leads_nowhere(
    start: GroupId, parents: dict[GroupId, GroupId | None], rooted: set[GroupId]
) -> bool:
    """Return whether the way outwards from a group comes back to it, or starts at nothing.

    What is found not to be at fault is remembered, so that no way is walked twice.
    """
    if start in rooted:
        return False
    trail: dict[GroupId, None] = {}
    here: GroupId | None = start
    while here is not None and here not in rooted and here not in trail and here in parents:
        trail[here] = None
        here = parents[here]
    first = parents[start]
    if here == start or (first is not None and first not in parents):
        return True
    walked = list(trail)
    if here in trail:
        walked = walked[: walked.index(here)]
    elif here is not None and here not in rooted:
        walked.pop()
    rooted.update(walked)
    return False
