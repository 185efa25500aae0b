"""The rule of dissolve-subgraph: an instance gives way to what is inside of it, one level deep.

The last instance gives its definition's own things away, under their ids; an earlier one gives
copies, and the definition and all other instances stay as they were.
"""

from attrs import evolve, frozen

from protocol.commands import DissolveSubgraph
from protocol.graph import Edge, Endpoint, Group, GroupId, JsonObject, Node, NodeId, Port, Subgraph
from sidecar.core.blocks import centre, shift_to
from sidecar.core.boxes import Box, bounding_box
from sidecar.core.copies import NewIds, check_room, minted
from sidecar.core.definitions import remove_definition
from sidecar.core.dissolve_edges import Rejoin
from sidecar.core.edit import Edit
from sidecar.core.endpoints import find_port
from sidecar.core.errors import RejectedError
from sidecar.core.frames import grow
from sidecar.core.graph import box_of
from sidecar.core.joins import at_boundary


def dissolve_subgraph(edit: Edit, payload: DissolveSubgraph) -> None:
    """Put the contents of an instance in its place.  ``not-a-subgraph``."""
    instance = edit.node(payload.node_id)
    subgraph = _definition(edit, instance)
    last = len(edit.graph.instances(subgraph.subgraph_id)) == 1
    contents = _contents(edit, subgraph)
    ids = _same(contents) if last else _copied(edit, subgraph, contents)
    values = _values(edit, instance, subgraph, contents)
    shift = shift_to(contents.nodes, centre(box_of(instance)))
    rejoin = Rejoin(edit, instance.node_id, contents.edges, ids=ids, shift=shift, last=last)
    rejoin.take_out()
    group_id = edit.graph.group_of_node.get(instance.node_id)
    edit.workspace.remove("node", edit.scope, instance.node_id)
    if last:
        remove_definition(edit, subgraph.subgraph_id)
    nodes = [ids.node(shift.node(_with(node, values.get(node.node_id)))) for node in contents.nodes]
    groups = [ids.group(shift.group(group)) for group in contents.groups]
    for node in nodes:
        edit.put(node)
    _put_groups(edit, group_id, instance.node_id, nodes, groups)
    rejoin.put()
    _fit(edit, group_id, nodes, groups)
    _report_texts(edit, instance)


@frozen(kw_only=True)
class _Contents:
    """What is inside of a definition, in list order."""

    nodes: list[Node]
    edges: list[Edge]
    groups: list[Group]


def _definition(edit: Edit, instance: Node) -> Subgraph:
    subgraph = edit.subgraph_of(instance)
    if subgraph is None:
        raise RejectedError(
            "not-a-subgraph",
            "The node is no instance of a subgraph.",
            {"nodeId": instance.node_id, "componentId": instance.component_id},
        )
    return subgraph


def _contents(edit: Edit, subgraph: Subgraph) -> _Contents:
    tables = edit.graph.scopes[subgraph.subgraph_id]
    return _Contents(
        nodes=list(tables.nodes.ordered()),
        edges=list(tables.edges.ordered()),
        groups=list(tables.groups.ordered()),
    )


def _same(contents: _Contents) -> NewIds:
    return NewIds(
        nodes={node.node_id: node.node_id for node in contents.nodes},
        edges={edge.edge_id: edge.edge_id for edge in contents.edges},
        groups={group.group_id: group.group_id for group in contents.groups},
    )


def _copied(edit: Edit, subgraph: Subgraph, contents: _Contents) -> NewIds:
    check_room(edit, len(contents.nodes) + len(contents.edges) + len(contents.groups))
    ids = minted(
        edit.ports.new_id,
        nodes=contents.nodes,
        edges=[edge for edge in contents.edges if not at_boundary(edge)],
        groups=contents.groups,
    )
    edit.report.id_map.extend(ids.mappings(subgraph.subgraph_id))
    return ids


def _values(
    edit: Edit, instance: Node, subgraph: Subgraph, contents: _Contents
) -> dict[NodeId, JsonObject]:
    """Return the inner parameters that the instance's own values are written into."""
    inner = {node.node_id: node for node in contents.nodes}
    found: dict[NodeId, JsonObject] = {}
    written: set[str] = set()
    for edge in contents.edges:
        port = _value_port(edit, instance, subgraph, edge)
        fed = None if edge.target.node_id is None else inner[edge.target.node_id]
        if port is None or fed is None:
            continue
        name = _parameter(fed, edge.target)
        if name is not None and port.parameter is not None:
            found.setdefault(fed.node_id, {})[name] = instance.parameters[port.parameter]
            written.add(port.parameter)
    for name in instance.parameters:
        if name not in written:
            edit.warn("value-dropped", f"The instance's value of {name} was needed nowhere.")
    return found


def _value_port(edit: Edit, instance: Node, subgraph: Subgraph, edge: Edge) -> Port | None:
    """Return the input that an inner edge leaves, where the instance's own value goes into it."""
    if edge.source.boundary is None:
        return None
    port = find_port(subgraph.inputs, edge.source.port_id)
    if port is None or port.parameter not in instance.parameters:
        return None
    outside = Endpoint(node_id=instance.node_id, port_id=port.port_id)
    return None if edit.graph.port_edges(edit.scope, outside, "target") else port


def _parameter(node: Node, end: Endpoint) -> str | None:
    port = find_port(node.inputs, end.port_id)
    return None if port is None else port.parameter


def _with(node: Node, values: JsonObject | None) -> Node:
    return evolve(node, parameters={**node.parameters, **values}) if values else node


def _put_groups(
    edit: Edit,
    group_id: GroupId | None,
    instance_id: NodeId,
    nodes: list[Node],
    groups: list[Group],
) -> None:
    """Put the groups, and what is in none of them into the group of the instance."""
    for group in groups:
        top = group.parent_group_id is None
        edit.put(evolve(group, parent_group_id=group_id) if top else group)
    if group_id is None:
        return
    grouped = {node_id for group in groups for node_id in group.node_ids}
    joining = tuple(node.node_id for node in nodes if node.node_id not in grouped)
    home = edit.here.groups[group_id]
    place = home.node_ids.index(instance_id)
    members = (*home.node_ids[:place], *joining, *home.node_ids[place + 1 :])
    edit.put(evolve(home, node_ids=members))


def _fit(edit: Edit, group_id: GroupId | None, nodes: list[Node], groups: list[Group]) -> None:
    frames = [group.bounds for group in groups if group.bounds is not None]
    boxes = [Box(frame.x, frame.y, frame.width, frame.height) for frame in frames]
    boxes += [box_of(node) for node in nodes]
    if boxes:
        grow(edit, group_id, bounding_box(boxes))


def _report_texts(edit: Edit, instance: Node) -> None:
    """Report what was said of the instance as a whole, since nothing is left to say it of."""
    for text, what in ((instance.name, "name"), (instance.annotation, "annotation")):
        if text is not None:
            edit.warn(f"{what}-dropped", f"The {what} of the instance was: {text}")
    if instance.enabled != "active":
        edit.warn(
            "state-dropped", f"The instance was {instance.enabled}; what was inside of it is not."
        )
