"""What a command did: changes (before and after, per thing) and effects (what was not spelled out)."""

from typing import Any, Literal

from attrs import frozen

from protocol.graph import (
    Component,
    Document,
    Edge,
    Group,
    Node,
    NodeId,
    Position,
    Subgraph,
    SubgraphId,
)

ThingKind = Literal["node", "edge", "group", "subgraph", "component", "document", "title"]
IdKind = Literal["node", "edge", "group", "subgraph"]
Thing = Node | Edge | Group | Subgraph | Component | Document | str
"""What a change is about; a title is text, a subgraph comes without its contents."""


@frozen(kw_only=True)
class WireChange:
    """One thing before and after.

    ``scope`` is the definition the thing stands in (null: the root graph, and all subgraphs,
    components, the document and the title).  ``id`` is null for document and title.
    ``previous_id`` is there only where the thing appears or moves in its list: the thing of the
    same kind and scope right before it afterwards, null for the first.  A subgraph's value is the
    definition without nodes, edges and groups; those are changes of their own.
    """

    kind: ThingKind
    scope: SubgraphId | None
    id: str | None
    before: Any
    after: Any
    previous_id: str | None = None


@frozen(kw_only=True)
class IdLists:
    """Ids per kind of thing."""

    nodes: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    subgraphs: tuple[str, ...] = ()
    components: tuple[str, ...] = ()


@frozen(kw_only=True)
class ScopedEdge:
    """An edge that went away, and the scope it stood in."""

    scope: SubgraphId | None
    edge: Edge


@frozen(kw_only=True)
class IdMapping:
    """The id that something of a file or a definition got here.

    ``scope`` is the subgraph id on the old side, null for its root.
    """

    kind: IdKind
    scope: str | None
    old: str
    new: str


@frozen(kw_only=True)
class Placed:
    """A node that was put somewhere by the engine."""

    node_id: NodeId
    position: Position


@frozen(kw_only=True)
class Notice:
    """A warning: what was repaired or left undone.  ``path`` is a JSON Pointer into the content."""

    code: str
    message: str
    path: str | None = None


@frozen(kw_only=True)
class Effects:
    """Everything a command did, cascades included."""

    created: IdLists = IdLists()
    removed: IdLists = IdLists()
    updated: IdLists = IdLists()
    replaced_edges: tuple[ScopedEdge, ...] = ()
    dropped_edges: tuple[ScopedEdge, ...] = ()
    id_map: tuple[IdMapping, ...] = ()
    placed: tuple[Placed, ...] = ()
    warnings: tuple[Notice, ...] = ()


NO_EFFECTS = Effects()
