"""What the engine does to a reading: every id is minted anew, all else stays."""

from itertools import count
from typing import TypeVar

from attrs import evolve

from protocol.graph import (
    SUBGRAPH_PREFIX,
    ComponentId,
    Edge,
    EdgeId,
    Endpoint,
    Graph,
    Group,
    GroupId,
    Node,
    NodeId,
    ProjectState,
    SubgraphDefinition,
    SubgraphId,
)

Scope = TypeVar("Scope", Graph, SubgraphDefinition)


def reminted(state: ProjectState) -> ProjectState:
    """Return a state under other ids throughout, unique over root and definitions."""
    numbers = count(1)
    graph = state.graph
    definitions = {one.subgraph_id: SubgraphId(f"s{next(numbers)}") for one in graph.subgraphs}

    def contents(scope: Scope) -> Scope:
        nodes = {node.node_id: NodeId(f"n{next(numbers)}") for node in scope.nodes}
        groups = {group.group_id: GroupId(f"g{next(numbers)}") for group in scope.groups}
        return evolve(
            scope,
            nodes=tuple(_node(node, nodes, definitions) for node in scope.nodes),
            edges=tuple(_edge(edge, f"e{next(numbers)}", nodes) for edge in scope.edges),
            groups=tuple(_group(group, nodes, groups) for group in scope.groups),
        )

    subgraphs = tuple(
        evolve(contents(one), subgraph_id=definitions[one.subgraph_id]) for one in graph.subgraphs
    )
    document = state.document and evolve(state.document, document_id="d1", content_hash="00")
    return evolve(state, document=document, graph=evolve(contents(graph), subgraphs=subgraphs))


def _node(node: Node, ids: dict[NodeId, NodeId], definitions: dict[SubgraphId, SubgraphId]) -> Node:
    component_id = node.component_id
    if component_id.startswith(SUBGRAPH_PREFIX):
        old = SubgraphId(component_id.removeprefix(SUBGRAPH_PREFIX))
        component_id = ComponentId(SUBGRAPH_PREFIX + definitions.get(old, old))
    return evolve(node, node_id=ids[node.node_id], component_id=component_id)


def _edge(edge: Edge, id_: str, nodes: dict[NodeId, NodeId]) -> Edge:
    def end(point: Endpoint) -> Endpoint:
        return point if point.node_id is None else evolve(point, node_id=nodes[point.node_id])

    return evolve(edge, edge_id=EdgeId(id_), source=end(edge.source), target=end(edge.target))


def _group(group: Group, nodes: dict[NodeId, NodeId], groups: dict[GroupId, GroupId]) -> Group:
    parent = group.parent_group_id
    return evolve(
        group,
        group_id=groups[group.group_id],
        node_ids=tuple(nodes[member] for member in group.node_ids),
        parent_group_id=None if parent is None else groups[parent],
    )
