"""Coordinates of a layered graph: columns from left to right, heights that keep the order.

No two vertices of a layer come nearer than the gap, whatever their neighbours pull at.
"""

import math
from itertools import pairwise

from sidecar.core.arrangement.model import Layered
from sidecar.core.boxes import GAP

COLUMN_GAP = 100
BEND_GAP = 40
_PASSES = 6
_LONELY_WEIGHT = 0.1


def columns(graph: Layered, widths: list[float]) -> list[int]:
    """The left edge of each layer; a column is as wide as its widest vertex."""
    lefts: list[int] = []
    left = 0
    for layer in graph.layers:
        lefts.append(left)
        widest = max((widths[vertex] for vertex in layer if vertex < graph.real), default=0)
        left += math.ceil(widest) + COLUMN_GAP
    return lefts


def tops(graph: Layered, heights: list[float]) -> list[int]:
    """The top of each real vertex, as near to the middles of its neighbours as may be."""
    columns = [_Column(graph, layer, heights) for layer in graph.layers]
    middle = [0.0] * len(graph.up)
    for column in columns:
        column.stack(middle)
    owners = graph.owners
    ups = [[owners[slot] for slot in ends] for ends in graph.up]
    downs = [[owners[slot] for slot in ends] for ends in graph.down]
    both = [up + down for up, down in zip(ups, downs, strict=True)]
    for turn in range(_PASSES):
        to_right = turn % 2 == 0
        neighbours = both if turn >= _PASSES - 2 else ups if to_right else downs
        for column in columns if to_right else reversed(columns):
            column.settle(middle, neighbours)
    return [round(middle[vertex] - heights[vertex] / 2) for vertex in range(graph.real)]


class _Column:
    """A layer with the least distances of its vertices' middles from the first one's."""

    def __init__(self, graph: Layered, layer: list[int], heights: list[float]) -> None:
        real = graph.real
        self.layer = layer
        self.offsets = [0.0]
        for above, below in pairwise(layer):
            tall = (heights[above] if above < real else 0) + (heights[below] if below < real else 0)
            gap = GAP + 1 if above < real and below < real else BEND_GAP
            self.offsets.append(self.offsets[-1] + tall / 2 + gap)

    def stack(self, middle: list[float]) -> None:
        """Put the vertices below each other, the middle of the column at 0."""
        half = self.offsets[-1] / 2
        for offset, vertex in zip(self.offsets, self.layer, strict=False):
            middle[vertex] = offset - half

    def settle(self, middle: list[float], neighbours: list[list[int]]) -> None:
        """Put every vertex at the mean of its neighbours, in order and apart.

        This is least squares under an order: neighbours that would come too near pool into a
        block that moves as one ("pool adjacent violators").
        """
        sums: list[float] = []
        weights: list[float] = []
        counts: list[int] = []
        for offset, vertex in zip(self.offsets, self.layer, strict=False):
            around = neighbours[vertex]
            weight = len(around) or _LONELY_WEIGHT
            want = sum([middle[one] for one in around]) / weight if around else middle[vertex]
            total, count = (want - offset) * weight, 1
            while sums and sums[-1] * weight >= total * weights[-1]:
                total += sums.pop()
                weight += weights.pop()
                count += counts.pop()
            sums.append(total)
            weights.append(weight)
            counts.append(count)
        place = 0
        for total, weight, count in zip(sums, weights, counts, strict=True):
            base = total / weight
            for offset, vertex in zip(
                self.offsets[place : place + count], self.layer[place : place + count], strict=True
            ):
                middle[vertex] = base + offset
            place += count
