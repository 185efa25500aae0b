"""Nodes, connections and groups of an n8n file as they are written.

Connections name nodes by their names, so names are unique in a file; a node that comes without
one, or with one that is taken, gets one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal
from uuid import NAMESPACE_URL, uuid5

from attrs import define, field

from protocol.graph import Edge, Endpoint, Graph, Group, Json, JsonObject, Node, NodeId
from sidecar.formats.components import type_of_component
from sidecar.formats.dropped import woven
from sidecar.formats.ids import UniqueTexts, id_key, native_ids, residue
from sidecar.formats.n8n.names import (
    ENTRY_ORDER,
    FORMAT,
    GROUP_ORDER,
    MAIN,
    MOST_SLOTS,
    NODE_ORDER,
    default_name,
    kind_and_index,
)
from sidecar.formats.n8n.references import renamed
from sidecar.formats.residue import restored
from sidecar.formats.values import display_name, plain

MENTIONS: Final = frozenset({"nodeIds"})


@define
class N8nFile:
    """A graph without definitions, as a file of it."""

    graph: Graph
    ids: dict[NodeId, Json] = field(init=False)
    group_ids: Mapping[str, Json] = field(init=False)
    names: dict[NodeId, str] = field(init=False)
    changed: int = 0
    """Names that had to change because they were taken."""
    new_names: Mapping[str, str] = field(init=False)
    """By the name that a node had in the file, where it has another one now."""
    _nodes: dict[NodeId, Node] = field(init=False)
    _out: dict[NodeId, list[Edge]] = field(factory=dict)
    _touched: set[NodeId | None] = field(init=False)
    _present: set[str] = field(init=False)
    _places: dict[tuple[str, Endpoint], int] | None = None
    """The places of ports at their nodes; made when a foreign port is met."""

    def __attrs_post_init__(self) -> None:
        graph = self.graph
        self._nodes = {node.node_id: node for node in graph.nodes}
        self._touched = {e.node_id for edge in graph.edges for e in (edge.source, edge.target)}
        for edge in graph.edges:
            if edge.source.node_id is not None:
                self._out.setdefault(edge.source.node_id, []).append(edge)
        grouped = {node_id for group in graph.groups for node_id in group.node_ids}
        self.ids = native_ids(
            graph.nodes,
            FORMAT,
            key=lambda node: node.node_id,
            fresh=fresh_id,
            touched=lambda node: node.node_id in grouped,
        )
        self.group_ids = native_ids(
            graph.groups, FORMAT, key=lambda group: group.group_id, fresh=fresh_id
        )
        self.names = self._final_names()
        self._present = set(self.names.values())
        self.new_names = {
            old: self.names[node.node_id]
            for node in graph.nodes
            if isinstance(old := patch_of(node).get("name"), str)
            if not patch_of(node).get("namesake") and self.names[node.node_id] != old
        }

    def _final_names(self) -> dict[NodeId, str]:
        texts = UniqueTexts()
        names: dict[NodeId, str] = {}
        late: list[Node] = []
        for node in self.graph.nodes:
            name = wanted_name(node)
            namesake = patch_of(node).get("namesake") and node.node_id not in self._touched
            names[node.node_id] = name
            if name in texts.taken and not namesake:
                late.append(node)
            texts.taken.add(name)
        for node in late:
            names[node.node_id] = texts.take(wanted_name(node), "")
        self.changed = len(late)
        return names

    def made_node(self, node: Node) -> JsonObject:
        """Return a node's object without residue."""
        made: JsonObject = {
            "parameters": renamed(node.parameters, self.new_names),
            "id": self.ids[node.node_id],
            "name": self.names[node.node_id],
            "type": type_of_component(node.component_id),
            "position": [plain(node.position.x), plain(node.position.y)],
        }
        if node.enabled != "active":
            made["disabled"] = True
        if node.annotation is not None:
            made["notes"] = node.annotation
        return made

    def node(self, node: Node) -> JsonObject:
        """Return a node's object as the file has it."""
        made = self.made_node(node)
        if residue(node.native, FORMAT) is None:
            return restored({**made, "typeVersion": 1}, {}, NODE_ORDER)
        written = restored(made, patch_of(node), NODE_ORDER)
        # A connection must find its node, also one that had no name in the file.
        return {**written, "name": made["name"]} if node.node_id in self._touched else written

    def made_entry(self, edge: Edge) -> JsonObject:
        """Return what stands in an output for an edge, without residue."""
        kind, index = self._slot_of(edge.target, "input")
        assert edge.target.node_id is not None
        return {"node": self.names[edge.target.node_id], "type": kind, "index": index}

    def _entry(self, edge: Edge) -> JsonObject:
        native = residue(edge.native, FORMAT)
        return restored(self.made_entry(edge), native[FORMAT] if native else {}, ENTRY_ORDER)

    def _slot_of(self, end: Endpoint, side: Literal["input", "output"]) -> tuple[str, int]:
        """Return the connection kind of an end and its index: a foreign port's is its place."""
        known = kind_and_index(end.port_id)
        if known is not None or end.node_id is None:
            return known or (MAIN, 0)
        if self._places is None:
            self._places = {
                (way, Endpoint(node_id=node.node_id, port_id=port.port_id)): place
                for node in self.graph.nodes
                for way, ports in (("input", node.inputs), ("output", node.outputs))
                for place, port in enumerate(ports)
            }
        return MAIN, min(self._places.get((side, end), 0), MOST_SLOTS - 1)

    def connections(self, sources: Sequence[Json]) -> JsonObject:
        """Return all connections.

        ``sources`` is the file's order: native ids of nodes, and ``{"name": …, "raw": …}`` for
        names that no node had.
        """
        by_native = {id_key(id_): node_id for node_id, id_ in reversed(self.ids.items())}
        result: JsonObject = {}
        for item in sources:
            node_id = by_native.get(id_key(item))
            name = item["name"] if isinstance(item, dict) else None
            if isinstance(name, str) and name not in self._present:
                result[name] = item["raw"]
            elif node_id is not None:
                self._connect(self._nodes[node_id], result)
        for node_id in self._out:
            self._connect(self._nodes[node_id], result)
        for node in self.graph.nodes:
            if "outputs" in patch_of(node):
                self._connect(node, result)
        return result

    def _connect(self, node: Node, result: JsonObject) -> None:
        name = self.names[node.node_id]
        if name not in result:
            result[name] = self._outputs(node)

    def _outputs(self, node: Node) -> JsonObject:
        """Return the outputs of a node by kind: a list of entries, or null, for each index."""
        entries: dict[str, dict[int, list[Edge]]] = {}
        for edge in self._out.get(node.node_id, ()):
            kind, index = self._slot_of(edge.source, "output")
            entries.setdefault(kind, {}).setdefault(index, []).append(edge)
        shape: Mapping[str, list[Json]] = patch_of(node).get("outputs", {})
        dropped: JsonObject = patch_of(node).get("dropped", {})
        result: JsonObject = {}
        for kind in dict.fromkeys([*shape, *entries]):
            filled = entries.get(kind, {})
            slots = list(shape.get(kind, []))
            slots += [[] for _ in range(len(slots), max(filled, default=-1) + 1)]
            result[kind] = [
                self._slot(filled.get(index, []), dropped.get(f"{kind}:{index}", [])) or empty
                for index, empty in enumerate(slots)
            ]
        return result

    def _slot(self, edges: list[Edge], dropped: list[JsonObject]) -> list[Json]:
        items = [(self.anchor(edge), self._entry(edge)) for edge in edges]
        return woven(items, dropped, self._alive([anchor for anchor, _ in items]))

    def anchor(self, edge: Edge) -> Json:
        """Return what tells an entry of an output apart, whatever its node is called."""
        assert edge.target.node_id is not None
        return [self.ids[edge.target.node_id], edge.target.port_id]

    def _alive(self, anchors: list[Json]) -> Callable[[JsonObject], bool]:
        """Return whether a dropped entry may come back: what it names is as present as it was."""

        def alive(part: JsonObject) -> bool:
            item = part["item"]
            name = str(item.get("node")) if isinstance(item, dict) else ""
            if "beside" in part:
                return part["beside"] in anchors and name in self._present
            return (name in self._present) == bool(part.get("had"))

        return alive

    def made_group(self, group: Group) -> JsonObject:
        """Return a group's object without residue."""
        members = [self.ids[node_id] for node_id in group.node_ids]
        return {"id": self.group_ids[group.group_id], "name": group.name, "nodeIds": members}

    def groups(self) -> list[tuple[Json, Json]]:
        """Return the groups by id; one without members is left out, unless the file has it so."""
        found: list[tuple[Json, Json]] = []
        for group in self.graph.groups:
            native = residue(group.native, FORMAT)
            patch: JsonObject = native[FORMAT] if native else {}
            if group.node_ids or patch.get("empty"):
                written = restored(self.made_group(group), patch, GROUP_ORDER, lists=MENTIONS)
                found.append((self.group_ids[group.group_id], written))
        return found


def fresh_id(thing: Node | Group) -> str:
    """Return an id as the editor's look, the same one for the same thing each time."""
    seed = thing.node_id if isinstance(thing, Node) else thing.group_id
    return str(uuid5(NAMESPACE_URL, seed))


def patch_of(node: Node) -> JsonObject:
    native = residue(node.native, FORMAT)
    return native[FORMAT] if native else {}


def wanted_name(node: Node) -> str:
    """Return the name a node should have in the file: as the file writes it, if it is still so."""
    raw = patch_of(node).get("name")
    if isinstance(raw, str) and display_name(raw) == node.name:
        return raw
    return node.name or default_name(node.component_id)
