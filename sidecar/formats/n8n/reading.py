"""An n8n workflow file, read: nodes are found by their names, as connections name them."""

from collections.abc import Iterator

from attrs import define, evolve, field

from protocol.graph import (
    Document,
    Graph,
    Group,
    GroupId,
    Json,
    JsonObject,
    Node,
    NodeId,
    Position,
    ProjectState,
    Size,
)
from sidecar.core.edit import Reading
from sidecar.core.errors import RejectedError
from sidecar.formats.components import component_of_type
from sidecar.formats.dropped import Droppings
from sidecar.formats.ids import UniqueTexts
from sidecar.formats.n8n.connections import ConnectionReader
from sidecar.formats.n8n.file import N8nFile
from sidecar.formats.n8n.names import (
    ENTRY_ORDER,
    FORMAT,
    GROUP_ORDER,
    NODE_ORDER,
    ROOT_ORDER,
    STICKY_NOTE,
)
from sidecar.formats.n8n.ports import with_ports
from sidecar.formats.n8n.writing import made_root
from sidecar.formats.repairs import Repairs
from sidecar.formats.residue import difference
from sidecar.formats.spots import row_below
from sidecar.formats.values import display_name, extent, id_text, point


def read(content: JsonObject, at: str = "") -> Reading:
    """Return what a workflow file holds; raises ``empty-workflow``."""
    reader = _Reader(content, Repairs(at))
    reader.read_nodes()
    connections = ConnectionReader(reader.repairs, reader.nodes, reader.raw_nodes)
    connections.read(content.get("connections"))
    reader.read_groups()
    if not (reader.nodes or reader.groups):
        raise RejectedError("empty-workflow", "There is nothing in this workflow.", {})
    nodes = [
        with_ports(_more(node, connections.patches.get(node.node_id, {})), connections.used)
        for node in reader.nodes
    ]
    graph = Graph(nodes=tuple(nodes), edges=tuple(connections.edges), groups=tuple(reader.groups))
    state = _sealed(reader, graph, connections)
    placed = not nodes or reader.unplaced < len(nodes)
    return Reading(state=state, notices=tuple(reader.repairs.notices), placed=placed)


@define
class _Reader:
    content: JsonObject
    repairs: Repairs
    nodes: list[Node] = field(factory=list)
    raw_nodes: list[JsonObject] = field(factory=list)
    groups: list[Group] = field(factory=list)
    raw_groups: list[JsonObject] = field(factory=list)
    dropped: dict[str, list[JsonObject]] = field(factory=dict)
    unplaced: int = 0

    def read_nodes(self) -> None:
        ids, names, seen = UniqueTexts(), set[str](), set[str]()
        unplaced: list[int] = []
        for index, raw in self._objects("nodes"):
            id_ = id_text(raw.get("id"))
            name = raw.get("name")
            patch: JsonObject = {"name": name} if isinstance(name, str) else {}
            namesake = isinstance(name, str) and name in names
            patch |= {"twin": True} if id_ is not None and id_ in seen else {}
            patch |= {"namesake": True} if namesake else {}
            self._note_twins(index, id_ in seen, namesake)
            seen.update([] if id_ is None else [id_])
            names.update([name] if isinstance(name, str) else [])
            text = id_ or (name if isinstance(name, str) and name else f"node-{index}")
            node = _read_node(raw, NodeId(ids.take(text)), patch)
            if point(raw.get("position")) is None:
                message = "The node was put on free space."
                self.repairs.add("missing-position", message, "nodes", index, "position")
                unplaced.append(len(self.nodes))
            self.nodes.append(node)
            self.raw_nodes.append(raw)
        self._place(unplaced)

    def _note_twins(self, index: int, twin: bool, namesake: bool) -> None:  # noqa: FBT001 -- two facts
        if twin:
            message = "The node's id was taken; it got one."
            self.repairs.add("duplicate-id", message, "nodes", index, "id")
        if namesake:
            message = "Another node has this name; connections lead to that one."
            self.repairs.add("duplicate-name", message, "nodes", index, "name")

    def _objects(self, key: str) -> Iterator[tuple[int, JsonObject]]:
        """Yield the objects of a list of the file; what is none is noted and kept beside."""
        dropped = Droppings()
        listed = self.content.get(key)
        for index, raw in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(raw, dict):
                yield index, raw
                dropped.keep(raw.get("id"))
            else:
                message = "This is no object and was left out."
                self.repairs.add("unreadable-node", message, key, index)
                dropped.drop(raw)
        if dropped.parts:
            self.dropped[key] = dropped.parts

    def _place(self, unplaced: list[int]) -> None:
        missing = set(unplaced)
        placed = [node for index, node in enumerate(self.nodes) if index not in missing]
        for index, spot in zip(unplaced, row_below(placed, len(unplaced)), strict=True):
            self.nodes[index] = evolve(self.nodes[index], position=spot)
        self.unplaced = len(unplaced)

    def read_groups(self) -> None:
        by_id: dict[str, NodeId] = {}
        for node, raw in zip(self.nodes, self.raw_nodes, strict=True):
            by_id.setdefault(id_text(raw.get("id")) or "", node.node_id)
        by_id.pop("", None)
        ids, taken, seen = UniqueTexts(), set[NodeId](), set[str]()
        for index, raw in self._objects("nodeGroups"):
            members = list(self._members(index, raw, by_id, taken))
            id_ = id_text(raw.get("id"))
            patch: JsonObject = {"twin": True} if id_ is not None and id_ in seen else {}
            patch |= {} if members else {"empty": True}
            seen.update([] if id_ is None else [id_])
            self.groups.append(
                Group(
                    group_id=GroupId(ids.take(id_ or f"group-{index}")),
                    name=display_name(raw.get("name")) or "Group",
                    node_ids=tuple(members),
                    native=_native(raw.get("id") if id_ is not None else None, patch),
                )
            )
            self.raw_groups.append(raw)

    def _members(
        self, index: int, raw: JsonObject, by_id: dict[str, NodeId], taken: set[NodeId]
    ) -> Iterator[NodeId]:
        listed = raw.get("nodeIds")
        for place, item in enumerate(listed if isinstance(listed, list) else []):
            node_id = by_id.get(id_text(item) or "")
            if node_id is None or node_id in taken:
                message = "The group's member is not there, or stands in another group."
                self.repairs.add("group-member", message, "nodeGroups", index, "nodeIds", place)
            else:
                taken.add(node_id)
                yield node_id


def _native(id_: Json, patch: JsonObject) -> JsonObject:
    return {FORMAT: patch} if id_ is None else {"id": id_, FORMAT: patch}


def _read_node(raw: JsonObject, node_id: NodeId, patch: JsonObject) -> Node:
    type_, parameters, notes = raw.get("type"), raw.get("parameters"), raw.get("notes")
    component_id, status = component_of_type(type_)
    values: JsonObject = parameters if isinstance(parameters, dict) else {}
    return Node(
        node_id=node_id,
        component_id=component_id,
        status=status,
        name=display_name(raw.get("name")),
        position=point(raw.get("position")) or Position(0, 0),
        size=_note_size(values) if type_ == STICKY_NOTE else None,
        # A disabled node of n8n hands on what it gets.
        enabled="bypassed" if raw.get("disabled") is True else "active",
        parameters=values,
        annotation=notes if isinstance(notes, str) and notes else None,
        native=_native(raw.get("id") if id_text(raw.get("id")) is not None else None, patch),
    )


def _note_size(parameters: JsonObject) -> Size:
    return extent([parameters.get("width", 240), parameters.get("height", 160)]) or Size(240, 160)


def _more(node: Node, patch: JsonObject) -> Node:
    if not patch:
        return node
    native = node.native or {}
    return evolve(node, native={**native, FORMAT: {**native[FORMAT], **patch}})


def _sealed(reader: _Reader, graph: Graph, connections: ConnectionReader) -> ProjectState:
    """Return the state with every thing's residue: the file less what writing makes."""
    file = N8nFile(graph)
    for part, edge in connections.twins:
        part["beside"] = file.anchor(edge)
    for part, edge in connections.anchors:
        part["after"] = file.anchor(edge)
    nodes = tuple(
        _more(node, difference(file.made_node(node), raw, NODE_ORDER))
        for node, raw in zip(graph.nodes, reader.raw_nodes, strict=True)
    )
    edges = tuple(
        evolve(edge, native={FORMAT: patch}) if patch else edge
        for edge, raw in zip(graph.edges, connections.raw_entries, strict=True)
        for patch in [difference(file.made_entry(edge), raw, ENTRY_ORDER)]
    )
    groups = tuple(
        _sealed_group(group, file.made_group(group), raw)
        for group, raw in zip(graph.groups, reader.raw_groups, strict=True)
    )
    native_id = reader.content.get("id")
    draft = ProjectState(
        title=display_name(reader.content.get("name")) or "Untitled",
        document=Document(
            document_id="",
            format=FORMAT,
            native_id=native_id if isinstance(native_id, str) else None,
        ),
        graph=Graph(nodes=nodes, edges=edges, groups=groups),
    )
    patch: JsonObject = {"dropped": reader.dropped} if reader.dropped else {}
    sources = _sources(connections, file)
    patch |= {"sources": sources} if sources else {}
    made = made_root(draft, N8nFile(draft.graph), patch)
    patch |= difference(made, reader.content, ROOT_ORDER)
    assert draft.document is not None
    return evolve(draft, document=evolve(draft.document, native={FORMAT: patch}))


def _sealed_group(group: Group, made: JsonObject, raw: JsonObject) -> Group:
    patch = difference(made, raw, GROUP_ORDER)
    native = group.native or {}
    return evolve(group, native={**native, FORMAT: {**native[FORMAT], **patch}}) if patch else group


def _sources(connections: ConnectionReader, file: N8nFile) -> list[Json]:
    """Return the order of the sources, where it is not that of the edges."""
    with_edges = list(dict.fromkeys(edge.source.node_id for edge in connections.edges))
    if connections.sources == with_edges:
        return []
    return [
        source if isinstance(source, dict) else file.ids[NodeId(source)]
        for source in connections.sources
    ]
