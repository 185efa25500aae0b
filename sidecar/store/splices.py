"""How one text became another, as splices that run both ways and compose.

A splice keeps the bytes it removed and the bytes it put there, and how many bytes lie between it
and the one before; what is not named stayed.  So an edit of a long text costs what it touched,
either text gives the other, and two edits one after the other become one without any text at
hand.
"""

from collections.abc import Sequence
from typing import TypeAlias

Splice: TypeAlias = tuple[int, bytes, bytes]
"""Bytes kept since the last splice, bytes removed, bytes inserted."""


class SpliceError(ValueError):
    """A text that the splices were not made for."""


def difference(before: bytes, after: bytes, skip: int = 0) -> list[Splice]:
    """Return the splices (none or one) that turn ``before`` into ``after``."""
    if before == after:
        return []
    head = _common_head(before, after)
    tail = _common_tail(before, after, min(len(before), len(after)) - head)
    return [(skip + head, before[head : len(before) - tail], after[head : len(after) - tail])]


def forwards(text: bytes, splices: Sequence[Splice]) -> bytes:
    """Return the text after."""
    pieces: list[bytes] = []
    at = 0
    for skip, removed, inserted in splices:
        start = at + skip
        end = start + len(removed)
        if text[start:end] != removed or end > len(text):
            raise SpliceError
        pieces += (text[at:start], inserted)
        at = end
    pieces.append(text[at:])
    return b"".join(pieces)


def backwards(text: bytes, splices: Sequence[Splice]) -> bytes:
    """Return the text before."""
    pieces: list[bytes] = []
    at = 0
    for skip, removed, inserted in splices:
        start = at + skip
        end = start + len(inserted)
        if text[start:end] != inserted or end > len(text):
            raise SpliceError
        pieces += (text[at:start], removed)
        at = end
    pieces.append(text[at:])
    return b"".join(pieces)


def compose(older: Sequence[Splice], newer: Sequence[Splice]) -> list[Splice]:
    """Return the splices that do what ``older`` and then ``newer`` do.

    Both speak of the text in the middle: ``older`` put its insertions there, ``newer`` removes
    its removals from there.  Where they touch or overlap, every byte between is known from one
    of them, so that piece of the middle text is put together and both are run on it.
    """
    places = sorted(
        [(*place, 0) for place in _places(older, written=True)]
        + [(*place, 1) for place in _places(newer, written=False)]
    )
    result: list[Splice] = []
    last_end = 0
    carried = 0
    for start, end, members in _clusters(places):
        made = _joined(start, end, members, older, newer)
        skip = carried + start - last_end
        shorter = difference(*made, skip)
        result += shorter
        if shorter:
            _, removed, _ = shorter[0]
            carried = len(made[0]) - (shorter[0][0] - skip) - len(removed)
        else:
            carried = skip + len(made[0])
        last_end = end
    return result


_Place: TypeAlias = tuple[int, int, int, int]
"""Start and end in the middle text, index among its splices, 0 for older and 1 for newer."""


def _places(splices: Sequence[Splice], *, written: bool) -> list[tuple[int, int, int]]:
    at = 0
    places = []
    for index, (skip, removed, inserted) in enumerate(splices):
        start = at + skip
        at = start + len(inserted if written else removed)
        places.append((start, at, index))
    return places


def _clusters(places: list[_Place]) -> list[tuple[int, int, list[_Place]]]:
    """Return runs of places that touch or overlap."""
    clusters: list[tuple[int, int, list[_Place]]] = []
    for place in places:
        if clusters and place[0] <= clusters[-1][1]:
            start, end, members = clusters[-1]
            members.append(place)
            clusters[-1] = (start, max(end, place[1]), members)
        else:
            clusters.append((place[0], place[1], [place]))
    return clusters


def _joined(
    start: int,
    end: int,
    members: list[_Place],
    older: Sequence[Splice],
    newer: Sequence[Splice],
) -> tuple[bytes, bytes]:
    """Return what stood where the cluster is before ``older`` and what stands there after ``newer``."""
    middle = bytearray(end - start)
    first: list[Splice] = []
    second: list[Splice] = []
    ends = [start, start]
    for place_start, place_end, index, side in members:
        _, removed, inserted = (older, newer)[side][index]
        known = (inserted, removed)[side]
        middle[place_start - start : place_end - start] = known
        (first, second)[side].append((place_start - ends[side], removed, inserted))
        ends[side] = place_end
    text = bytes(middle)
    return backwards(text, first), forwards(text, second)


def _common_head(a: bytes, b: bytes) -> int:
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_tail(a: bytes, b: bytes, most: int) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return low
