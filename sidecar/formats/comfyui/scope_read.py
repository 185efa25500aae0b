"""One scope of a ComfyUI file, read: what is broken is repaired piece by piece and kept beside."""

from attrs import evolve

from protocol.graph import SUBGRAPH_PREFIX, JsonObject, Node, NodeId, Port, Position
from sidecar.formats.comfyui.groups import read_group, with_members
from sidecar.formats.comfyui.link_read import read_links
from sidecar.formats.comfyui.nodes import NodeBody, node_native, read_body
from sidecar.formats.comfyui.scope_draft import ScopeDraft, ScopeSource
from sidecar.formats.comfyui.slots import instance_layout, matched_ports, read_ports
from sidecar.formats.dropped import Droppings
from sidecar.formats.ids import UniqueTexts
from sidecar.formats.spots import row_below
from sidecar.formats.values import id_text


def read_scope(source: ScopeSource) -> ScopeDraft:
    """Return the things of a scope, with natives that hold no residue yet."""
    draft = ScopeDraft()
    _read_nodes(source, draft)
    read_links(source, draft)
    _read_groups(source, draft)
    draft.groups = with_members(draft.groups, draft.nodes)
    return draft


def _read_nodes(source: ScopeSource, draft: ScopeDraft) -> None:
    ids, dropped = UniqueTexts(), Droppings()
    unplaced: list[int] = []
    for index, raw in enumerate(source.listed("nodes")):
        if not isinstance(raw, dict):
            source.repair("unreadable-node", "This is no node and was left out.", "nodes", index)
            dropped.drop(raw)
            continue
        node, placed = _read_node(source, draft, raw, index, ids)
        dropped.keep(raw.get("id"))
        if not placed:
            unplaced.append(len(draft.nodes))
        draft.nodes.append(node)
        draft.raw_nodes.append(raw)
        draft.places.append(index)
    draft.dropped["nodes"] = dropped.parts
    draft.unplaced = len(unplaced)
    _place(draft, unplaced)


def _read_node(
    source: ScopeSource, draft: ScopeDraft, raw: JsonObject, index: int, ids: UniqueTexts
) -> tuple[Node, bool]:
    body = read_body(raw, source.definitions)
    native_id = id_text(raw.get("id"))
    if native_id is None:
        source.repair("missing-id", "The node has no usable id and got one.", "nodes", index, "id")
    twin = native_id is not None and native_id in draft.by_id
    if twin:
        source.repair("duplicate-id", "The node's id was taken; it got one.", "nodes", index, "id")
    elif native_id is not None:
        draft.by_id[native_id] = len(draft.nodes)
    if body.position is None:
        source.repair("missing-position", "The node was put on free space.", "nodes", index, "pos")
    inputs, outputs, layout = _ports(source, raw, body)
    patch = {**body.widgets, **layout} | ({"twin": True} if twin else {})
    node = Node(
        node_id=NodeId(ids.take(native_id or f"node-{index}")),
        component_id=body.component_id,
        name=body.name,
        position=body.position or Position(0, 0),
        size=body.size,
        enabled=body.enabled,
        collapsed=body.collapsed,
        pinned=body.pinned,
        inputs=inputs,
        outputs=outputs,
        parameters=body.parameters,
        annotation=body.annotation,
        status=body.status,
        native=node_native(raw.get("id") if native_id is not None else None, patch),
    )
    return node, body.position is not None


def _ports(
    source: ScopeSource, raw: JsonObject, body: NodeBody
) -> tuple[tuple[Port, ...], tuple[Port, ...], JsonObject]:
    boundary = source.definitions.get(body.component_id.removeprefix(SUBGRAPH_PREFIX))
    if not body.component_id.startswith(SUBGRAPH_PREFIX) or boundary is None:
        inputs = read_ports(raw.get("inputs"), "input", body.parameters)
        return inputs, read_ports(raw.get("outputs"), "output", {}), {}
    layout: JsonObject = {}
    for key, ports in (("inputs", boundary.inputs), ("outputs", boundary.outputs)):
        slots = raw.get(key)
        listed = slots if isinstance(slots, list) else []
        layout[key] = instance_layout(ports, matched_ports(ports, listed), listed)
    inputs = tuple(evolve(port, native=None) for port in boundary.inputs)
    return inputs, tuple(evolve(port, native=None) for port in boundary.outputs), layout


def _place(draft: ScopeDraft, unplaced: list[int]) -> None:
    missing = set(unplaced)
    placed = [node for index, node in enumerate(draft.nodes) if index not in missing]
    for index, spot in zip(unplaced, row_below(placed, len(unplaced)), strict=True):
        draft.nodes[index] = evolve(draft.nodes[index], position=spot)


def _read_groups(source: ScopeSource, draft: ScopeDraft) -> None:
    ids, dropped, seen = UniqueTexts(), Droppings(), set[str]()
    for index, raw in enumerate(source.listed("groups")):
        if not isinstance(raw, dict):
            source.repair("unreadable-group", "This is no group and was left out.", "groups", index)
            dropped.drop(raw)
            continue
        dropped.keep(raw.get("id"))
        native_id = id_text(raw.get("id"))
        twin = native_id is not None and native_id in seen
        seen.update([native_id] if native_id is not None else [])
        group = read_group(raw, index, ids)
        if group.bounds is None:
            source.repair("missing-bounds", "The group has no frame.", "groups", index, "bounding")
        patch: JsonObject = {"twin": True} if twin else {}
        native = node_native(raw.get("id") if native_id is not None else None, patch)
        draft.groups.append(evolve(group, native=native))
        draft.raw_groups.append(raw)
    draft.dropped["groups"] = dropped.parts
