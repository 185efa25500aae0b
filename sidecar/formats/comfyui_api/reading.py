"""A ComfyUI API file, read.

Every input becomes a port, so that a value can be replaced by a connection.
"""

from collections.abc import Iterator, Mapping

from attrs import evolve

from protocol.graph import (
    Document,
    Edge,
    EdgeId,
    Endpoint,
    Graph,
    Json,
    JsonObject,
    Node,
    NodeId,
    Port,
    PortId,
    Position,
    ProjectState,
)
from sidecar.core.edit import Reading
from sidecar.core.errors import RejectedError
from sidecar.formats.comfyui.nodes import component_of
from sidecar.formats.comfyui_api.file import (
    FORMAT,
    LIST_KEY,
    MOST_OUTPUTS,
    NODE_ORDER,
    ApiFile,
    as_link,
)
from sidecar.formats.cycles import has_cycle
from sidecar.formats.ids import UniqueTexts
from sidecar.formats.repairs import Repairs
from sidecar.formats.residue import difference
from sidecar.formats.values import display_name


def read(content: JsonObject, at: str = "") -> Reading:
    """Return what a file holds; raises ``empty-workflow``."""
    repairs = Repairs(at)
    kept: dict[str, JsonObject] = {}
    for key, raw in content.items():
        if isinstance(raw, dict) and isinstance(raw.get("inputs"), dict):
            kept[key] = raw
        else:
            repairs.add("unreadable-node", "This is no node and was left out.", key)
    if not kept:
        raise RejectedError("empty-workflow", "There is nothing in this workflow.", {})
    links = list(_links(kept, repairs))
    outputs: dict[str, int] = {}
    for _, _, source, slot in links:
        outputs[source] = max(outputs.get(source, 0), slot)
    nodes = [_read_node(key, raw, outputs.get(key, 0)) for key, raw in kept.items()]
    ports = {(node.node_id, port.name): port.port_id for node in nodes for port in node.inputs}
    edges = [_read_edge(link, ports) for link in links]
    if has_cycle(edges):
        repairs.add("cycle", "The links lead in a circle.")
    made = ApiFile(Graph(nodes=tuple(nodes), edges=tuple(edges)))
    sealed = [_sealed(node, made.node(node), kept[node.node_id]) for node in nodes]
    document = Document(document_id="", format=FORMAT, native={FORMAT: difference(kept, content)})
    graph = Graph(nodes=tuple(sealed), edges=tuple(edges))
    state = ProjectState(title="Untitled", document=document, graph=graph)
    return Reading(state=state, notices=tuple(repairs.notices), placed=False)


_Link = tuple[str, str, str, int]
"""Target node, input name, source node, output index."""


def _links(kept: Mapping[str, JsonObject], repairs: Repairs) -> Iterator[_Link]:
    for key, raw in kept.items():
        for name, value in raw["inputs"].items():
            link = as_link(value)
            if link is None:
                continue
            if link[0] in kept and link[1] < MOST_OUTPUTS:
                yield key, name, *link
            else:
                message = "The link's source is not there; it was left out."
                repairs.add("dangling-link", message, key, "inputs", name)


def _read_node(key: str, raw: JsonObject, last: int) -> Node:
    meta = raw.get("_meta")
    component_id, status = component_of(raw.get("class_type"), ())
    parameters: JsonObject = {}
    ports: list[Port] = []
    ids = UniqueTexts()
    for index, (name, value) in enumerate(raw["inputs"].items()):
        link = as_link(value)
        if link is None:
            parameters[name] = _unwrapped(value)
        named = link is None
        ports.append(
            Port(
                name=name,
                port_id=PortId(ids.take(name or f"input_{index}")),
                data_type="*",
                parameter=name if named else None,
            )
        )
    return Node(
        node_id=NodeId(key),
        component_id=component_id,
        status=status,
        name=display_name(meta.get("title")) if isinstance(meta, dict) else None,
        position=Position(0, 0),
        inputs=tuple(ports),
        outputs=tuple(Port(name=f"output_{i}", data_type="*") for i in range(last + 1)),
        parameters=parameters,
        native={"id": key, FORMAT: {}},
    )


def _unwrapped(value: Json) -> Json:
    if isinstance(value, dict) and list(value) == [LIST_KEY] and isinstance(value[LIST_KEY], list):
        return value[LIST_KEY]
    return value


def _read_edge(link: _Link, ports: Mapping[tuple[NodeId, str], PortId]) -> Edge:
    target, name, source, slot = link
    return Edge(
        edge_id=EdgeId(f"{target}/{name}"),
        source=Endpoint(node_id=NodeId(source), port_id=PortId(f"output_{slot}")),
        target=Endpoint(node_id=NodeId(target), port_id=ports[NodeId(target), name]),
    )


def _sealed(node: Node, made: JsonObject, raw: JsonObject) -> Node:
    patch = difference(made, raw, NODE_ORDER)
    return evolve(node, native={"id": node.node_id, FORMAT: patch})
