"""Wires of a flow file, read as edges; those of link nodes as hidden ones."""

from attrs import define, field

from protocol.graph import Edge, EdgeId, Endpoint, Json, JsonObject, Node, PortId
from sidecar.formats.dropped import Droppings
from sidecar.formats.ids import UniqueTexts
from sidecar.formats.node_red.flow import Entry
from sidecar.formats.node_red.names import INPUT, LINK, LINK_SOURCES, MOST_OUTPUTS
from sidecar.formats.node_red.scope import Scope
from sidecar.formats.repairs import Repairs


def read_wires(scope: Scope, known: set[str], repairs: Repairs) -> None:
    """Read the wires of a scope whose nodes were read; ``known`` are all ids of the file."""
    reader = _WireReader(scope, known, repairs)
    for node, entry in zip(scope.nodes, scope.node_entries, strict=True):
        reader.node(node, entry)
    if scope.subflow is not None:
        reader.boundary(scope.subflow)


@define
class _WireReader:
    scope: Scope
    known: set[str]
    repairs: Repairs
    ids: UniqueTexts = field(factory=UniqueTexts)
    pairs: set[tuple[Endpoint, Endpoint]] = field(factory=set)

    def node(self, node: Node, entry: Entry) -> None:
        # An id that is there twice means the first entry that has it.
        wires = entry.raw.get("wires") if not entry.twin else None
        for index, targets in enumerate(wires if isinstance(wires, list) else []):
            if isinstance(targets, list) and index < MOST_OUTPUTS:
                self._output(node, entry, index, targets)
        links = entry.raw.get("links")
        if (
            str(entry.raw.get("type")) in LINK_SOURCES
            and isinstance(links, list)
            and not entry.twin
        ):
            source = Endpoint(node_id=node.node_id, port_id=PortId(LINK))
            for target in links:
                self._add(source, self._input(target, LINK), hidden=True)

    def _output(self, node: Node, entry: Entry, index: int, targets: list[Json]) -> None:
        source = Endpoint(node_id=node.node_id, port_id=PortId(f"output_{index}"))
        is_there = any(port.port_id == source.port_id for port in node.outputs)
        dropped = Droppings()
        for place, target in enumerate(targets):
            end = self._input(target, INPUT) if is_there else None
            if end is not None and self._add(source, end):
                dropped.keep(target)
                continue
            code = "dangling-link" if end is None else "duplicate-link"
            self.repairs.add(code, "The wire was left out.", entry.index, "wires", index, place)
            facts = {"had": target in self.known} if isinstance(target, str) else {}
            dropped.drop(target, **(facts if end is None else {"twin": True}))
        if dropped.parts:
            self.scope.dropped.setdefault(node.node_id, {})[str(index)] = dropped.parts

    def _input(self, target: Json, port: str) -> Endpoint | None:
        node = self.scope.by_id.get(target) if isinstance(target, str) else None
        if node is None:
            return None
        found = next((one for one in node.inputs if one.port_id == port), None)
        return None if found is None else Endpoint(node_id=node.node_id, port_id=found.port_id)

    def _add(self, source: Endpoint, target: Endpoint | None, *, hidden: bool = False) -> bool:
        if target is None or (source, target) in self.pairs:
            return False
        self.pairs.add((source, target))
        edge_id = self.ids.take(f"{source.node_id or 'in'}-{len(self.scope.edges)}")
        edge = Edge(edge_id=EdgeId(edge_id), source=source, target=target, hidden=hidden)
        self.scope.edges.append(edge)
        return True

    def boundary(self, subflow: JsonObject) -> None:
        for index, entry in enumerate(_objects(subflow.get("in"))):
            for wire in _objects(entry.get("wires")):
                source = Endpoint(boundary="input", port_id=self.scope.inputs[index].port_id)
                self._add(source, self._input(wire.get("id"), INPUT))
        for index, entry in enumerate(_objects(subflow.get("out"))):
            target = Endpoint(boundary="output", port_id=self.scope.outputs[index].port_id)
            for wire in _objects(entry.get("wires")):
                outlet = self._source(wire, subflow)
                if outlet is not None:
                    self._add(outlet, target)

    def _source(self, wire: JsonObject, subflow: JsonObject) -> Endpoint | None:
        id_, port = wire.get("id"), wire.get("port", 0)
        if type(port) is not int or port < 0 or not isinstance(id_, str):
            return None
        if id_ == subflow["id"]:
            ports = self.scope.inputs
            return (
                Endpoint(boundary="input", port_id=ports[port].port_id)
                if port < len(ports)
                else None
            )
        node = self.scope.by_id.get(id_)
        wanted = PortId(f"output_{port}")
        if node is None or not any(one.port_id == wanted for one in node.outputs):
            return None
        return Endpoint(node_id=node.node_id, port_id=wanted)


def _objects(value: Json) -> list[JsonObject]:
    """Return a list's objects in their places; what is none counts as an empty one."""
    listed = value if isinstance(value, list) else []
    return [item if isinstance(item, dict) else {} for item in listed]
