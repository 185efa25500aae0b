"""The entries of a React Flow file, read as nodes and groups that have no residue yet.

Frames become groups, unless an edge ends at one.
"""

from attrs import define, evolve, field

from protocol.graph import (
    Bounds,
    Group,
    GroupId,
    JsonObject,
    Node,
    NodeId,
    Position,
    Size,
)
from sidecar.formats.components import component_of_type
from sidecar.formats.react_flow.bodies import (
    offered_inputs,
    offered_outputs,
    read_annotation,
    read_name,
    read_parameters,
    read_type,
    template_of,
)
from sidecar.formats.react_flow.edges import Edges
from sidecar.formats.react_flow.frames import Frames, parent_of
from sidecar.formats.react_flow.items import Item, Items
from sidecar.formats.react_flow.names import (
    DEFAULT_FRAME,
    GROUP,
    PARENT_KEYS,
)
from sidecar.formats.react_flow.sealing import Thing, native_of, with_patch
from sidecar.formats.repairs import Repairs
from sidecar.formats.spots import row_below
from sidecar.formats.values import display_name, extent


@define
class Entries:
    content: JsonObject
    repairs: Repairs
    nodes: list[Node] = field(factory=list)
    raw_nodes: list[JsonObject] = field(factory=list)
    groups: list[Group] = field(factory=list)
    raw_groups: list[JsonObject] = field(factory=list)
    items: Items = field(init=False)
    edges: Edges = field(init=False)
    unplaced: int = 0
    _frames: Frames = field(init=False)

    def read(self) -> None:
        self.items = Items(self.content, self.repairs)
        self.items.read()
        self._frames = Frames({id_: item.raw for id_, item in self.items.by_id.items()})
        self.edges = Edges(self.items)
        self.edges.read()
        frames = self._group_items()
        for item in self.items.listed:
            if item.key in frames:
                self._put_group(item)
            else:
                self._put_node(item)
        self._place()
        self._join(frames)

    def _group_items(self) -> set[str]:
        """Return the keys of nodes that are frames: of the type for it, and ends of no edge."""
        return {
            item.key
            for item in self.items.listed
            if item.raw.get("type") == GROUP and not self.edges.is_end(item)
        }

    def _put_node(self, item: Item) -> None:
        raw, ports = item.raw, self.edges.ports_of(item)
        for parts in offered_outputs(raw):
            ports.outputs.offer(parts)
        for parts in offered_inputs(raw):
            ports.inputs.offer(parts)
        type_, plain = read_type(raw), template_of(raw) is None
        component_id, status = component_of_type(type_)
        self.nodes.append(
            Node(
                node_id=NodeId(item.key),
                component_id=component_id,
                status=status,
                name=read_name(raw),
                position=self._frames.own(item.id, raw) or Position(0, 0),
                size=_size(raw)[0],
                pinned=raw.get("draggable") is False,
                inputs=ports.inputs.ports(usual=plain and type_ != "input"),
                outputs=ports.outputs.ports(usual=plain and type_ != "output"),
                parameters=read_parameters(raw),
                annotation=read_annotation(raw),
                native=native_of(raw.get("id") if item.id is not None else None, self._patch(item)),
            )
        )
        self.raw_nodes.append(raw)

    def _patch(self, item: Item) -> JsonObject:
        patch: JsonObject = {"twin": True} if item.twin else {}
        if template_of(item.raw) is not None:
            patch["template"] = True
        _, key = parent_of(item.raw)
        return {**patch, "parentKey": key} if key == PARENT_KEYS[1] else patch

    def _put_group(self, item: Item) -> None:
        raw = item.raw
        size, place = _size(raw)
        spot = self._frames.own(item.id, raw) or Position(0, 0)
        width, height = (size.width, size.height) if size else DEFAULT_FRAME
        data = raw.get("data")
        label = display_name(data.get("label")) if isinstance(data, dict) else None
        patch = {**self._patch(item), **({} if place == "top" else {"size": place})}
        self.groups.append(
            Group(
                group_id=GroupId(item.key),
                name=label or "Group",
                bounds=Bounds(spot.x, spot.y, width, height),
                native=native_of(raw.get("id") if item.id is not None else None, patch),
            )
        )
        self.raw_groups.append(raw)

    def _place(self) -> None:
        lost = [i for i, raw in enumerate(self.raw_nodes) if self._frames.own(None, raw) is None]
        missing = set(lost)
        placed = [node for index, node in enumerate(self.nodes) if index not in missing]
        where = {item.key: item.index for item in self.items.listed} if lost else {}
        for index, spot in zip(lost, row_below(placed, len(lost)), strict=True):
            node = self.nodes[index]
            message = "The node was put on free space."
            self.repairs.add("missing-position", message, "nodes", where[node.node_id], "position")
            self.nodes[index] = evolve(node, position=spot)
        self.unplaced = len(lost)

    def _join(self, frames: set[str]) -> None:
        """Put nodes and groups into the groups around them; note parents that are nodes."""
        members: dict[str, list[NodeId]] = {}
        parents: dict[str, GroupId] = {}
        by_node: dict[str, str] = {}
        for item in self.items.listed:
            parent = self._frames.parent(item.id, item.raw)
            if parent is None:
                continue
            if self.items.by_id[parent].key not in frames:
                by_node[item.key] = parent
            owner = self._owner(parent, frames)
            if owner is not None and item.key in frames:
                parents[item.key] = GroupId(owner)
            elif owner is not None:
                members.setdefault(owner, []).append(NodeId(item.key))
        self.nodes = [_below(node, by_node.get(node.node_id)) for node in self.nodes]
        self.groups = [
            evolve(
                _below(group, by_node.get(group.group_id)),
                node_ids=tuple(members.get(group.group_id, ())),
                parent_group_id=parents.get(group.group_id),
            )
            for group in self.groups
        ]

    def _owner(self, parent: str, frames: set[str]) -> str | None:
        """Return the nearest group at or above a parent."""
        at: str | None = parent
        while at is not None:
            item = self.items.by_id[at]
            if item.key in frames:
                return item.key
            at = self._frames.parent(item.id, item.raw)
        return None


def _below(thing: Thing, parent: str | None) -> Thing:
    return thing if parent is None else with_patch(thing, {"parent": parent})


def _size(raw: JsonObject) -> tuple[Size | None, str]:
    """Return a node's size, and where its file says it."""
    for place, holder in (
        ("top", raw),
        ("style", raw.get("style")),
        ("measured", raw.get("measured")),
    ):
        size = (
            extent([holder.get("width"), holder.get("height")])
            if isinstance(holder, dict)
            else None
        )
        if size is not None:
            return size, place
    return None, "none"
