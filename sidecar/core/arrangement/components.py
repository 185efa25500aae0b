"""Splitting a graph into its connected components."""

from sidecar.core.arrangement.model import LayoutEdge, LayoutNode

Component = tuple[list[LayoutNode], list[LayoutEdge]]


def components(nodes: list[LayoutNode], edges: list[LayoutEdge]) -> list[Component]:
    """Nodes and edges by component, all in the order given; edges to other nodes are left out."""
    known = {node.node_id for node in nodes}
    inner = [edge for edge in edges if edge.source_id in known and edge.target_id in known]
    root = _roots(nodes, inner)
    found: dict[str, Component] = {}
    for node in nodes:
        found.setdefault(root[node.node_id], ([], []))[0].append(node)
    for edge in inner:
        found[root[edge.source_id]][1].append(edge)
    return list(found.values())


def _roots(nodes: list[LayoutNode], edges: list[LayoutEdge]) -> dict[str, str]:
    """For each node the first node of its component."""
    neighbours: dict[str, list[str]] = {node.node_id: [] for node in nodes}
    for edge in edges:
        neighbours[edge.source_id].append(edge.target_id)
        neighbours[edge.target_id].append(edge.source_id)
    root: dict[str, str] = {}
    for node in nodes:
        if node.node_id in root:
            continue
        root[node.node_id] = node.node_id
        stack = [node.node_id]
        while stack:
            for neighbour in neighbours[stack.pop()]:
                if neighbour not in root:
                    root[neighbour] = node.node_id
                    stack.append(neighbour)
    return root
