"""The entries of a React Flow file, read as nodes, groups and edges that have no residue yet."""

from collections.abc import Iterator

from attrs import define, evolve, field

from protocol.graph import (
    Bounds,
    Edge,
    EdgeId,
    Endpoint,
    Group,
    GroupId,
    Json,
    JsonObject,
    Node,
    NodeId,
    Position,
    Size,
)
from sidecar.formats.components import component_of_type
from sidecar.formats.dropped import Droppings
from sidecar.formats.ids import UniqueTexts
from sidecar.formats.react_flow.bodies import (
    offered_inputs,
    offered_outputs,
    read_annotation,
    read_name,
    read_parameters,
    read_type,
    template_of,
)
from sidecar.formats.react_flow.frames import Frames, parent_of
from sidecar.formats.react_flow.handles import PortList
from sidecar.formats.react_flow.names import (
    DEFAULT_FRAME,
    GROUP,
    PARENT_KEYS,
)
from sidecar.formats.react_flow.sealing import Thing, native_of, with_patch
from sidecar.formats.repairs import Repairs
from sidecar.formats.spots import row_below
from sidecar.formats.values import display_name, extent, id_text


@define
class _Item:
    """One entry of the file's nodes; a twin has an id that one before it has."""

    index: int
    raw: JsonObject
    id: str | None
    key: str
    twin: bool


@define
class _Ports:
    inputs: PortList = field(factory=lambda: PortList("target"))
    outputs: PortList = field(factory=lambda: PortList("source"))


@define
class Entries:
    content: JsonObject
    repairs: Repairs
    items: list[_Item] = field(factory=list)
    nodes: list[Node] = field(factory=list)
    raw_nodes: list[JsonObject] = field(factory=list)
    groups: list[Group] = field(factory=list)
    raw_groups: list[JsonObject] = field(factory=list)
    edges: list[Edge] = field(factory=list)
    raw_edges: list[JsonObject] = field(factory=list)
    dropped: dict[str, list[JsonObject]] = field(factory=dict)
    unplaced: int = 0
    _by_id: dict[str, _Item] = field(factory=dict)
    _ports: dict[str, _Ports] = field(factory=dict)
    _frames: Frames = field(init=False)

    def read(self) -> None:
        ids = UniqueTexts()
        for index, raw in self._objects("nodes"):
            id_ = id_text(raw.get("id"))
            twin = id_ is not None and id_ in self._by_id
            if id_ is None or twin:
                code = "duplicate-id" if twin else "missing-id"
                self.repairs.add(code, "The node got an id.", "nodes", index, "id")
            item = _Item(index, raw, id_, ids.take(id_ or f"node-{index}"), twin)
            self.items.append(item)
            if id_ is not None and not twin:
                self._by_id[id_] = item
        self._frames = Frames({id_: item.raw for id_, item in self._by_id.items()})
        self._read_edges()
        frames = self._group_items()
        for item in self.items:
            if item.key in frames:
                self._put_group(item)
            else:
                self._put_node(item)
        self._place()
        self._join(frames)

    def _objects(self, key: str) -> Iterator[tuple[int, JsonObject]]:
        """Yield the objects of a list of the file; what is none is noted and kept beside."""
        dropped = Droppings()
        listed = self.content.get(key)
        for index, raw in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(raw, dict):
                yield index, raw
                dropped.keep(raw.get("id"))
            else:
                message = "This is no object and was left out."
                self.repairs.add("unreadable-node", message, key, index)
                dropped.drop(raw)
        if dropped.parts:
            self.dropped[key] = dropped.parts

    def _read_edges(self) -> None:
        ids, seen = UniqueTexts(), set[str]()
        pairs: dict[tuple[Endpoint, Endpoint], Json] = {}
        dropped = Droppings()
        for index, raw in self._objects("edges"):
            ends = self._ends(raw)
            if ends is None or ends in pairs:
                code = "dangling-link" if ends is None else "duplicate-link"
                self.repairs.add(code, "The edge was left out.", "edges", index)
                facts = {"had": self._had(raw)} if ends is None else {"beside": pairs[ends]}
                dropped.drop(raw, **facts)
                continue
            id_ = id_text(raw.get("id"))
            pairs[ends] = raw.get("id")
            patch: JsonObject = {"twin": True} if id_ is not None and id_ in seen else {}
            seen.update([] if id_ is None else [id_])
            label = raw.get("label")
            self.edges.append(
                Edge(
                    edge_id=EdgeId(ids.take(id_ or f"edge-{index}")),
                    source=ends[0],
                    target=ends[1],
                    label=label if isinstance(label, str) else None,
                    hidden=raw.get("hidden") is True,
                    native=native_of(raw.get("id") if id_ is not None else None, patch),
                )
            )
            self.raw_edges.append(raw)
            dropped.keep(raw.get("id") if id_ is not None else None)
        if dropped.parts:
            self.dropped["edges"] = [*self.dropped.get("edges", []), *dropped.parts]

    def _had(self, raw: JsonObject) -> list[bool]:
        return [id_text(raw.get(key)) in self._by_id for key in ("source", "target")]

    def _ends(self, raw: JsonObject) -> tuple[Endpoint, Endpoint] | None:
        source = self._by_id.get(id_text(raw.get("source")) or "")
        target = self._by_id.get(id_text(raw.get("target")) or "")
        if source is None or target is None:
            return None
        leaving, entering = raw.get("sourceHandle"), raw.get("targetHandle")
        outputs, inputs = self._ports_of(source).outputs, self._ports_of(target).inputs
        return (
            Endpoint(
                node_id=NodeId(source.key),
                port_id=outputs.add(leaving if isinstance(leaving, str) else None),
            ),
            Endpoint(
                node_id=NodeId(target.key),
                port_id=inputs.add(entering if isinstance(entering, str) else None),
            ),
        )

    def _ports_of(self, item: _Item) -> _Ports:
        ports = self._ports.get(item.key)
        if ports is None:
            ports = self._ports[item.key] = _Ports()
        return ports

    def _group_items(self) -> set[str]:
        """Return the keys of nodes that are frames: of the type for it, and ends of no edge."""
        return {
            item.key
            for item in self.items
            if item.raw.get("type") == GROUP and item.key not in self._ports
        }

    def _put_node(self, item: _Item) -> None:
        raw, ports = item.raw, self._ports_of(item)
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

    def _patch(self, item: _Item) -> JsonObject:
        patch: JsonObject = {"twin": True} if item.twin else {}
        if template_of(item.raw) is not None:
            patch["template"] = True
        _, key = parent_of(item.raw)
        return {**patch, "parentKey": key} if key == PARENT_KEYS[1] else patch

    def _put_group(self, item: _Item) -> None:
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
        where = {item.key: item.index for item in self.items} if lost else {}
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
        for item in self.items:
            parent = self._frames.parent(item.id, item.raw)
            if parent is None:
                continue
            if self._by_id[parent].key not in frames:
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
            item = self._by_id[at]
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
