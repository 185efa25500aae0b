"""Counting crossings: between two layers as inversions of the segments' ends, and of real lines."""

from bisect import bisect_right, insort
from collections.abc import Iterable

from attrs import frozen

from sidecar.core.arrangement.model import Layered


def crossings_below(graph: Layered, layer: int, position: list[int]) -> int:
    """The crossings of the segments from a layer to the next; position is by slot."""
    count = 0
    seen: list[int] = []
    targets = graph.targets
    for vertex in graph.layers[layer]:
        for slot in graph.out_slots[vertex]:
            ends = [position[target] for target in targets[slot]]
            if len(ends) > 1:
                ends.sort()
            # Binary search in a list beats a binary indexed tree here: it runs in C.
            for end in ends:
                count += len(seen) - bisect_right(seen, end)
            for end in ends:
                insort(seen, end)
    return count


def number_slots(slots: list[list[int]], layer: list[int], position: list[int]) -> None:
    """Give the slots of a layer's vertices their places from the top."""
    place = 0
    for vertex in layer:
        for slot in slots[vertex]:
            position[slot] = place
            place += 1


@frozen(slots=True)
class Line:
    """A straight line between the middles of the facing sides of two vertices."""

    x1: float
    y1: float
    x2: float
    y2: float
    source: int
    target: int


def straight_crossings(lines: Iterable[Line]) -> int:
    """How many pairs of lines without a common vertex cross; a sweep from left to right."""
    count = 0
    active: list[tuple[float, float, float, Line]] = []
    for line in sorted(map(_rightwards, lines), key=lambda line: line.x1):
        low, high = sorted((line.y1, line.y2))
        active = [other for other in active if other[0] > line.x1]
        for _, other_low, other_high, other in active:
            if other_low < high and low < other_high and _cross(line, other):
                count += 1
        active.append((line.x2, low, high, line))
    return count


def _rightwards(line: Line) -> Line:
    if line.x1 <= line.x2:
        return line
    return Line(line.x2, line.y2, line.x1, line.y1, line.source, line.target)


def _cross(one: Line, other: Line) -> bool:
    if {one.source, one.target} & {other.source, other.target}:
        return False
    return _apart(one, other) and _apart(other, one)


def _apart(line: Line, other: Line) -> bool:
    """Whether the other line's ends lie on different sides of a line."""
    dx, dy = line.x2 - line.x1, line.y2 - line.y1
    first = dx * (other.y1 - line.y1) - dy * (other.x1 - line.x1)
    second = dx * (other.y2 - line.y1) - dy * (other.x2 - line.x1)
    return first < 0 < second or second < 0 < first
