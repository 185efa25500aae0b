"""What happens to nodes whose ports change: edges follow where they can, the rest is reported."""

from collections.abc import Mapping

from attrs import evolve, field, frozen

from protocol.graph import Component, Edge, Endpoint, Node, NodeId, Port, PortId
from sidecar.core.edit import Edit
from sidecar.core.endpoints import End, find_port, ports_at
from sidecar.core.sameness import identical
from sidecar.core.typing_rules import fits


@frozen(kw_only=True)
class Renames:
    """New port ids by old ones, for each direction."""

    inputs: Mapping[str, str] = field(factory=dict)
    outputs: Mapping[str, str] = field(factory=dict)


NO_RENAMES = Renames()


def follow_component(edit: Edit, component: Component, renames: Renames = NO_RENAMES) -> None:
    """Let every node bound to a component, in any scope, follow its ports and parameters."""
    scope_of = edit.graph.scope_of["node"]
    for node_id in sorted(edit.graph.nodes_of_component.get(component.component_id, ())):
        bind(edit.within(scope_of[node_id]), node_id, component, renames)


def bind(edit: Edit, node_id: NodeId, component: Component, renames: Renames = NO_RENAMES) -> None:
    """Make a node of the scope one of a component: its ports, its parameters by name.

    A process of the node's own keeps its ports.  What the component has no name for goes to
    ``native.orphanParameters``.
    """
    node = edit.node(node_id)
    bound = evolve(
        _with_known_parameters(node, component),
        component_id=component.component_id,
        status=node.status if component.kind == "missing" else "ok",
    )
    if node.process is None:
        bound = give_ports(bound, component.inputs, component.outputs, renames)
    edit.put(bound)
    settle_edges(edit, node, renames)


def give_ports(
    node: Node, inputs: tuple[Port, ...], outputs: tuple[Port, ...], renames: Renames
) -> Node:
    """Return a node with other ports; a port that stays keeps its own label and native part."""
    return evolve(
        node,
        inputs=_merged(node.inputs, inputs, renames.inputs),
        outputs=_merged(node.outputs, outputs, renames.outputs),
    )


def settle_edges(edit: Edit, before: Node, renames: Renames = NO_RENAMES) -> None:
    """Let the edges at a node that had other ports follow renames, then drop what no longer fits.

    Edges at ports that are what they were are left alone, even where a file brought them ill-typed.
    """
    node = edit.node(before.node_id)
    for edge in edit.graph.node_edges(edit.scope, node.node_id):
        moved = _renamed(edge, node.node_id, renames)
        if moved != edge:
            edit.put(moved)
    changed_inputs = _changed(before.inputs, node.inputs, renames.inputs)
    changed_outputs = _changed(before.outputs, node.outputs, renames.outputs)
    for edge in edit.graph.node_edges(edit.scope, node.node_id):
        concerned = (
            edge.source.node_id == node.node_id and edge.source.port_id in changed_outputs
        ) or (edge.target.node_id == node.node_id and edge.target.port_id in changed_inputs)
        if concerned and not _still_fits(edit, edge):
            edit.drop_edge(edge)


def _changed(
    before: tuple[Port, ...], after: tuple[Port, ...], renames: Mapping[str, str]
) -> set[str]:
    """Return the ids of the ports that went or take other edges, as they are named afterwards."""
    now = {port.port_id: (port.data_type, port.multiple) for port in after}
    old = {
        renames.get(port.port_id, port.port_id): (port.data_type, port.multiple) for port in before
    }
    return {port_id for port_id, kind in old.items() if now.get(PortId(port_id)) != kind}


def _merged(
    old: tuple[Port, ...], new: tuple[Port, ...], renames: Mapping[str, str]
) -> tuple[Port, ...]:
    kept = {renames.get(port.port_id, port.port_id): port for port in old}
    return tuple(_like(port, kept.get(port.port_id)) for port in new)


def _like(port: Port, old: Port | None) -> Port:
    if old is None:
        return port
    return evolve(
        port,
        label=old.label if port.label is None else port.label,
        native=old.native if port.native is None else port.native,
    )


def _with_known_parameters(node: Node, component: Component) -> Node:
    if component.open_schema or component.kind == "missing":
        return node
    known = {spec.name for spec in component.parameters}
    known |= {port.parameter for port in component.inputs if port.parameter is not None}
    orphans = {name: value for name, value in node.parameters.items() if name not in known}
    if not orphans:
        return node
    native = node.native or {}
    before = native.get("orphanParameters")
    orphans = {**(before if isinstance(before, dict) else {}), **orphans}
    kept = {name: value for name, value in node.parameters.items() if name in known}
    return evolve(node, parameters=kept, native={**native, "orphanParameters": orphans})


def _renamed(edge: Edge, node_id: NodeId, renames: Renames) -> Edge:
    return evolve(
        edge,
        source=_renamed_end(edge.source, node_id, renames.outputs),
        target=_renamed_end(edge.target, node_id, renames.inputs),
    )


def _renamed_end(end: Endpoint, node_id: NodeId, renames: Mapping[str, str]) -> Endpoint:
    if end.node_id != node_id or end.port_id not in renames:
        return end
    return evolve(end, port_id=PortId(renames[end.port_id]))


def _still_fits(edit: Edit, edge: Edge) -> bool:
    source = _port(edit, edge.source, "source")
    target = _port(edit, edge.target, "target")
    if source is None or target is None or not fits(source.data_type, target.data_type):
        return False
    first = edit.graph.port_edges(edit.scope, edge.target, "target")[0]
    return target.multiple or identical(first, edge)


def _port(edit: Edit, end: Endpoint, side: End) -> Port | None:
    return find_port(ports_at(edit, end, side)[0], end.port_id)
