"""Edges of a definition and around its instance, joined through the boundary between them.

A join runs from a real source to a real target through as many boundary ports as there are in
between: one (into or out of the definition), two (passed straight through), or more where the
instance feeds itself.
"""

from collections.abc import Iterable, Iterator

from attrs import frozen

from protocol.graph import Edge, EdgeId, NodeId, PortId


@frozen
class Join:
    """The edges of one way, in its direction."""

    edges: tuple[Edge, ...]

    @property
    def first(self) -> Edge:
        return self.edges[0]

    @property
    def last(self) -> Edge:
        return self.edges[-1]


def joins(instance_id: NodeId, outer: Iterable[Edge], inner: Iterable[Edge]) -> list[Join]:
    """Return all ways through the boundary.

    ``outer`` are the edges at the instance, ``inner`` those of the definition; ways come in the
    order of the edges that they end with, those that end inside first.
    """
    walk = _Walk(instance_id)
    ends: list[tuple[Edge, bool]] = []
    for edge in inner:
        if edge.target.boundary is not None:
            walk.into_output.setdefault(edge.target.port_id, []).append(edge)
        elif edge.source.boundary is not None:
            ends.append((edge, True))
    for edge in outer:
        if edge.target.node_id == instance_id:
            walk.into_input.setdefault(edge.target.port_id, []).append(edge)
        else:
            ends.append((edge, False))
    return [Join(way) for edge, inside in ends for way in walk.ways(edge, inside=inside)]


class _Walk:
    """The ways back from an edge to real sources."""

    def __init__(self, instance_id: NodeId) -> None:
        self.instance_id = instance_id
        self.into_input: dict[PortId, list[Edge]] = {}
        self.into_output: dict[PortId, list[Edge]] = {}

    def ways(self, end: Edge, *, inside: bool) -> Iterator[tuple[Edge, ...]]:
        """Yield one way to ``end`` from each edge that starts at a real source."""
        after: dict[EdgeId, Edge | None] = {end.edge_id: None}
        waiting = [(end, inside)]
        while waiting:
            edge, within = waiting.pop()
            before = self._before(edge, inside=within)
            if before is None:
                yield _way(after, edge)
                continue
            for one in reversed(before):
                if one.edge_id not in after:
                    after[one.edge_id] = edge
                    waiting.append((one, not within))

    def _before(self, edge: Edge, *, inside: bool) -> list[Edge] | None:
        """Return what feeds the boundary port that an edge leaves, None for a real source."""
        if inside:
            if edge.source.boundary is None:
                return None
            return self.into_input.get(edge.source.port_id, [])
        if edge.source.node_id != self.instance_id:
            return None
        return self.into_output.get(edge.source.port_id, [])


def _way(after: dict[EdgeId, Edge | None], first: Edge) -> tuple[Edge, ...]:
    way = [first]
    following = after[first.edge_id]
    while following is not None:
        way.append(following)
        following = after[following.edge_id]
    return tuple(way)


def at_boundary(edge: Edge) -> bool:
    return edge.source.boundary is not None or edge.target.boundary is not None
