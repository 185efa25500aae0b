"""Things as the JSON text that the file keeps and that answers carry, byte for byte the same."""

from typing import Any, Final, cast

from protocol.changes import Thing, ThingKind
from protocol.converter import make_trusting_converter
from protocol.graph import (
    Component,
    Document,
    Edge,
    Endpoint,
    Group,
    Node,
    Port,
    Position,
    Process,
    Size,
    Subgraph,
)
from protocol.json_text import dumps, loads
from sidecar.store.faults import damaged

CLASSES: Final[dict[ThingKind, type]] = {
    "document": Document,
    "component": Component,
    "subgraph": Subgraph,
    "node": Node,
    "edge": Edge,
    "group": Group,
}
MAX_SHARED_PORTS: Final = 20_000


class Codec:
    """Writes things as JSON and reads them back, trusting what it wrote.

    Nodes and edges, of which there are many, are read by hand: it takes half the time.  Equal
    ports are one object, since the nodes of one component have the same ones.
    """

    def __init__(self) -> None:
        self._converter = make_trusting_converter()
        self._ports: dict[tuple[Any, ...], Port] = {}

    def encode(self, thing: Thing) -> bytes:
        """Return the JSON text of a thing: camelCase keys, every field, key order kept."""
        if isinstance(thing, str):
            return dumps(thing)
        return dumps(self._converter.unstructure(thing))

    def decode(self, kind: ThingKind, text: bytes) -> Thing:
        """Return the thing of a text that :meth:`encode` wrote, else ``storage-corrupt``."""
        try:
            return self._decode(kind, loads(text))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise damaged("record", kind=kind) from error

    def _decode(self, kind: ThingKind, value: Any) -> Thing:
        match kind:
            case "node":
                return self._node(value)
            case "edge":
                return _edge(value)
            case "title":
                if not isinstance(value, str):
                    raise TypeError("a title is text")
                return value
            case _:
                return cast("Thing", self._converter.structure(value, CLASSES[kind]))

    def _node(self, value: dict[str, Any]) -> Node:
        size, process = value["size"], value["process"]
        port = self._port
        return Node(
            node_id=value["nodeId"],
            component_id=value["componentId"],
            name=value["name"],
            position=_position(value["position"]),
            size=None if size is None else Size(size["width"], size["height"]),
            enabled=value["enabled"],
            collapsed=value["collapsed"],
            pinned=value["pinned"],
            inputs=tuple([port(found) for found in value["inputs"]]),
            outputs=tuple([port(found) for found in value["outputs"]]),
            parameters=value["parameters"],
            annotation=value["annotation"],
            process=None if process is None else self._converter.structure(process, Process),
            status=value["status"],
            native=value["native"],
        )

    def _port(self, value: dict[str, Any]) -> Port:
        native = value["native"]
        if native is not None:
            return self._converter.structure(value, Port)
        facts = (
            value["name"],
            value["portId"],
            value["label"],
            value["dataType"],
            value["multiple"],
            value["required"],
            value["parameter"],
        )
        found = self._ports.get(facts)
        if found is None:
            if len(self._ports) >= MAX_SHARED_PORTS:
                self._ports.clear()
            found = self._ports[facts] = self._converter.structure(value, Port)
        return found


def _edge(value: dict[str, Any]) -> Edge:
    return Edge(
        edge_id=value["edgeId"],
        source=_endpoint(value["source"]),
        target=_endpoint(value["target"]),
        data_type=value["dataType"],
        label=value["label"],
        hidden=value["hidden"],
        waypoints=tuple([_position(point) for point in value["waypoints"]]),
        native=value["native"],
    )


def _endpoint(value: dict[str, Any]) -> Endpoint:
    return Endpoint(node_id=value["nodeId"], boundary=value["boundary"], port_id=value["portId"])


def _position(value: dict[str, Any]) -> Position:
    return Position(value["x"], value["y"])
