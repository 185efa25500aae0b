"""Free places for new nodes and for whole blocks of nodes.

A place never overlaps a box of the scope, lies within the coordinate limit, is never clamped after
it was found, and depends on the boxes alone, not on the order in which they came.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Literal, Protocol

from attrs import frozen

from sidecar.core.boxes import COORDINATE_LIMIT, GAP, TITLE_HEIGHT, Box, Extent, bounding_box

Side = Literal["left", "right", "above", "below"]

COLUMNS_FURTHER = 5
_FIRST_REACH = 4
_HIGHEST_SLIDE = 3 * COORDINATE_LIMIT


class NoFreePlaceError(Exception):
    """No place within the coordinate limit is free, or the block alone is wider than the limit."""


class Occupied(Protocol):
    """What a search for a free place asks of the boxes of a scope."""

    def hits(self, area: Box, /) -> list[Box]: ...
    def extent(self) -> Extent | None: ...
    def __iter__(self) -> Iterator[Box]: ...


def place(  # noqa: PLR0913 -- a place is asked for by each of these
    index: Occupied,
    size: tuple[float, float],
    *,
    near: Box | None = None,
    side: Side = "right",
    last: Box | None = None,
    at: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """The position (top-left of the body) of a new node of a body size (width, height).

    `at` is kept where the node's box is free there; else the search starts from it. Without it
    the search starts on a `side` of the box `near`, else right of the box `last`, else at (0, 0).
    Raises NoFreePlaceError.
    """
    width, height = size[0], size[1] + TITLE_HEIGHT
    room = _Room(width, height, _node_limits())
    wanted = None if at is None else (at[0], at[1] - TITLE_HEIGHT)
    x, y = _place_room(index, room, wanted, near, side, last)
    # The very numbers asked for: y - 32 + 32 need not be y.
    return at if at is not None and wanted == (x, y) else (x, y + TITLE_HEIGHT)


def place_block(  # noqa: PLR0913 -- a place is asked for by each of these
    index: Occupied,
    boxes: Iterable[Box],
    *,
    near: Box | None = None,
    side: Side = "right",
    last: Box | None = None,
    at: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """The shift (dx, dy) that moves a block of node boxes to free space as one piece.

    The block keeps its inner layout and takes its bounding box for itself. `at` is where the
    block's top-left position (a body's corner, not a title's) is wanted; the rest is as in `place`.
    Raises NoFreePlaceError, also where the block is too large for the coordinate limit.
    """
    members = list(boxes)
    if not members:
        return 0, 0
    outer = bounding_box(members)
    room = _Room(outer.width, outer.height, _block_limits(members, outer))
    wanted = None if at is None else (at[0], at[1] - TITLE_HEIGHT)
    x, y = _place_room(index, room, wanted, near, side, last)
    return x - outer.x, y - outer.y


def nearest_free(
    index: Occupied, boxes: Iterable[Box], wanted: tuple[float, float]
) -> tuple[float, float]:
    """The shift (dx, dy) that puts a block's bounding box at or near a wanted top-left corner.

    Like place_block, but the gap around the block is kept even at the wanted corner.
    """
    members = list(boxes)
    outer = bounding_box(members)
    room = _Room(outer.width, outer.height, _block_limits(members, outer))
    x, y = _search(index, room, wanted, "right")
    return x - outer.x, y - outer.y


def is_free(index: Occupied, box: Box) -> bool:
    """Whether a box overlaps no box of the scope; it may stand closer than the gap."""
    return not index.hits(box)


@frozen(slots=True)
class _Limits:
    """Where the top-left corner of a room may stand, ends included."""

    left: float
    right: float
    top: float
    bottom: float

    def allow(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)


@frozen(slots=True)
class _Room:
    """The size of what is to be placed, and where it may stand."""

    width: float
    height: float
    limits: _Limits

    def at(self, x: float, y: float) -> Box:
        return Box(x, y, self.width, self.height)


def _node_limits() -> _Limits:
    return _Limits(
        -COORDINATE_LIMIT,
        COORDINATE_LIMIT,
        -COORDINATE_LIMIT - TITLE_HEIGHT,
        COORDINATE_LIMIT - TITLE_HEIGHT,
    )


def _block_limits(members: list[Box], outer: Box) -> _Limits:
    right = COORDINATE_LIMIT - (max(box.x for box in members) - outer.x)
    bottom = COORDINATE_LIMIT - TITLE_HEIGHT - (max(box.y for box in members) - outer.y)
    limits = _Limits(
        -COORDINATE_LIMIT, math.floor(right), -COORDINATE_LIMIT - TITLE_HEIGHT, math.floor(bottom)
    )
    if limits.left > limits.right or limits.top > limits.bottom:
        raise NoFreePlaceError
    return limits


def _place_room(  # noqa: PLR0913, PLR0917 -- the options of place, decoded
    index: Occupied,
    room: _Room,
    wanted: tuple[float, float] | None,
    near: Box | None,
    side: Side,
    last: Box | None,
) -> tuple[float, float]:
    if wanted is not None:
        if room.limits.allow(*wanted) and is_free(index, room.at(*wanted)):
            return wanted
        return _search(index, room, wanted, "right")
    if near is not None:
        return _search(index, room, _beside(near, side, room), side)
    if last is not None:
        return _search(index, room, _beside(last, "right", room), "right")
    return _search(index, room, (0, -TITLE_HEIGHT), "right")


def _beside(box: Box, side: Side, room: _Room) -> tuple[float, float]:
    match side:
        case "right":
            return box.right + GAP, box.y
        case "left":
            return box.x - GAP - room.width, box.y
        case "above":
            return box.x, box.y - GAP - room.height
        case "below":
            return box.x, box.bottom + GAP


def _search(
    index: Occupied, room: _Room, start: tuple[float, float], side: Side
) -> tuple[int, int]:
    """The free place of least |dy| + 2|dx| in six columns or right of everything."""
    x, y = _whole(room.limits.nearest(*start), side)
    step = math.ceil(room.width) + GAP
    best = _right_of_everything(index, room, x, y)
    least = math.inf if best is None else 2 * (best[0] - x)
    for column in range(COLUMNS_FURTHER + 1):
        far = column * step
        column_x = x - far if side == "left" else x + far
        if 2 * far >= least or not room.limits.left <= column_x <= room.limits.right:
            break
        found = _nearest_in_column(index, room, column_x, y, side, least - 2 * far)
        if found is not None:
            best, least = (column_x, found), abs(found - y) + 2 * far
    return best or _beyond(index, room, x)


def _whole(point: tuple[float, float], side: Side) -> tuple[int, int]:
    """Whole numbers, rounded away from the box that the search starts at."""
    x = math.floor(point[0]) if side == "left" else math.ceil(point[0])
    y = math.floor(point[1]) if side == "above" else math.ceil(point[1])
    return x, y


def _nearest_in_column(  # noqa: PLR0913, PLR0917 -- the state of one search
    index: Occupied, room: _Room, x: int, y: int, side: Side, within: float
) -> int | None:
    """The free y of a column that is nearest to a start and nearer to it than `within`."""
    within = min(within, _HIGHEST_SLIDE)
    reach = _FIRST_REACH * (room.height + GAP)
    while True:
        reach = min(reach, within)
        strip = Box(x, y - reach, room.width, room.height + 2 * reach).grown(GAP)
        blockers = index.hits(strip)
        found = [
            top
            for top in _slides(blockers, y, room.height, side)
            if abs(top - y) <= reach and abs(top - y) < within and room.limits.allow(x, top)
        ]
        if found:
            return min(found, key=lambda top: abs(top - y))
        if reach >= within:
            return None
        reach *= 2


def _slides(blockers: list[Box], y: int, height: float, side: Side) -> list[int]:
    match side:
        case "left" | "right":
            return [_slid_down(blockers, y, height), _slid_up(blockers, y, height)]
        case "above":
            return [_slid_up(blockers, y, height)]
        case "below":
            return [_slid_down(blockers, y, height)]


def _slid_down(blockers: list[Box], y: int, height: float) -> int:
    top = y
    for box in sorted(blockers, key=lambda box: box.y):
        if box.y >= top + height + GAP:
            break
        top = max(top, math.ceil(box.bottom) + GAP)
    return top


def _slid_up(blockers: list[Box], y: int, height: float) -> int:
    top = y
    for box in sorted(blockers, key=lambda box: -box.bottom):
        if box.bottom + GAP <= top:
            break
        top = min(top, math.floor(box.y - height) - GAP)
    return top


def _right_of_everything(index: Occupied, room: _Room, x: int, y: int) -> tuple[int, int] | None:
    extent = index.extent()
    right = x if extent is None else max(x, math.ceil(extent.right) + GAP)
    return (right, y) if right <= room.limits.right else None


def _beyond(index: Occupied, room: _Room, x: int) -> tuple[int, int]:
    """Below everything, else wherever there is room."""
    extent = index.extent()
    below = -math.inf if extent is None else extent.bottom + GAP
    if room.limits.allow(x, below):
        return x, math.ceil(below)
    return _anywhere(index, room, x)


def _anywhere(index: Occupied, room: _Room, x: int) -> tuple[int, int]:
    """The topmost free place of the nearest column that starts at the limit or right of a box."""
    limits = room.limits
    edges = {math.ceil(limits.left)} | {
        math.ceil(box.right + GAP) for box in index if box.right + GAP <= limits.right
    }
    for column in sorted(edges, key=lambda edge: (abs(edge - x), edge)):
        top: float = math.ceil(limits.top)
        while limits.allow(column, top):
            blockers = index.hits(room.at(column, top).grown(GAP))
            if not blockers:
                return column, int(top)
            top = max(top + 1, math.ceil(max(box.bottom for box in blockers)) + GAP)
    raise NoFreePlaceError
