"""A project as a ComfyUI API file: flat, without what is disabled or only a note."""

from collections.abc import Mapping
from typing import Any, Final

from attrs import evolve

from protocol.changes import Notice
from protocol.graph import (
    Edge,
    Endpoint,
    Graph,
    JsonObject,
    Node,
    NodeId,
    ProjectState,
)
from sidecar.formats.comfyui_api.file import FORMAT, ApiFile, written_node
from sidecar.formats.flat import flattened
from sidecar.formats.ids import residue
from sidecar.formats.residue import restored

NOTES: Final = frozenset({"Note", "MarkdownNote"})
PASSING: Final = frozenset({"Reroute"})


def write(state: ProjectState) -> tuple[JsonObject, list[Notice]]:
    """Return the file of a project, and what of the project it does not hold."""
    graph = flattened(state.graph)
    shown, notices = _running(graph)
    file = ApiFile(shown)
    made = {file.ids[node.node_id]: written_node(node, file) for node in shown.nodes}
    native = residue(state.document.native if state.document else None, FORMAT)
    if file.unnamed:
        message = "Values whose parameters have no name are not in the file."
        notices.append(Notice(code="not-exported", message=message))
    return restored(made, native[FORMAT] if native else {}), notices


def _running(graph: Graph) -> tuple[Graph, list[Notice]]:
    """Return the part of a graph that runs, links joined through what only passes on."""
    nodes = {node.node_id: node for node in graph.nodes}
    gone = {id_ for id_, node in nodes.items() if not _runs(node)}
    into = {edge.target: edge for edge in graph.edges}
    edges: list[Edge] = []
    for edge in graph.edges:
        if edge.target.node_id in gone:
            continue
        source = _through(edge.source, nodes, into)
        if source is not None:
            edges.append(edge if source is edge.source else evolve(edge, source=source))
    shown = Graph(nodes=tuple(n for n in graph.nodes if n.node_id not in gone), edges=tuple(edges))
    if not gone and not graph.groups:
        return shown, []
    message = "Disabled nodes, notes and groups are not in the file."
    return shown, [Notice(code="not-exported", message=message)]


def _runs(node: Node) -> bool:
    return node.enabled == "active" and node.component_id not in NOTES | PASSING


def _through(
    source: Endpoint, nodes: Mapping[NodeId, Node], into: Mapping[Endpoint, Edge]
) -> Endpoint | None:
    """Return the output that really feeds an edge, None where a muted node cuts it off."""
    seen: set[Any] = set()
    while source.node_id is not None and source not in seen:
        seen.add(source)
        node = nodes[source.node_id]
        if _runs(node):
            return source
        if node.enabled == "muted" or node.component_id in NOTES:
            return None
        before = _passed(node, source, into)
        if before is None:
            return None
        source = before.source
    return None


def _passed(node: Node, source: Endpoint, into: Mapping[Endpoint, Edge]) -> Edge | None:
    """Return the edge into a node that it passes on: the input of the same place, else of the type."""
    index = next(i for i, port in enumerate(node.outputs) if port.port_id == source.port_id)
    wanted = node.outputs[index].data_type
    passing = node.component_id in PASSING
    fitting = [p for p in node.inputs if passing or p.data_type == wanted]
    same_place = [port for port in node.inputs[index : index + 1] if port in fitting]
    for port in same_place + fitting:
        edge = into.get(Endpoint(node_id=node.node_id, port_id=port.port_id))
        if edge is not None:
            return edge
    return None
