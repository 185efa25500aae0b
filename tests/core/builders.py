"""Shared builders for tests of the core: graphs from values, ports of the world, short payloads."""

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any, cast

from protocol.commands import Content, Payload
from protocol.converter import make_strict_converter
from protocol.graph import (
    SUBGRAPH_PREFIX,
    Component,
    ComponentId,
    Document,
    Edge,
    EdgeId,
    Endpoint,
    Graph,
    Group,
    GroupId,
    Node,
    NodeId,
    ParameterSpec,
    Port,
    PortId,
    Position,
    ProjectState,
    Subgraph,
    SubgraphDefinition,
    SubgraphId,
)
from protocol.json_text import canonical
from sidecar.core.edit import Actor, Ports, Reading
from sidecar.core.errors import RejectedError
from sidecar.core.execute import Outcome, run
from sidecar.core.graph import ROOT, ProjectGraph, Scope
from sidecar.core.workspace import Workspace

CONVERTER = make_strict_converter()


def counter(prefix: str = "new") -> Callable[[], str]:
    """Return a source of ids that never repeats itself."""
    numbers = count(1)
    return lambda: f"{prefix}-{next(numbers)}"


def no_read(content: Content, format_: str) -> Reading:
    details = {"format": format_, "content": type(content).__name__}
    raise RejectedError("unknown-format", "These tests read no files.", details)


def ports(
    *,
    new_id: Callable[[], str] | None = None,
    retired: Iterable[tuple[str, str]] = (),
    read: Callable[[Content, str], Reading] = no_read,
) -> Ports:
    gone = set(retired)
    return Ports(
        new_id=new_id or counter(), retired=lambda kind, id_: (kind, id_) in gone, read=read
    )


def node(
    id_: str,
    *,
    at: tuple[float, float] = (0, 0),
    inputs: Iterable[str | Port] = ("in",),
    outputs: Iterable[str | Port] = ("out",),
    component: str = "any",
    **fields: Any,
) -> Node:
    """Return a node; ports may be given by name and then take and give anything."""
    return Node(
        node_id=NodeId(id_),
        component_id=ComponentId(component),
        position=Position(*at),
        inputs=tuple(map(port, inputs)),
        outputs=tuple(map(port, outputs)),
        **fields,
    )


def instance(id_: str, of: SubgraphDefinition, **fields: Any) -> Node:
    """Return an instance of a definition, with its ports."""
    return node(
        id_,
        component=SUBGRAPH_PREFIX + of.subgraph_id,
        inputs=of.inputs,
        outputs=of.outputs,
        **fields,
    )


def port(name: str | Port, data_type: str = "*", **fields: Any) -> Port:
    return name if isinstance(name, Port) else Port(name=name, data_type=data_type, **fields)


def end(place: str) -> Endpoint:
    """Return an end from ``node.port``, or from ``<input.port`` and ``>output.port`` for a boundary."""
    where, port_id = place.rsplit(".", 1)
    if where == "<input":
        return Endpoint(boundary="input", port_id=PortId(port_id))
    if where == ">output":
        return Endpoint(boundary="output", port_id=PortId(port_id))
    return Endpoint(node_id=NodeId(where), port_id=PortId(port_id))


def edge(id_: str, source: str, target: str, **fields: Any) -> Edge:
    return Edge(edge_id=EdgeId(id_), source=end(source), target=end(target), **fields)


def group(id_: str, *node_ids: str, **fields: Any) -> Group:
    return Group(
        group_id=GroupId(id_), name=fields.pop("name", id_), node_ids=ids(node_ids), **fields
    )


def definition(
    id_: str,
    *,
    nodes: Iterable[Node] = (),
    edges: Iterable[Edge] = (),
    groups: Iterable[Group] = (),
    inputs: Iterable[str | Port] = (),
    outputs: Iterable[str | Port] = (),
    **fields: Any,
) -> SubgraphDefinition:
    return SubgraphDefinition(
        subgraph_id=SubgraphId(id_),
        name=fields.pop("name", id_),
        inputs=tuple(map(port, inputs)),
        outputs=tuple(map(port, outputs)),
        nodes=tuple(nodes),
        edges=tuple(edges),
        groups=tuple(groups),
        **fields,
    )


def component(
    id_: str,
    *,
    inputs: Iterable[str | Port] = ("in",),
    outputs: Iterable[str | Port] = ("out",),
    parameters: Iterable[ParameterSpec] = (),
    **fields: Any,
) -> Component:
    return Component(
        component_id=ComponentId(id_),
        name=fields.pop("name", id_),
        kind=fields.pop("kind", "builtin"),
        inputs=tuple(map(port, inputs)),
        outputs=tuple(map(port, outputs)),
        parameters=tuple(parameters),
        **fields,
    )


def ids(values: Iterable[str]) -> Any:
    return tuple(values)


def state(
    *nodes: Node,
    edges: Iterable[Edge] = (),
    groups: Iterable[Group] = (),
    subgraphs: Iterable[SubgraphDefinition] = (),
    components: Iterable[Component] = (),
    format_: str | None = None,
) -> ProjectState:
    document = None if format_ is None else Document(document_id="document", format=format_)
    return ProjectState(
        title="Test",
        document=document,
        components=tuple(components),
        graph=Graph(
            nodes=nodes, edges=tuple(edges), groups=tuple(groups), subgraphs=tuple(subgraphs)
        ),
    )


def graph_of(whole: ProjectState) -> ProjectGraph:
    """Return the graph in memory that a state describes."""
    graph = ProjectGraph()
    graph.title, graph.document = whole.title, whole.document
    for rank, one in enumerate(whole.components):
        graph.put("component", None, one.component_id, one, rank)
    for rank, inner in enumerate(whole.graph.subgraphs):
        graph.put("subgraph", None, inner.subgraph_id, without_contents(inner), rank)
        _fill(graph, inner.subgraph_id, inner)
    _fill(graph, ROOT, whole.graph)
    return graph


def graph(*nodes: Node, **parts: Any) -> ProjectGraph:
    return graph_of(state(*nodes, **parts))


def without_contents(whole: SubgraphDefinition) -> Subgraph:
    return Subgraph(
        subgraph_id=whole.subgraph_id,
        name=whole.name,
        description=whole.description,
        inputs=whole.inputs,
        outputs=whole.outputs,
        input_anchor=whole.input_anchor,
        output_anchor=whole.output_anchor,
        native=whole.native,
    )


def payload(kind: str, **fields: Any) -> Payload:
    """Return a payload as it comes over the wire: names in camelCase, values as JSON."""
    return cast("Payload", CONVERTER.structure({"kind": kind, **fields}, cast("Any", Payload)))


def do(
    graph: ProjectGraph,
    kind: str,
    *,
    actor: Actor = "manual",
    world: Ports | None = None,
    workspace: Workspace | None = None,
    **fields: Any,
) -> Outcome:
    """Carry out one command, given as it comes over the wire."""
    return run(graph, payload(kind, **fields), world or ports(), actor, workspace=workspace)


def text(graph: ProjectGraph) -> bytes:
    """Return the canonical JSON of a graph's whole state."""
    return canonical(CONVERTER.unstructure(graph.state()))


def node_of(graph: ProjectGraph, id_: str, scope: str | None = None) -> Node:
    return graph.scopes[as_scope(scope)].nodes[id_]


def edge_of(graph: ProjectGraph, id_: str, scope: str | None = None) -> Edge:
    return graph.scopes[as_scope(scope)].edges[id_]


def group_of(graph: ProjectGraph, id_: str, scope: str | None = None) -> Group:
    return graph.scopes[as_scope(scope)].groups[id_]


def as_scope(scope: str | None) -> Scope:
    return None if scope is None else SubgraphId(scope)


def pairs(graph: ProjectGraph, scope: str | None = None) -> set[tuple[str, str]]:
    """Return the edges of a scope as ``node.port`` pairs."""
    return {
        (show(one.source), show(one.target)) for one in graph.scopes[as_scope(scope)].edges.values()
    }


def show(place: Endpoint) -> str:
    where = place.node_id or {"input": "<input", "output": ">output"}[str(place.boundary)]
    return f"{where}.{place.port_id}"


def _fill(graph: ProjectGraph, scope: Scope, contents: Graph | SubgraphDefinition) -> None:
    for rank, one in enumerate(contents.nodes):
        graph.put("node", scope, one.node_id, one, rank)
    for rank, line in enumerate(contents.edges):
        graph.put("edge", scope, line.edge_id, line, rank)
    for rank, frame in enumerate(contents.groups):
        graph.put("group", scope, frame.group_id, frame, rank)
