"""The rule of create-subgraph: nodes become one node that stands for them.

What moves in keeps its id, its place and all it holds; what the outer graph sees keeps its edges.
"""

from attrs import evolve

from protocol.commands import CreateSubgraph
from protocol.graph import (
    Edge,
    EdgeId,
    Endpoint,
    GroupId,
    Node,
    NodeId,
    Subgraph,
    SubgraphId,
)
from sidecar.core.blocks import box_around, centre, centred_at, clamped
from sidecar.core.convexity import way_round
from sidecar.core.definitions import check_depth, deepest, height, referenced, used_in
from sidecar.core.edit import Edit
from sidecar.core.errors import RejectedError
from sidecar.core.frames import fit_frames
from sidecar.core.instances import instance_of
from sidecar.core.names import clean_name
from sidecar.core.subgraph_io_plan import IoPlan, plan_io
from sidecar.core.subgraph_selection import Selection, selection_of

DEFAULT_NAME = "Subgraph"
_ANCHOR_GAP = 50


def create_subgraph(edit: Edit, payload: CreateSubgraph) -> None:
    """Fold nodes of the scope into a new definition and put its first instance in their place."""
    name = DEFAULT_NAME if payload.name is None else clean_name(payload.name)
    selection = selection_of(edit, payload)
    plan = plan_io(edit, selection, payload)
    subgraph_id = _subgraph_id(edit, payload)
    instance_id = NodeId(edit.new_id("node", payload.instance_id))
    _refuse_way_round(edit, selection)
    _check_depth(edit, selection)
    subgraph = _definition(subgraph_id, name, selection, plan)
    edit.put(subgraph)
    inside = edit.within(subgraph_id)
    _move_edges(edit, inside, selection)
    _move_groups(edit, inside, selection, instance_id)
    _move_nodes(edit, inside, plan)
    edit.put(_instance(subgraph, instance_id, selection, plan))
    _wire_inputs(edit, inside, plan, instance_id)
    _wire_outputs(edit, inside, plan, instance_id)
    fit_frames(edit, [instance_id])


def _subgraph_id(edit: Edit, payload: CreateSubgraph) -> SubgraphId:
    subgraph_id = SubgraphId(edit.new_id("subgraph", payload.subgraph_id))
    # A node of a file whose definition was not in the file still names it.
    if edit.graph.instances(subgraph_id):
        raise RejectedError(
            "id-in-use", "Nodes name this subgraph.", {"kind": "subgraph", "id": subgraph_id}
        )
    return subgraph_id


def _refuse_way_round(edit: Edit, selection: Selection) -> None:
    if not edit.acyclic:
        return
    path = way_round(
        edit.graph,
        edit.scope,
        selection.nodes,
        leaving=[edge for edges in selection.outgoing.values() for edge in edges],
        entering=[edge for edges in selection.incoming.values() for edge in edges],
    )
    if path is not None:
        raise RejectedError(
            "would-create-cycle",
            "A path leaves these nodes and comes back to them, so that one node in their place "
            "would feed itself.",
            {"path": path},
        )


def _check_depth(edit: Edit, selection: Selection) -> None:
    named = (referenced(node) for node in selection.nodes.values())
    used = {one for one in named if one is not None and one in edit.graph.subgraphs}
    inside = deepest(sorted(used), lambda one: used_in(edit.graph, one))
    check_depth(height(edit.graph, edit.scope) + 1 + inside)


def _definition(subgraph_id: SubgraphId, name: str, selection: Selection, plan: IoPlan) -> Subgraph:
    box = box_around(selection.nodes.values())
    middle = centre(box).y
    return Subgraph(
        subgraph_id=subgraph_id,
        name=name,
        inputs=tuple(io.port for io in plan.inputs),
        outputs=tuple(io.port for io in plan.outputs),
        input_anchor=clamped(box.x - _ANCHOR_GAP, middle),
        output_anchor=clamped(box.right + _ANCHOR_GAP, middle),
    )


def _move_edges(edit: Edit, inside: Edit, selection: Selection) -> None:
    for edge in selection.inner:
        edit.remove_edge(edge)
        inside.put(edge)


def _move_groups(edit: Edit, inside: Edit, selection: Selection, instance_id: NodeId) -> None:
    left: dict[GroupId, None] = {}
    for node_id in selection.nodes:
        group_id = edit.graph.group_of_node.get(node_id)
        if group_id is not None and group_id not in selection.groups:
            left[group_id] = None
    if selection.common is not None:
        left[selection.common] = None
    going = set(selection.groups)
    for group_id in selection.groups:
        group = edit.here.groups[group_id]
        edit.workspace.remove("group", edit.scope, group_id)
        inside.put(group if group.parent_group_id in going else evolve(group, parent_group_id=None))
    for group_id in left:
        group = edit.here.groups[group_id]
        kept = tuple(one for one in group.node_ids if one not in selection.nodes)
        joining = (instance_id,) if group_id == selection.common else ()
        edit.put(evolve(group, node_ids=(*kept, *joining)))


def _move_nodes(edit: Edit, inside: Edit, plan: IoPlan) -> None:
    for node in plan.nodes.values():
        edit.workspace.remove("node", edit.scope, node.node_id)
        inside.put(node)


def _instance(subgraph: Subgraph, instance_id: NodeId, selection: Selection, plan: IoPlan) -> Node:
    values = {
        io.port.parameter: io.value
        for io in plan.inputs
        if io.port.parameter is not None and io.has_value
    }
    at = centred_at(centre(box_around(selection.nodes.values())))
    return instance_of(subgraph, instance_id, at, parameters=values)


def _wire_inputs(edit: Edit, inside: Edit, plan: IoPlan, instance_id: NodeId) -> None:
    """Lead the first edge of each outside source to the instance, all of its targets inside."""
    for io in plan.inputs:
        boundary = Endpoint(boundary="input", port_id=io.port.port_id)
        for number, edge in enumerate(io.edges):
            if number == 0:
                entry = Endpoint(node_id=instance_id, port_id=io.port.port_id)
                edit.put(evolve(edge, target=entry))
                _join(inside, boundary, edge.target, edge.data_type)
            else:
                edit.drop_edge(edge)
                inside.put(evolve(edge, edge_id=_edge_id(inside), source=boundary))
        if io.inner is not None:
            _join(inside, boundary, io.inner, None)


def _wire_outputs(edit: Edit, inside: Edit, plan: IoPlan, instance_id: NodeId) -> None:
    for io in plan.outputs:
        assert io.inner is not None
        boundary = Endpoint(boundary="output", port_id=io.port.port_id)
        _join(inside, io.inner, boundary, io.edges[0].data_type)
        exit_ = Endpoint(node_id=instance_id, port_id=io.port.port_id)
        for edge in io.edges:
            edit.put(evolve(edge, source=exit_))


def _join(inside: Edit, source: Endpoint, target: Endpoint, data_type: str | None) -> None:
    edge = Edge(edge_id=_edge_id(inside), source=source, target=target, data_type=data_type)
    inside.put(edge)


def _edge_id(edit: Edit) -> EdgeId:
    return EdgeId(edit.ports.new_id())
