"""A project as a ComfyUI workflow file; one that was opened from such a file keeps its version."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import define, frozen

from protocol.changes import Notice
from protocol.graph import (
    Edge,
    Group,
    Json,
    JsonObject,
    Node,
    ProjectState,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.formats.comfyui.definitions import make_frame
from sidecar.formats.comfyui.links import Form
from sidecar.formats.comfyui.names import DEFINITION_ORDER, FORMAT, ROOT_ORDER, VERSIONS
from sidecar.formats.comfyui.promotions import by_id
from sidecar.formats.comfyui.scope_write import ScopeParts, finished, make_scope
from sidecar.formats.comfyui.view import Boundary, Counters, counters_of, make_view
from sidecar.formats.dropped import woven
from sidecar.formats.ids import Counter, residue
from sidecar.formats.residue import restored

_STATE_KEYS: Final = {
    "lastGroupId": "groups",
    "lastNodeId": "nodes",
    "lastLinkId": "links",
    "lastRerouteId": "reroutes",
}
_ROOT_KEYS: Final = {"last_node_id": "nodes", "last_link_id": "links"}


def write(state: ProjectState) -> tuple[JsonObject, list[Notice]]:
    """Return the file of a project, and what of the project it does not hold."""
    native = residue(state.document.native if state.document else None, FORMAT)
    patch: JsonObject = native[FORMAT] if native else {}
    writer = _FileWriter(state, patch, fresh=native is None)
    return writer.root(), []


@frozen
class Known:
    """The definitions of a project, and the id each has in the file."""

    types: Mapping[SubgraphId, str]
    definitions: Mapping[SubgraphId, SubgraphDefinition]


@define
class _FileWriter:
    project: ProjectState
    patch: JsonObject
    fresh: bool

    def root(self) -> JsonObject:
        graph = self.project.graph
        counters = self._counters()
        known = Known(_types(graph.subgraphs), by_id(graph.subgraphs))
        definitions = [
            (known.types[one.subgraph_id], _definition(one, known, counters))
            for one in graph.subgraphs
        ]
        form: Form = "object" if self._version() >= 1 else "array"
        parts = _parts(graph, Boundary(), self.patch, form=form, known=known, counters=counters)
        made, routes = make_scope(parts)
        lost = self.patch.get("dropped", {}).get("subgraphs", [])
        if definitions or lost:
            made["definitions"] = {"subgraphs": woven(definitions, lost)}
        if self.fresh:
            made = {"revision": 0, "config": {}, "extra": {}, "version": 0.4, **made}
        scope = finished(restored(made, self.patch, ROOT_ORDER), parts, routes)
        return _counted(scope, counters, _ROOT_KEYS, always=self.fresh)

    def _version(self) -> float:
        version: float = self.patch.get("rest", {}).get("version", 0.4)
        if type(version) not in (int, float) or version not in VERSIONS:
            raise ValueError("a version that no file was read with")
        return version

    def _counters(self) -> Counters:
        """Return counters above every id of the file."""
        graph = self.project.graph
        counters = counters_of(_natives(graph.nodes, graph.edges, graph.groups))
        for one in graph.subgraphs:
            inner = counters_of(_natives(one.nodes, one.edges, one.groups))
            for name in ("nodes", "links", "groups"):
                getattr(counters, name).see([getattr(inner, name).highest])
        for patch in [self.patch, *(_patch(one) for one in graph.subgraphs)]:
            _see_patch(patch, counters)
        return counters


def _patch(definition: SubgraphDefinition) -> JsonObject:
    native = residue(definition.native, FORMAT)
    return native[FORMAT] if native else {}


def _see_patch(patch: JsonObject, counters: Counters) -> None:
    rest = patch.get("rest", {})
    state = rest.get("state")
    for key, name in _STATE_KEYS.items():
        getattr(counters, name).see([state.get(key) if isinstance(state, dict) else None])
    for key, name in _ROOT_KEYS.items():
        getattr(counters, name).see([rest.get(key)])
    extra = rest.get("extra")
    for holder in (rest, extra if isinstance(extra, dict) else {}):
        listed = holder.get("reroutes")
        counters.reroutes.see(_ids(listed if isinstance(listed, list) else []))
        floating = holder.get("floatingLinks")
        counters.links.see(_ids(floating if isinstance(floating, list) else []))
    dropped = patch.get("dropped", {})
    for key, counter in (("nodes", counters.nodes), ("links", counters.links)):
        counter.see(_ids([part["item"] for part in dropped.get(key, [])]))
    for part in dropped.get("links", []):
        counters.nodes.see(_ends(part["item"]))


def _ids(items: list[Json]) -> Iterator[Json]:
    for item in items:
        if isinstance(item, dict):
            yield item.get("id")
        elif isinstance(item, list) and item:
            yield item[0]


def _ends(link: Json) -> list[Json]:
    """Return the nodes a dropped link names, so that no new node takes their place."""
    if isinstance(link, dict):
        return [link.get("origin_id"), link.get("target_id")]
    return [link[1], link[3]] if isinstance(link, list) and len(link) > len("abc") else []


def _types(definitions: Sequence[SubgraphDefinition]) -> dict[SubgraphId, str]:
    """Return the id each definition has in the file."""
    found: dict[SubgraphId, str] = {}
    taken: set[str] = set()
    for one in definitions:
        native = residue(one.native, FORMAT)
        id_ = native.get("id") if native else None
        twin = bool(native) and bool((native or {})[FORMAT].get("twin"))
        usable = isinstance(id_, str) and (id_ not in taken or twin)
        found[one.subgraph_id] = id_ if usable and isinstance(id_, str) else one.subgraph_id
        taken.add(found[one.subgraph_id])
    return found


def _definition(definition: SubgraphDefinition, known: Known, counters: Counters) -> JsonObject:
    native = residue(definition.native, FORMAT)
    patch = _patch(definition)
    before = {name: getattr(counters, name).minted for name in _STATE_KEYS.values()}
    boundary = Boundary(inputs=definition.inputs, outputs=definition.outputs)
    parts = _parts(definition, boundary, patch, form="object", known=known, counters=counters)
    scope, routes = make_scope(parts)
    id_: Json = known.types[definition.subgraph_id]
    if native is not None and native.get("id") is None:
        id_ = None
    made = {**make_frame(definition, id_, parts.view), **scope}
    if native is None:
        made |= {"version": 1, "state": {}, "revision": 0, "config": {}, "widgets": [], "extra": {}}
    written = finished(restored(made, patch, DEFINITION_ORDER), parts, routes)
    minted = any(getattr(counters, name).minted > count for name, count in before.items())
    return _with_state(written, counters) if minted or native is None else written


def _parts(  # noqa: PLR0913 -- what one scope and the whole file say
    contents: Any,
    boundary: Boundary,
    patch: JsonObject,
    *,
    form: Form,
    known: Known,
    counters: Counters,
) -> ScopeParts:
    nodes, groups = contents.nodes, contents.groups
    # An input there takes one link.
    edges = list({edge.target: edge for edge in reversed(contents.edges)}.values())[::-1]
    rest = patch.get("rest", {})
    return ScopeParts(
        nodes=nodes,
        edges=edges,
        groups=groups,
        view=make_view(nodes, edges, groups, boundary=boundary, counters=counters),
        form=form,
        types=known.types,
        definitions=known.definitions,
        counters=counters,
        patch=patch,
        raw_paths={key: rest[key] for key in ("reroutes", "extra") if key in rest},
    )


def _natives(
    nodes: Sequence[Node], edges: Sequence[Edge], groups: Sequence[Group]
) -> Iterator[tuple[str, JsonObject | None]]:
    yield from (("node", node.native) for node in nodes)
    yield from (("edge", edge.native) for edge in edges)
    yield from (("group", group.native) for group in groups)


def _counted(
    scope: JsonObject, counters: Counters, keys: Mapping[str, str], *, always: bool
) -> JsonObject:
    """Return a root whose counters stand above the ids that were minted."""
    raised: JsonObject = {}
    for key, name in keys.items():
        counter: Counter = getattr(counters, name)
        if counter.minted or (always and key not in scope):
            raised[key] = counter.highest
    if any(getattr(counters, name).minted for name in _STATE_KEYS.values()) and "state" in scope:
        raised["state"] = _with_state(scope, counters)["state"]
    known = {**scope, **raised}
    return restored(known, {}, ROOT_ORDER) if raised.keys() - scope.keys() else known


def _with_state(scope: JsonObject, counters: Counters) -> JsonObject:
    state = scope.get("state")
    if not isinstance(state, dict):
        return scope
    raised = {key: getattr(counters, name).highest for key, name in _STATE_KEYS.items()}
    minted = {key: value for key, value in raised.items() if not state or key in state}
    return {**scope, "state": {**state, **minted}}
