"""The edges of a React Flow file, and the ports that their handles make.

An edge that leads nowhere, or beside another one, is noted and kept beside.
"""

from attrs import define, field

from protocol.graph import Edge, EdgeId, Endpoint, Json, JsonObject, NodeId
from sidecar.formats.dropped import Droppings
from sidecar.formats.ids import UniqueTexts
from sidecar.formats.react_flow.handles import PortList
from sidecar.formats.react_flow.items import Item, Items
from sidecar.formats.react_flow.sealing import native_of
from sidecar.formats.values import id_text


@define
class Ports:
    inputs: PortList = field(factory=lambda: PortList("target"))
    outputs: PortList = field(factory=lambda: PortList("source"))


@define
class Edges:
    items: Items
    edges: list[Edge] = field(factory=list)
    raws: list[JsonObject] = field(factory=list)
    _ports: dict[str, Ports] = field(factory=dict)
    _ids: UniqueTexts = field(factory=UniqueTexts)
    _seen: set[str] = field(factory=set)

    def read(self) -> None:
        pairs: dict[tuple[Endpoint, Endpoint], Json] = {}
        dropped = Droppings()
        for index, raw in self.items.objects("edges"):
            ends = self._ends(raw)
            if ends is None or ends in pairs:
                code = "dangling-link" if ends is None else "duplicate-link"
                self.items.repairs.add(code, "The edge was left out.", "edges", index)
                facts = {"had": self._had(raw)} if ends is None else {"beside": pairs[ends]}
                dropped.drop(raw, **facts)
                continue
            pairs[ends] = raw.get("id")
            self._put(index, raw, *ends)
            dropped.keep(raw.get("id") if id_text(raw.get("id")) is not None else None)
        self.items.drop("edges", dropped)

    def is_end(self, item: Item) -> bool:
        """Whether an edge begins or ends at an entry."""
        return item.key in self._ports

    def ports_of(self, item: Item) -> Ports:
        ports = self._ports.get(item.key)
        if ports is None:
            ports = self._ports[item.key] = Ports()
        return ports

    def _put(self, index: int, raw: JsonObject, source: Endpoint, target: Endpoint) -> None:
        id_ = id_text(raw.get("id"))
        patch: JsonObject = {"twin": True} if id_ is not None and id_ in self._seen else {}
        self._seen.update([] if id_ is None else [id_])
        label = raw.get("label")
        self.edges.append(
            Edge(
                edge_id=EdgeId(self._ids.take(id_ or f"edge-{index}")),
                source=source,
                target=target,
                label=label if isinstance(label, str) else None,
                hidden=raw.get("hidden") is True,
                native=native_of(raw.get("id") if id_ is not None else None, patch),
            )
        )
        self.raws.append(raw)

    def _had(self, raw: JsonObject) -> list[bool]:
        return [id_text(raw.get(key)) in self.items.by_id for key in ("source", "target")]

    def _ends(self, raw: JsonObject) -> tuple[Endpoint, Endpoint] | None:
        source = self.items.by_id.get(id_text(raw.get("source")) or "")
        target = self.items.by_id.get(id_text(raw.get("target")) or "")
        if source is None or target is None:
            return None
        leaving, entering = raw.get("sourceHandle"), raw.get("targetHandle")
        outputs, inputs = self.ports_of(source).outputs, self.ports_of(target).inputs
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
