"""The arrangement beside its peers: crossings of straight edges, overlaps and time.

`python -m tests.benchmarks.layout [--json] [--sizes 10,100]`; the peers are in the dependency
group `layout`, and one that is not installed is skipped. A figure is the median over the seeds.
A peer's positions are given the same node sizes and the same lines between the sides' middles.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from statistics import median
from typing import Any

from attrs import asdict, frozen

from sidecar.core.arrangement import LayoutEdge, LayoutNode, layout_all
from sidecar.core.arrangement.crossings import Line, straight_crossings
from sidecar.core.boxes import Box, BoxIndex, node_box
from tests.core.arrangement.dataflow import dataflow

SEEDS = {10: 10, 100: 10, 1000: 5, 5000: 2}
PEER_PITCH = (420, 280)
Drawing = dict[str, Box]
Layout = Callable[[list[LayoutNode], list[LayoutEdge]], Drawing]


@frozen
class Figure:
    """The medians of one layout at one size."""

    layout: str
    nodes: int
    edges: float
    seeds: int
    seconds: float
    crossings: float
    overlaps: float


@frozen
class Contender:
    """A layout under a name, the module it needs and the size above which it is left out."""

    name: str
    module: str
    lay_out: Layout
    largest: int = sys.maxsize


def own(nodes: list[LayoutNode], edges: list[LayoutEdge]) -> Drawing:
    positions = layout_all(nodes, edges)
    return {
        node.node_id: node_box(*positions[node.node_id], node.width, node.height) for node in nodes
    }


def fast_sugiyama(nodes: list[LayoutNode], edges: list[LayoutEdge]) -> Drawing:
    """Its layers and its places in them; it knows no node sizes, so a wide pitch is used."""
    import fast_sugiyama as peer  # noqa: PLC0415 -- an optional peer

    pairs = [(edge.source_id, edge.target_id) for edge in edges]
    sizes = {node.node_id: node for node in nodes}
    drawing: Drawing = {}
    top = 0.0
    for layout in peer.from_edges(pairs, vertex_spacing=1, dummy_vertices=True):
        points = [(name, point) for name, point in layout[0] if name in sizes]
        for name, (place, depth) in points:
            size = sizes[name]
            x, y = -depth * PEER_PITCH[0], top + place * PEER_PITCH[1]
            drawing[name] = node_box(x, y, size.width, size.height)
        top += (max(place for _, (place, _) in points) + 2) * PEER_PITCH[1]
    return drawing


def grandalf(nodes: list[LayoutNode], edges: list[LayoutEdge]) -> Drawing:
    from grandalf.graphs import Edge, Graph, Vertex  # noqa: PLC0415 -- an optional peer
    from grandalf.layouts import SugiyamaLayout, VertexViewer  # noqa: PLC0415 -- likewise

    vertices: dict[str, Any] = {}
    for node in nodes:
        vertex = Vertex(node)
        # It draws downwards: width and height change places.
        vertex.view = VertexViewer(w=node.height + 32, h=node.width)
        vertices[node.node_id] = vertex
    joins = [Edge(vertices[edge.source_id], vertices[edge.target_id]) for edge in edges]
    drawing: Drawing = {}
    top = 0.0
    for component in Graph(list(vertices.values()), joins).C:
        layout = SugiyamaLayout(component)
        layout.xspace, layout.yspace = 40, 100
        layout.init_all()
        layout.draw()
        found = {
            vertex.data.node_id: _turned(vertex)
            for vertex in component.sV
            if isinstance(vertex.data, LayoutNode)
        }
        lift = top - min(box.y for box in found.values())
        drawing |= {name: box.shifted(0, lift) for name, box in found.items()}
        top = max(box.bottom for box in drawing.values()) + 80
    return drawing


def _turned(vertex: Any) -> Box:
    x, y = vertex.view.xy
    return Box(y - vertex.view.h / 2, x - vertex.view.w / 2, vertex.view.h, vertex.view.w)


CONTENDERS = (
    Contender("own", "sidecar", own),
    Contender("fast-sugiyama", "fast_sugiyama", fast_sugiyama),
    Contender("grandalf", "grandalf", grandalf, largest=1000),
)


def measure(contender: Contender, count: int) -> Figure:
    runs: list[tuple[float, int, int, int]] = []
    for seed in range(1, SEEDS.get(count, 1) + 1):
        nodes, edges = dataflow(count, seed)
        start = time.perf_counter()
        drawing = contender.lay_out(nodes, edges)
        seconds = time.perf_counter() - start
        runs.append((seconds, _crossings(drawing, edges), _overlaps(drawing), len(edges)))
    seconds, crossings, overlaps, sizes = (median(column) for column in zip(*runs, strict=True))
    return Figure(contender.name, count, sizes, len(runs), seconds, crossings, overlaps)


def _crossings(drawing: Drawing, edges: list[LayoutEdge]) -> int:
    number = {name: place for place, name in enumerate(drawing)}
    lines: list[Line] = []
    for edge in edges:
        start, end = drawing[edge.source_id], drawing[edge.target_id]
        lines.append(
            Line(
                start.right,
                start.y + start.height / 2,
                end.x,
                end.y + end.height / 2,
                number[edge.source_id],
                number[edge.target_id],
            )
        )
    return straight_crossings(lines)


def _overlaps(drawing: Drawing) -> int:
    index = BoxIndex()
    count = 0
    for name, box in drawing.items():
        count += len(index.hits(box))
        index.add(name, box)
    return count


def figures(sizes: list[int]) -> Iterator[Figure]:
    for count in sizes:
        for contender in CONTENDERS:
            if find_spec(contender.module) and count <= contender.largest:
                yield measure(contender, count)


def skipped() -> list[str]:
    return [one.name for one in CONTENDERS if not find_spec(one.module)]


def table(found: list[Figure]) -> str:
    """One row per layout and size; ratios are to our own layout, above 1 in our favour."""
    base = {figure.nodes: figure for figure in found if figure.layout == "own"}
    heads = ("nodes", "edges", "layout", "seconds", "ratio", "crossings", "ratio", "overlaps")
    lines = ["{:>6} {:>6} {:<14} {:>9} {:>7} {:>10} {:>7} {:>9}".format(*heads)]
    for one in found:
        ours = base[one.nodes]
        lines.append(
            f"{one.nodes:>6} {one.edges:>6.0f} {one.layout:<14} {one.seconds:>9.4f}"
            f" {_ratio(one.seconds, ours.seconds):>7} {one.crossings:>10.1f}"
            f" {_ratio(one.crossings, ours.crossings):>7} {one.overlaps:>9.0f}"
        )
    return "\n".join(lines)


def _ratio(theirs: float, ours: float) -> str:
    return f"{theirs / ours:.2f}" if ours else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--sizes", default=",".join(map(str, SEEDS)), help="node counts")
    options = parser.parse_args()
    found = list(figures([int(size) for size in options.sizes.split(",")]))
    if options.json:
        print(json.dumps({"figures": [asdict(one) for one in found], "skipped": skipped()}))
        return
    print(table(found))
    for name in skipped():
        print(f"{name}: not installed, skipped (dependency group `layout`)")


if __name__ == "__main__":
    main()
