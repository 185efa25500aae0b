"""A ComfyUI workflow file (0.4 and 1.0), read."""

from collections.abc import Mapping
from typing import Final

from attrs import define, evolve

from protocol.graph import (
    Document,
    Graph,
    Json,
    JsonObject,
    ProjectState,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.core.edit import Reading
from sidecar.core.errors import RejectedError
from sidecar.formats.comfyui.definitions import (
    DEFAULT_NAME,
    DefinitionSource,
    anchor_of,
    definition_sources,
    make_frame,
    sealed_boundary,
)
from sidecar.formats.comfyui.links import Form
from sidecar.formats.comfyui.names import DEFINITION_ORDER, FORMAT, ROOT_ORDER, VERSIONS
from sidecar.formats.comfyui.promotions import promoted_inputs
from sidecar.formats.comfyui.scope_draft import ScopeDraft, ScopeSource
from sidecar.formats.comfyui.scope_read import read_scope
from sidecar.formats.comfyui.scope_write import ScopeParts, make_scope
from sidecar.formats.comfyui.sealing import sealed
from sidecar.formats.comfyui.view import Boundary
from sidecar.formats.cycles import has_cycle, recursion
from sidecar.formats.dropped import Droppings
from sidecar.formats.repairs import Repairs
from sidecar.formats.residue import difference
from sidecar.formats.values import display_name

UNTITLED: Final = "Untitled"

Types = dict[SubgraphId, str]


def read(content: JsonObject, at: str = "") -> Reading:
    """Return what a workflow file holds; ``at`` is where it stands in the content.

    Raises :class:`RejectedError`: ``unsupported-version``, ``subgraph-recursion``,
    ``empty-workflow``.
    """
    version = _version(content)
    reader = _FileReader(content, Repairs(at), "object" if version == VERSIONS[1] else "array")
    state = reader.state(version)
    graph = state.graph
    if not (graph.nodes or graph.groups or graph.subgraphs):
        raise RejectedError("empty-workflow", "There is nothing in this workflow.", {})
    placed = not graph.nodes or reader.unplaced < len(graph.nodes)
    return Reading(state=state, notices=tuple(reader.repairs.notices), placed=placed)


def _version(content: JsonObject) -> str:
    version = content.get("version", 0.4)
    known = VERSIONS.get(version) if type(version) in (int, float) else None
    if known is None:
        # A number tells nothing of the person; anything else in its place might.
        told = version if type(version) in (int, float) else None
        details = {"version": told, "supported": list(VERSIONS.values())}
        raise RejectedError(
            "unsupported-version", "This version of the workflow format is not known.", details
        )
    return known


@define
class _FileReader:
    content: JsonObject
    repairs: Repairs
    form: Form
    unplaced: int = 0

    def state(self, version: str) -> ProjectState:
        dropped = Droppings()
        sources = self._sources(dropped)
        boundaries: dict[str, Boundary] = {}
        for source in sources:
            if not source.native[FORMAT].get("twin") and "id" in source.native:
                boundaries[source.native["id"]] = source.boundary
        _refuse_recursion(sources, boundaries)
        types: Types = {source.subgraph_id: source.subgraph_id for source in sources}
        subgraphs = tuple(self._definition(s, boundaries, types) for s in sources)
        root = self._root(boundaries)
        parts = sealed(self._draft(root), root, self.form, types)
        if has_cycle(parts.edges):
            self.repairs.add("cycle", "The links lead in a circle.", "links")
        native_id = self.content.get("id")
        document = Document(
            document_id="",
            format=FORMAT,
            format_version=version,
            native_id=native_id if isinstance(native_id, str) else None,
            native={FORMAT: self._root_patch(parts, sources, dropped)},
        )
        graph = Graph(
            nodes=tuple(parts.nodes),
            edges=tuple(parts.edges),
            groups=tuple(parts.groups),
            subgraphs=subgraphs,
        )
        return ProjectState(title=UNTITLED, document=document, graph=graph)

    def _draft(self, source: ScopeSource) -> ScopeDraft:
        draft = read_scope(source)
        if not source.path:
            self.unplaced = draft.unplaced
        return draft

    def _root(self, boundaries: Mapping[str, Boundary]) -> ScopeSource:
        return ScopeSource(
            raw=self.content,
            path=(),
            boundary=Boundary(),
            definitions=boundaries,
            repairs=self.repairs,
        )

    def _sources(self, dropped: Droppings) -> list[DefinitionSource]:
        raws = raw_definitions(self.content)
        scopes = [self.content, *(raw for raw in raws if isinstance(raw, dict))]
        return definition_sources(raws, promoted_inputs(scopes), self.repairs, dropped)

    def _definition(
        self, source: DefinitionSource, boundaries: Mapping[str, Boundary], types: Types
    ) -> SubgraphDefinition:
        scope = ScopeSource(
            raw=source.raw,
            path=("definitions", "subgraphs", source.index),
            boundary=source.boundary,
            definitions=boundaries,
            repairs=self.repairs,
        )
        parts = sealed(self._draft(scope), scope, "object", types)
        boundary = sealed_boundary(source, parts.view, source.subgraph_id)
        description = source.raw.get("description")
        definition = SubgraphDefinition(
            subgraph_id=source.subgraph_id,
            name=display_name(source.raw.get("name")) or DEFAULT_NAME,
            description=description if isinstance(description, str) and description else None,
            inputs=boundary.inputs,
            outputs=boundary.outputs,
            nodes=tuple(parts.nodes),
            edges=tuple(parts.edges),
            groups=tuple(parts.groups),
            input_anchor=anchor_of(source.raw.get("inputNode")),
            output_anchor=anchor_of(source.raw.get("outputNode")),
            native=source.native,
        )
        made = make_frame(definition, source.native.get("id"), parts.view) | make_scope(parts)[0]
        patch = difference(made, source.raw, DEFINITION_ORDER)
        native = {**source.native, FORMAT: {**source.native[FORMAT], **parts.patch, **patch}}
        return evolve(definition, native=native)

    def _root_patch(
        self, parts: ScopeParts, sources: list[DefinitionSource], dropped: Droppings
    ) -> JsonObject:
        made, _ = make_scope(parts)
        if sources:
            # The definitions come back one by one; what the list holds besides them is kept.
            listed = raw_definitions(self.content)
            made["definitions"] = {"subgraphs": listed}
        patch = {**parts.patch, **difference(made, self.content, ROOT_ORDER)}
        if sources and dropped.parts:
            patch["dropped"] = {**patch.get("dropped", {}), "subgraphs": dropped.parts}
        return patch


def raw_definitions(content: JsonObject) -> list[Json]:
    definitions = content.get("definitions")
    listed = definitions.get("subgraphs") if isinstance(definitions, dict) else None
    return listed if isinstance(listed, list) else []


def _refuse_recursion(sources: list[DefinitionSource], known: Mapping[str, Boundary]) -> None:
    uses: dict[str, list[str]] = {}
    for source in sources:
        nodes = source.raw.get("nodes")
        types = (
            [n.get("type") for n in nodes if isinstance(n, dict)] if isinstance(nodes, list) else []
        )
        uses[source.subgraph_id] = [t for t in types if isinstance(t, str) and t in known]
    path = recursion(uses)
    if path is not None:
        raise RejectedError(
            "subgraph-recursion", "A subgraph of the file contains itself.", {"path": path}
        )
