"""How long the spatial index and the search for free places take.

`python -m tests.benchmarks.placement [--json]`; the worst case of a placement is a dense field.
"""

import argparse
import json
import random
import time

from sidecar.core.boxes import BoxIndex, node_box
from sidecar.core.placement import place

PLACEMENTS = 200
FIELD = 5_000
LARGE = 100_000


def field(count: int, pitch: int) -> BoxIndex:
    """A square field of cards, as dense as the gap allows at a pitch of 280."""
    index = BoxIndex()
    side = round(count**0.5)
    for number in range(count):
        index.add(str(number), node_box(number % side * pitch, number // side * pitch))
    return index


def placements(pitch: int) -> tuple[float, float]:
    """The mean and the longest seconds of placing next to random nodes of a field."""
    chooser = random.Random(1)
    index = field(FIELD, pitch)
    seconds: list[float] = []
    for number in range(PLACEMENTS):
        near = index.get(str(chooser.randrange(FIELD)))
        start = time.perf_counter()
        position = place(index, (240, 120), near=near)
        seconds.append(time.perf_counter() - start)
        index.add(f"new-{number}", node_box(*position))
    return sum(seconds) / PLACEMENTS, max(seconds)


def moves() -> float:
    """The mean seconds of moving each box of a large index once."""
    index = field(LARGE, 280)
    start = time.perf_counter()
    for number in range(LARGE):
        index.move(str(number), node_box(number, number))
    return (time.perf_counter() - start) / LARGE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    for name, pitch in (("dense", 280), ("loose", 700)):
        figures[f"place.{name}.mean"], figures[f"place.{name}.longest"] = placements(pitch)
    figures["move"] = moves()
    if options.json:
        print(json.dumps(figures))
        return
    for name, seconds in figures.items():
        print(f"{name:<20} {seconds * 1e6:>10.1f} µs")


if __name__ == "__main__":
    main()
