"""The rules of groups: add, remove, rename.  Membership is explicit, never geometric."""

from collections.abc import Iterable

from attrs import evolve

from protocol import commands as c
from protocol.graph import Group, GroupId
from sidecar.core.boxes import Box
from sidecar.core.checks import bad_shape, check_distinct, check_frame
from sidecar.core.edit import Edit, check_id
from sidecar.core.errors import RejectedError
from sidecar.core.frames import grow
from sidecar.core.names import clean_name


def add_group(edit: Edit, payload: c.AddGroup) -> None:
    """Put nodes and groups that stand in one group, or in none, into a new one inside it."""
    name = _check_shape(payload)
    nodes = [edit.node(node_id) for node_id in payload.node_ids]
    groups = [edit.group(group_id) for group_id in payload.group_ids]
    if payload.parent_group_id is not None:
        edit.group(payload.parent_group_id)
    group_id = GroupId(edit.new_id("group", payload.group_id))
    homes = [edit.graph.group_of_node.get(node.node_id) for node in nodes]
    parent = _parent(payload, [*homes, *(group.parent_group_id for group in groups)])
    _refuse_loop(edit, parent, payload.group_ids)
    if parent is not None and nodes:
        _take_out(edit, parent, payload)
    for group in groups:
        edit.put(evolve(group, parent_group_id=group_id))
    edit.put(
        Group(
            group_id=group_id,
            name=name,
            node_ids=payload.node_ids,
            parent_group_id=parent,
            bounds=payload.bounds,
            color=payload.color,
        )
    )
    if payload.bounds is not None:
        frame = payload.bounds
        grow(edit, parent, Box(frame.x, frame.y, frame.width, frame.height))


def remove_group(edit: Edit, payload: c.RemoveGroup) -> None:
    """Take away a frame: its members and inner groups go to the group around it, or to none."""
    group = edit.group(payload.group_id)
    parent = group.parent_group_id
    for child_id in _by_rank(edit, edit.graph.child_groups.get(group.group_id, ())):
        edit.put(evolve(edit.here.groups[child_id], parent_group_id=parent))
    edit.workspace.remove("group", edit.scope, group.group_id)
    if parent is not None and group.node_ids:
        around = edit.here.groups[parent]
        edit.put(evolve(around, node_ids=(*around.node_ids, *group.node_ids)))


def rename_group(edit: Edit, payload: c.RenameGroup) -> None:
    name = clean_name(payload.name)
    edit.put(evolve(edit.group(payload.group_id), name=name))


def _check_shape(payload: c.AddGroup) -> str:
    if payload.group_id is not None:
        check_id(payload.group_id, "/groupId")
    name = clean_name(payload.name)
    check_distinct(payload.node_ids, "/nodeIds")
    check_distinct(payload.group_ids, "/groupIds")
    if payload.bounds is not None:
        check_frame(payload.bounds, "/bounds")
    elif not payload.node_ids and not payload.group_ids:
        raise bad_shape("/bounds", "a group without members needs bounds")
    return name


def _parent(payload: c.AddGroup, homes: list[GroupId | None]) -> GroupId | None:
    """Return the group that the new one stands in: where its members are, or where asked."""
    if len(set(homes)) > 1:
        raise _other_group(homes)
    home = homes[0] if homes else None
    if home is not None and payload.parent_group_id not in {None, home}:
        raise _other_group(homes)
    return payload.parent_group_id if home is None else home


def _other_group(homes: list[GroupId | None]) -> RejectedError:
    return RejectedError(
        "node-in-other-group",
        "The members of a new group must stand in the same group, or in none.",
        {"groupIds": list(dict.fromkeys(home for home in homes if home is not None))},
    )


def _refuse_loop(edit: Edit, parent: GroupId | None, group_ids: tuple[GroupId, ...]) -> None:
    inside = set(group_ids)
    outer = parent
    while outer is not None and inside:
        if outer in inside:
            raise bad_shape("/parentGroupId", "stands in one of groupIds")
        outer = edit.here.groups[outer].parent_group_id


def _take_out(edit: Edit, parent: GroupId, payload: c.AddGroup) -> None:
    group = edit.here.groups[parent]
    moving = set(payload.node_ids)
    rest = tuple(node_id for node_id in group.node_ids if node_id not in moving)
    if len(rest) < len(group.node_ids):
        edit.put(evolve(group, node_ids=rest))


def _by_rank(edit: Edit, group_ids: Iterable[GroupId]) -> list[GroupId]:
    return sorted(group_ids, key=edit.here.groups.ranks.__getitem__)
