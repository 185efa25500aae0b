"""The arrangement at the end of a run: what it made is laid out, all else stays where it is."""

from collections.abc import Iterable

from attrs import evolve

from protocol.graph import Edge, Endpoint, Node, NodeId, Position
from sidecar.core.arrangement import LayoutEdge, LayoutNode, arrange
from sidecar.core.boxes import TITLE_HEIGHT, Box
from sidecar.core.edit import Edit
from sidecar.core.frames import fit_frames
from sidecar.core.graph import ProjectGraph, Scope
from sidecar.core.indexes import box_of


def arrange_run(edit: Edit, made: Iterable[NodeId]) -> None:
    """Arrange the nodes of ``made`` that still exist, scope by scope; pinned ones stay."""
    for scope, nodes in _by_scope(edit.graph, made).items():
        _arrange_scope(edit.within(scope), nodes)


def _by_scope(graph: ProjectGraph, made: Iterable[NodeId]) -> dict[Scope, list[Node]]:
    found: dict[Scope, list[Node]] = {}
    for node_id in made:
        if node_id in graph.scope_of["node"]:
            scope = graph.scope_of["node"][node_id]
            node = graph.scopes[scope].nodes[node_id]
            if not node.pinned:
                found.setdefault(scope, []).append(node)
    # Lists go by rank, so that the outcome does not depend on how the ids are spelt.
    for scope, nodes in found.items():
        ranks = graph.scopes[scope].nodes.ranks
        nodes.sort(key=lambda node: ranks[node.node_id])
    return found


def _arrange_scope(edit: Edit, nodes: list[Node]) -> None:
    graph, tables = edit.graph, edit.here
    moving = {node.node_id for node in nodes}
    edges = _edges(edit, nodes)
    anchors: dict[str, Box] = {
        end.node_id: box_of(tables.nodes[end.node_id])
        for edge in edges
        for end in (edge.source, edge.target)
        if end.node_id is not None and end.node_id not in moving
    }
    positions = arrange(
        [_layout_node(node) for node in nodes],
        [_layout_edge(edit, edge) for edge in edges],
        anchors=anchors,
        obstacles=graph.boxes(edit.scope),
    )
    moved = []
    for node in nodes:
        x, y = positions[node.node_id]
        position = Position(round(x), round(y))
        if position != node.position:
            edit.put(evolve(node, position=position))
            moved.append(node.node_id)
    fit_frames(edit, moved)


def _edges(edit: Edit, nodes: list[Node]) -> list[Edge]:
    found: dict[str, Edge] = {}
    for node in nodes:
        for edge in edit.graph.node_edges(edit.scope, node.node_id):
            if edge.source.node_id is not None and edge.target.node_id is not None:
                found[edge.edge_id] = edge
    ranks = edit.here.edges.ranks
    return sorted(found.values(), key=lambda edge: ranks[edge.edge_id])


def _layout_node(node: Node) -> LayoutNode:
    box = box_of(node)
    height = box.height - TITLE_HEIGHT
    return LayoutNode(node.node_id, box.width, height, node.position.x, node.position.y)


def _layout_edge(edit: Edit, edge: Edge) -> LayoutEdge:
    return LayoutEdge(
        str(edge.source.node_id),
        str(edge.target.node_id),
        _order(edit, edge.source, "outputs"),
        _order(edit, edge.target, "inputs"),
    )


def _order(edit: Edit, end: Endpoint, side: str) -> int:
    node = edit.here.nodes[str(end.node_id)]
    ports = [port.port_id for port in (node.inputs if side == "inputs" else node.outputs)]
    return ports.index(end.port_id)
