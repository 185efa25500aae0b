"""Groups of a ComfyUI graph: frames whose members are what lies in them.

The editor's rule: a node is inside where the centre of its box is, a group where all of it is.
Membership in the model is explicit, so the rule is applied once, at reading; of several frames
around a node the smallest wins.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import evolve

from protocol.graph import Bounds, Group, GroupId, Json, JsonObject, Node, NodeId
from sidecar.formats.comfyui.frames import Centre, Frames, contains, encloses
from sidecar.formats.comfyui.names import FORMAT, GROUP_ORDER
from sidecar.formats.ids import UniqueTexts, residue
from sidecar.formats.residue import restored
from sidecar.formats.values import display_name, id_text, number, plain

TITLE_HEIGHT: Final = 30
COLLAPSED_WIDTH: Final = 80
DEFAULT_NODE: Final = (240.0, 120.0)
DEFAULT_BOUNDS: Final = Bounds(10, 10, 140, 80)
PADDING: Final = 10


def read_group(raw: JsonObject, index: int, ids: UniqueTexts) -> Group:
    """Return a group without members and without residue."""
    color = raw.get("color")
    native_id = raw.get("id")
    return Group(
        group_id=GroupId(ids.take(id_text(native_id) or f"group-{index}")),
        name=display_name(raw.get("title")) or "Group",
        bounds=read_bounds(raw.get("bounding")),
        color=color if isinstance(color, str) else None,
    )


def read_bounds(raw: Json) -> Bounds | None:
    """Return a rectangle given as ``[x, y, width, height]``, or None."""
    values = [number(side) for side in raw] if isinstance(raw, list) else []
    match values:
        case [
            float() | int() as x,
            float() | int() as y,
            float() | int() as w,
            float() | int() as h,
        ]:
            return Bounds(x, y, w, h) if w >= 0 and h >= 0 else None
        case _:
            return None


def make_group(group: Group, id_: Json, bounds: Bounds) -> JsonObject:
    """Return a group without residue."""
    made: JsonObject = {"id": id_, "title": group.name}
    made["bounding"] = [bounds.x, bounds.y, bounds.width, bounds.height]
    if group.color is not None:
        made["color"] = group.color
    return made


def write_group(group: Group, id_: Json, bounds: Bounds) -> JsonObject:
    """Return a group as the file has it."""
    made = make_group(group, id_, bounds)
    native = residue(group.native, FORMAT)
    if native is None:
        return {**made, "font_size": 24, "flags": {}}
    return restored(made, native[FORMAT], GROUP_ORDER)


def centre(node: Node) -> Centre:
    """Return the centre of a node's box, title bar included."""
    width, height = (node.size.width, node.size.height) if node.size else DEFAULT_NODE
    if node.collapsed:
        width, height = COLLAPSED_WIDTH, 0
    top = node.position.y - TITLE_HEIGHT
    return Centre(node.position.x + width / 2, top + (height + TITLE_HEIGHT) / 2)


def with_members(groups: Sequence[Group], nodes: Iterable[Node]) -> list[Group]:
    """Return the groups with their members and parents, as the editor would find them."""
    bounds = {group.group_id: group.bounds for group in groups if group.bounds is not None}
    frames = Frames.of(bounds)
    members: dict[GroupId, list[NodeId]] = {group.group_id: [] for group in groups}
    for node in nodes if groups else ():
        owner = frames.around(centre(node))
        if owner is not None:
            members[owner].append(node.node_id)
    return [
        evolve(
            group,
            node_ids=tuple(members[group.group_id]),
            parent_group_id=None if group.bounds is None else frames.parent(group.bounds),
        )
        for group in groups
    ]


def written_bounds(groups: Sequence[Group], nodes: Mapping[NodeId, Node]) -> dict[GroupId, Bounds]:
    """Return the frame of each group, widened where a member would fall out of it on opening."""
    children: dict[GroupId | None, list[Group]] = {}
    for group in groups:
        children.setdefault(group.parent_group_id, []).append(group)
    found: dict[GroupId, Bounds] = {}
    for group in _inner_first(groups):
        inner = [found[child.group_id] for child in children.get(group.group_id, ())]
        members = [nodes[id_] for id_ in group.node_ids if id_ in nodes]
        found[group.group_id] = _frame(group, members, inner)
    return found


def is_as_framed(groups: Sequence[Group], nodes: Sequence[Node]) -> bool:
    """Whether the members and parents of groups are what the editor finds in their frames."""
    bounds = written_bounds(groups, {node.node_id: node for node in nodes})
    framed = [evolve(group, bounds=_shown(group, bounds[group.group_id])) for group in groups]
    return all(
        set(found.node_ids) == set(group.node_ids)
        and found.parent_group_id == group.parent_group_id
        for found, group in zip(with_members(framed, nodes), groups, strict=True)
    )


def _shown(group: Group, written: Bounds) -> Bounds | None:
    """Return the frame that a group has in the file; one without a frame there keeps none."""
    bare = group.bounds is None and not group.node_ids
    return None if bare and residue(group.native, FORMAT) is not None else written


def _inner_first(groups: Sequence[Group]) -> list[Group]:
    by_id = {group.group_id: group for group in groups}
    depth: dict[GroupId, int] = {}

    def deep(group: Group) -> int:
        steps, at = [group.group_id], group
        while at.parent_group_id in by_id and at.group_id not in depth:
            at = by_id[at.parent_group_id]
            steps.append(at.group_id)
        base = depth.get(at.group_id, 0)
        for index, id_ in enumerate(reversed(steps)):
            depth.setdefault(id_, base + index)
        return depth[group.group_id]

    return sorted(groups, key=deep, reverse=True)


def _frame(group: Group, members: list[Node], inner: list[Bounds]) -> Bounds:
    if group.bounds is None:
        return _around([*(_box(node) for node in members), *inner]) or DEFAULT_BOUNDS
    bounds = group.bounds
    for node in members:
        if not contains(bounds, centre(node)):
            bounds = _union(bounds, _box(node))
    for child in inner:
        if not encloses(bounds, child):
            bounds = _union(bounds, child)
    return bounds


def _box(node: Node) -> Bounds:
    width, height = (node.size.width, node.size.height) if node.size else DEFAULT_NODE
    top = node.position.y - TITLE_HEIGHT
    return Bounds(node.position.x, top, width, height + TITLE_HEIGHT)


def _around(boxes: list[Bounds]) -> Bounds | None:
    if not boxes:
        return None
    whole = boxes[0]
    for box in boxes[1:]:
        whole = _union(whole, box)
    return Bounds(
        plain(whole.x - PADDING),
        plain(whole.y - PADDING - TITLE_HEIGHT),
        plain(whole.width + 2 * PADDING),
        plain(whole.height + 2 * PADDING + TITLE_HEIGHT),
    )


def _union(one: Bounds, other: Bounds) -> Bounds:
    x, y = min(one.x, other.x), min(one.y, other.y)
    right = max(one.x + one.width, other.x + other.width)
    bottom = max(one.y + one.height, other.y + other.height)
    return Bounds(x, y, right - x, bottom - y)
