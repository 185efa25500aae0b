"""Packing boxes in rows, like books on shelves."""

from math import ceil, sqrt

from sidecar.core.boxes import Box

PACKING_GAP = 80
_WIDER_THAN_HIGH = 1.6


def shelve(boxes: list[Box]) -> list[Box]:
    """The boxes in their order, in rows below each other from (0, 0); none overlap."""
    area = sum((box.width + PACKING_GAP) * (box.height + PACKING_GAP) for box in boxes)
    widest = max((box.width for box in boxes), default=0)
    row_width = max(widest, sqrt(area * _WIDER_THAN_HIGH))
    placed: list[Box] = []
    x = y = row_height = 0
    for box in boxes:
        if x and x + box.width > row_width:
            x, y, row_height = 0, y + row_height + PACKING_GAP, 0
        placed.append(Box(x, y, box.width, box.height))
        x += ceil(box.width) + PACKING_GAP
        row_height = max(row_height, ceil(box.height))
    return placed
