"""One scope of a ComfyUI file, written: nodes, links, groups, reroutes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import Factory, frozen

from protocol.graph import (
    SUBGRAPH_PREFIX,
    Edge,
    Group,
    Json,
    JsonObject,
    Node,
    Port,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.formats.comfyui.groups import write_group, written_bounds
from sidecar.formats.comfyui.links import Form, Link, make_link, read_link, write_link
from sidecar.formats.comfyui.names import FORMAT, NODE_ORDER
from sidecar.formats.comfyui.nodes import fresh_keys, make_node
from sidecar.formats.comfyui.promotions import held_values
from sidecar.formats.comfyui.reroutes import (
    Routes,
    make_shown,
    read_paths,
    write_paths,
    write_presentation,
)
from sidecar.formats.comfyui.slots import write_slot
from sidecar.formats.comfyui.view import Counters, View, written_slots
from sidecar.formats.comfyui.widgets import make_widgets, promoted_names, without_values
from sidecar.formats.dropped import woven
from sidecar.formats.ids import id_key, residue
from sidecar.formats.residue import restored
from sidecar.formats.values import id_text

SIDES: Final = ("input", "output")


@frozen(kw_only=True)
class ScopeParts:
    """What stands in one scope, and how the file writes it."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]
    groups: Sequence[Group]
    view: View
    form: Form
    types: Mapping[SubgraphId, str]
    """What instances of each definition have as their type."""
    definitions: Mapping[SubgraphId, SubgraphDefinition] = Factory(dict)
    counters: Counters
    patch: JsonObject
    """The residue of the scope itself."""
    raw_paths: JsonObject
    """Where the file keeps its reroutes: a scope with ``reroutes`` and ``extra``."""


def make_scope(parts: ScopeParts) -> tuple[JsonObject, Routes]:
    """Return the keys of a scope that its contents fill, and the reroutes of its links."""
    routes = Routes(parts.counters.reroutes)
    view, dropped = parts.view, parts.patch.get("dropped", {})
    bounds = written_bounds(parts.groups, {node.node_id: node for node in parts.nodes})
    nodes = [
        (view.node_ids[node.node_id], write_node(node, parts, index))
        for index, node in enumerate(parts.nodes)
    ]
    groups = [
        (id_, write_group(group, id_, bounds[group.group_id]))
        for group in parts.groups
        for id_ in (view.group_ids[group.group_id],)
    ]
    lost: list[JsonObject] = dropped.get("links", [])
    standing = Standing.of(view) if lost else None
    made = {
        "nodes": woven(nodes, dropped.get("nodes", [])),
        "links": woven(_links(parts, routes), lost, lambda part: _alive(part, standing)),
        "groups": woven(groups, dropped.get("groups", [])),
    }
    return made, routes


def finished(scope: JsonObject, parts: ScopeParts, routes: Routes) -> JsonObject:
    """Return a scope that has its residue with its reroutes and the looks of its links.

    Where the file's own contradict each other they are frozen: they stay as they are.
    """
    if parts.patch.get("frozen"):
        return scope
    stale = parts.patch.get("stale", [])
    result = write_paths(scope, routes, parts.form, stale)
    ids = parts.view.edge_ids
    shown = {id_text(ids[edge.edge_id]) or "": make_shown(edge) for edge in parts.edges}
    extra = result.get("extra")
    if isinstance(extra, dict) or any(shown.values()):
        looks = write_presentation(extra if isinstance(extra, dict) else {}, shown, stale)
        if looks is not extra:
            result = {**result, "extra": looks}
    return result


def write_node(node: Node, parts: ScopeParts, index: int) -> JsonObject:
    """Return a node as the file has it."""
    native = residue(node.native, FORMAT)
    made = made_node(node, parts)
    if native is None:
        return restored(fresh_keys(made, index), {}, NODE_ORDER)
    return restored(made, native[FORMAT], NODE_ORDER)


def made_node(node: Node, parts: ScopeParts) -> JsonObject:
    """Return a node's object without its residue, its slots with theirs."""
    native = residue(node.native, FORMAT)
    slots = parts.view.slots[node.node_id]
    patches = {side: _slot_patches(native[FORMAT] if native else {}, side) for side in SIDES}
    return make_node(
        node,
        id_=parts.view.node_ids[node.node_id],
        type_=type_of(node, parts.types),
        inputs=[_slot(item, node, "input", parts, patches) for item in written_slots(slots.inputs)],
        outputs=[
            _slot(item, node, "output", parts, patches) for item in written_slots(slots.outputs)
        ],
        widgets=_widgets(node, native[FORMAT] if native else None, parts),
    )


def _widgets(node: Node, layout: JsonObject | None, parts: ScopeParts) -> JsonObject:
    """Return the keys of a node that hold its values.

    Where the file lists none for an instance, its first own value brings the others along.
    """
    if layout is not None and node.parameters and not layout.get("widgets"):
        held = dict(held_values(node, parts.definitions))
        if held.keys() >= node.parameters.keys():
            return make_widgets(held, None)
    if layout is not None and node.component_id.startswith(SUBGRAPH_PREFIX):
        layout = without_values(layout, _gone(node, layout))
    return make_widgets(node.parameters, layout)


def _gone(node: Node, layout: JsonObject) -> set[str]:
    """Return the names of values that an instance had for inputs its definition has no more."""
    names = layout.get("widgets")
    if not isinstance(names, list):
        return set()
    ports = {port.parameter for port in node.inputs}
    return set(names) - node.parameters.keys() - ports - set(promoted_names(layout.get("rest", {})))


def type_of(node: Node, types: Mapping[SubgraphId, str]) -> str:
    if node.component_id.startswith(SUBGRAPH_PREFIX):
        definition = SubgraphId(node.component_id.removeprefix(SUBGRAPH_PREFIX))
        return types.get(definition, definition)
    return node.component_id


def slot_mention(view: View, node: Node, port: Port, side: str) -> Json:
    if side == "input":
        return view.link_into(node.node_id, port.port_id)
    return view.links_from(node.node_id, port.port_id)


def _slot(
    item: Any,
    node: Node,
    side: str,
    parts: ScopeParts,
    patches: Mapping[str, Mapping[str, JsonObject] | None],
) -> Json:
    if not isinstance(item, Port):
        return item["whole"][0]
    listed = patches[side]
    if listed is not None:
        patch = listed.get(item.port_id, {})
    else:
        native = residue(item.native, FORMAT)
        patch = native[FORMAT] if native else {}
    return write_slot(item, patch, side, slot_mention(parts.view, node, item, side))


def _slot_patches(node_patch: JsonObject, side: str) -> dict[str, JsonObject] | None:
    """Return the residues of an instance's slots by port, None for a node whose ports have them."""
    layout = node_patch.get(f"{side}s")
    if layout is None:
        return None
    return {entry["port"]: entry for entry in reversed(layout["slots"]) if "port" in entry}


def _links(parts: ScopeParts, routes: Routes) -> list[tuple[Json, Json]]:
    result: list[tuple[Json, Json]] = []
    for edge, made in made_links(parts, routes):
        native = residue(edge.native, FORMAT)
        link = write_link(made, native[FORMAT] if native else {})
        result.append((parts.view.edge_ids[edge.edge_id], link))
    return result


def made_links(parts: ScopeParts, routes: Routes) -> Iterator[tuple[Edge, Json]]:
    """Yield each edge and its link without residue; lays its waypoints into ``routes``."""
    known = {id_key(r.get("id")): r for r in read_paths(parts.raw_paths).reroutes.values()}
    for edge in parts.edges:
        id_ = parts.view.edge_ids[edge.edge_id]
        native = residue(edge.native, FORMAT)
        form: Form = native[FORMAT].get("form", parts.form) if native else parts.form
        last = routes.lay(edge, id_, known)
        parent = last if parts.form == "object" else None
        yield edge, make_link(edge, id_, parts.view.ends[edge.edge_id], form, parent)


@frozen
class Standing:
    """What the ends of a dropped link are compared with."""

    present: frozenset[str | None]
    into: Mapping[tuple[str | None, int], Json]
    room: Mapping[tuple[str, str | None], int]

    @classmethod
    def of(cls, view: View) -> "Standing":
        return cls(
            frozenset(id_text(id_) for id_ in view.node_ids.values()),
            {
                (id_text(ends.target), ends.target_slot): view.edge_ids[edge_id]
                for edge_id, ends in view.ends.items()
            },
            view.room,
        )

    def facts(self, link: Link | None) -> JsonObject:
        """Return what must stay as it is for a dropped link to come back."""
        if link is None:
            return {}
        had = [link.origin in self.present, link.target in self.present]
        slot = link.target_slot
        beside = None if slot is None else self.into.get((link.target, slot))
        facts: JsonObject = {"had": had} if beside is None else {"had": had, "beside": beside}
        room = [
            self._has("source", link.origin, link.origin_slot),
            self._has("target", link.target, link.target_slot),
        ]
        return facts if all(room) else {**facts, "room": room}

    def _has(self, side: str, id_: str | None, slot: int | None) -> bool:
        return slot is not None and slot < self.room.get((side, id_), 0)


def _alive(part: JsonObject, standing: Standing | None) -> bool:
    facts = standing.facts(read_link(part["item"])) if standing else {}
    same_ends = all(part.get(name) == facts.get(name) for name in ("had", "beside"))
    # A slot that was not there must not have come since.
    return same_ends and ("room" not in part or part["room"] == facts.get("room"))
