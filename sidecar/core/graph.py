"""A project's graph in memory, with the indexes that commands need.

Only :meth:`ProjectGraph.put` changes it; every change is journalled by a
:class:`~sidecar.core.workspace.Workspace`, so that a refused command leaves no trace.
"""

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar, cast

from sortedcontainers import SortedDict

from protocol.changes import Thing, ThingKind
from protocol.graph import (
    SUBGRAPH_PREFIX,
    Component,
    ComponentId,
    Document,
    Edge,
    EdgeId,
    Endpoint,
    Graph,
    Group,
    Node,
    NodeId,
    ProjectState,
    Subgraph,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.core.boxes import BoxIndex
from sidecar.core.changes import Change, Key
from sidecar.core.indexes import Indexes, PortKey, Scope, box_of, port_key

__all__ = [
    "ROOT",
    "PortKey",
    "ProjectGraph",
    "Scope",
    "ScopeTables",
    "Table",
    "box_of",
    "port_key",
]

ROOT: Final[Scope] = None
T = TypeVar("T")


class Table(dict[str, T]):
    """The things of one kind in one scope: a mapping by id that knows their order."""

    __slots__ = ("_order", "ranks")

    def __init__(self) -> None:
        super().__init__()
        self.ranks: dict[str, int] = {}
        self._order: SortedDict[int, str] = SortedDict()

    def put(self, id_: str, value: T | None, rank: int) -> None:
        """Set, replace (value) or remove (None) the thing ``id_``."""
        old = self.ranks.get(id_)
        if value is None:
            if old is not None:
                del self[id_], self.ranks[id_]
                self._leave(old, id_)
            return
        self[id_] = value
        if old != rank:
            if old is not None:
                self._leave(old, id_)
            self.ranks[id_] = rank
            self._order[rank] = id_

    def next_rank(self) -> int:
        """Return the rank that puts a new thing last."""
        return int(self._order.peekitem(-1)[0]) + 1 if self._order else 0

    def previous(self, id_: str) -> str | None:
        """Return the id right before ``id_`` in the list, or None."""
        place = self._order.bisect_left(self.ranks[id_])
        return cast("str", self._order.peekitem(place - 1)[1]) if place else None

    def last(self) -> T | None:
        """Return the last thing of the list, or None."""
        return self[self._order.peekitem(-1)[1]] if self._order else None

    def ordered(self) -> Iterator[T]:
        """Yield the things in list order."""
        return (self[id_] for id_ in self._order.values())

    def _leave(self, rank: int, id_: str) -> None:
        # Two things that swap places share a rank until the second one has moved.
        if self._order.get(rank) == id_:
            del self._order[rank]


class ScopeTables:
    """The contents of the root graph or of one definition."""

    __slots__ = ("edges", "groups", "nodes")

    def __init__(self) -> None:
        self.nodes: Table[Node] = Table()
        self.edges: Table[Edge] = Table()
        self.groups: Table[Group] = Table()

    def __bool__(self) -> bool:
        return bool(self.nodes or self.edges or self.groups)


class ProjectGraph(Indexes):
    """The current state of a project, mutable, with indexes.

    Attributes, beside the indexes: ``title``, ``document``, ``components``, ``subgraphs``
    (definitions without their contents), ``scopes`` (contents by scope, None is the root).
    """

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self.document: Document | None = None
        self.components: Table[Component] = Table()
        self.subgraphs: Table[Subgraph] = Table()
        self.scopes: dict[Scope, ScopeTables] = {ROOT: ScopeTables()}

    def table(self, kind: ThingKind, scope: Scope) -> Table[Thing]:
        """Return the table that things of ``kind`` in ``scope`` stand in."""
        match kind:
            case "component":
                table: object = self.components
            case "subgraph":
                table = self.subgraphs
            case "node":
                table = self._contents(scope).nodes
            case "edge":
                table = self._contents(scope).edges
            case _:
                table = self._contents(scope).groups
        return cast("Table[Thing]", table)

    def get(self, kind: ThingKind, scope: Scope, id_: str | None) -> tuple[Thing | None, int]:
        """Return a thing and its rank, or None and 0."""
        if id_ is None:
            value = self.document if kind == "document" else self.title
            return value, 0
        if scope is not ROOT and scope not in self.scopes:
            return None, 0
        table = self.table(kind, scope)
        return table.get(id_), table.ranks.get(id_, 0)

    def put(
        self, kind: ThingKind, scope: Scope, id_: str | None, value: Thing | None, rank: int
    ) -> None:
        """Set, replace or remove one thing and bring the indexes along.  Checks nothing."""
        if kind == "title":
            self.title = cast("str", value)
            return
        if kind == "document":
            self.document = cast("Document | None", value)
            return
        key = cast("str", id_)
        table = self.table(kind, scope)
        before = table.get(key)
        table.put(key, value, rank)
        if kind == "node":
            self.index_node(scope, cast("Node | None", before), cast("Node | None", value))
        elif kind == "edge":
            self.index_edge(scope, cast("Edge | None", before), cast("Edge | None", value))
        elif kind == "group":
            self.index_group(scope, cast("Group | None", before), cast("Group | None", value))
        elif kind == "subgraph" and value is None:
            self.scopes.pop(SubgraphId(key), None)
            self.drop_scope(SubgraphId(key))
        elif kind == "subgraph":
            self._contents(SubgraphId(key))

    def port_edges(self, scope: Scope, end: Endpoint, side: str) -> list[Edge]:
        """Return the edges that have ``end`` as their ``side`` (source or target), by rank."""
        found = self.edges_of_port.get(port_key(scope, end, side), ())
        return self.by_rank(scope, found)

    def node_edges(self, scope: Scope, node_id: NodeId) -> list[Edge]:
        """Return the edges at a node, by rank."""
        return self.by_rank(scope, self.edges_of_node.get(node_id, ()))

    def by_rank(self, scope: Scope, edge_ids: Iterable[EdgeId]) -> list[Edge]:
        """Return edges of one scope in list order."""
        edges = self.scopes[scope].edges
        return [edges[id_] for id_ in sorted(edge_ids, key=edges.ranks.__getitem__)]

    def instances(self, subgraph_id: SubgraphId) -> dict[NodeId, None]:
        """Return the ids of all instances of a definition, in any scope."""
        return self.nodes_of_component.get(ComponentId(SUBGRAPH_PREFIX + subgraph_id), {})

    def boxes(self, scope: Scope) -> BoxIndex:
        """Return the boxes of a scope's nodes by node id: built at the first call, then kept."""
        found = self._boxes.get(scope)
        if found is None:
            found = self._boxes[scope] = BoxIndex()
            for node in self.scopes[scope].nodes.values():
                found.add(node.node_id, box_of(node))
        return found

    def count(self) -> int:
        """Return how many nodes, edges, groups and definitions there are."""
        of = self.scope_of
        return len(of["node"]) + len(of["edge"]) + len(of["group"]) + len(self.subgraphs)

    def previous_ids(self, changes: Iterable[Change]) -> dict[Key, str | None]:
        """Return, for each change whose thing appeared or moved, the id right before it now.

        None stands for the first of its list.  The graph must be what the changes led to.
        """
        return {
            change.key: self.table(change.kind, change.scope).previous(change.id)
            for change in changes
            if change.id is not None and change.moved
        }

    def state(self) -> ProjectState:
        """Return the whole state as a value.  Costs what the graph is; not for the way of a commit."""
        root = self.scopes[ROOT]
        return ProjectState(
            title=self.title,
            document=self.document,
            components=tuple(self.components.ordered()),
            graph=Graph(
                nodes=tuple(root.nodes.ordered()),
                edges=tuple(root.edges.ordered()),
                groups=tuple(root.groups.ordered()),
                subgraphs=tuple(
                    self._definition(subgraph) for subgraph in self.subgraphs.ordered()
                ),
            ),
        )

    def _definition(self, subgraph: Subgraph) -> SubgraphDefinition:
        inside = self._contents(subgraph.subgraph_id)
        return SubgraphDefinition(
            subgraph_id=subgraph.subgraph_id,
            name=subgraph.name,
            description=subgraph.description,
            inputs=subgraph.inputs,
            outputs=subgraph.outputs,
            nodes=tuple(inside.nodes.ordered()),
            edges=tuple(inside.edges.ordered()),
            groups=tuple(inside.groups.ordered()),
            input_anchor=subgraph.input_anchor,
            output_anchor=subgraph.output_anchor,
            native=subgraph.native,
        )

    def _contents(self, scope: Scope) -> ScopeTables:
        found = self.scopes.get(scope)
        if found is None:
            found = self.scopes[scope] = ScopeTables()
        return found
