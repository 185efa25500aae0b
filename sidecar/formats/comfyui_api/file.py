"""Nodes of a ComfyUI API file as they are written: their keys, links and values."""

from collections.abc import Iterator
from typing import Final

from protocol.graph import (
    Endpoint,
    Graph,
    Json,
    JsonObject,
    Node,
    NodeId,
)
from sidecar.formats.comfyui.widgets import CONTROL, POSITIONAL
from sidecar.formats.components import type_of_component
from sidecar.formats.flat import SEPARATOR
from sidecar.formats.ids import Counter, residue
from sidecar.formats.residue import KeyOrder, restored
from sidecar.formats.values import id_text, integer

FORMAT: Final = "comfyui-api"
NODE_ORDER: Final = KeyOrder.of(("inputs", "class_type", "_meta"))
LIST_KEY: Final = "__value__"
"""Under it a list stands that is a value and no link."""
MOST_OUTPUTS: Final = 256


def as_link(value: Json) -> tuple[str, int] | None:
    if not isinstance(value, list) or len(value) != len(("id", "index")):
        return None
    source, slot = id_text(value[0]), value[1]
    if source is None or type(slot) is not int or slot < 0:
        return None
    return source, slot


def written_node(node: Node, file: "ApiFile") -> JsonObject:
    native = residue(node.native, FORMAT)
    return restored(file.node(node), native[FORMAT] if native else {}, NODE_ORDER)


class ApiFile:
    """The ids and links of a file as it is written."""

    def __init__(self, graph: Graph) -> None:
        self.ids = _native_ids(graph)
        self.unnamed = 0
        self._outputs = {
            (node.node_id, port.port_id): index
            for node in graph.nodes
            for index, port in enumerate(node.outputs)
        }
        self._into = {edge.target: edge.source for edge in graph.edges}

    def node(self, node: Node) -> JsonObject:
        """Return a node's object without residue."""
        made: JsonObject = {"inputs": self._inputs(node), "class_type": _class_type(node)}
        return made if node.name is None else {**made, "_meta": {"title": node.name}}

    def _inputs(self, node: Node) -> JsonObject:
        inputs: JsonObject = {}
        for port in node.inputs:
            source = self._into.get(Endpoint(node_id=node.node_id, port_id=port.port_id))
            if source is not None and source.node_id is not None:
                slot = self._outputs[source.node_id, source.port_id]
                inputs[port.name] = [self.ids[source.node_id], slot]
            elif port.parameter in node.parameters:
                inputs[port.name] = _wrapped(node.parameters[port.parameter])
        shown = {port.parameter for port in node.inputs}
        beside = {name: v for name, v in node.parameters.items() if name not in shown}
        for name, value in beside.items():
            if name.startswith(POSITIONAL):
                self.unnamed += 1
            elif not name.startswith(CONTROL) and name not in inputs:
                inputs[name] = _wrapped(value)
        return inputs


def _class_type(node: Node) -> str:
    return type_of_component(node.component_id)


def _wrapped(value: Json) -> Json:
    return {LIST_KEY: value} if isinstance(value, list) else value


def _native_ids(graph: Graph) -> dict[NodeId, str]:
    """Return the key of each node: the file's, or the path of ids in a workflow file, or fresh."""
    counter = Counter()
    wanted = {node.node_id: _wanted(node) for node in graph.nodes}
    # A link that leads nowhere must not lead to what came since.
    lost = {link[0] for node in graph.nodes for link in _lost_links(node)}
    counter.see(integer(id_) for id_ in lost)
    counter.see(integer(str(key).split(SEPARATOR)[0]) for key in wanted.values() if key)
    taken: set[str] = set()
    found: dict[NodeId, str] = {}
    late: list[NodeId] = []
    for node_id, key in wanted.items():
        if key is None or key in taken or key in lost:
            late.append(node_id)
        else:
            taken.add(key)
        found[node_id] = key or ""
    for node_id in late:
        found[node_id] = str(counter.mint())
    return found


def _lost_links(node: Node) -> Iterator[tuple[str, int]]:
    """Yield the links of a node in the file whose sources were not there."""
    native = residue(node.native, FORMAT)
    inputs = native[FORMAT].get("in", {}).get("inputs", {}) if native else {}
    for value in inputs.get("rest", {}).values():
        link = as_link(value)
        if link is not None and link[1] < MOST_OUTPUTS:
            yield link


def _wanted(node: Node) -> str | None:
    native = residue(node.native, FORMAT)
    if native is not None:
        return id_text(native.get("id"))
    workflow = residue(node.native, "comfyui")
    id_ = id_text(workflow.get("id")) if workflow else None
    # Ids of inner nodes are unique in their definition alone.
    return id_ if SEPARATOR not in node.node_id else None
