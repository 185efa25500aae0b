"""A content read, repaired and checked: a graph that only lacks ids of the project."""

from collections.abc import Mapping

from attrs import evolve, frozen

from protocol.commands import Content
from protocol.graph import Edge, Graph, Node, NodeId, Position, ProjectState
from sidecar.core.arrangement import LayoutEdge, LayoutNode, layout_all
from sidecar.core.arrivals import uses_of
from sidecar.core.boxes import DEFAULT_HEIGHT, DEFAULT_WIDTH
from sidecar.core.definitions import cycle, recursion
from sidecar.core.edit import Edit
from sidecar.core.errors import RejectedError
from sidecar.core.repair import repaired


@frozen
class Incoming:
    """What a content holds, under the ids of the file.

    ``graph`` is that of ``state``, repaired, and laid out where the file has no places
    (``placed`` False).
    """

    state: ProjectState
    graph: Graph
    placed: bool


def read_content(edit: Edit, content: Content, format_: str) -> Incoming:
    """Return what a content holds; what was repaired is reported.

    ``empty-workflow``, ``subgraph-recursion``, and what the reader of the format refuses.
    """
    reading = edit.ports.read(content, format_)
    state = reading.state
    document = state.document
    exact = document is not None and document.format == "graph"
    found = repaired(state.graph, exact=exact)
    graph = found.graph
    if not graph.nodes and not any(one.nodes for one in graph.subgraphs):
        raise empty_workflow()
    _refuse_recursion(graph)
    edit.report.warnings.extend((*reading.notices, *found.notices))
    return Incoming(state, graph if reading.placed else _laid_out(graph), reading.placed)


def empty_workflow() -> RejectedError:
    return RejectedError("empty-workflow", "There are no nodes in this workflow.")


def _refuse_recursion(graph: Graph) -> None:
    uses = uses_of(graph.subgraphs)
    path = cycle(uses, uses.__getitem__)
    if path is not None:
        raise recursion(path)


def _laid_out(graph: Graph) -> Graph:
    subgraphs = tuple(evolve(one, nodes=_arranged(one.nodes, one.edges)) for one in graph.subgraphs)
    return evolve(graph, nodes=_arranged(graph.nodes, graph.edges), subgraphs=subgraphs)


def _arranged(nodes: tuple[Node, ...], edges: tuple[Edge, ...]) -> tuple[Node, ...]:
    """Return the nodes of one scope in layers from left to right."""
    by_id = {node.node_id: node for node in nodes}
    places = layout_all(
        [_layout_node(node) for node in nodes],
        [made for made in (_layout_edge(edge, by_id) for edge in edges) if made is not None],
    )
    return tuple(evolve(node, position=Position(*places[node.node_id])) for node in nodes)


def _layout_node(node: Node) -> LayoutNode:
    width, height = (
        (DEFAULT_WIDTH, DEFAULT_HEIGHT)
        if node.size is None
        else (node.size.width, node.size.height)
    )
    return LayoutNode(node.node_id, width, height, node.position.x, node.position.y)


def _layout_edge(edge: Edge, nodes: Mapping[NodeId, Node]) -> LayoutEdge | None:
    """Return an edge between two nodes; what ends at the boundary has no say in the layout."""
    if edge.source.node_id is None or edge.target.node_id is None:
        return None
    outputs = [port.port_id for port in nodes[edge.source.node_id].outputs]
    inputs = [port.port_id for port in nodes[edge.target.node_id].inputs]
    return LayoutEdge(
        edge.source.node_id,
        edge.target.node_id,
        outputs.index(edge.source.port_id),
        inputs.index(edge.target.port_id),
    )
