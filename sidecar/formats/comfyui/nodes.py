"""Nodes of a ComfyUI graph, without their slots' links, and back."""

import re
from collections.abc import Collection
from typing import Final

from attrs import frozen

from protocol.graph import (
    SUBGRAPH_PREFIX,
    ComponentId,
    Enabled,
    Json,
    JsonObject,
    Node,
    NodeStatus,
    Position,
    Size,
)
from sidecar.formats.comfyui.names import FORMAT, MODES
from sidecar.formats.comfyui.widgets import read_widgets
from sidecar.formats.components import component_of_type
from sidecar.formats.values import display_name, extent, plain, point

MODE_NUMBERS: Final[dict[Enabled, int]] = {"active": 0, "muted": 2, "bypassed": 4}
DEFAULT_SIZE: Final = Size(240, 120)

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@frozen(kw_only=True)
class NodeBody:
    """What a node holds besides its identity and its ports."""

    component_id: ComponentId
    status: NodeStatus
    name: str | None
    position: Position | None
    size: Size | None
    enabled: Enabled
    collapsed: bool
    pinned: bool
    parameters: JsonObject
    annotation: str | None
    widgets: JsonObject


def read_body(raw: JsonObject, definitions: Collection[str]) -> NodeBody:
    """Return a node's body; ``position`` is None where the file has none."""
    flags, properties, mode = raw.get("flags"), raw.get("properties"), raw.get("mode")
    parameters, widgets = read_widgets(raw)
    component_id, status = component_of(raw.get("type"), definitions)
    annotation = properties.get("annotation") if isinstance(properties, dict) else None
    return NodeBody(
        component_id=component_id,
        status=status,
        name=display_name(raw.get("title")),
        position=point(raw.get("pos")),
        size=extent(raw.get("size")),
        enabled=_enabled(mode),
        collapsed=isinstance(flags, dict) and flags.get("collapsed") is True,
        pinned=isinstance(flags, dict) and flags.get("pinned") is True,
        parameters=parameters,
        annotation=annotation if isinstance(annotation, str) and annotation else None,
        widgets=widgets,
    )


def component_of(type_: Json, definitions: Collection[str]) -> tuple[ComponentId, NodeStatus]:
    """Return the component a node type names, and whether the file can tell what it is."""
    if isinstance(type_, str) and type_ in definitions:
        return ComponentId(SUBGRAPH_PREFIX + type_), "ok"
    component_id, status = component_of_type(type_)
    # Definitions are named by UUIDs; this one is not in the file.
    return component_id, "missing" if _UUID.fullmatch(component_id) else status


def _enabled(mode: Json) -> Enabled:
    if type(mode) is int and mode in MODES:
        return "muted" if mode == MODE_NUMBERS["muted"] else "bypassed" if mode else "active"
    return "active"


def make_node(  # noqa: PLR0913 -- one argument a part of the node's object
    node: Node,
    *,
    id_: Json,
    type_: str,
    inputs: list[Json],
    outputs: list[Json],
    widgets: JsonObject,
) -> JsonObject:
    """Return a node's object without residue; ``widgets`` are the keys that hold its values."""
    size = node.size or DEFAULT_SIZE
    flags = {"collapsed": node.collapsed, "pinned": node.pinned}
    made: JsonObject = {
        "id": id_,
        "type": type_,
        "pos": [plain(node.position.x), plain(node.position.y)],
        "size": [plain(size.width), plain(size.height)],
        "flags": {key: True for key, on in flags.items() if on},
        "mode": MODE_NUMBERS[node.enabled],
        "inputs": inputs,
        "outputs": outputs,
    }
    if node.name is not None:
        made["title"] = node.name
    made["properties"] = {} if node.annotation is None else {"annotation": node.annotation}
    return made | widgets


def fresh_keys(made: JsonObject, index: int) -> JsonObject:
    """Return the keys of a node that comes from no file."""
    properties = {"Node name for S&R": made["type"], **made["properties"]}
    return {**made, "order": index, "properties": properties}


def node_native(id_: Json, patch: JsonObject) -> JsonObject:
    """Return what a node keeps of the file; a node without an id of its own keeps none."""
    return {FORMAT: patch} if id_ is None else {"id": id_, FORMAT: patch}
