"""Boxes of nodes and a mutable spatial index of them.

A change of the index costs constant work (a dictionary entry and a heap push), however many boxes
it holds, and no answer depends on the order in which the boxes came.
"""

import math
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush

from attrs import frozen

GAP = 40
TITLE_HEIGHT = 32
DEFAULT_WIDTH = 240
DEFAULT_HEIGHT = 120
COORDINATE_LIMIT = 10_000_000

_SMALLEST_CELL = 512
_LEVEL_SHIFT = 2
_LAST_LEVEL = 20
_HEAP_SLACK = 64


@frozen(slots=True)
class Box:
    """An axis-parallel rectangle in graph units, y downwards; touching edges do not overlap."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    def overlaps(self, other: "Box") -> bool:
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )

    def grown(self, by: float) -> "Box":
        return Box(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)

    def shifted(self, dx: float, dy: float) -> "Box":
        return Box(self.x + dx, self.y + dy, self.width, self.height)


@frozen(slots=True)
class Extent:
    """How far a set of boxes reaches to the right and down."""

    right: float
    bottom: float


def node_box(
    x: float, y: float, width: float = DEFAULT_WIDTH, height: float = DEFAULT_HEIGHT
) -> Box:
    """The box that a node at position (x, y) covers.

    A position is the top-left corner of the node's body, as in graph editors; the title bar
    stands above the body. The box therefore spans y - 32 .. y + height.
    """
    return Box(x, y - TITLE_HEIGHT, width, height + TITLE_HEIGHT)


def bounding_box(boxes: Iterable[Box]) -> Box:
    """The smallest box around at least one box."""
    some = list(boxes)
    left, top = min(box.x for box in some), min(box.y for box in some)
    right, bottom = max(box.right for box in some), max(box.bottom for box in some)
    return Box(left, top, right - left, bottom - top)


class BoxIndex:
    """Boxes by key, in hash grids of cells that quadruple in size from level to level.

    A box lives at the level whose cells are at least as large as it, in the cell of its top-left
    corner alone; so a query looks one cell further to the left and above.
    """

    def __init__(self) -> None:
        self._boxes: dict[str, Box] = {}
        self._levels: dict[int, dict[tuple[int, int], dict[str, Box]]] = {}
        self._rights = _Maximum()
        self._bottoms = _Maximum()

    def __len__(self) -> int:
        return len(self._boxes)

    def __contains__(self, key: str) -> bool:
        return key in self._boxes

    def __iter__(self) -> Iterator[Box]:
        return iter(self._boxes.values())

    def get(self, key: str) -> Box | None:
        return self._boxes.get(key)

    def add(self, key: str, box: Box) -> None:
        """Add a box under a key that is not there yet."""
        if key in self._boxes:
            raise KeyError(key)
        self._boxes[key] = box
        level, cell = _home(box)
        self._levels.setdefault(level, {}).setdefault(cell, {})[key] = box
        self._rights.add(box.right)
        self._bottoms.add(box.bottom)

    def remove(self, key: str) -> None:
        """Remove the box of a key that is there."""
        box = self._boxes.pop(key)
        level, cell = _home(box)
        cells = self._levels[level]
        members = cells[cell]
        del members[key]
        if not members:
            del cells[cell]
            if not cells:
                del self._levels[level]
        self._rights.remove(box.right)
        self._bottoms.remove(box.bottom)

    def move(self, key: str, box: Box) -> None:
        """Give the box of a key that is there a new place or size."""
        if self._boxes[key] != box:
            self.remove(key)
            self.add(key, box)

    def hits(self, area: Box, *, ignoring: frozenset[str] = frozenset()) -> list[Box]:
        """The boxes that overlap an area, in no particular order."""
        left, top, right, bottom = area.x, area.y, area.right, area.bottom
        return [
            box
            for members in self._cells_near(area)
            for key, box in members.items()
            # Box.overlaps, written out: this is the innermost loop of every placement.
            if box.x < right
            and left < box.x + box.width
            and box.y < bottom
            and top < box.y + box.height
            and key not in ignoring
        ]

    def keys_hitting(self, area: Box) -> list[str]:
        """The keys of the boxes that overlap an area, sorted."""
        return sorted(
            key
            for members in self._cells_near(area)
            for key, box in members.items()
            if box.overlaps(area)
        )

    def extent(self) -> Extent | None:
        """The largest right and bottom of all boxes, None without boxes."""
        if not self._boxes:
            return None
        return Extent(self._rights.value(), self._bottoms.value())

    def _cells_near(self, area: Box) -> Iterator[dict[str, Box]]:
        for level, cells in self._levels.items():
            size = _SMALLEST_CELL << (level * _LEVEL_SHIFT)
            left, right = math.floor(area.x / size) - 1, math.floor(area.right / size)
            top, bottom = math.floor(area.y / size) - 1, math.floor(area.bottom / size)
            if (right - left + 1) * (bottom - top + 1) > len(cells):
                for (column, row), members in cells.items():
                    if left <= column <= right and top <= row <= bottom:
                        yield members
                continue
            for column in range(left, right + 1):
                for row in range(top, bottom + 1):
                    found = cells.get((column, row))
                    if found is not None:
                        yield found


def _home(box: Box) -> tuple[int, tuple[int, int]]:
    level = 0
    size = _SMALLEST_CELL
    # At the last level all positions share a few cells, so that it takes boxes of any size.
    while level < _LAST_LEVEL and (size < box.width or size < box.height):
        level += 1
        size <<= _LEVEL_SHIFT
    return level, (math.floor(box.x / size), math.floor(box.y / size))


class _Maximum:
    """The largest of a multiset of numbers: a heap whose dead entries go when they surface."""

    def __init__(self) -> None:
        self._counts: dict[float, int] = {}
        self._heap: list[float] = []

    def add(self, value: float) -> None:
        count = self._counts.get(value, 0)
        self._counts[value] = count + 1
        if not count:
            heappush(self._heap, -value)

    def remove(self, value: float) -> None:
        count = self._counts[value]
        if count > 1:
            self._counts[value] = count - 1
            return
        del self._counts[value]
        if len(self._heap) > 2 * len(self._counts) + _HEAP_SLACK:
            self._heap = [-kept for kept in self._counts]
            heapify(self._heap)

    def value(self) -> float:
        while -self._heap[0] not in self._counts:
            heappop(self._heap)
        return -self._heap[0]
