"""A project state as JSON: this model's own file, ids of an opened one included."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import define, evolve, field

from protocol.converter import make_trusting_converter
from protocol.graph import (
    SUBGRAPH_PREFIX,
    Edge,
    Endpoint,
    Graph,
    Group,
    Json,
    JsonObject,
    Node,
    NodeId,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.formats.dropped import woven
from sidecar.formats.ids import id_key, native_ids
from sidecar.formats.residue import restored

FORMAT: Final = "graph"


def patch_of(native: JsonObject | None) -> JsonObject:
    """Return the residue of a thing that comes from a file of this format."""
    patch = (native or {}).get(FORMAT)
    return patch if isinstance(patch, dict) else {}


def own_native(native: JsonObject | None) -> JsonObject | None:
    """Return the native that a thing had in its file, with what was added to it since."""
    if native is None or FORMAT not in native:
        return native
    added = {key: value for key, value in native.items() if key not in ("id", FORMAT)}
    before = patch_of(native).get("native")
    return {**(before or {}), **added} if added else before


@define
class GraphFile:
    """A graph as it is written: under the ids of its file where there is one."""

    graph: Graph
    converter: Any = field(factory=make_trusting_converter)
    subgraph_ids: Mapping[SubgraphId, str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.subgraph_ids = _ids(self.graph.subgraphs, lambda one: one.subgraph_id)

    def written(self, patch: JsonObject) -> JsonObject:
        """Return the whole graph, all things in it with their residue; ``patch`` is the root's."""
        made = self.contents(self.graph, patch.get("dropped", []))
        made["subgraphs"] = [self._definition(one) for one in self.graph.subgraphs]
        return made

    def contents(self, scope: Graph | SubgraphDefinition, dropped: list[JsonObject]) -> JsonObject:
        ids = ScopeIds(scope)
        nodes = [self.node(node, ids) for node in scope.nodes]
        edges = [(ids.edges[edge.edge_id], self.edge(edge, ids)) for edge in scope.edges]
        groups = [self.group(group, ids) for group in scope.groups]
        return {
            "nodes": nodes,
            "edges": woven(edges, dropped, ids.alive),
            "groups": groups,
        }

    def node(self, node: Node, ids: "ScopeIds") -> JsonObject:
        return restored(self.made_node(node, ids), patch_of(node.native))

    def made_node(self, node: Node, ids: "ScopeIds") -> JsonObject:
        """Return a node without residue."""
        made: JsonObject = self.converter.unstructure(node)
        made["nodeId"] = ids.nodes[node.node_id]
        made["native"] = own_native(node.native)
        if node.component_id.startswith(SUBGRAPH_PREFIX):
            old = SubgraphId(node.component_id.removeprefix(SUBGRAPH_PREFIX))
            made["componentId"] = SUBGRAPH_PREFIX + self.subgraph_ids.get(old, old)
        return made

    def edge(self, edge: Edge, ids: "ScopeIds") -> JsonObject:
        return restored(self.made_edge(edge, ids), patch_of(edge.native))

    def made_edge(self, edge: Edge, ids: "ScopeIds") -> JsonObject:
        """Return an edge without residue; each end has the one of the two keys that is set."""
        made: JsonObject = self.converter.unstructure(edge)
        made["edgeId"] = ids.edges[edge.edge_id]
        made["native"] = own_native(edge.native)
        for key, end in (("source", edge.source), ("target", edge.target)):
            if end.node_id is not None:
                made[key]["nodeId"] = ids.nodes[end.node_id]
        return made

    def group(self, group: Group, ids: "ScopeIds") -> JsonObject:
        return restored(self.made_group(group, ids), patch_of(group.native))

    def made_group(self, group: Group, ids: "ScopeIds") -> JsonObject:
        """Return a group without residue."""
        parent = group.parent_group_id
        made: JsonObject = self.converter.unstructure(group)
        made["groupId"] = ids.groups[group.group_id]
        made["nodeIds"] = [ids.nodes[id_] for id_ in group.node_ids]
        made["parentGroupId"] = None if parent is None else ids.groups[parent]
        made["native"] = own_native(group.native)
        return made

    def _definition(self, definition: SubgraphDefinition) -> JsonObject:
        return restored(self.made_definition(definition), patch_of(definition.native))

    def made_definition(self, definition: SubgraphDefinition) -> JsonObject:
        """Return a definition without residue, its contents with theirs."""
        bare = evolve(
            definition,
            subgraph_id=SubgraphId(self.subgraph_ids[definition.subgraph_id]),
            nodes=(),
            edges=(),
            groups=(),
            native=own_native(definition.native),
        )
        made: JsonObject = self.converter.unstructure(bare)
        lost = patch_of(definition.native).get("dropped", [])
        return made | self.contents(definition, lost)


class ScopeIds:
    """The ids of one scope as they are written."""

    def __init__(self, scope: Graph | SubgraphDefinition) -> None:
        touched = {end.node_id for edge in scope.edges for end in (edge.source, edge.target)}
        self.nodes = _ids(scope.nodes, lambda node: node.node_id, touched=touched)
        self.edges = _ids(scope.edges, lambda edge: edge.edge_id)
        self.groups = _ids(scope.groups, lambda group: group.group_id)
        self._scope = scope
        self._ends: tuple[set[str], dict[Endpoint, str]] | None = None

    def _standing(self) -> tuple[set[str], dict[Endpoint, str]]:
        """Return the ids of nodes, and which edge enters where; made when first asked for."""
        if self._ends is None:
            into = {self._end(edge.target): self.edges[edge.edge_id] for edge in self._scope.edges}
            self._ends = set(self.nodes.values()), into
        return self._ends

    def _end(self, end: Endpoint) -> Endpoint:
        return end if end.node_id is None else evolve(end, node_id=NodeId(self.nodes[end.node_id]))

    def facts(self, raw: JsonObject) -> JsonObject:
        """Return what must stay as it is for a dropped edge to come back."""
        present, into = self._standing()
        ends = [raw["source"], raw["target"]]
        had = [end.get("nodeId") in present for end in ends]
        target = Endpoint(
            node_id=ends[1].get("nodeId"),
            boundary=ends[1].get("boundary"),
            port_id=ends[1]["portId"],
        )
        beside = into.get(target)
        return {"had": had} if beside is None else {"had": had, "beside": beside}

    def alive(self, part: JsonObject) -> bool:
        facts = self.facts(part["item"])
        return all(part.get(name) == facts.get(name) for name in ("had", "beside"))


def _ids(things: Iterable[Any], key: Any, *, touched: Iterable[Any] = ()) -> dict[Any, str]:
    """Return the id of each thing: its file's, if that is unique, else its own."""
    busy = set(touched)
    taken: set[bytes] = set()

    def fresh(thing: Any) -> Json:
        id_, number = key(thing), 2
        while id_key(id_) in taken:
            id_, number = f"{key(thing)}~{number}", number + 1
        taken.add(id_key(id_))
        return id_

    return native_ids(
        things, FORMAT, key=key, fresh=fresh, touched=lambda one: key(one) in busy, taken=taken
    )
