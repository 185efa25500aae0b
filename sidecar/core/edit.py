"""What a rule works with: the graph's things in one scope, ids to mint, effects to report."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, cast
from unicodedata import category

from attrs import evolve, field, frozen

from protocol.changes import Effects, IdKind, IdMapping, Notice, Placed, ScopedEdge, Thing
from protocol.commands import Content
from protocol.graph import (
    SUBGRAPH_PREFIX,
    Component,
    Edge,
    EdgeId,
    Group,
    GroupId,
    Node,
    NodeId,
    ProjectState,
    Subgraph,
    SubgraphId,
)
from sidecar.core.changes import Change
from sidecar.core.errors import InvariantError, RejectedError
from sidecar.core.graph import ProjectGraph, Scope, ScopeTables
from sidecar.core.limits import MAX_ID
from sidecar.core.reports import effects_of
from sidecar.core.values import value
from sidecar.core.workspace import Workspace

Actor = Literal["manual", "ai"]
T = TypeVar("T")

ACYCLIC_FORMATS = frozenset({"comfyui", "comfyui-api"})


@frozen(kw_only=True)
class Reading:
    """What a format adapter made of a content.

    Ids in ``state`` are those of the file (as text), unique per kind within a scope only.
    ``placed`` is False where the file has no positions, so that it must be laid out.
    """

    state: ProjectState
    notices: tuple[Notice, ...] = ()
    placed: bool = True


@value(kw_only=True)
class Ports:
    """What a rule may ask of the world outside the core.

    ``new_id`` mints an id never used before.  ``retired`` tells whether an id of a kind was used
    in the project by something that is gone.  ``read`` turns a content into a :class:`Reading`
    (arguments: content, format name or ``auto``), or raises a :class:`RejectedError`.
    """

    new_id: Callable[[], str]
    retired: Callable[[IdKind, str], bool]
    read: Callable[[Content, str], Reading]


@value(kw_only=True)
class Report:
    """Effects that cannot be read off the changes."""

    replaced: list[ScopedEdge] = field(factory=list)
    dropped: list[ScopedEdge] = field(factory=list)
    id_map: list[IdMapping] = field(factory=list)
    placed: list[Placed] = field(factory=list)
    warnings: list[Notice] = field(factory=list)


@value(kw_only=True)
class Edit:
    """One command at work in one scope."""

    workspace: Workspace
    ports: Ports
    actor: Actor = "manual"
    scope: Scope = None
    report: Report = field(factory=Report)
    start: int = field(default=0)

    @property
    def graph(self) -> ProjectGraph:
        return self.workspace.graph

    @property
    def here(self) -> ScopeTables:
        """The contents of the scope."""
        return self.graph.scopes[self.scope]

    @property
    def acyclic(self) -> bool:
        """Whether the document's format refuses cycles."""
        document = self.graph.document
        return document is not None and document.format in ACYCLIC_FORMATS

    def within(self, scope: Scope) -> "Edit":
        """Return the same command at work in another scope."""
        return evolve(self, scope=scope)

    def node(self, node_id: NodeId) -> Node:
        """Return a node of the scope; ``unknown-node`` or ``cross-scope``."""
        return self._thing("node", self.here.nodes, node_id)

    def edge(self, edge_id: EdgeId) -> Edge:
        return self._thing("edge", self.here.edges, edge_id)

    def group(self, group_id: GroupId) -> Group:
        return self._thing("group", self.here.groups, group_id)

    def subgraph(self, subgraph_id: SubgraphId) -> Subgraph:
        found = self.graph.subgraphs.get(subgraph_id)
        if found is None:
            raise RejectedError(
                "unknown-subgraph", "There is no such subgraph.", {"subgraphId": subgraph_id}
            )
        return found

    def component_of(self, node: Node) -> Component | None:
        """Return the project's component of a node, where there is one."""
        return self.graph.components.get(node.component_id)

    def subgraph_of(self, node: Node) -> Subgraph | None:
        """Return the definition that a node is an instance of, where it is one."""
        if not node.component_id.startswith(SUBGRAPH_PREFIX):
            return None
        return self.graph.subgraphs.get(node.component_id.removeprefix(SUBGRAPH_PREFIX))

    def new_id(self, kind: IdKind, proposed: str | None) -> str:
        """Return an id for a new thing: the proposed one if it was never used, else a minted one."""
        if proposed is None:
            minted = self.ports.new_id()
            if minted in self._live(kind):
                raise InvariantError(f"I3: a minted {kind} id is in use")
            return minted
        check_id(proposed, f"/{kind}Id")
        if proposed in self._live(kind):
            raise RejectedError(
                "id-in-use", f"The {kind} id is in use.", {"kind": kind, "id": proposed}
            )
        if self.workspace.was_removed(kind, proposed) or self.ports.retired(kind, proposed):
            raise RejectedError(
                "id-retired", f"The {kind} id was used before.", {"kind": kind, "id": proposed}
            )
        return proposed

    def put(self, value: Thing, rank: int | None = None) -> None:
        """Add or replace a node, edge or group of the scope, a component or a definition."""
        match value:
            case Node():
                self.workspace.put("node", self.scope, value.node_id, value, rank)
            case Edge():
                self.workspace.put("edge", self.scope, value.edge_id, value, rank)
            case Group():
                self.workspace.put("group", self.scope, value.group_id, value, rank)
            case Subgraph():
                self.workspace.put("subgraph", None, value.subgraph_id, value, rank)
            case Component():
                self.workspace.put("component", None, value.component_id, value, rank)
            case str():
                self.workspace.put("title", None, None, value, rank)
            case _:
                self.workspace.put("document", None, None, value, rank)

    def remove_edge(self, edge: Edge) -> None:
        """Remove an edge as the caller asked: it shows among the removed ids alone."""
        self.workspace.remove("edge", self.scope, edge.edge_id)

    def drop_edge(self, edge: Edge) -> None:
        """Remove an edge as a consequence, and report it whole."""
        self.remove_edge(edge)
        self.report.dropped.append(ScopedEdge(scope=self.scope, edge=edge))

    def replace_edge(self, edge: Edge) -> None:
        """Remove an edge that gives way to a new one, and report it whole."""
        self.remove_edge(edge)
        self.report.replaced.append(ScopedEdge(scope=self.scope, edge=edge))

    def warn(self, code: str, message: str, path: str | None = None) -> None:
        self.report.warnings.append(Notice(code=code, message=message, path=path))

    def effects(self, changes: Sequence[Change] | None = None) -> Effects:
        """Return everything the command did so far; ``changes`` spares folding them again."""
        return effects_of(
            self.workspace.changes(self.start) if changes is None else changes,
            replaced_edges=tuple(self.report.replaced),
            dropped_edges=tuple(self.report.dropped),
            id_map=tuple(self.report.id_map),
            placed=tuple(self.report.placed),
            warnings=tuple(self.report.warnings),
        )

    def _live(self, kind: IdKind) -> Any:
        return self.graph.subgraphs if kind == "subgraph" else self.graph.scope_of[kind]

    def _thing(self, kind: str, table: dict[str, T], id_: str) -> T:
        found = table.get(id_)
        if found is not None:
            return found
        elsewhere = self.graph.scope_of[kind]
        if id_ in elsewhere:
            raise RejectedError(
                "cross-scope",
                f"The {kind} stands in another scope.",
                {f"{kind}Id": id_, "scope": elsewhere[id_]},
            )
        raise RejectedError(f"unknown-{kind}", f"There is no such {kind}.", {f"{kind}Id": id_})


def check_id(proposed: str, path: str = "") -> None:
    """Refuse an id that a caller may not propose."""
    if not 1 <= len(proposed) <= MAX_ID or _has_control(proposed):
        raise RejectedError(
            "invalid-command",
            f"An id has 1 to {MAX_ID} characters and no control characters.",
            {"issues": [{"path": path, "message": "not a possible id"}]},
        )


def _has_control(text: str) -> bool:
    # What is printable has none; most ids are.
    return not text.isprintable() and any(category(c) in {"Cc", "Cs"} for c in text)


def as_scope(subgraph_id: str | None) -> Scope:
    """Return a scope for a subgraph id."""
    return cast("Scope", subgraph_id)
