"""Nodes, groups and boundary ports of a Node-RED file as they are written, without residue."""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from protocol.graph import (
    SUBGRAPH_PREFIX,
    Bounds,
    Edge,
    Endpoint,
    Group,
    GroupId,
    Json,
    JsonObject,
    Node,
    NodeId,
    Port,
    PortId,
    Size,
    SubgraphId,
)
from sidecar.formats.components import type_of_component
from sidecar.formats.dropped import woven
from sidecar.formats.ids import residue
from sidecar.formats.node_red.names import (
    FORMAT,
    GROUP,
    INSTANCE_PREFIX,
    LINK,
    LINK_CALL,
    LINK_IN,
    LINK_SOURCES,
    LINK_TYPES,
    NODE_HEIGHT,
    NODE_WIDTH,
    STRUCTURE,
    STRUCTURES,
    is_link,
)
from sidecar.formats.values import plain

DEFAULT_SIZE = Size(NODE_WIDTH, NODE_HEIGHT)
DEFAULT_BOUNDS = Bounds(0, 0, NODE_WIDTH, NODE_HEIGHT)


@frozen(kw_only=True)
class Canvas:
    """Where things of one scope are written: on tabs, or in one subflow."""

    subflow: str | None
    tabs: tuple[str, ...] = ()
    offsets: Mapping[str, float]
    """How much lower each tab lies in the model, where all tabs share one canvas."""

    def place(self, wanted: Json) -> str | None:
        """Return the tab or subflow of a thing."""
        if self.subflow is not None:
            return self.subflow
        if wanted in self.tabs:
            return str(wanted)
        return self.tabs[0] if self.tabs else None

    def offset(self, wanted: Json) -> float:
        place = self.place(wanted)
        # A file without tabs still names them.
        tab = place if place is not None else wanted
        return self.offsets.get(tab, 0) if isinstance(tab, str) else 0


@frozen(kw_only=True)
class Wiring:
    """The native ids of a file, and the edges of one scope by their ends."""

    ids: Mapping[NodeId, str]
    group_ids: Mapping[GroupId, str]
    types: Mapping[SubgraphId, str]
    out: Mapping[Endpoint, list[Edge]]
    into: Mapping[Endpoint, list[Edge]]
    group_of: Mapping[NodeId, GroupId]
    nodes: Mapping[NodeId, Node]
    present: frozenset[str]
    """All native ids of the file's nodes and groups."""

    @classmethod
    def of(
        cls,
        contents: Any,
        ids: Mapping[NodeId, str],
        group_ids: Mapping[GroupId, str],
        types: Mapping[SubgraphId, str],
        present: frozenset[str],
    ) -> "Wiring":
        out: dict[Endpoint, list[Edge]] = {}
        into: dict[Endpoint, list[Edge]] = {}
        for edge in contents.edges:
            out.setdefault(edge.source, []).append(edge)
            into.setdefault(edge.target, []).append(edge)
        members = {id_: group.group_id for group in contents.groups for id_ in group.node_ids}
        nodes = {node.node_id: node for node in contents.nodes}
        return cls(
            ids=ids,
            group_ids=group_ids,
            types=types,
            out=out,
            into=into,
            group_of=members,
            nodes=nodes,
            present=present,
        )

    def targets(self, node_id: NodeId, port_id: PortId) -> list[str]:
        """Return the native ids of the nodes that an output is wired to."""
        edges = self.out.get(Endpoint(node_id=node_id, port_id=port_id), ())
        links = is_link(self.nodes[node_id].component_id, port_id, "source")
        ends = [edge.target for edge in edges if self._enters_link(edge.target) == links]
        ids = (self.ids[end.node_id] for end in ends if end.node_id is not None)
        # A node has one input there, whichever of several an edge enters here.
        return list(dict.fromkeys(ids))

    def entries(self, port_id: PortId) -> list[str]:
        """Return the native ids of the nodes that a subflow's input is wired to."""
        edges = self.out.get(Endpoint(boundary="input", port_id=port_id), ())
        ends = [edge.target for edge in edges if not self._enters_link(edge.target)]
        return [self.ids[end.node_id] for end in ends if end.node_id is not None]

    def _enters_link(self, end: Endpoint) -> bool:
        return end.node_id is not None and is_link(
            self.nodes[end.node_id].component_id, end.port_id, "target"
        )

    def sources(self, node_id: NodeId) -> list[str]:
        """Return the native ids of the link nodes that send to one."""
        edges = self.into.get(Endpoint(node_id=node_id, port_id=PortId(LINK)), ())
        nodes = [self.nodes[e.source.node_id] for e in edges if e.source.node_id is not None]
        return [
            self.ids[node.node_id]
            for node in nodes
            if node.component_id in LINK_SOURCES and node.component_id != LINK_CALL
        ]


def make_node(node: Node, canvas: Canvas, wiring: Wiring) -> JsonObject:
    """Return a node's object without residue."""
    native = residue(node.native, FORMAT)
    wanted = native[FORMAT].get("z") if native else None
    size = node.size or DEFAULT_SIZE
    made: JsonObject = {"id": wiring.ids[node.node_id], "type": type_of(node, wiring.types)}
    place = canvas.place(wanted)
    if place is not None:
        made["z"] = place
    if node.enabled != "active":
        made["d"] = True
    if node.node_id in wiring.group_of:
        made["g"] = wiring.group_ids[wiring.group_of[node.node_id]]
    if node.name is not None:
        made["name"] = node.name
    made |= {key: value for key, value in node.parameters.items() if key not in STRUCTURE}
    if node.annotation is not None:
        made["info"] = node.annotation
    if node.component_id in LINK_TYPES:
        made["links"] = _links(node, wiring)
    made["x"] = plain(node.position.x + size.width / 2)
    made["y"] = plain(node.position.y + size.height / 2 - canvas.offset(wanted))
    made["wires"] = _wires(node, wiring, native[FORMAT] if native else {})
    return made


def type_of(node: Node, types: Mapping[SubgraphId, str]) -> str:
    if node.component_id.startswith(SUBGRAPH_PREFIX):
        definition = SubgraphId(node.component_id.removeprefix(SUBGRAPH_PREFIX))
        return INSTANCE_PREFIX + types.get(definition, definition)
    return type_of_component(node.component_id, STRUCTURES)


def _links(node: Node, wiring: Wiring) -> list[str]:
    if node.component_id == LINK_IN:
        return wiring.sources(node.node_id)
    return wiring.targets(node.node_id, PortId(LINK))


def wired_ports(node: Node) -> list[Port]:
    """Return the outputs that have a list of wires."""
    skip = LINK if node.component_id in LINK_SOURCES else None
    return [port for port in node.outputs if port.port_id != skip]


def _wires(node: Node, wiring: Wiring, patch: JsonObject) -> list[Json]:
    dropped: JsonObject = patch.get("dropped", {})
    wires: list[Json] = []
    for index, port in enumerate(wired_ports(node)):
        targets = wiring.targets(node.node_id, port.port_id)
        parts = dropped.get(str(index), [])
        wires.append(
            woven(zip(targets, targets, strict=True), parts, _alive(targets, wiring.present))
        )
    return wires


def _alive(targets: list[str], known: frozenset[str]) -> Any:
    """Return whether a dropped wire may come back: what it names is as present as it was."""

    def alive(part: JsonObject) -> bool:
        item = part["item"]
        if not isinstance(item, str):
            return True
        there = item in targets if part.get("twin") else item in known
        return there == bool(part.get("twin") or part.get("had"))

    return alive


def make_group(
    group: Group, canvas: Canvas, wiring: Wiring, children: Iterable[GroupId]
) -> JsonObject:
    """Return a group's object without residue; ``children`` are the groups in it."""
    native = residue(group.native, FORMAT)
    wanted = native[FORMAT].get("z") if native else None
    made: JsonObject = {"id": wiring.group_ids[group.group_id], "type": GROUP}
    place = canvas.place(wanted)
    if place is not None:
        made["z"] = place
    if group.parent_group_id is not None:
        made["g"] = wiring.group_ids[group.parent_group_id]
    made["name"] = group.name
    members = [wiring.ids[id_] for id_ in group.node_ids]
    made["nodes"] = members + [wiring.group_ids[id_] for id_ in children]
    bounds = group.bounds or _around([wiring.nodes[id_] for id_ in group.node_ids])
    made["x"], made["y"] = plain(bounds.x), plain(bounds.y - canvas.offset(wanted))
    made["w"], made["h"] = plain(bounds.width), plain(bounds.height)
    return made


def _around(nodes: list[Node]) -> Bounds:
    if not nodes:
        return DEFAULT_BOUNDS
    sizes = [node.size or DEFAULT_SIZE for node in nodes]
    left = min(node.position.x for node in nodes)
    top = min(node.position.y for node in nodes)
    right = max(n.position.x + s.width for n, s in zip(nodes, sizes, strict=True))
    bottom = max(n.position.y + s.height for n, s in zip(nodes, sizes, strict=True))
    return Bounds(left - 10, top - 10, right - left + 20, bottom - top + 20)


def make_entry(port: Port, wiring: Wiring) -> JsonObject:
    """Return an entry of a subflow's ``in`` without residue."""
    return {"wires": [{"id": id_} for id_ in wiring.entries(port.port_id)]}


def make_exit(
    port: Port, subflow: str, wiring: Wiring, entries: Mapping[PortId, int]
) -> JsonObject:
    """Return an entry of a subflow's ``out`` without residue; its own id is what comes in.

    ``entries`` are the places of its inputs.
    """
    wires: list[Json] = []
    for edge in wiring.into.get(Endpoint(boundary="output", port_id=port.port_id), ()):
        source = edge.source
        if source.node_id is None:
            wires.append({"id": subflow, "port": entries[source.port_id]})
            continue
        ports = [one.port_id for one in wired_ports(wiring.nodes[source.node_id])]
        if source.port_id in ports:
            wires.append({"id": wiring.ids[source.node_id], "port": ports.index(source.port_id)})
    return {"wires": wires}
