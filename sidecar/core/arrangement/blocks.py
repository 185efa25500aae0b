"""One connected component laid out by itself: a block of positions around its own origin."""

from attrs import frozen

from sidecar.core.arrangement.acyclic import without_cycles
from sidecar.core.arrangement.bends import layered
from sidecar.core.arrangement.coordinates import columns, tops
from sidecar.core.arrangement.crossings import Line, straight_crossings
from sidecar.core.arrangement.layering import layers_of
from sidecar.core.arrangement.model import Layered, LayoutEdge, LayoutNode, Link
from sidecar.core.arrangement.ordering import orders
from sidecar.core.arrangement.shelves import shelve
from sidecar.core.boxes import COORDINATE_LIMIT, Box, bounding_box

_LARGEST_SIDE = COORDINATE_LIMIT // 2
_MOST_LINES = 2000


@frozen(slots=True)
class Block:
    """The nodes of a component and their boxes as laid out, in the same order."""

    nodes: list[LayoutNode]
    boxes: list[Box]


def lay_out(nodes: list[LayoutNode], edges: list[LayoutEdge]) -> Block:
    """Lay out a connected component; a drawing that no canvas would hold is folded to rows."""
    number = {node.node_id: place for place, node in enumerate(nodes)}
    links = [
        Link(number[edge.source_id], number[edge.target_id], edge.source_order, edge.target_order)
        for edge in edges
    ]
    acyclic = without_cycles(len(nodes), links)
    layer = layers_of(len(nodes), acyclic)
    graph = layered(layer, acyclic)
    boxes = _best(graph, nodes, links)
    outer = bounding_box(boxes)
    if outer.width > _LARGEST_SIDE or outer.height > _LARGEST_SIDE:
        boxes = _folded(graph, boxes)
    return Block(nodes, boxes)


def _best(graph: Layered, nodes: list[LayoutNode], links: list[Link]) -> list[Box]:
    """Of the orders found the one whose edges, drawn straight, cross least.

    Counting that takes the square of the edges at worst, so where they are many the order of the
    fewest crossings between layers is taken.
    """
    found = list(orders(graph))
    if len(found) > 1 and len(links) > _MOST_LINES:
        found = [min(found, key=lambda order: order.crossings)]
    candidates: list[list[Box]] = []
    for order in found:
        graph.layers[:] = order.layers
        candidates.append(_boxes(graph, nodes))
    if len(candidates) == 1:
        return candidates[0]
    return min(candidates, key=lambda boxes: straight_crossings(_lines(boxes, links)))


def _boxes(graph: Layered, nodes: list[LayoutNode]) -> list[Box]:
    sizes = [node.box for node in nodes]
    lefts = columns(graph, [box.width for box in sizes])
    top = tops(graph, [box.height for box in sizes])
    left = [0] * len(nodes)
    for x, layer in zip(lefts, graph.layers, strict=True):
        for vertex in layer:
            if vertex < graph.real:
                left[vertex] = x
    return [Box(x, y, size.width, size.height) for x, y, size in zip(left, top, sizes, strict=True)]


def _lines(boxes: list[Box], links: list[Link]) -> list[Line]:
    lines: list[Line] = []
    for link in links:
        start, end = boxes[link.source], boxes[link.target]
        lines.append(
            Line(
                start.right,
                start.y + start.height / 2,
                end.x,
                end.y + end.height / 2,
                link.source,
                link.target,
            )
        )
    return lines


def _folded(graph: Layered, boxes: list[Box]) -> list[Box]:
    """The vertices in rows, layer after layer."""
    met = [vertex for layer in graph.layers for vertex in layer if vertex < graph.real]
    placed = dict(zip(met, shelve([boxes[vertex] for vertex in met]), strict=True))
    return [placed[vertex] for vertex in range(len(boxes))]
