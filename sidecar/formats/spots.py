"""Where things go that a file gives no position."""

from collections.abc import Sequence
from typing import Final

from protocol.graph import Node, Position
from sidecar.core.limits import MAX_COORDINATE

_STEP: Final = 300


def row_below(placed: Sequence[Node], count: int) -> list[Position]:
    """Return ``count`` spots in a row below all placed nodes."""
    bottoms = [node.position.y + (node.size.height if node.size else 0) for node in placed]
    left = min((node.position.x for node in placed), default=0)
    top = min(max(bottoms, default=-_STEP) + _STEP, MAX_COORDINATE)
    return [Position(min(left + step * _STEP, MAX_COORDINATE), top) for step in range(count)]
