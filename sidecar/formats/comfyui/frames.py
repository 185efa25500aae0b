"""The frames of a scope, and which of them is the smallest around a spot or around another one.

Frames stand in grids whose cells are at least as large as they are, by their top-left corners; in
a cell the smallest comes first, so that a search ends at the first that fits, however many lie
on top of each other.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from heapq import merge
from typing import Final

from attrs import define, field, frozen

from protocol.graph import Bounds, GroupId

_SMALLEST_CELL: Final = 256
_STEP: Final = 4


@frozen
class Centre:
    x: float
    y: float


_Frame = tuple[float, int, Bounds, GroupId]
"""Area, place in the file, bounds and group of a frame: of equally large ones the first is first."""


@define
class Frames:
    _levels: dict[float, dict[tuple[int, int], list[_Frame]]] = field(factory=dict)

    @classmethod
    def of(cls, bounds: Mapping[GroupId, Bounds]) -> "Frames":
        frames = cls()
        for place, (group_id, one) in enumerate(bounds.items()):
            size: float = _SMALLEST_CELL
            while size < one.width or size < one.height:
                size *= _STEP
            cells = frames._levels.setdefault(size, {})
            cells.setdefault(_cell(one.x, one.y, size), []).append(
                (area(one), place, one, group_id)
            )
        for cells in frames._levels.values():
            for listed in cells.values():
                listed.sort(key=lambda frame: frame[:2])
        return frames

    def around(self, spot: Centre) -> GroupId | None:
        """Return the smallest frame around a spot."""
        return self._first(spot.x, spot.y, -1, lambda bounds: contains(bounds, spot))

    def parent(self, inner: Bounds) -> GroupId | None:
        """Return the smallest frame around another one."""
        # A larger area, and so no frame stands around itself, not even in a ring.
        return self._first(inner.x, inner.y, area(inner), lambda bounds: encloses(bounds, inner))

    def _first(
        self, x: float, y: float, above: float, fits: Callable[[Bounds], bool]
    ) -> GroupId | None:
        lists = (_larger(listed, above) for listed in self._cells_at(x, y))
        ordered = merge(*lists, key=lambda frame: frame[:2])
        return next((group_id for _, _, bounds, group_id in ordered if fits(bounds)), None)

    def _cells_at(self, x: float, y: float) -> Iterator[list[_Frame]]:
        for size, cells in self._levels.items():
            column, row = _cell(x, y, size)
            for cell in ((column - i, row - j) for i in (0, 1) for j in (0, 1)):
                if cell in cells:
                    yield cells[cell]


def _larger(frames: list[_Frame], above: float) -> Iterator[_Frame]:
    start = bisect_right(frames, above, key=lambda frame: frame[0])
    return (frames[index] for index in range(start, len(frames)))


def _cell(x: float, y: float, size: float) -> tuple[int, int]:
    return math.floor(x / size), math.floor(y / size)


def area(bounds: Bounds) -> float:
    return bounds.width * bounds.height


def contains(bounds: Bounds, spot: Centre) -> bool:
    across = bounds.x <= spot.x < bounds.x + bounds.width
    return across and bounds.y <= spot.y < bounds.y + bounds.height


def encloses(outer: Bounds, inner: Bounds) -> bool:
    return (
        outer.x <= inner.x
        and outer.y <= inner.y
        and outer.x + outer.width >= inner.x + inner.width
        and outer.y + outer.height >= inner.y + inner.height
    )
