"""The rules of nodes: add, remove, move, rename, annotate."""

import math

from attrs import evolve

from protocol import commands as c
from protocol.graph import (
    SUBGRAPH_PREFIX,
    Component,
    Edge,
    EdgeId,
    Node,
    NodeId,
    Port,
    Position,
)
from sidecar.core.checks import (
    bad_shape,
    check_distinct,
    check_ports,
    check_position,
    check_positions,
    check_size,
    clean_annotation,
)
from sidecar.core.definitions import referenced, release_unused
from sidecar.core.edges import joinable
from sidecar.core.edit import Edit, check_id
from sidecar.core.errors import RejectedError
from sidecar.core.frames import fit_frames
from sidecar.core.limits import MAX_COORDINATE
from sidecar.core.names import clean_optional_name
from sidecar.core.parameters import checked_parameters
from sidecar.core.placing import check_place, place_node
from sidecar.core.processes import check_process

_SAME_DELTA = 1e-6


def add_node(edit: Edit, payload: c.AddNode) -> None:
    """Add one node, connected to nothing."""
    name = _check_shape(payload)
    component = edit.graph.components.get(payload.component_id)
    if component is not None and (payload.inputs is not None or payload.outputs is not None):
        path = "/outputs" if payload.inputs is None else "/inputs"
        raise bad_shape(path, "the component gives the ports")
    check_place(edit, payload.position, payload.near)
    group = None if payload.group_id is None else edit.group(payload.group_id)
    node_id = NodeId(edit.new_id("node", payload.node_id))
    inputs, outputs = _ports(payload, component)
    node = Node(
        node_id=node_id,
        component_id=payload.component_id,
        name=name,
        position=payload.position or Position(0, 0),
        size=payload.size,
        inputs=inputs,
        outputs=outputs,
        annotation=clean_annotation(payload.annotation),
        process=payload.process,
    )
    given = checked_parameters(edit, node, payload.parameters or {}, ill_typed="type-mismatch")
    position = place_node(edit, node_id, payload.size, payload.position, payload.near)
    edit.put(evolve(node, position=position, parameters={**_defaults(component), **given}))
    if group is not None:
        edit.put(evolve(group, node_ids=(*group.node_ids, node_id)))
        fit_frames(edit, [node_id])


def remove_node(edit: Edit, payload: c.RemoveNode) -> None:
    """Remove a node and its edges; a definition goes with its last instance."""
    node = edit.node(payload.node_id)
    edges = edit.graph.node_edges(edit.scope, node.node_id)
    for edge in edges:
        edit.drop_edge(edge)
    leave_group(edit, node.node_id)
    edit.workspace.remove("node", edit.scope, node.node_id)
    if payload.reconnect:
        _bridge(edit, node.node_id, edges)
    definition = referenced(node)
    if definition is not None:
        release_unused(edit, definition)


def move_node(edit: Edit, payload: c.MoveNode) -> None:
    check_position(payload.position, "/position")
    _move(edit, {edit.node(payload.node_id).node_id: payload.position})


def move_nodes(edit: Edit, payload: c.MoveNodes) -> None:
    """Move nodes, all or none; the bends of edges between nodes moved alike move along."""
    if payload.moves is not None:
        if payload.node_ids is not None or payload.delta is not None:
            raise bad_shape("/moves", "expected moves, or nodeIds and delta, not both")
        _move(edit, _absolute(edit, payload.moves))
        return
    if payload.node_ids is None or payload.delta is None:
        raise bad_shape("", "expected moves, or nodeIds and delta")
    _move(edit, _shifted(edit, payload.node_ids, payload.delta))


def rename_node(edit: Edit, payload: c.RenameNode) -> None:
    name = clean_optional_name(payload.name)
    edit.put(evolve(edit.node(payload.node_id), name=name))


def annotate_node(edit: Edit, payload: c.AnnotateNode) -> None:
    node = edit.node(payload.node_id)
    edit.put(evolve(node, annotation=clean_annotation(payload.annotation)))


def leave_group(edit: Edit, node_id: NodeId) -> None:
    """Take a node out of its group; a group that is left empty stays."""
    group_id = edit.graph.group_of_node.get(node_id)
    if group_id is not None:
        group = edit.here.groups[group_id]
        rest = tuple(member for member in group.node_ids if member != node_id)
        edit.put(evolve(group, node_ids=rest))


def _check_shape(payload: c.AddNode) -> str | None:
    """Refuse what is wrong whatever the graph is; return the name as it is kept."""
    check_id(payload.component_id, "/componentId")
    if payload.component_id.startswith(SUBGRAPH_PREFIX):
        raise RejectedError(
            "invalid-component",
            "Instances of subgraphs are made with insert-subgraph.",
            {"componentId": payload.component_id},
        )
    if payload.node_id is not None:
        check_id(payload.node_id, "/nodeId")
    name = clean_optional_name(payload.name)
    if payload.position is not None:
        check_position(payload.position, "/position")
    if payload.size is not None:
        check_size(payload.size, "/size")
    check_ports(payload.inputs or (), "/inputs")
    check_ports(payload.outputs or (), "/outputs")
    if payload.process is not None:
        check_process(payload.process)
    return name


def _ports(
    payload: c.AddNode, component: Component | None
) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """Return the ports that a process declares, else the component's, else the given ones."""
    process = payload.process
    if process is not None and (process.inputs or process.outputs):
        return process.inputs, process.outputs
    if component is not None:
        return component.inputs, component.outputs
    return payload.inputs or (), payload.outputs or ()


def _defaults(component: Component | None) -> dict[str, object]:
    specs = () if component is None else component.parameters
    return {spec.name: spec.default for spec in specs if spec.default is not None}


def _bridge(edit: Edit, node_id: NodeId, edges: list[Edge]) -> None:
    """Join what fed a node to what it fed, in the order of the edges."""
    incoming = [edge for edge in edges if edge.source.node_id != node_id]
    outgoing = [edge for edge in edges if edge.target.node_id != node_id]
    for before in incoming:
        for after in outgoing:
            source, target = before.source, after.target
            if joinable(edit, source, target):
                edge_id = EdgeId(edit.new_id("edge", None))
                edit.put(Edge(edge_id=edge_id, source=source, target=target))
            else:
                edit.warn(
                    "not-reconnected",
                    f"{before.edge_id} and {after.edge_id} were not joined: the ports do not fit.",
                )


def _absolute(edit: Edit, moves: tuple[c.Move, ...]) -> dict[NodeId, Position]:
    _check_list([move.node_id for move in moves], "/moves")
    for number, move in enumerate(moves):
        check_position(move.position, f"/moves/{number}/position")
    return {edit.node(move.node_id).node_id: move.position for move in moves}


def _shifted(edit: Edit, node_ids: tuple[NodeId, ...], by: Position) -> dict[NodeId, Position]:
    _check_list(list(node_ids), "/nodeIds")
    # From one limit to the other.
    check_position(by, "/delta", limit=2 * MAX_COORDINATE)
    old = {node_id: edit.node(node_id).position for node_id in node_ids}
    new = {node_id: _plus(at, by) for node_id, at in old.items()}
    for number, position in enumerate(new.values()):
        check_position(position, f"/nodeIds/{number}")
    return new


def _check_list(node_ids: list[NodeId], path: str) -> None:
    if not node_ids:
        raise bad_shape(path, "expected at least one")
    check_distinct(node_ids, path)


def _move(edit: Edit, targets: dict[NodeId, Position]) -> None:
    deltas: dict[NodeId, Position] = {}
    for node_id, position in targets.items():
        node = edit.here.nodes[node_id]
        if node.position != position:
            deltas[node_id] = _minus(position, node.position)
            edit.put(evolve(node, position=position))
    _shift_bends(edit, deltas)
    fit_frames(edit, list(deltas))


def _shift_bends(edit: Edit, deltas: dict[NodeId, Position]) -> None:
    """Move the waypoints of the edges whose both ends moved by the same."""
    edges = edit.here.edges
    for node_id, by in deltas.items():
        for edge_id in list(edit.graph.edges_of_node.get(node_id, ())):
            edge = edges[edge_id]
            if edge.source.node_id != node_id or not edge.waypoints:
                continue
            other = None if edge.target.node_id is None else deltas.get(edge.target.node_id)
            if other is not None and _close(by, other):
                bends = tuple(_plus(point, by) for point in edge.waypoints)
                check_positions(bends, "/waypoints")
                edit.put(evolve(edge, waypoints=bends))


def _close(one: Position, other: Position) -> bool:
    # Deltas of absolute positions differ in their last bits.
    return math.isclose(one.x, other.x, rel_tol=0, abs_tol=_SAME_DELTA) and math.isclose(
        one.y, other.y, rel_tol=0, abs_tol=_SAME_DELTA
    )


def _plus(position: Position, by: Position) -> Position:
    return Position(position.x + by.x, position.y + by.y)


def _minus(position: Position, other: Position) -> Position:
    return Position(position.x - other.x, position.y - other.y)
