"""The inputs and outputs that a new subgraph gets, and the edges that they stand for.

One input per distinct source outside, one output per inner output that is used outside, one more
input per promoted parameter that no such input feeds; ordered by the place of the inner node
(y, then x) and the order of its ports, names unique per direction.
"""

from collections.abc import Iterable

from attrs import evolve, field, frozen, mutable

from protocol.commands import CreateSubgraph, Promotion
from protocol.graph import Edge, Endpoint, Json, Node, NodeId, Port, PortId
from sidecar.core.checks import bad_shape
from sidecar.core.definitions import referenced
from sidecar.core.edit import Edit
from sidecar.core.errors import RejectedError
from sidecar.core.instances import free_name
from sidecar.core.parameters import find_spec
from sidecar.core.subgraph_selection import Selection

Place = tuple[float, float, int]


@mutable(kw_only=True)
class Io:
    """One port of the new boundary.

    ``edges`` are the outer edges that it stands for, by rank; ``inner`` is the inner output of an
    output, or the inner input of a promoted parameter without an edge.
    """

    place: Place
    port: Port
    edges: list[Edge] = field(factory=list)
    inner: Endpoint | None = None
    value: Json = None
    has_value: bool = False


@frozen(kw_only=True)
class IoPlan:
    """The boundary of a new subgraph, and the inner nodes as they become."""

    nodes: dict[NodeId, Node]
    inputs: list[Io]
    outputs: list[Io]


def plan_io(edit: Edit, selection: Selection, payload: CreateSubgraph) -> IoPlan:
    """Return the boundary that a selection gets.  The selection's nodes stay as they are.

    ``unknown-parameter``, ``port-occupied``, and what naming a node that is not there gives.
    """
    nodes = dict(selection.nodes)
    inputs = [_input(edit, nodes, edges) for edges in selection.incoming.values()]
    outputs = [_output(edit, nodes, edges) for edges in selection.outgoing.values()]
    for number, promotion in enumerate(payload.promote):
        _promote(edit, selection, nodes, inputs, promotion, f"/promote/{number}")
    return IoPlan(nodes=nodes, inputs=_named(inputs), outputs=_named(outputs))


def _input(edit: Edit, nodes: dict[NodeId, Node], edges: list[Edge]) -> Io:
    places = [_place(nodes, edge.target, edge.target.port_id) for edge in edges]
    place, port = min(places, key=lambda found: found[0])
    kinds = {found.data_type for _, found in places}
    # Where the inner inputs differ, what comes in is what the source gives.
    data_type = port.data_type if len(kinds) == 1 else _given(edit, edges[0])
    return Io(
        place=place,
        edges=edges,
        port=Port(
            port_id=PortId(edit.ports.new_id()),
            name=port.name or "input",
            data_type=data_type,
            required=any(found.required for _, found in places),
        ),
    )


def _output(edit: Edit, nodes: dict[NodeId, Node], edges: list[Edge]) -> Io:
    inner = edges[0].source
    node = _node(nodes, inner)
    index = _index(node.outputs, inner.port_id)
    port = node.outputs[index]
    return Io(
        place=(node.position.y, node.position.x, index),
        edges=edges,
        inner=inner,
        port=Port(
            port_id=PortId(edit.ports.new_id()),
            name=port.name or "output",
            data_type=port.data_type,
        ),
    )


def _promote(  # noqa: PLR0913, PLR0917 -- all of a plan that a promotion may change
    edit: Edit,
    selection: Selection,
    nodes: dict[NodeId, Node],
    inputs: list[Io],
    promotion: Promotion,
    path: str,
) -> None:
    edit.node(promotion.node_id)
    if promotion.node_id not in nodes:
        raise bad_shape(f"{path}/nodeId", "this node is not among those of the subgraph")
    port = _parameter_port(edit, nodes, promotion)
    end = Endpoint(node_id=promotion.node_id, port_id=port.port_id)
    _refuse_occupied(selection, end, port)
    io = next((io for io in inputs if _feeds(io, end)), None)
    if io is None:
        place, _ = _place(nodes, end, port.port_id)
        named = evolve(_bare(port), port_id=PortId(edit.ports.new_id()))
        io = Io(place=place, port=evolve(named, name=port.name or promotion.parameter), inner=end)
        inputs.append(io)
    elif io.port.parameter is not None:
        raise _occupied(end)
    node = nodes[promotion.node_id]
    io.port = evolve(io.port, parameter=promotion.parameter)
    io.has_value = promotion.parameter in node.parameters
    io.value = node.parameters.get(promotion.parameter)


def _parameter_port(edit: Edit, nodes: dict[NodeId, Node], promotion: Promotion) -> Port:
    """Return the input that overrides a parameter; a node that has none gets one."""
    node = nodes[promotion.node_id]
    name = promotion.parameter
    found = next((port for port in node.inputs if port.parameter == name), None)
    if found is not None:
        return found
    spec = find_spec(edit, node, name)
    if referenced(node) is not None or (spec is None and name not in node.parameters):
        raise RejectedError(
            "unknown-parameter",
            "The node has no such parameter.",
            {"nodeId": node.node_id, "name": name},
        )
    taken = {port.port_id for port in node.inputs}
    port = Port(
        port_id=PortId(name) if name and name not in taken else PortId(edit.ports.new_id()),
        name=name,
        data_type="*" if spec is None else spec.data_type,
        parameter=name,
    )
    nodes[node.node_id] = evolve(node, inputs=(*node.inputs, port))
    return port


def _refuse_occupied(selection: Selection, end: Endpoint, port: Port) -> None:
    if not port.multiple and any(edge.target == end for edge in selection.inner):
        raise _occupied(end)


def _occupied(end: Endpoint) -> RejectedError:
    return RejectedError(
        "port-occupied",
        "The input of the parameter is fed already.",
        {"nodeId": end.node_id, "portId": end.port_id},
    )


def _feeds(io: Io, end: Endpoint) -> bool:
    return io.inner == end or any(edge.target == end for edge in io.edges)


def _named(ios: list[Io]) -> list[Io]:
    """Return ports in order, their names unique, and so the names of the values they hold."""
    taken: set[str] = set()
    ordered = sorted(ios, key=lambda io: io.place)
    for io in ordered:
        name = free_name(io.port.name, taken)
        taken.add(name)
        parameter = None if io.port.parameter is None else name
        io.port = evolve(io.port, name=name, parameter=parameter)
    return ordered


def _bare(port: Port) -> Port:
    return Port(port_id=port.port_id, name=port.name, data_type=port.data_type)


def _place(nodes: dict[NodeId, Node], end: Endpoint, port_id: PortId) -> tuple[Place, Port]:
    node = _node(nodes, end)
    index = _index(node.inputs, port_id)
    return (node.position.y, node.position.x, index), node.inputs[index]


def _node(nodes: dict[NodeId, Node], end: Endpoint) -> Node:
    assert end.node_id is not None
    return nodes[end.node_id]


def _index(ports: Iterable[Port], port_id: PortId) -> int:
    return next(index for index, port in enumerate(ports) if port.port_id == port_id)


def _given(edit: Edit, edge: Edge) -> str:
    """Return the type of what an edge from outside brings."""
    if edge.source.node_id is not None:
        ports = edit.here.nodes[edge.source.node_id].outputs
    else:
        assert edit.scope is not None
        ports = edit.subgraph(edit.scope).inputs
    return ports[_index(ports, edge.source.port_id)].data_type
