"""Instances of definitions: nodes whose ports are the definition's, in every scope."""

from collections.abc import Container, Iterable

from attrs import evolve

from protocol.graph import JsonObject, Node, NodeId, Port, Position, Subgraph
from sidecar.core.definitions import instance_component
from sidecar.core.edit import Edit


def instance_of(
    subgraph: Subgraph,
    node_id: NodeId,
    position: Position,
    *,
    name: str | None = None,
    parameters: JsonObject | None = None,
) -> Node:
    """Return a new instance of a definition."""
    return Node(
        node_id=node_id,
        component_id=instance_component(subgraph.subgraph_id),
        name=name,
        position=position,
        inputs=followed(subgraph.inputs),
        outputs=followed(subgraph.outputs),
        parameters=parameters or {},
    )


def followed(ports: Iterable[Port], own: Iterable[Port] = ()) -> tuple[Port, ...]:
    """Return an instance's ports: the definition's, with what is said of the instance's alone."""
    by_id = {port.port_id: port for port in own}
    return tuple(_like(port, by_id.get(port.port_id)) for port in ports)


def follow(edit: Edit, subgraph: Subgraph) -> None:
    """Give every instance of a definition the definition's ports."""
    for node_id in list(edit.graph.instances(subgraph.subgraph_id)):
        there = edit.within(edit.graph.scope_of["node"][node_id])
        node = there.here.nodes[node_id]
        there.put(
            evolve(
                node,
                inputs=followed(subgraph.inputs, node.inputs),
                outputs=followed(subgraph.outputs, node.outputs),
            )
        )


def free_name(wanted: str, taken: Container[str]) -> str:
    """Return a name that is not taken: the wanted one, or it with the first free number from 2."""
    if wanted not in taken:
        return wanted
    number = 2
    while f"{wanted} {number}" in taken:
        number += 1
    return f"{wanted} {number}"


def _like(port: Port, own: Port | None) -> Port:
    if own is None:
        return evolve(port, native=None)
    # A label of a port that was renamed would go on showing the old name.
    label = own.label if own.name == port.name else port.label
    return evolve(port, label=label, native=own.native)
