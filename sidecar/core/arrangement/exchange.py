"""Exchanging neighbours within a layer while that saves crossings."""

from bisect import bisect_left, bisect_right
from typing import TypeVar

T = TypeVar("T")


def exchange_neighbours(
    layer: list[int], ups: list[list[int]], downs: list[list[int]], work: int
) -> tuple[int, int]:
    """Reorder a layer in place; how many crossings that saved, and how much work it took.

    `ups` and `downs` give, per place in the layer, the sorted places of the vertex's segment ends
    in the layer before and after; they are reordered along. No new round begins once the work is
    used up; a unit of work is a pair of neighbours looked at.
    """
    saved = used = 0
    places = list(range(len(layer) - 1))
    while places and used < work:
        changed: list[int] = []
        for place in places:
            after = place + 1
            gain = _gain(ups[place], ups[after]) + _gain(downs[place], downs[after])
            if gain > 0:
                saved += gain
                changed.append(place)
                _swap(layer, place)
                _swap(ups, place)
                _swap(downs, place)
        used += len(places)
        places = _around(changed, len(layer) - 1)
    return saved, used


def _around(changed: list[int], end: int) -> list[int]:
    """The pairs that an exchange touched; all others are as they were when last looked at."""
    return sorted(
        {place for one in changed for place in (one - 1, one, one + 1) if 0 <= place < end}
    )


def _swap(row: list[T], place: int) -> None:
    row[place], row[place + 1] = row[place + 1], row[place]


def _gain(first: list[int], second: list[int]) -> int:
    """The crossings saved by putting the second vertex before the first; both ends sorted."""
    if not first or not second:
        return 0
    if first[-1] <= second[0] or second[-1] <= first[0]:
        return _gain_of_disjoint(first, second)
    if len(first) > len(second):
        return -_gain_of_few(second, first)
    return _gain_of_few(first, second)


def _gain_of_few(few: list[int], many: list[int]) -> int:
    return sum(bisect_left(many, one) + bisect_right(many, one) - len(many) for one in few)


def _gain_of_disjoint(first: list[int], second: list[int]) -> int:
    pairs = len(first) * len(second)
    if first[-1] <= second[0]:
        equal = first.count(first[-1]) * second.count(second[0]) if first[-1] == second[0] else 0
        return equal - pairs
    equal = first.count(first[0]) * second.count(second[-1]) if first[0] == second[-1] else 0
    return pairs - equal
