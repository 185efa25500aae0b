"""Definitions of a file that the project has already: equal in all but ids and places."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve

from protocol.graph import (
    Edge,
    EdgeId,
    Endpoint,
    Group,
    GroupId,
    JsonObject,
    Node,
    NodeId,
    Port,
    Position,
    Subgraph,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.core.definitions import instance_component, referenced, used_in, way
from sidecar.core.edit import Edit
from sidecar.core.sameness import identical

_NOWHERE = Position(0, 0)
Signature = tuple[str, int, int, int, int, int]


class Reuse:
    """The definitions that the project had before the command, by what is quickly told apart."""

    def __init__(self, edit: Edit) -> None:
        self._edit = edit
        self._known: dict[Signature, list[SubgraphId]] = {}
        for subgraph in edit.graph.subgraphs.ordered():
            here = edit.graph.scopes[subgraph.subgraph_id]
            signature = _signature(subgraph, here.nodes, here.edges, here.groups)
            self._known.setdefault(signature, []).append(subgraph.subgraph_id)

    def find(
        self, definition: SubgraphDefinition, found: Mapping[str, SubgraphId]
    ) -> SubgraphId | None:
        """Return the project's definition that equals one of a file.

        ``found`` tells what the definitions inside of it are called here.  One that holds the
        scope of the command does not count: an instance of it would recurse.
        """
        signature = _signature(definition, definition.nodes, definition.edges, definition.groups)
        candidates = [one for one in self._known.get(signature, ()) if self._allowed(one)]
        if not candidates:
            return None
        wanted = _shape(definition, definition.nodes, definition.edges, definition.groups, found)
        equal = [one for one in candidates if identical(wanted, self._shape_of(one))]
        # Of several that are equal, the one that came from there: others name it.
        return min(equal, key=lambda one: not self._same_origin(one, definition), default=None)

    def _same_origin(self, subgraph_id: SubgraphId, definition: SubgraphDefinition) -> bool:
        here = self._edit.graph.subgraphs[subgraph_id].native or {}
        return here.get("id") == (definition.native or {}).get("id")

    def _allowed(self, subgraph_id: SubgraphId) -> bool:
        scope, graph = self._edit.scope, self._edit.graph
        return scope is None or way(subgraph_id, scope, lambda one: used_in(graph, one)) is None

    def _shape_of(self, subgraph_id: SubgraphId) -> Any:
        here = self._edit.graph.scopes[subgraph_id]
        return _shape(
            self._edit.graph.subgraphs[subgraph_id],
            list(here.nodes.ordered()),
            list(here.edges.ordered()),
            list(here.groups.ordered()),
            {},
        )


def _signature(
    subgraph: Subgraph | SubgraphDefinition,
    nodes: Sequence[Node] | Mapping[str, Node],
    edges: Sequence[Edge] | Mapping[str, Edge],
    groups: Sequence[Group] | Mapping[str, Group],
) -> Signature:
    ports = len(subgraph.inputs), len(subgraph.outputs)
    return (subgraph.name, *ports, len(nodes), len(edges), len(groups))


def _shape(
    subgraph: Subgraph | SubgraphDefinition,
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    groups: Sequence[Group],
    found: Mapping[str, SubgraphId],
) -> Any:
    """Return a definition as a value in which its ids are places in lists."""
    node_ids = {node.node_id: NodeId(str(number)) for number, node in enumerate(nodes)}
    group_ids = {group.group_id: GroupId(str(number)) for number, group in enumerate(groups)}
    return [
        subgraph.description,
        _bare(subgraph.native),
        _ports(subgraph.inputs),
        _ports(subgraph.outputs),
        [_node(node, node_ids, found) for node in nodes],
        [_edge(edge, node_ids) for edge in edges],
        [_group(group, node_ids, group_ids) for group in groups],
    ]


def _node(node: Node, ids: dict[NodeId, NodeId], found: Mapping[str, SubgraphId]) -> Node:
    definition = found.get(referenced(node) or "")
    return evolve(
        node,
        node_id=ids[node.node_id],
        component_id=node.component_id if definition is None else instance_component(definition),
        position=_NOWHERE,
        inputs=_ports(node.inputs),
        outputs=_ports(node.outputs),
        native=_bare(node.native),
    )


def _edge(edge: Edge, ids: dict[NodeId, NodeId]) -> Edge:
    return evolve(
        edge,
        edge_id=EdgeId(""),
        source=_end(edge.source, ids),
        target=_end(edge.target, ids),
        waypoints=(),
        native=_bare(edge.native),
    )


def _end(end: Endpoint, ids: dict[NodeId, NodeId]) -> Endpoint:
    return end if end.node_id is None else evolve(end, node_id=ids[end.node_id])


def _group(
    group: Group, node_ids: dict[NodeId, NodeId], group_ids: dict[GroupId, GroupId]
) -> Group:
    parent = group.parent_group_id
    return evolve(
        group,
        group_id=group_ids[group.group_id],
        node_ids=tuple(node_ids[member] for member in group.node_ids),
        parent_group_id=None if parent is None else group_ids[parent],
        bounds=None,
        native=_bare(group.native),
    )


def _ports(ports: Iterable[Port]) -> tuple[Port, ...]:
    return tuple(evolve(port, native=_bare(port.native)) for port in ports)


def _bare(native: JsonObject | None) -> JsonObject | None:
    """Return what a file says of a thing but for the thing's id in that file."""
    if native is None:
        return None
    return {key: value for key, value in native.items() if key != "id"} or None
