"""Nodes, groups and edges of a React Flow file as they are written.

A child's position counts from its parent; a group is a node that others name as their parent.
"""

from collections.abc import Mapping
from typing import Final

from attrs import define, field

from protocol.graph import (
    Bounds,
    Edge,
    Endpoint,
    Graph,
    Group,
    GroupId,
    Json,
    JsonObject,
    Node,
    NodeId,
    Position,
)
from sidecar.formats.components import type_of_component
from sidecar.formats.ids import id_key, native_ids, residue
from sidecar.formats.react_flow.bodies import make_data
from sidecar.formats.react_flow.handles import decoded, handle_of
from sidecar.formats.react_flow.names import (
    DEFAULT_FRAME,
    DEFAULT_TYPE,
    EDGE_ORDER,
    FORMAT,
    GROUP,
    NODE_ORDER,
    PARENT_KEYS,
)
from sidecar.formats.residue import restored
from sidecar.formats.values import id_text, plain

ORIGIN: Final = Position(0, 0)


@define
class FlowFile:
    """A graph without definitions, as a file of it."""

    graph: Graph
    ids: dict[NodeId, Json] = field(init=False)
    group_ids: dict[GroupId, Json] = field(init=False)
    """Nodes and groups of a file share their ids, those of a project do not."""
    edge_ids: Mapping[str, Json] = field(init=False)
    bounds: dict[GroupId, Bounds] = field(init=False)
    _nodes: Mapping[NodeId, Node] = field(init=False)
    _group_of: Mapping[NodeId, GroupId] = field(init=False)
    _by_native: Mapping[str | None, Node] = field(init=False)
    _handles: dict[tuple[str, Endpoint], str | None] = field(init=False)

    def __attrs_post_init__(self) -> None:
        graph = self.graph
        touched = {end.node_id for edge in graph.edges for end in (edge.source, edge.target)}
        self._nodes = {node.node_id: node for node in graph.nodes}
        self._group_of = {id_: g.group_id for g in graph.groups for id_ in g.node_ids}
        taken: set[bytes] = set()
        ids = native_ids(
            (*graph.nodes, *graph.groups),
            FORMAT,
            key=_key,
            fresh=lambda thing: _fresh(_key(thing)[1], taken),
            touched=lambda thing: isinstance(thing, Node) and thing.node_id in touched,
            taken=taken,
        )
        self.ids = {one.node_id: ids[_key(one)] for one in graph.nodes}
        self.group_ids = {one.group_id: ids[_key(one)] for one in graph.groups}
        used: set[bytes] = set()
        self.edge_ids = native_ids(
            graph.edges,
            FORMAT,
            key=lambda edge: edge.edge_id,
            fresh=lambda edge: _fresh(edge.edge_id, used),
            taken=used,
        )
        self._by_native = {id_text(self.ids[node.node_id]): node for node in reversed(graph.nodes)}
        self.bounds = {group.group_id: self._frame(group) for group in graph.groups}
        self._handles = dict(self._all_handles())

    def _all_handles(self) -> list[tuple[tuple[str, Endpoint], str | None]]:
        return [
            (
                (side, Endpoint(node_id=node.node_id, port_id=port.port_id)),
                handle_of(node, port, id_),
            )
            for node in self.graph.nodes
            for id_ in [self.ids[node.node_id]]
            for side, ports in (("source", node.outputs), ("target", node.inputs))
            for port in ports
        ]

    def _frame(self, group: Group) -> Bounds:
        if group.bounds is not None:
            return group.bounds
        members = [self._nodes[id_].position for id_ in group.node_ids]
        if not members:
            return Bounds(0, 0, *DEFAULT_FRAME)
        left, top = min(spot.x for spot in members), min(spot.y for spot in members)
        right, bottom = max(spot.x for spot in members), max(spot.y for spot in members)
        return Bounds(left - 40, top - 40, right - left + 320, bottom - top + 240)

    def _parent(self, patch: JsonObject, group_id: GroupId | None) -> tuple[Json, Position]:
        """Return the id of the parent and where it stands; None and the origin without one."""
        node = self._by_native.get(patch["parent"]) if "parent" in patch else None
        if node is not None:
            return self.ids[node.node_id], node.position
        if group_id is None:
            return None, ORIGIN
        bounds = self.bounds[group_id]
        return self.group_ids[group_id], Position(bounds.x, bounds.y)

    def made_node(self, node: Node) -> JsonObject:
        """Return a node's object without residue."""
        patch = patch_of(node)
        own = residue(node.native, FORMAT) is not None
        parent, origin = self._parent(patch, self._group_of.get(node.node_id))
        made: JsonObject = {
            "id": self.ids[node.node_id],
            "type": type_of_component(node.component_id, () if own else (GROUP,)),
            "position": _relative(node.position, origin),
            "data": make_data(node, patch),
        }
        if patch.get("template"):
            # Its type is how it is drawn; what it is stands in its data.
            made["data"]["type"] = made.pop("type")
        elif made["type"] == DEFAULT_TYPE and patch:
            del made["type"]
        if parent is not None:
            made[patch.get("parentKey", PARENT_KEYS[0])] = parent
        return {**made, "draggable": False} if node.pinned else made

    def node(self, node: Node) -> JsonObject:
        """Return a node's object as the file has it."""
        made = self.made_node(node)
        if residue(node.native, FORMAT) is None and node.size is not None:
            made |= {"width": plain(node.size.width), "height": plain(node.size.height)}
        return restored(made, patch_of(node), NODE_ORDER)

    def made_group(self, group: Group) -> JsonObject:
        """Return a group's object without residue."""
        patch = patch_of(group)
        bounds = self.bounds[group.group_id]
        parent, origin = self._parent(patch, group.parent_group_id)
        made: JsonObject = {
            "id": self.group_ids[group.group_id],
            "type": GROUP,
            "position": _relative(Position(bounds.x, bounds.y), origin),
            "data": {"label": group.name},
        }
        size = {"width": plain(bounds.width), "height": plain(bounds.height)}
        place = patch.get("size", "top")
        made |= size if place == "top" else {} if place == "none" else {place: size}
        if parent is not None:
            made[patch.get("parentKey", PARENT_KEYS[0])] = parent
        return made

    def group(self, group: Group) -> JsonObject:
        """Return a group's object as the file has it."""
        return restored(self.made_group(group), patch_of(group), NODE_ORDER)

    def made_edge(self, edge: Edge) -> JsonObject:
        """Return an edge's object without residue."""
        source, target = edge.source, edge.target
        assert source.node_id is not None
        assert target.node_id is not None
        made: JsonObject = {
            "id": self.edge_ids[edge.edge_id],
            "source": self.ids[source.node_id],
            "target": self.ids[target.node_id],
        }
        handles = {
            "sourceHandle": self._handles["source", source],
            "targetHandle": self._handles["target", target],
        }
        made |= {key: handle for key, handle in handles.items() if handle is not None}
        says = {key: parts for key, handle in handles.items() if (parts := decoded(handle))}
        if says:
            made["data"] = says
        if edge.label is not None:
            made["label"] = edge.label
        return {**made, "hidden": True} if edge.hidden else made

    def edge(self, edge: Edge) -> JsonObject:
        """Return an edge's object as the file has it."""
        return restored(self.made_edge(edge), patch_of(edge), EDGE_ORDER)


def _key(thing: Node | Group) -> tuple[type, str]:
    """Return what tells a thing of a project apart, nodes and groups taken together."""
    return type(thing), thing.node_id if isinstance(thing, Node) else thing.group_id


def _fresh(wanted: str, taken: set[bytes]) -> str:
    id_, number = wanted, 2
    while id_key(id_) in taken:
        id_, number = f"{wanted}-{number}", number + 1
    taken.add(id_key(id_))
    return id_


def patch_of(thing: Node | Group | Edge) -> JsonObject:
    native = residue(thing.native, FORMAT)
    return native[FORMAT] if native else {}


def _relative(spot: Position, origin: Position) -> JsonObject:
    return {"x": plain(spot.x - origin.x), "y": plain(spot.y - origin.y)}
