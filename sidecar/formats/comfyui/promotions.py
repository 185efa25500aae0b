"""Values that instances hold for their definition's inputs: which inputs, and what if none is held."""

from collections.abc import Iterable, Mapping, Sequence

from protocol.graph import (
    SUBGRAPH_PREFIX,
    Endpoint,
    Json,
    JsonObject,
    Node,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.formats.comfyui.links import read_link
from sidecar.formats.comfyui.names import INPUT_ID
from sidecar.formats.values import display_name, id_text


def promoted_inputs(scopes: Iterable[JsonObject]) -> dict[str, set[str]]:
    """Return the names of inputs that instances hold values for, by the instances' type."""
    found: dict[str, set[str]] = {}
    for scope in scopes:
        nodes = scope.get("nodes")
        for node in nodes if isinstance(nodes, list) else []:
            slots = node.get("inputs") if isinstance(node, dict) else None
            type_ = node.get("type") if isinstance(node, dict) else None
            if not isinstance(slots, list) or not isinstance(type_, str):
                continue
            names = [
                display_name(slot.get("name"))
                for slot in slots
                if isinstance(slot, dict) and isinstance(slot.get("widget"), dict)
            ]
            found.setdefault(type_, set()).update(name for name in names if name is not None)
    return found


def fed_widgets(raw: JsonObject) -> set[int]:
    """Return the places of a definition's inputs whose links enter a widget inside."""
    nodes, links = raw.get("nodes"), raw.get("links")
    by_id = {
        id_text(node.get("id")): node
        for node in (nodes if isinstance(nodes, list) else [])
        if isinstance(node, dict)
    }
    found: set[int] = set()
    for item in links if isinstance(links, list) else []:
        link = read_link(item)
        if link is None or link.origin != str(INPUT_ID) or link.origin_slot is None:
            continue
        slot = _at(by_id.get(link.target, {}).get("inputs"), link.target_slot)
        if isinstance(slot, dict) and isinstance(slot.get("widget"), dict):
            found.add(link.origin_slot)
    return found


def _at(listed: Json, index: int | None) -> Json:
    if not isinstance(listed, list) or index is None or not 0 <= index < len(listed):
        return None
    return listed[index]


def held_values(
    node: Node, definitions: Mapping[SubgraphId, SubgraphDefinition]
) -> list[tuple[str, Json]]:
    """Return what an instance's widgets show: its own values, else those inside, by name.

    The file keeps them by position, so one value brings all before it along.
    """
    id_ = SubgraphId(node.component_id.removeprefix(SUBGRAPH_PREFIX))
    definition = definitions.get(id_)
    if definition is None:
        return []
    inside = {one.node_id: one for one in definition.nodes}
    fed = {edge.source: edge.target for edge in definition.edges}
    values: list[tuple[str, Json]] = []
    for port in node.inputs:
        if port.parameter is None:
            continue
        target = fed.get(Endpoint(boundary="input", port_id=port.port_id))
        inner = inside.get(target.node_id) if target and target.node_id else None
        own = _value_at(inner, target) if inner and target else None
        values.append((port.parameter, node.parameters.get(port.parameter, own)))
    return values


def _value_at(node: Node, end: Endpoint) -> Json:
    port = next((one for one in node.inputs if one.port_id == end.port_id), None)
    return node.parameters.get(port.parameter) if port and port.parameter else None


def by_id(definitions: Sequence[SubgraphDefinition]) -> dict[SubgraphId, SubgraphDefinition]:
    return {one.subgraph_id: one for one in definitions}
