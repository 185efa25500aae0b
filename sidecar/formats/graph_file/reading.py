"""A file of this model, read strictly: what has another shape is refused, place by place.

What only contradicts itself (ends, ids, members) is repaired as for every other format.
"""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from attrs import evolve

from protocol.converter import decode, make_strict_converter
from protocol.errors import InvalidParamsError
from protocol.graph import (
    Document,
    Edge,
    Graph,
    Group,
    Json,
    JsonObject,
    Node,
    ProjectState,
    SubgraphDefinition,
)
from sidecar.core.edit import Reading
from sidecar.core.errors import RejectedError
from sidecar.core.repair import repaired
from sidecar.formats.cycles import recursion
from sidecar.formats.graph_file.file import FORMAT, GraphFile, ScopeIds
from sidecar.formats.graph_file.fitting import fitted
from sidecar.formats.repairs import Repairs
from sidecar.formats.residue import difference

Thing = TypeVar("Thing", Node, Edge, Group)
SCHEMA_VERSION = 1
_ROOT_KEYS = ("nodes", "edges", "groups", "subgraphs")


def read(content: JsonObject, at: str = "") -> Reading:
    """Return what a file holds: a project state, or a graph alone.

    Raises :class:`RejectedError`: ``unsupported-version``, ``unreadable-content`` (with
    ``details.issues``), ``subgraph-recursion``, ``empty-workflow``.
    """
    version = content.get("schemaVersion")
    if version != SCHEMA_VERSION or type(version) is not int:
        # A number tells nothing of the person; anything else in its place might.
        told = version if type(version) in (int, float) else None
        details = {"version": told, "supported": [SCHEMA_VERSION]}
        raise RejectedError("unsupported-version", "This version is not known.", details)
    bare = "graph" not in content
    state = _decoded(content, bare=bare)
    repairs = Repairs(at)
    state = fitted(state, repairs, *(() if bare else ("graph",)))
    graph = state.graph
    if not (graph.nodes or graph.groups or graph.subgraphs):
        raise RejectedError("empty-workflow", "There is nothing in this file.", {})
    _refuse_recursion(graph)
    fit = repaired(_marked(graph), at if bare else f"{at}/graph")
    raw_graph = content if bare else content["graph"]
    sealed, dropped = _sealed(fit.graph, raw_graph)
    document = _document(content, state, sealed, dropped, bare=bare)
    read_state = evolve(state, document=document, graph=sealed)
    return Reading(state=read_state, notices=(*repairs.notices, *fit.notices), placed=True)


def _decoded(content: JsonObject, *, bare: bool) -> ProjectState:
    value = {"title": "Untitled", **content}
    if bare:
        graph = {key: content[key] for key in _ROOT_KEYS if key in content}
        rest = {key: item for key, item in value.items() if key not in _ROOT_KEYS}
        value = {**rest, "graph": graph}
    try:
        return decode(make_strict_converter(), value, ProjectState)
    except InvalidParamsError as error:
        issues = [{"path": issue.path, "message": issue.message} for issue in error.issues]
        raise RejectedError(
            "unreadable-content",
            "The content does not have the form of a project.",
            {"reason": "wrong-shape", "issues": issues},
        ) from error


def _refuse_recursion(graph: Graph) -> None:
    known = {one.subgraph_id for one in graph.subgraphs}
    uses: dict[str, list[str]] = {
        one.subgraph_id: [
            used
            for node in one.nodes
            if (used := node.component_id.partition(":")[2]) in known
            and node.component_id.startswith("subgraph:")
        ]
        for one in graph.subgraphs
    }
    path = recursion(uses)
    if path is not None:
        raise RejectedError(
            "subgraph-recursion", "A subgraph of the file contains itself.", {"path": path}
        )


def _marked(graph: Graph) -> Graph:
    """Return a graph whose things remember which part of the file they are."""
    marked = _marked_scope(graph)
    natives = _marks([(one.subgraph_id, one.native) for one in graph.subgraphs])
    subgraphs = [
        evolve(_marked_scope(one), native=native)
        for one, native in zip(graph.subgraphs, natives, strict=True)
    ]
    return evolve(marked, subgraphs=tuple(subgraphs))


Scope = TypeVar("Scope", Graph, SubgraphDefinition)


def _marked_scope(scope: Scope) -> Scope:
    def marked(things: Sequence[Any], key: str) -> tuple[Any, ...]:
        natives = _marks([(getattr(thing, key), thing.native) for thing in things])
        pairs = zip(things, natives, strict=True)
        return tuple(evolve(thing, native=native) for thing, native in pairs)

    return evolve(
        scope,
        nodes=marked(scope.nodes, "node_id"),
        edges=marked(scope.edges, "edge_id"),
        groups=marked(scope.groups, "group_id"),
    )


def _marks(things: Sequence[tuple[str, JsonObject | None]]) -> Iterator[JsonObject]:
    """Yield the natives of things given as id and native, with their places."""
    seen: set[str] = set()
    for index, (id_, native) in enumerate(things):
        patch: JsonObject = {"at": index}
        patch |= {} if native is None else {"native": native}
        patch |= {"twin": True} if id_ in seen else {}
        seen.add(id_)
        yield {"id": id_, FORMAT: patch}


def _sealed(graph: Graph, raw: JsonObject) -> tuple[Graph, list[JsonObject]]:
    """Return a graph with every thing's residue, and the edges of its root that were dropped."""
    file = GraphFile(graph)
    root, dropped = _sealed_scope(graph, raw, file)
    definitions = [
        _sealed_definition(one, raw["subgraphs"][_place(one.native)], file)
        for one in graph.subgraphs
    ]
    return evolve(root, subgraphs=tuple(definitions)), dropped


def _sealed_definition(
    definition: SubgraphDefinition, raw: JsonObject, file: GraphFile
) -> SubgraphDefinition:
    inside, dropped = _sealed_scope(definition, raw, file)
    inside = evolve(
        inside, native=_with(definition.native, {"dropped": dropped} if dropped else {})
    )
    patch = difference(file.made_definition(inside), raw)
    return evolve(inside, native=_with(inside.native, patch))


def _sealed_scope(scope: Scope, raw: JsonObject, file: GraphFile) -> tuple[Scope, list[JsonObject]]:
    ids = ScopeIds(scope)
    dropped = _dropped(scope, raw.get("edges", []), ids)

    def sealed(thing: Thing, key: str, made: JsonObject) -> Thing:
        patch = difference(made, raw[key][_place(thing.native)])
        return evolve(thing, native=_with(thing.native, patch))

    contents = evolve(
        scope,
        nodes=tuple(sealed(one, "nodes", file.made_node(one, ids)) for one in scope.nodes),
        edges=tuple(sealed(one, "edges", file.made_edge(one, ids)) for one in scope.edges),
        groups=tuple(sealed(one, "groups", file.made_group(one, ids)) for one in scope.groups),
    )
    return contents, dropped


def _place(native: JsonObject | None) -> int:
    place: int = (native or {})[FORMAT]["at"]
    return place


def _with(native: JsonObject | None, patch: JsonObject) -> JsonObject:
    """Return a native with its residue, and without the mark."""
    known = native or {FORMAT: {}}
    kept = {key: value for key, value in known[FORMAT].items() if key != "at"}
    return {**known, FORMAT: {**kept, **patch}}


def _dropped(
    scope: Graph | SubgraphDefinition, raws: list[JsonObject], ids: ScopeIds
) -> list[JsonObject]:
    kept = {_place(edge.native): edge.edge_id for edge in scope.edges}
    parts: list[JsonObject] = []
    last: Json = None
    for index, raw in enumerate(raws):
        if index in kept:
            last = ids.edges[kept[index]]
        else:
            after = {} if last is None else {"after": last}
            parts.append({**after, "item": raw, **ids.facts(raw)})
    return parts


def _document(
    content: JsonObject, state: ProjectState, graph: Graph, dropped: list[JsonObject], *, bare: bool
) -> Document:
    """Return the document of the file; what was open when it was written is kept in its native."""
    before = state.document
    patch: JsonObject = {"dropped": dropped} if dropped else {}
    patch |= {"bare": True} if bare else {}
    raw = content.get("document")
    if isinstance(raw, dict):
        # Its native stands beside it, where the formats look for what they kept.
        patch["document"] = {key: None if key == "native" else raw[key] for key in raw}
        patch |= {"native": raw["native"]} if raw.get("native") is not None else {}
    made = made_root(state, GraphFile(graph), patch)
    patch |= difference(made, content)
    return Document(
        document_id="",
        format=FORMAT,
        format_version=str(SCHEMA_VERSION),
        native_id=before.document_id if before is not None else None,
        native={FORMAT: patch},
    )


def made_root(state: ProjectState, file: GraphFile, patch: JsonObject) -> JsonObject:
    """Return a file without its own residue, all things in it with theirs."""
    graph = file.written(patch)
    if patch.get("bare"):
        return {"schemaVersion": state.schema_version, **graph}
    document = patch.get("document")
    if document is not None and "native" in patch:
        document = {**document, "native": patch["native"]}
    return {
        "schemaVersion": state.schema_version,
        "title": state.title,
        "document": document,
        "components": file.converter.unstructure(state.components),
        "graph": graph,
    }
