"""The ports and parameters of Node-RED nodes and subflows, as far as a file tells them."""

from protocol.graph import Json, JsonObject, Port, PortId, Size
from sidecar.formats.node_red.names import (
    INPUT,
    JUNCTION,
    JUNCTION_SIDE,
    LINK,
    LINK_IN,
    LINK_SOURCES,
    LINK_TYPES,
    MOST_OUTPUTS,
    NO_OUTPUT,
    NODE_HEIGHT,
    NODE_WIDTH,
    OUTPUT_HEIGHT,
    STRUCTURE,
    has_input,
)


def node_ports(raw: JsonObject) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """Return the inputs and outputs of a node that is no instance."""
    type_ = str(raw.get("type"))
    inputs = (input_port(),) if has_input(type_) else ()
    outputs = tuple(_output(index, raw) for index in range(_output_count(raw, type_)))
    if type_ == LINK_IN:
        inputs = (*inputs, Port(name=LINK, data_type="*", multiple=True))
    if type_ in LINK_SOURCES:
        outputs = (*outputs, Port(name=LINK, data_type="*"))
    return inputs, outputs


def input_port(index: int = 0) -> Port:
    """Return an input; any number of wires may enter it."""
    name = f"{INPUT}_{index}" if index else INPUT
    return Port(name=name, data_type="*", multiple=True)


def _output(index: int, raw: JsonObject) -> Port:
    return Port(name=f"output_{index}", label=_label(raw.get("outputLabels"), index), data_type="*")


def _label(labels: Json, index: int) -> str | None:
    label = labels[index] if isinstance(labels, list) and index < len(labels) else None
    return label if isinstance(label, str) and label else None


def _output_count(raw: JsonObject, type_: str) -> int:
    wires, stated = raw.get("wires"), raw.get("outputs")
    count = len(wires) if isinstance(wires, list) else 0
    if type(stated) is int and type_ not in NO_OUTPUT:
        count = max(count, stated)
    return min(count, MOST_OUTPUTS)


def boundary_of(raw: JsonObject) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """Return the inputs and outputs of a subflow; many wires may meet at each."""
    entries, exits = raw.get("in"), raw.get("out")
    inputs = tuple(
        _named(input_port(index), _label(raw.get("inputLabels"), index))
        for index in range(len(entries) if isinstance(entries, list) else 0)
    )
    outputs = tuple(
        Port(
            name=f"output_{index}",
            port_id=PortId(f"output_{index}"),
            label=_label(raw.get("outputLabels"), index),
            data_type="*",
            multiple=True,
        )
        for index in range(len(exits) if isinstance(exits, list) else 0)
    )
    return inputs, outputs


def _named(port: Port, label: str | None) -> Port:
    return Port(name=port.name, label=label, data_type="*", multiple=True)


def node_size(raw: JsonObject, outputs: int) -> Size:
    """Return how large the editor draws a node; a file does not say it."""
    if raw.get("type") == JUNCTION:
        return Size(JUNCTION_SIDE, JUNCTION_SIDE)
    return Size(NODE_WIDTH, max(NODE_HEIGHT, outputs * OUTPUT_HEIGHT))


def parameters_of(raw: JsonObject) -> JsonObject:
    """Return a node's own properties."""
    links = str(raw.get("type")) in LINK_TYPES and isinstance(raw.get("links"), list)
    skip = STRUCTURE | {"links"} if links else STRUCTURE
    return {key: value for key, value in raw.items() if key not in skip}
