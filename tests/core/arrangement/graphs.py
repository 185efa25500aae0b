"""Graphs that the arrangement is tested with."""

from hypothesis import strategies as st

from sidecar.core.arrangement import LayoutEdge, LayoutNode
from sidecar.core.boxes import Box, BoxIndex, node_box


@st.composite
def any_graphs(draw: st.DrawFn) -> tuple[list[LayoutNode], list[LayoutEdge]]:
    """Graphs of all shapes: cycles, self-loops, parallel edges, unknown ends, wild sizes."""
    count = draw(st.integers(0, 12))
    lengths = st.integers(0, 900) | st.floats(0, 2000)
    places = st.integers(-2000, 2000) | st.floats(-1e6, 1e6)
    nodes = [
        LayoutNode(f"n{number}", draw(lengths), draw(lengths), draw(places), draw(places))
        for number in range(count)
    ]
    ends = st.integers(0, count + 1).map("n{}".format)
    orders = st.integers(0, 3)
    edges = draw(st.lists(st.builds(LayoutEdge, ends, ends, orders, orders), max_size=24))
    return nodes, edges


def placed_boxes(
    nodes: list[LayoutNode], positions: dict[str, tuple[float, float]]
) -> dict[str, Box]:
    return {
        node.node_id: node_box(*positions[node.node_id], node.width, node.height) for node in nodes
    }


def assert_apart(boxes: dict[str, Box], others: BoxIndex | None = None) -> None:
    """No box overlaps another or one of the others."""
    index = BoxIndex()
    for key, box in boxes.items():
        assert index.keys_hitting(box) == []
        assert others is None or others.keys_hitting(box) == []
        index.add(key, box)
