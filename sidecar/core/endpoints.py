"""Where edges may end: the ports behind their ends, and who is there already."""

from typing import Any, Literal

from protocol.graph import Edge, Endpoint, Port, PortId
from sidecar.core.checks import bad_shape
from sidecar.core.edit import Edit
from sidecar.core.errors import RejectedError
from sidecar.core.graph import ROOT, port_key

End = Literal["source", "target"]


def check_end(edit: Edit, end: Endpoint, path: str) -> None:
    """Refuse an end that is neither a node's port nor a port of the definition's boundary."""
    if (end.node_id is None) == (end.boundary is None):
        raise bad_shape(path, "expected exactly one of nodeId and boundary")
    if end.boundary is not None and edit.scope is ROOT:
        raise bad_shape(f"{path}/boundary", "a boundary is inside a definition only")


def source_port(edit: Edit, end: Endpoint) -> Port:
    """Return the port that an edge leaves: a node's output, or an input of the definition.

    ``unknown-node``, ``cross-scope``, ``unknown-port``, ``wrong-direction``.
    """
    return _port(edit, end, "source")


def target_port(edit: Edit, end: Endpoint) -> Port:
    """Return the port that an edge enters: a node's input, or an output of the definition."""
    return _port(edit, end, "target")


def find_port(ports: tuple[Port, ...], port_id: PortId) -> Port | None:
    return next((port for port in ports if port.port_id == port_id), None)


def ports_at(edit: Edit, end: Endpoint, side: End) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """Return the ports that may be this side of an edge, and those of the other direction."""
    if end.node_id is not None:
        node = edit.node(end.node_id)
        return (node.outputs, node.inputs) if side == "source" else (node.inputs, node.outputs)
    if edit.scope is None:
        return (), ()
    definition = edit.subgraph(edit.scope)
    own, other = definition.inputs, definition.outputs
    if end.boundary == "output":
        own, other = other, own
    fitting = (end.boundary == "input") == (side == "source")
    return (own, ()) if fitting else ((), own)


def same_pair(edit: Edit, source: Endpoint, target: Endpoint) -> Edge | None:
    """Return the edge of the scope that joins exactly these ends."""
    index = edit.graph.edges_of_port
    leaving = index.get(port_key(edit.scope, source, "source"), {})
    entering = index.get(port_key(edit.scope, target, "target"), {})
    fewer, more = sorted((leaving, entering), key=len)
    return next((edit.here.edges[edge_id] for edge_id in fewer if edge_id in more), None)


def occupant(edit: Edit, target: Endpoint, port: Port, *, but: Edge | None = None) -> Edge | None:
    """Return the edge that takes the only place of a target port."""
    if port.multiple:
        return None
    edges = edit.graph.port_edges(edit.scope, target, "target")
    return next((edge for edge in edges if but is None or edge.edge_id != but.edge_id), None)


def _port(edit: Edit, end: Endpoint, side: End) -> Port:
    fitting, wrong = ports_at(edit, end, side)
    found = find_port(fitting, end.port_id)
    if found is not None:
        return found
    details: dict[str, Any] = {"portId": end.port_id, "end": side}
    details |= {"nodeId": end.node_id} if end.node_id else {"boundary": str(end.boundary)}
    if find_port(wrong, end.port_id) is not None:
        raise RejectedError("wrong-direction", "An edge goes from an output to an input.", details)
    raise RejectedError("unknown-port", "There is no such port.", details)
