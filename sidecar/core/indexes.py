"""What a graph knows about its things beside the things: where they stand and what touches what.

Every index is brought along by the change of one thing, at a cost that no other thing adds to.
"""

from typing import TypeVar

from protocol.graph import (
    SUBGRAPH_PREFIX,
    ComponentId,
    Edge,
    EdgeId,
    Endpoint,
    Group,
    GroupId,
    Node,
    NodeId,
    PortId,
    SubgraphId,
)
from sidecar.core.boxes import Box, BoxIndex, node_box

Scope = SubgraphId | None
PortKey = tuple[NodeId | None, Scope, str, PortId]
K = TypeVar("K")
V = TypeVar("V")


class Indexes:
    """The indexes of a graph.

    Attributes: ``scope_of`` (where a node, edge or group stands), ``edges_of_node``,
    ``edges_of_port``, ``group_of_node``, ``child_groups`` (by parent; those of the top level are
    not kept), ``nodes_of_component``, ``uses`` (how many instances of which definition stand in a
    scope) and ``used_by`` (the same, by definition).  Values are insertion-ordered sets or counts
    without zeros; sort by rank where order shows.
    """

    def __init__(self) -> None:
        self.scope_of: dict[str, dict[str, Scope]] = {"node": {}, "edge": {}, "group": {}}
        self.edges_of_node: dict[NodeId, dict[EdgeId, None]] = {}
        self.edges_of_port: dict[PortKey, dict[EdgeId, None]] = {}
        self.group_of_node: dict[NodeId, GroupId] = {}
        self.child_groups: dict[GroupId, dict[GroupId, None]] = {}
        self.nodes_of_component: dict[ComponentId, dict[NodeId, None]] = {}
        self.uses: dict[Scope, dict[SubgraphId, int]] = {}
        self.used_by: dict[SubgraphId, dict[Scope, int]] = {}
        self._boxes: dict[Scope, BoxIndex] = {}

    def index_node(self, scope: Scope, before: Node | None, after: Node | None) -> None:
        """Bring the indexes along where a node of a scope appears, changes or goes."""
        self._index_box(scope, before, after)
        if before is not None and after is not None and before.component_id == after.component_id:
            return
        if before is not None:
            _discard(self.nodes_of_component, before.component_id, before.node_id)
            self._count_use(scope, before.component_id, -1)
            del self.scope_of["node"][before.node_id]
        if after is not None:
            self.scope_of["node"][after.node_id] = scope
            self.nodes_of_component.setdefault(after.component_id, {})[after.node_id] = None
            self._count_use(scope, after.component_id, 1)

    def index_edge(self, scope: Scope, before: Edge | None, after: Edge | None) -> None:
        """Bring the indexes along where an edge of a scope appears, changes or goes."""
        if before is not None:
            for side, end in (("source", before.source), ("target", before.target)):
                _discard(self.edges_of_port, port_key(scope, end, side), before.edge_id)
                if end.node_id is not None:
                    _discard(self.edges_of_node, end.node_id, before.edge_id)
            del self.scope_of["edge"][before.edge_id]
        if after is not None:
            for side, end in (("source", after.source), ("target", after.target)):
                self.edges_of_port.setdefault(port_key(scope, end, side), {})[after.edge_id] = None
                if end.node_id is not None:
                    self.edges_of_node.setdefault(end.node_id, {})[after.edge_id] = None
            self.scope_of["edge"][after.edge_id] = scope

    def index_group(self, scope: Scope, before: Group | None, after: Group | None) -> None:
        """Bring the indexes along where a group of a scope appears, changes or goes."""
        self._index_members(before, after)
        old = None if before is None else before.parent_group_id
        new = None if after is None else after.parent_group_id
        if before is not None and old is not None and old != new:
            _discard(self.child_groups, old, before.group_id)
        if after is not None and new is not None:
            self.child_groups.setdefault(new, {})[after.group_id] = None
        if after is not None:
            self.scope_of["group"][after.group_id] = scope
        elif before is not None:
            del self.scope_of["group"][before.group_id]

    def drop_scope(self, scope: Scope) -> None:
        """Forget the boxes of a definition that goes."""
        self._boxes.pop(scope, None)

    def _index_members(self, before: Group | None, after: Group | None) -> None:
        old = () if before is None else before.node_ids
        new = () if after is None else after.node_ids
        # A frame that grows keeps its members, however many they are.
        if old is new:
            return
        if before is not None:
            for node_id in old:
                if self.group_of_node.get(node_id) == before.group_id:
                    del self.group_of_node[node_id]
        if after is not None:
            for node_id in new:
                self.group_of_node[node_id] = after.group_id

    def _index_box(self, scope: Scope, before: Node | None, after: Node | None) -> None:
        boxes = self._boxes.get(scope)
        if boxes is None:
            return
        if before is None and after is not None:
            boxes.add(after.node_id, box_of(after))
        elif before is not None and after is None:
            boxes.remove(before.node_id)
        elif (
            before is not None
            and after is not None
            and (before.position is not after.position or before.size is not after.size)
        ):
            boxes.move(after.node_id, box_of(after))

    def _count_use(self, scope: Scope, component_id: ComponentId, by: int) -> None:
        if not component_id.startswith(SUBGRAPH_PREFIX):
            return
        used = SubgraphId(component_id.removeprefix(SUBGRAPH_PREFIX))
        _add(self.uses, scope, used, by)
        _add(self.used_by, used, scope, by)


def box_of(node: Node) -> Box:
    """Return the box that a node covers, title bar included."""
    x, y = node.position.x, node.position.y
    if node.size is None:
        return node_box(x, y)
    return node_box(x, y, node.size.width, node.size.height)


def port_key(scope: Scope, end: Endpoint, side: str) -> PortKey:
    """Return the index key of one end of an edge."""
    if end.node_id is not None:
        return (end.node_id, None, side, end.port_id)
    return (None, scope, side, end.port_id)


def _discard(index: dict[K, dict[V, None]], key: K, value: V) -> None:
    found = index.get(key)
    if found is not None:
        found.pop(value, None)
        if not found:
            del index[key]


def _add(index: dict[K, dict[V, int]], key: K, value: V, by: int) -> None:
    counts = index.setdefault(key, {})
    count = counts.get(value, 0) + by
    if count:
        counts[value] = count
        return
    del counts[value]
    if not counts:
        del index[key]
