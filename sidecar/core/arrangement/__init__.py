"""Arranging nodes in layers from left to right.

Pure and deterministic: the result depends on sizes, edges, fixed boxes and the order of the nodes,
never on a clock or on how ids are spelt. Nothing that is arranged overlaps anything.
"""

from collections.abc import Iterable, Iterator, Mapping

from sidecar.core.arrangement.blocks import Block, lay_out
from sidecar.core.arrangement.components import components
from sidecar.core.arrangement.model import LayoutEdge, LayoutNode
from sidecar.core.arrangement.shelves import shelve
from sidecar.core.boxes import TITLE_HEIGHT, Box, BoxIndex, Extent, bounding_box
from sidecar.core.placement import nearest_free

__all__ = ["ANCHOR_GAP", "LayoutEdge", "LayoutNode", "arrange", "layout_all"]

ANCHOR_GAP = 80

Positions = dict[str, tuple[float, float]]


def arrange(
    nodes: Iterable[LayoutNode],
    edges: Iterable[LayoutEdge],
    *,
    anchors: Mapping[str, Box],
    obstacles: BoxIndex,
) -> Positions:
    """New positions (top-left of the body) for all of some nodes among others that stay.

    `edges` join the nodes with each other and with `anchors`, the boxes of fixed neighbours by
    node id; other edges are ignored. `obstacles` holds the boxes of the scope by node id; those
    of the arranged nodes are ignored. Each connected block of nodes goes right of the fixed
    nodes that it is fed by, else left of those that it feeds, else where it is, each time to the
    nearest free place. Raises NoFreePlaceError.
    """
    nodes, edges = list(nodes), list(edges)
    space = _Space(obstacles, frozenset(node.node_id for node in nodes))
    blocks = [lay_out(*component) for component in components(nodes, edges)]
    ties = _Ties(edges, anchors)
    wanted = [(ties.wanted(block), block) for block in blocks]
    positions: Positions = {}
    for corner, block in sorted(wanted, key=lambda one: (one[0][1], one[0][0])):
        dx, dy = nearest_free(space, block.boxes, corner)
        for node, box in zip(block.nodes, block.boxes, strict=True):
            moved = box.shifted(dx, dy)
            space.take(node.node_id, moved)
            positions[node.node_id] = (moved.x, moved.y + TITLE_HEIGHT)
    return positions


def layout_all(nodes: Iterable[LayoutNode], edges: Iterable[LayoutEdge]) -> Positions:
    """Positions for a whole graph from (0, 0), its components packed in rows."""
    blocks = [lay_out(*component) for component in components(list(nodes), list(edges))]
    outers = [bounding_box(block.boxes) for block in blocks]
    positions: Positions = {}
    for block, outer, shelf in zip(blocks, outers, shelve(outers), strict=True):
        for node, box in zip(block.nodes, block.boxes, strict=True):
            positions[node.node_id] = (box.x - outer.x + shelf.x, box.y - outer.y + shelf.y)
    return positions


class _Space:
    """The boxes that stay, and those of the blocks that have been placed so far."""

    def __init__(self, fixed: BoxIndex, moving: frozenset[str]) -> None:
        self._fixed = fixed
        self._moving = moving
        self._placed = BoxIndex()

    def take(self, key: str, box: Box) -> None:
        self._placed.add(key, box)

    def hits(self, area: Box) -> list[Box]:
        return self._fixed.hits(area, ignoring=self._moving) + self._placed.hits(area)

    def extent(self) -> Extent | None:
        """That of all boxes, also those about to move: what lies beyond it is free all the same."""
        found = [one for one in (self._fixed.extent(), self._placed.extent()) if one]
        if not found:
            return None
        return Extent(max(one.right for one in found), max(one.bottom for one in found))

    def __iter__(self) -> Iterator[Box]:
        yield from self._fixed
        yield from self._placed


class _Ties:
    """The edges between arranged nodes and anchors."""

    def __init__(self, edges: list[LayoutEdge], anchors: Mapping[str, Box]) -> None:
        self._feeding: dict[str, list[Box]] = {}
        self._fed: dict[str, list[Box]] = {}
        for edge in edges:
            if edge.source_id in anchors:
                self._feeding.setdefault(edge.target_id, []).append(anchors[edge.source_id])
            if edge.target_id in anchors:
                self._fed.setdefault(edge.source_id, []).append(anchors[edge.target_id])

    def wanted(self, block: Block) -> tuple[float, float]:
        """Where the top-left corner of a block should be."""
        outer = bounding_box(block.boxes)
        feeding = [box for node in block.nodes for box in self._feeding.get(node.node_id, ())]
        fed = [box for node in block.nodes for box in self._fed.get(node.node_id, ())]
        if feeding:
            x = max(box.right for box in feeding) + ANCHOR_GAP
        elif fed:
            x = min(box.x for box in fed) - ANCHOR_GAP - outer.width
        else:
            present = bounding_box(node.box for node in block.nodes)
            return present.x, present.y
        return x, outer.y + self._lift(block)

    def _lift(self, block: Block) -> float:
        """The shift that brings the tied nodes level with their anchors, in the mean."""
        lifts = [
            (anchor.y + anchor.height / 2) - (box.y + box.height / 2)
            for node, box in zip(block.nodes, block.boxes, strict=True)
            for ties in (self._feeding, self._fed)
            for anchor in ties.get(node.node_id, ())
        ]
        return sum(lifts) / len(lifts)
