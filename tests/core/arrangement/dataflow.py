"""Synthetic dataflow graphs, as the arrangement is measured with."""

import random

from sidecar.core.arrangement import LayoutEdge, LayoutNode

WINDOW = 12
FAR = 0.06


def dataflow(count: int, seed: int) -> tuple[list[LayoutNode], list[LayoutEdge]]:
    """A dataflow of card-sized nodes: one or two inputs each, mostly from nodes made lately."""
    chooser = random.Random(seed * 1_000_003 + count)
    pairs = {
        (_source(chooser, target, count), target)
        for target in range(1, count)
        for _ in range(chooser.choice((1, 1, 1, 1, 2, 2, 2)))
    }
    nodes = [
        LayoutNode(f"n{number}", chooser.choice((180, 240, 320)), chooser.choice((80, 120, 200)))
        for number in range(count)
    ]
    return nodes, [LayoutEdge(f"n{source}", f"n{target}") for source, target in sorted(pairs)]


def _source(chooser: random.Random, target: int, count: int) -> int:
    reach = count // 4 if chooser.random() < FAR else WINDOW
    return chooser.randrange(max(0, target - reach), target)
