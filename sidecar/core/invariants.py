"""What holds in every version of a graph, whatever the commands were.

A command is checked on what it changed and on the neighbours of that; a breach is a bug of a rule.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from types import MappingProxyType

from protocol.changes import Thing
from protocol.graph import Edge, EdgeId, Endpoint, Group, GroupId, Node, NodeId, Port, SubgraphId
from sidecar.core.changes import Key
from sidecar.core.definitions import cycle, deepest, height, referenced, used_in
from sidecar.core.errors import InvariantError
from sidecar.core.graph import ProjectGraph, Scope, port_key
from sidecar.core.limits import MAX_SUBGRAPH_DEPTH
from sidecar.core.value_faults import value_faults


def check_touched(
    graph: ProjectGraph,
    keys: Iterable[Key],
    *,
    steady: Container[str] = (),
    before: Mapping[Key, Thing | None] = MappingProxyType({}),
) -> None:
    """Raise :class:`InvariantError` where something touched breaks a rule, gone things included.

    ``steady`` are nodes that kept component and ports, so that nothing around them can be wrong;
    ``before`` has what things were, as far as it is known.
    """
    for fault in _faults(graph, keys, steady, before):
        raise InvariantError(fault)


def check_all(graph: ProjectGraph) -> list[str]:
    """Return every fault of the whole graph.  Costs what the graph is."""
    return list(dict.fromkeys(_faults(graph, _all_keys(graph))))


def _all_keys(graph: ProjectGraph) -> Iterator[Key]:
    yield ("document", None, None)
    for component_id in graph.components:
        yield ("component", None, component_id)
    for subgraph_id in graph.subgraphs:
        yield ("subgraph", None, subgraph_id)
    for scope, tables in graph.scopes.items():
        for node_id in tables.nodes:
            yield ("node", scope, node_id)
        for edge_id in tables.edges:
            yield ("edge", scope, edge_id)
        for group_id in tables.groups:
            yield ("group", scope, group_id)


def _faults(
    graph: ProjectGraph,
    keys: Iterable[Key],
    steady: Container[str] = (),
    before: Mapping[Key, Thing | None] = MappingProxyType({}),
) -> Iterator[str]:
    sound: set[GroupId] = set()
    for key in keys:
        kind, scope, id_ = key
        value = graph.get(kind, scope, id_)[0]
        if value is not None:
            for fault in value_faults(value, before.get(key)):
                yield f"I6: {kind} {id_}: {fault}"
        if id_ is None:
            continue
        if value is not None and kind in graph.scope_of and graph.scope_of[kind][id_] != scope:
            yield f"I3: {kind} {id_} stands in two scopes"
        if kind == "node" and id_ not in steady:
            yield from _node_faults(graph, scope, NodeId(id_))
        elif kind == "edge":
            yield from _edge_faults(graph, scope, EdgeId(id_))
        elif kind == "group":
            yield from _group_faults(graph, scope, GroupId(id_), sound)
        elif kind == "subgraph":
            yield from _subgraph_faults(graph, SubgraphId(id_))


def _node_faults(graph: ProjectGraph, scope: Scope, node_id: NodeId) -> Iterator[str]:
    where = graph.scope_of["node"].get(node_id, "nowhere")
    node = graph.get("node", scope, node_id)[0]
    if not isinstance(node, Node):
        if where == "nowhere" and (
            node_id in graph.edges_of_node or node_id in graph.group_of_node
        ):
            yield f"I1: something still names the node {node_id}, which is gone"
        return
    for edge_id in graph.edges_of_node.get(node_id, ()):
        yield from _edge_faults(graph, scope, edge_id)
    group_id = graph.group_of_node.get(node_id)
    if group_id is not None and graph.scope_of["group"].get(group_id, "nowhere") != scope:
        yield f"I4: node {node_id} is in the group {group_id}, which is not in its scope"
    definition = referenced(node)
    if definition in graph.subgraphs and definition is not None:
        yield from _instance_faults(graph, node, definition)
        yield from _nesting_faults(graph, definition)


def _edge_faults(graph: ProjectGraph, scope: Scope, edge_id: EdgeId) -> Iterator[str]:
    edge = graph.get("edge", scope, edge_id)[0]
    if not isinstance(edge, Edge):
        if (
            graph.scope_of["edge"].get(edge_id, scope) == scope
            and edge_id in graph.scope_of["edge"]
        ):
            yield f"I1: edge {edge_id} is not in its scope"
        return
    if _port(graph, scope, edge.source, "source") is None:
        yield f"I1: edge {edge_id} leaves no output of its scope"
    target = _port(graph, scope, edge.target, "target")
    if target is None:
        yield f"I1: edge {edge_id} enters no input of its scope"
        return
    others = graph.edges_of_port[port_key(scope, edge.target, "target")]
    if not target.multiple and len(others) > 1:
        yield f"I2: more than one edge enters the single input of edge {edge_id}"
    leaving = graph.edges_of_port[port_key(scope, edge.source, "source")]
    fewer, more = sorted((others, leaving), key=len)
    if sum(1 for other in fewer if other in more) > 1:
        yield f"I2: another edge joins the ports of edge {edge_id}"


def _group_faults(
    graph: ProjectGraph, scope: Scope, group_id: GroupId, sound: set[GroupId]
) -> Iterator[str]:
    group = graph.get("group", scope, group_id)[0]
    if not isinstance(group, Group):
        if group_id in graph.child_groups and group_id not in graph.scope_of["group"]:
            yield f"I4: something still names the group {group_id}, which is gone"
        return
    nodes = graph.scopes[scope].nodes
    if len(set(group.node_ids)) < len(group.node_ids):
        yield f"I4: group {group_id} has a node twice"
    for node_id in group.node_ids:
        if node_id not in nodes:
            yield f"I4: group {group_id} has a node {node_id} that is not in its scope"
        elif graph.group_of_node.get(node_id) != group_id:
            yield f"I4: node {node_id} is in two groups"
    yield from _forest_faults(graph, scope, group, sound)


def _forest_faults(
    graph: ProjectGraph, scope: Scope, group: Group, sound: set[GroupId]
) -> Iterator[str]:
    """Yield what is wrong above a group; ``sound`` are those above which all is well."""
    groups = graph.scopes[scope].groups
    seen = {group.group_id}
    outer = group.parent_group_id
    while outer is not None:
        if outer in seen:
            yield f"I4: group {group.group_id} stands inside itself"
            return
        if outer not in groups:
            yield f"I4: group {group.group_id} stands in {outer}, which is not in its scope"
            return
        if outer in sound:
            break
        seen.add(outer)
        outer = groups[outer].parent_group_id
    sound |= seen


def _subgraph_faults(graph: ProjectGraph, subgraph_id: SubgraphId) -> Iterator[str]:
    definition = graph.subgraphs.get(subgraph_id)
    if definition is None:
        if graph.scopes.get(subgraph_id):
            yield f"I5: the definition {subgraph_id} is gone, but not what was in it"
        return
    for port in (*definition.inputs, *definition.outputs):
        for side in ("source", "target"):
            key = (None, subgraph_id, side, port.port_id)
            for edge_id in graph.edges_of_port.get(key, ()):
                yield from _edge_faults(graph, subgraph_id, edge_id)
    for node_id in graph.instances(subgraph_id):
        node = graph.scopes[graph.scope_of["node"][node_id]].nodes[node_id]
        yield from _instance_faults(graph, node, subgraph_id)
    yield from _nesting_faults(graph, subgraph_id)


def _instance_faults(graph: ProjectGraph, node: Node, subgraph_id: SubgraphId) -> Iterator[str]:
    definition = graph.subgraphs[subgraph_id]
    for own, theirs in ((node.inputs, definition.inputs), (node.outputs, definition.outputs)):
        if [port.port_id for port in own] != [port.port_id for port in theirs]:
            yield f"I5: the ports of instance {node.node_id} are not those of {subgraph_id}"


def _nesting_faults(graph: ProjectGraph, subgraph_id: SubgraphId) -> Iterator[str]:
    if cycle([subgraph_id], lambda one: used_in(graph, one)) is not None:
        yield f"I5: the definition {subgraph_id} leads into a cycle of definitions"
        return
    below = deepest([subgraph_id], lambda one: used_in(graph, one))
    if height(graph, subgraph_id) - 1 + below > MAX_SUBGRAPH_DEPTH:
        yield f"I5: definitions around {subgraph_id} are nested too deep"


def _port(graph: ProjectGraph, scope: Scope, end: Endpoint, side: str) -> Port | None:
    """Return the port at an end of an edge, None where it is not there or faces the wrong way."""
    if end.node_id is not None:
        node = graph.scopes[scope].nodes.get(end.node_id)
        ports = () if node is None else node.outputs if side == "source" else node.inputs
    else:
        definition = None if scope is None else graph.subgraphs.get(scope)
        if definition is None:
            return None
        fitting = (end.boundary == "input") == (side == "source")
        own = definition.inputs if end.boundary == "input" else definition.outputs
        ports = own if fitting else ()
    return next((port for port in ports if port.port_id == end.port_id), None)
