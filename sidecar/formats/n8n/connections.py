"""The connections of an n8n file, read as edges between ports like ``main:0``."""

from attrs import define, field

from protocol.graph import Edge, EdgeId, Endpoint, Json, JsonObject, Node, NodeId
from sidecar.formats.dropped import Droppings
from sidecar.formats.n8n.names import MAIN, MOST_SLOTS, port_id
from sidecar.formats.n8n.ports import Used
from sidecar.formats.repairs import Repairs
from sidecar.formats.values import integer


@define
class ConnectionReader:
    """Reads connections; nodes with the same name count as the first of them."""

    repairs: Repairs
    nodes: list[Node]
    raw_nodes: list[JsonObject]
    edges: list[Edge] = field(factory=list)
    raw_entries: list[JsonObject] = field(factory=list)
    patches: dict[NodeId, JsonObject] = field(factory=dict)
    """Per source: the empty shape of its outputs, and what was left out of them."""
    sources: list[Json] = field(factory=list)
    """In the file's order: node ids, and ``{"name", "raw"}`` of names that no node has."""
    used: Used = field(factory=Used)
    twins: list[tuple[JsonObject, Edge]] = field(factory=list)
    """Dropped entries with the edge that says the same."""
    anchors: list[tuple[JsonObject, Edge]] = field(factory=list)
    """Dropped entries with the edge whose entry stands before theirs."""
    _by_name: dict[str, NodeId] = field(factory=dict)
    _pairs: dict[tuple[Endpoint, Endpoint], Edge] = field(factory=dict)

    def read(self, connections: Json) -> None:
        for node, raw in zip(self.nodes, self.raw_nodes, strict=True):
            if isinstance(raw.get("name"), str):
                self._by_name.setdefault(raw["name"], node.node_id)
        for name, outputs in (connections if isinstance(connections, dict) else {}).items():
            source = self._by_name.get(name)
            if source is None or not isinstance(outputs, dict):
                self.repairs.add(
                    "dangling-link", "The connections were left out.", "connections", name
                )
                if source is None:
                    self.sources.append({"name": name, "raw": outputs})
                continue
            self.sources.append(source)
            self._read_source(name, source, outputs)

    def _read_source(self, name: str, source: NodeId, outputs: JsonObject) -> None:
        shape: JsonObject = {}
        dropped: JsonObject = {}
        for kind, slots in outputs.items():
            if not isinstance(slots, list) or len(slots) > MOST_SLOTS or not kind:
                self.repairs.add(
                    "dangling-link", "The connections were left out.", "connections", name, kind
                )
                continue
            shape[kind] = [[] if isinstance(slot, list) else slot for slot in slots]
            self.used.output(source, kind, len(slots) - 1)
            for index, entries in enumerate(slots):
                start = Endpoint(node_id=source, port_id=port_id(kind, index))
                parts = self._read_slot(start, entries, ("connections", name, kind, index))
                if parts:
                    dropped[f"{kind}:{index}"] = parts
        self.patches[source] = {"outputs": shape} | ({"dropped": dropped} if dropped else {})

    def _read_slot(
        self, source: Endpoint, entries: Json, path: tuple[str | int, ...]
    ) -> list[JsonObject]:
        dropped = Droppings()
        last: Edge | None = None
        for place, entry in enumerate(entries if isinstance(entries, list) else []):
            target = self._target(entry)
            twin = self._pairs.get((source, target)) if target is not None else None
            if target is not None and twin is None:
                last = self._add(source, target, entry)
                continue
            code = "dangling-link" if target is None else "duplicate-link"
            self.repairs.add(code, "The connection was left out.", *path, place)
            dropped.drop(entry, **({"had": self._is_there(entry)} if twin is None else {}))
            if twin is not None:
                self.twins.append((dropped.parts[-1], twin))
            if last is not None:
                self.anchors.append((dropped.parts[-1], last))
        return dropped.parts

    def _is_there(self, entry: Json) -> bool:
        name = entry.get("node") if isinstance(entry, dict) else None
        return isinstance(name, str) and name in self._by_name

    def _target(self, entry: Json) -> Endpoint | None:
        name = entry.get("node") if isinstance(entry, dict) else None
        node_id = self._by_name.get(name) if isinstance(name, str) else None
        if node_id is None or not isinstance(entry, dict):
            return None
        kind, index = entry.get("type", MAIN), integer(entry.get("index", 0))
        if not isinstance(kind, str) or not kind or index is None or not 0 <= index < MOST_SLOTS:
            return None
        self.used.input(node_id, kind, index)
        return Endpoint(node_id=node_id, port_id=port_id(kind, index))

    def _add(self, source: Endpoint, target: Endpoint, entry: JsonObject) -> Edge:
        edge_id = EdgeId(f"{source.node_id}-{len(self.edges)}")
        edge = Edge(edge_id=edge_id, source=source, target=target, data_type=None)
        self.edges.append(edge)
        self.raw_entries.append(entry)
        self._pairs[source, target] = edge
        return edge
