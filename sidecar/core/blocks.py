"""Blocks of things moved as one piece: their box, their centre, and their contents shifted.

No coordinate that comes out of here lies beyond the limit.
"""

from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from protocol.graph import Bounds, Edge, Group, Node, Position
from sidecar.core.boxes import DEFAULT_HEIGHT, DEFAULT_WIDTH, TITLE_HEIGHT, Box, bounding_box
from sidecar.core.graph import box_of
from sidecar.core.limits import MAX_COORDINATE

_NOISE = 1e-6


@frozen
class Shift:
    """How far a block goes; zero on both axes leaves every value as it is."""

    dx: float
    dy: float

    def __bool__(self) -> bool:
        return bool(self.dx or self.dy)

    def position(self, at: Position) -> Position:
        return clamped(at.x + self.dx, at.y + self.dy) if self else at

    def node(self, node: Node) -> Node:
        return evolve(node, position=self.position(node.position)) if self else node

    def edge(self, edge: Edge) -> Edge:
        if not self or not edge.waypoints:
            return edge
        return evolve(edge, waypoints=tuple(self.position(point) for point in edge.waypoints))

    def group(self, group: Group) -> Group:
        if not self or group.bounds is None:
            return group
        corner = clamped(group.bounds.x + self.dx, group.bounds.y + self.dy)
        bounds = Bounds(corner.x, corner.y, group.bounds.width, group.bounds.height)
        return evolve(group, bounds=bounds)


def clamped(x: float, y: float) -> Position:
    """Return the nearest position within the limit."""
    return Position(_within(x), _within(y))


def box_around(nodes: Iterable[Node]) -> Box:
    """Return the smallest box around at least one node, title bars included."""
    return bounding_box(box_of(node) for node in nodes)


def centre(box: Box) -> Position:
    return Position(box.x + box.width / 2, box.y + box.height / 2)


def centred_at(point: Position) -> Position:
    """Return the position of a node of the default size whose box has its centre at a point."""
    height = DEFAULT_HEIGHT + TITLE_HEIGHT
    return clamped(point.x - DEFAULT_WIDTH / 2, point.y - height / 2 + TITLE_HEIGHT)


def shift_to(nodes: Sequence[Node], point: Position) -> Shift:
    """Return the shift that brings the centre of a block to a point, or as near as the limit lets.

    What is less than the noise of adding floating-point numbers is no shift at all, so that a
    block which is folded up and unfolded at the same place keeps the very same numbers.
    """
    if not nodes:
        return Shift(0, 0)
    now = centre(box_around(nodes))
    return Shift(
        _allowed(point.x - now.x, [node.position.x for node in nodes]),
        _allowed(point.y - now.y, [node.position.y for node in nodes]),
    )


def _allowed(by: float, places: Sequence[float]) -> float:
    by = min(max(by, -MAX_COORDINATE - min(places)), MAX_COORDINATE - max(places))
    return 0 if abs(by) < _NOISE else by


def _within(number: float) -> float:
    return min(max(number, -MAX_COORDINATE), MAX_COORDINATE)
