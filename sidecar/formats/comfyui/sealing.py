"""The residue of everything in a scope of a ComfyUI file: the file less what writing makes."""

from collections.abc import Mapping
from typing import TypeVar

from attrs import evolve

from protocol.graph import Edge, Group, Json, JsonObject, Node, Port, SubgraphId
from sidecar.formats.comfyui.groups import make_group, written_bounds
from sidecar.formats.comfyui.links import Form, link_patch
from sidecar.formats.comfyui.names import FORMAT, GROUP_ORDER, NODE_ORDER
from sidecar.formats.comfyui.reroutes import Routes, mentioned
from sidecar.formats.comfyui.scope_draft import ScopeDraft, ScopeSource
from sidecar.formats.comfyui.scope_write import (
    ScopeParts,
    Standing,
    finished,
    made_links,
    made_node,
    slot_mention,
)
from sidecar.formats.comfyui.slots import slot_patch
from sidecar.formats.comfyui.view import (
    counters_of,
    is_padding,
    make_view,
    slots_of,
)
from sidecar.formats.residue import difference, pruned, same
from sidecar.formats.values import id_text

T = TypeVar("T", Node, Edge, Group)


def sealed(
    draft: ScopeDraft, source: ScopeSource, form: Form, types: Mapping[SubgraphId, str]
) -> ScopeParts:
    """Return a scope with every thing's residue; its own patch holds what was dropped."""
    counters = counters_of(())
    parts = ScopeParts(
        nodes=draft.nodes,
        edges=draft.edges,
        groups=draft.groups,
        view=make_view(
            draft.nodes, draft.edges, draft.groups, boundary=source.boundary, counters=counters
        ),
        form=form,
        types=types,
        counters=counters,
        patch={},
        raw_paths=source.raw,
    )
    standing = Standing.of(parts.view)
    for part, link in draft.dropped_links:
        part.update(standing.facts(link))
    parts = _with_routes(parts, source)
    dropped = pruned(draft.dropped)
    patch = {**parts.patch, **({"dropped": dropped} if dropped else {})}
    parts = evolve(
        parts, patch=patch, edges=_edges(parts, draft), groups=_groups(parts, draft.raw_groups)
    )
    return _with_nodes(parts, draft)


def _with_routes(parts: ScopeParts, source: ScopeSource) -> ScopeParts:
    """Return a scope whose reroutes come back as they are; they stay out of the model otherwise."""
    spoken = mentioned(source.raw)
    if not spoken and "reroutes" not in source.raw:
        return parts
    live = {id_text(id_) for id_ in parts.view.edge_ids.values()}
    stale = sorted(spoken - live)
    read = evolve(parts, patch={"stale": stale} if stale else {})
    routes = Routes(parts.counters.reroutes)
    for _ in made_links(read, routes):
        pass
    if same(finished(source.raw, read, routes), source.raw):
        return read
    source.repair("unclear-reroutes", "The reroutes contradict the links; they stay as they are.")
    plain = [
        evolve(edge, waypoints=(), label=None, hidden=False, native=_without_path(edge))
        for edge in parts.edges
    ]
    return evolve(parts, edges=plain, patch={"frozen": True})


def _without_path(edge: Edge) -> JsonObject:
    native = edge.native or {}
    return {**native, FORMAT: {k: v for k, v in native[FORMAT].items() if k != "path"}}


def _edges(parts: ScopeParts, draft: ScopeDraft) -> list[Edge]:
    formed = [
        _formed(edge, raw, parts.form)
        for edge, raw in zip(parts.edges, draft.raw_links, strict=True)
    ]
    made = made_links(evolve(parts, edges=formed), Routes(parts.counters.reroutes))
    return [
        _with_patch(edge, link_patch(link, raw))
        for (edge, link), raw in zip(made, draft.raw_links, strict=True)
    ]


def _formed(edge: Edge, raw: Json, usual: Form) -> Edge:
    form: Form = "array" if isinstance(raw, list) else "object"
    return edge if form == usual else _with_patch(edge, {"form": form})


def _groups(parts: ScopeParts, raw_groups: list[JsonObject]) -> list[Group]:
    bounds = written_bounds(parts.groups, {node.node_id: node for node in parts.nodes})
    ids = parts.view.group_ids
    return [
        _with_patch(
            group,
            difference(
                make_group(group, ids[group.group_id], bounds[group.group_id]), raw, GROUP_ORDER
            ),
        )
        for group, raw in zip(parts.groups, raw_groups, strict=True)
    ]


def _with_nodes(parts: ScopeParts, draft: ScopeDraft) -> ScopeParts:
    slotted = [
        _slotted(node, raw, parts) for node, raw in zip(parts.nodes, draft.raw_nodes, strict=True)
    ]
    slots = {node.node_id: slots_of(node) for node in slotted}
    ready = evolve(parts, nodes=slotted, view=evolve(parts.view, slots=slots))
    nodes = [
        _with_patch(node, difference(made_node(node, ready), raw, NODE_ORDER))
        for node, raw in zip(slotted, draft.raw_nodes, strict=True)
    ]
    return evolve(ready, nodes=nodes)


def _slotted(node: Node, raw: JsonObject, parts: ScopeParts) -> Node:
    """Return a node with the residue of its slots."""
    patch = (node.native or {})[FORMAT]
    if "inputs" in patch:
        layouts = {key: _layout(node, raw, key, parts) for key in ("inputs", "outputs")}
        return _with_patch(node, layouts)
    return evolve(
        node,
        inputs=_ports(node, node.inputs, raw.get("inputs"), "input", parts),
        outputs=_ports(node, node.outputs, raw.get("outputs"), "output", parts),
    )


def _ports(
    node: Node, ports: tuple[Port, ...], raw: Json, side: str, parts: ScopeParts
) -> tuple[Port, ...]:
    listed = raw if isinstance(raw, list) else []
    result: list[Port] = []
    for index, port in enumerate(ports):
        if is_padding(port):
            result.append(port)
            continue
        patch = slot_patch(port, listed[index], side, slot_mention(parts.view, node, port, side))
        result.append(evolve(port, native={FORMAT: patch}) if patch else port)
    return tuple(result)


def _layout(node: Node, raw: JsonObject, key: str, parts: ScopeParts) -> JsonObject:
    """Return an instance's layout with the residue of each slot."""
    side = key.removesuffix("s")
    layout: JsonObject = (node.native or {})[FORMAT][key]
    ports = {port.port_id: port for port in (node.inputs if side == "input" else node.outputs)}
    entries: list[JsonObject] = []
    listed = raw.get(key)
    for entry, slot in zip(
        layout["slots"], listed if isinstance(listed, list) else [], strict=True
    ):
        port = ports.get(entry.get("port"))
        if port is None:
            entries.append(entry)
            continue
        mention = slot_mention(parts.view, node, port, side)
        entries.append({**entry, **slot_patch(port, slot, side, mention)})
    return {**layout, "slots": entries}


def _with_patch(thing: T, patch: JsonObject) -> T:
    """Return a thing with more residue."""
    if not patch:
        return thing
    native = thing.native or {}
    return evolve(thing, native={**native, FORMAT: {**native[FORMAT], **patch}})
