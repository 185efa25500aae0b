"""The rules of a definition's boundary: add-subgraph-io, remove-subgraph-io, rename-subgraph-io.

Ports are told apart by their ids, never by their places; all instances follow, in every scope.
"""

from attrs import evolve

from protocol import commands as c
from protocol.graph import Endpoint, Node, Port, PortId, Subgraph
from sidecar.core.checks import bad_shape
from sidecar.core.edges import connect
from sidecar.core.edit import Edit, check_id
from sidecar.core.endpoints import End, find_port
from sidecar.core.errors import RejectedError
from sidecar.core.instances import follow, free_name
from sidecar.core.names import clean_name

Ports = tuple[Port, ...]


def add_subgraph_io(edit: Edit, payload: c.AddSubgraphIo) -> None:
    """Add a port to a definition, wired to ``from`` inside and to nothing outside."""
    name = clean_name(payload.name)
    if payload.port_id is not None:
        check_id(payload.port_id, "/portId")
    subgraph = edit.subgraph(payload.subgraph_id)
    fed = _inner_port(edit, payload)
    ports = _ports(subgraph, payload.direction)
    _check_name(ports, payload.direction, name)
    index = len(ports) if payload.index is None else payload.index
    if not 0 <= index <= len(ports):
        raise bad_shape("/index", f"expected 0 to {len(ports)}")
    port = Port(
        port_id=_port_id(edit, subgraph, payload),
        name=name,
        data_type=payload.data_type,
        multiple=payload.multiple,
        parameter=_value_name(subgraph, payload, name, fed),
    )
    changed = _with_ports(subgraph, payload.direction, (*ports[:index], port, *ports[index:]))
    edit.put(changed)
    follow(edit, changed)
    if payload.from_ is not None:
        _wire(edit, payload, port, payload.from_)


def remove_subgraph_io(edit: Edit, payload: c.RemoveSubgraphIo) -> None:
    """Remove a port from a definition, with its edges inside and around every instance."""
    subgraph = edit.subgraph(payload.subgraph_id)
    direction, port = _port(subgraph, payload.port_id)
    inside = edit.within(subgraph.subgraph_id)
    within, around = _ends(direction)
    _drop(inside, Endpoint(boundary=direction, port_id=port.port_id), within)
    for node_id in list(edit.graph.instances(subgraph.subgraph_id)):
        there = edit.within(edit.graph.scope_of["node"][node_id])
        _drop(there, Endpoint(node_id=node_id, port_id=port.port_id), around)
        if direction == "input" and port.parameter is not None:
            _forget_value(there, there.here.nodes[node_id], port.parameter)
    rest = tuple(one for one in _ports(subgraph, direction) if one.port_id != port.port_id)
    changed = _with_ports(subgraph, direction, rest)
    edit.put(changed)
    follow(edit, changed)


def rename_subgraph_io(edit: Edit, payload: c.RenameSubgraphIo) -> None:
    """Name a port of a definition; edges and the values that instances hold stay."""
    name = clean_name(payload.name)
    subgraph = edit.subgraph(payload.subgraph_id)
    direction, port = _port(subgraph, payload.port_id)
    if port.name == name:
        return
    ports = _ports(subgraph, direction)
    _check_name(ports, direction, name)
    # A label would go on showing what the port was called.
    renamed = evolve(port, name=name, label=None)
    changed = _with_ports(
        subgraph, direction, tuple(renamed if one.port_id == port.port_id else one for one in ports)
    )
    edit.put(changed)
    follow(edit, changed)


def _ports(subgraph: Subgraph, direction: c.Direction) -> Ports:
    return subgraph.inputs if direction == "input" else subgraph.outputs


def _with_ports(subgraph: Subgraph, direction: c.Direction, ports: Ports) -> Subgraph:
    if direction == "input":
        return evolve(subgraph, inputs=ports)
    return evolve(subgraph, outputs=ports)


def _port(subgraph: Subgraph, port_id: PortId) -> tuple[c.Direction, Port]:
    directions: tuple[c.Direction, ...] = ("input", "output")
    for direction in directions:
        found = find_port(_ports(subgraph, direction), port_id)
        if found is not None:
            return direction, found
    raise RejectedError(
        "unknown-io",
        "The subgraph has no such input or output.",
        {"subgraphId": subgraph.subgraph_id, "portId": port_id},
    )


def _check_name(ports: Ports, direction: c.Direction, name: str) -> None:
    if any(port.name == name for port in ports):
        raise RejectedError(
            "name-taken", f"Another {direction} has this name.", {"name": name, "path": "/name"}
        )


def _port_id(edit: Edit, subgraph: Subgraph, payload: c.AddSubgraphIo) -> PortId:
    """Return an id that no port of either direction has: ports are named by id alone."""
    if payload.port_id is None:
        return PortId(edit.ports.new_id())
    for ports in (subgraph.inputs, subgraph.outputs):
        if find_port(ports, payload.port_id) is not None:
            raise RejectedError(
                "id-in-use", "The port id is in use.", {"kind": "port", "id": payload.port_id}
            )
    return payload.port_id


def _inner_port(edit: Edit, payload: c.AddSubgraphIo) -> Port | None:
    """Return the port that ``from`` names inside of the definition."""
    if payload.from_ is None:
        return None
    node = edit.within(payload.subgraph_id).node(payload.from_.node_id)
    own, other = node.inputs, node.outputs
    if payload.direction == "output":
        own, other = other, own
    found = find_port(own, payload.from_.port_id)
    if found is not None:
        return found
    wrong = find_port(other, payload.from_.port_id) is not None
    raise RejectedError(
        "wrong-direction" if wrong else "unknown-port",
        f"The node has no such {payload.direction}.",
        {"nodeId": node.node_id, "portId": payload.from_.port_id},
    )


def _value_name(
    subgraph: Subgraph, payload: c.AddSubgraphIo, name: str, fed: Port | None
) -> str | None:
    """Return under which name instances keep a value for an input that feeds a parameter."""
    if payload.direction == "output" or fed is None or fed.parameter is None:
        return None
    return free_name(name, {port.parameter for port in subgraph.inputs if port.parameter})


def _wire(edit: Edit, payload: c.AddSubgraphIo, port: Port, inner: c.PortAddress) -> None:
    boundary = Endpoint(boundary=payload.direction, port_id=port.port_id)
    there = Endpoint(node_id=inner.node_id, port_id=inner.port_id)
    source, target = (boundary, there) if payload.direction == "input" else (there, boundary)
    connect(edit.within(payload.subgraph_id), c.Connect(source=source, target=target))


def _ends(direction: c.Direction) -> tuple[End, End]:
    """Return which end of an edge is at a port, seen from inside and from outside."""
    return ("source", "target") if direction == "input" else ("target", "source")


def _drop(edit: Edit, end: Endpoint, side: End) -> None:
    for edge in edit.graph.port_edges(edit.scope, end, side):
        edit.drop_edge(edge)


def _forget_value(edit: Edit, node: Node, name: str) -> None:
    if name in node.parameters:
        rest = {key: value for key, value in node.parameters.items() if key != name}
        edit.put(evolve(node, parameters=rest))
        edit.warn("value-dropped", f"{node.node_id} had a value for {name}.")
