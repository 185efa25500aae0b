"""A graph without definitions: every instance replaced by what it stands for.

Formats without subgraphs are written from this.  Values that an instance holds for its inputs go
to the inner parameters they feed; what is inside a disabled instance is disabled too.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import define, evolve, field, frozen

from protocol.graph import (
    SUBGRAPH_PREFIX,
    Edge,
    EdgeId,
    Endpoint,
    Graph,
    Group,
    GroupId,
    Node,
    NodeId,
    PortId,
    Position,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.core.errors import RejectedError
from sidecar.core.limits import MAX_THINGS
from sidecar.formats.ids import UniqueTexts

SEPARATOR: Final = ":"


def flattened(graph: Graph) -> Graph:
    """Return a graph without instances; ids of inner things are paths, ``outer:inner``.

    Where an id of the graph looks like such a path, the path gets a number.

    Raises :class:`RejectedError`: ``size-limit`` where definitions within definitions would make
    more things than a project may have; that is told before any is made.
    """
    if not graph.subgraphs:
        return graph
    flat = _Flat({one.subgraph_id: one for one in graph.subgraphs})
    if flat.size(graph) > MAX_THINGS:
        raise _too_large()
    root = _Frame(contents=graph, prefix="", parent=None, instance=None, corner=Position(0, 0))
    flat.expand(root)
    return Graph(nodes=tuple(flat.nodes), edges=tuple(flat.joined()), groups=tuple(flat.groups))


@frozen(eq=False)
class _Frame:
    """One definition at work in one instance; the root has neither."""

    contents: Any
    prefix: str
    parent: "_Frame | None"
    instance: Node | None
    corner: Position
    """The top-left corner of what is in it."""
    inner: dict[NodeId, "_Frame"] = field(factory=dict)
    into: dict[Endpoint, list[Edge]] = field(factory=dict)
    ids: dict[NodeId, NodeId] = field(factory=dict)
    group_ids: dict[GroupId, GroupId] = field(factory=dict)


@frozen
class _Expanded:
    """What a node became: the nodes in no group inside of it, and the places of such groups."""

    nodes: list[NodeId]
    groups: list[int]


@define
class _Flat:
    definitions: Mapping[SubgraphId, SubgraphDefinition]
    nodes: list[Node] = field(factory=list)
    groups: list[Group] = field(factory=list)
    frames: list[_Frame] = field(factory=list)
    texts: dict[str, UniqueTexts] = field(factory=lambda: defaultdict(UniqueTexts))
    """The ids taken, by kind."""
    followed: int = 0
    """How many edges were followed across boundaries."""
    _sizes: dict[SubgraphId, int] = field(factory=dict)

    def size(self, contents: Graph | SubgraphDefinition) -> int:
        """Return how many things are in a scope and in all instances in it."""
        size = len(contents.nodes) + len(contents.edges) + len(contents.groups)
        for node in contents.nodes:
            definition = self._definition(node)
            if definition is not None:
                id_ = definition.subgraph_id
                if id_ not in self._sizes:
                    self._sizes[id_] = self.size(definition)
                size += self._sizes[id_]
        return size

    def expand(self, frame: _Frame) -> "_Expanded":
        """Put the nodes and groups of a frame and of all instances in it."""
        self.frames.append(frame)
        for edge in frame.contents.edges:
            frame.into.setdefault(edge.target, []).append(edge)
        self._name(frame)
        made: dict[NodeId, _Expanded] = {}
        for node in frame.contents.nodes:
            definition = self._definition(node)
            if definition is None:
                made[node.node_id] = _Expanded([self._put(node, frame)], [])
            else:
                prefix = f"{frame.ids[node.node_id]}{SEPARATOR}"
                inner = _Frame(definition, prefix, frame, node, _corner(definition))
                frame.inner[node.node_id] = inner
                made[node.node_id] = self.expand(inner)
        outermost = self._put_groups(frame, made)
        grouped = {id_ for group in frame.contents.groups for id_ in group.node_ids}
        free = [one for node_id, one in made.items() if node_id not in grouped]
        return _Expanded(
            [id_ for one in free for id_ in one.nodes],
            [place for one in free for place in one.groups] + outermost,
        )

    def _name(self, frame: _Frame) -> None:
        """Give the nodes and groups of a frame their ids; the root's keep theirs."""
        nodes, groups = self.texts["node"], self.texts["group"]
        if frame.instance is None:
            # Before any path is made: nothing in an instance may take what is the root's.
            self.texts["edge"].taken.update(edge.edge_id for edge in frame.contents.edges)
        for node in frame.contents.nodes:
            frame.ids[node.node_id] = NodeId(nodes.take(frame.prefix + node.node_id))
        for group in frame.contents.groups:
            frame.group_ids[group.group_id] = GroupId(groups.take(frame.prefix + group.group_id))

    def _definition(self, node: Node) -> SubgraphDefinition | None:
        if not node.component_id.startswith(SUBGRAPH_PREFIX):
            return None
        return self.definitions.get(SubgraphId(node.component_id.removeprefix(SUBGRAPH_PREFIX)))

    def _put(self, node: Node, frame: _Frame) -> NodeId:
        node_id = frame.ids[node.node_id]
        changes: dict[str, Any] = {"node_id": node_id}
        at: _Frame | None = frame
        position = node.position
        while at is not None and at.instance is not None:
            position = _shifted(position, at, at.instance)
            if at.instance.enabled != "active":
                changes["enabled"] = at.instance.enabled
            at = at.parent
        if frame.instance is not None:
            changes["position"] = position
            changes["parameters"] = {**node.parameters, **_held(node, frame)}
        self.nodes.append(evolve(node, **changes))
        return node_id

    def _put_groups(self, frame: _Frame, made: Mapping[NodeId, "_Expanded"]) -> list[int]:
        """Put the groups of a frame; return the places of those that stand in none.

        What is in an instance stays in its own groups, which stand in the instance's.
        """
        outermost: list[int] = []
        for group in frame.contents.groups:
            parent = group.parent_group_id
            group_id = frame.group_ids[group.group_id]
            for member in group.node_ids:
                for place in made[member].groups:
                    self.groups[place] = evolve(self.groups[place], parent_group_id=group_id)
            if parent is None:
                outermost.append(len(self.groups))
            self.groups.append(
                evolve(
                    group,
                    group_id=group_id,
                    node_ids=tuple(id_ for one in group.node_ids for id_ in made[one].nodes),
                    parent_group_id=None if parent is None else frame.group_ids[parent],
                    bounds=None if frame.instance else group.bounds,
                )
            )
        return outermost

    def joined(self) -> Iterator[Edge]:
        """Yield the edges between what was put, boundaries joined through."""
        for frame in self.frames:
            for edge in frame.contents.edges:
                target = edge.target
                if target.node_id is None or target.node_id in frame.inner:
                    continue
                for number, source in enumerate(self._sources(frame, edge.source)):
                    yield evolve(
                        edge,
                        edge_id=self._edge_id(frame, edge, number),
                        source=source,
                        target=Endpoint(node_id=frame.ids[target.node_id], port_id=target.port_id),
                    )

    def _edge_id(self, frame: _Frame, edge: Edge, number: int) -> EdgeId:
        if frame.instance is None and not number:
            return edge.edge_id
        suffix = f"~{number + 1}" if number else ""
        return EdgeId(self.texts["edge"].take(f"{frame.prefix}{edge.edge_id}{suffix}"))

    def _sources(self, frame: _Frame, end: Endpoint) -> Iterator[Endpoint]:
        """Yield what feeds an end: the outputs behind instances and boundaries."""
        if end.node_id is None:
            if frame.parent is not None and frame.instance is not None:
                outer = Endpoint(node_id=frame.instance.node_id, port_id=end.port_id)
                yield from self._behind(frame.parent, outer)
        elif end.node_id in frame.inner:
            inner = Endpoint(boundary="output", port_id=end.port_id)
            yield from self._behind(frame.inner[end.node_id], inner)
        else:
            yield Endpoint(node_id=frame.ids[end.node_id], port_id=end.port_id)

    def _behind(self, frame: _Frame, target: Endpoint) -> Iterator[Endpoint]:
        # Ways through boundaries multiply where many edges meet, also ways that end at nothing.
        for edge in frame.into.get(target, ()):
            self.followed += 1
            if self.followed > MAX_THINGS:
                raise _too_large()
            yield from self._sources(frame, edge.source)


def _too_large() -> RejectedError:
    message = "Without subgraphs the graph is too large."
    return RejectedError("size-limit", message, {"limit": MAX_THINGS})


def _held(node: Node, frame: _Frame) -> dict[str, Any]:
    """Return the parameters of an inner node whose values the instance holds."""
    found: dict[str, Any] = {}
    for port in node.inputs:
        if port.parameter is None:
            continue
        target = Endpoint(node_id=node.node_id, port_id=port.port_id)
        for edge in frame.into.get(target, ()):
            if edge.source.node_id is None:
                value = _value(frame, edge.source.port_id)
                found.update({port.parameter: value[0]} if value else {})
    return found


def _value(frame: _Frame, port_id: PortId) -> list[Any]:
    """Return the value that an instance holds for an unconnected input, as a list of one or none."""
    instance, parent = frame.instance, frame.parent
    if instance is None or parent is None:
        return []
    for edge in parent.into.get(Endpoint(node_id=instance.node_id, port_id=port_id), ()):
        return _value(parent, edge.source.port_id) if edge.source.node_id is None else []
    port = next((one for one in instance.inputs if one.port_id == port_id), None)
    if port is None or port.parameter not in instance.parameters:
        return []
    return [instance.parameters[port.parameter]]


def _shifted(position: Position, frame: _Frame, instance: Node) -> Position:
    """Return where an inner node stands outside: its block begins where the instance does."""
    to, corner = instance.position, frame.corner
    return Position(position.x - corner.x + to.x, position.y - corner.y + to.y)


def _corner(definition: SubgraphDefinition) -> Position:
    spots = [node.position for node in definition.nodes]
    left, top = (min(axis, default=0) for axis in ((s.x for s in spots), (s.y for s in spots)))
    return Position(left, top)
