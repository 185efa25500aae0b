"""Frames of groups: they grow by what their members need, and never shrink by themselves."""

from attrs import evolve

from protocol.graph import Bounds, Group, GroupId, NodeId
from sidecar.core.boxes import Box
from sidecar.core.edit import Edit
from sidecar.core.graph import box_of
from sidecar.core.limits import MAX_COORDINATE, MAX_FRAME

PADDING = 10
"""Pixels between a member and the frame."""


def fit_frames(edit: Edit, node_ids: list[NodeId]) -> None:
    """Let the frames around some nodes of the scope grow to hold them, those further out too.

    A group without bounds stays without; the groups around it grow all the same.
    """
    needed: dict[GroupId, Box] = {}
    for node_id in node_ids:
        group_id = edit.graph.group_of_node.get(node_id)
        if group_id is not None:
            box = box_of(edit.here.nodes[node_id])
            needed[group_id] = around(needed.get(group_id), box)
    for group_id, box in needed.items():
        grow(edit, group_id, box)


def grow(edit: Edit, group_id: GroupId | None, inner: Box) -> None:
    """Let a group's frame, and those around it, grow to hold a box with padding."""
    box = inner
    while group_id is not None:
        group = edit.here.groups[group_id]
        box = _grown(edit, group, box)
        group_id = group.parent_group_id


def around(one: Box | None, other: Box) -> Box:
    """Return the smallest box around two boxes, exact where one holds the other."""
    if one is None:
        return other
    x, y = min(one.x, other.x), min(one.y, other.y)
    right, bottom = max(one.right, other.right), max(one.bottom, other.bottom)
    return Box(x, y, right - x, bottom - y)


def frame_of(box: Box) -> Bounds:
    """Return a box as a frame, no further out and no larger than a frame may be."""
    x, y = max(box.x, -MAX_COORDINATE), max(box.y, -MAX_COORDINATE)
    return Bounds(x, y, min(box.right - x, MAX_FRAME), min(box.bottom - y, MAX_FRAME))


def _grown(edit: Edit, group: Group, inner: Box) -> Box:
    """Grow one frame and return the box that the next frame out must hold."""
    if group.bounds is None:
        return inner
    frame = Box(group.bounds.x, group.bounds.y, group.bounds.width, group.bounds.height)
    wanted = inner.grown(PADDING)
    if _holds(frame, wanted):
        return inner
    new = around(frame, wanted)
    edit.put(evolve(group, bounds=frame_of(new)))
    return new


def _holds(frame: Box, inner: Box) -> bool:
    return (
        frame.x <= inner.x
        and frame.y <= inner.y
        and inner.right <= frame.right
        and inner.bottom <= frame.bottom
    )
