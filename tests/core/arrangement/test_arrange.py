from itertools import pairwise
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.arrangement import LayoutEdge, LayoutNode, arrange, layout_all
from sidecar.core.arrangement.crossings import Line, straight_crossings
from sidecar.core.boxes import COORDINATE_LIMIT, Box, BoxIndex, bounding_box, node_box
from tests.core.arrangement.dataflow import dataflow
from tests.core.arrangement.graphs import any_graphs, assert_apart, placed_boxes

Graph = tuple[list[LayoutNode], list[LayoutEdge]]

boxes = st.builds(
    node_box,
    st.integers(-2000, 2000),
    st.integers(-2000, 2000),
    st.integers(0, 900),
    st.integers(0, 900),
)


def index_of(**several: Box) -> BoxIndex:
    index = BoxIndex()
    for key, box in several.items():
        index.add(key, box)
    return index


def chain(*names: str) -> Graph:
    nodes = [LayoutNode(name, 200, 100, 0, 0) for name in names]
    return nodes, [LayoutEdge(a, b) for a, b in pairwise(names)]


@given(any_graphs())
def test_a_layout_holds_every_node_and_no_overlap(graph: Graph) -> None:
    nodes, edges = graph

    positions = layout_all(nodes, edges)

    assert set(positions) == {node.node_id for node in nodes}
    assert_apart(placed_boxes(nodes, positions))
    if nodes:
        outer = bounding_box(placed_boxes(nodes, positions).values())
        assert (outer.x, outer.y) == (0, -32)


@given(any_graphs(), st.dictionaries(st.sampled_from(["n12", "n13", "a", "b"]), boxes))
def test_an_arrangement_overlaps_nothing_that_stays(graph: Graph, fixed: dict[str, Box]) -> None:
    nodes, edges = graph
    moving = {node.node_id for node in nodes}
    fixed = {key: box for key, box in fixed.items() if key not in moving}
    scope = index_of(**fixed, **{node.node_id: node.box for node in nodes})

    positions = arrange(nodes, edges, anchors=fixed, obstacles=scope)

    assert set(positions) == moving
    assert_apart(placed_boxes(nodes, positions), index_of(**fixed))
    assert all(abs(v) <= COORDINATE_LIMIT for position in positions.values() for v in position)


@given(any_graphs(), boxes)
def test_the_spelling_of_ids_does_not_matter(graph: Graph, anchor: Box) -> None:
    nodes, edges = graph
    renamed = [
        LayoutNode(node.node_id[::-1], node.width, node.height, node.x, node.y) for node in nodes
    ]
    turned = [
        LayoutEdge(edge.source_id[::-1], edge.target_id[::-1], edge.source_order, edge.target_order)
        for edge in edges
    ]

    plain = arrange(nodes, edges, anchors={"n12": anchor}, obstacles=index_of(n12=anchor))
    other = arrange(renamed, turned, anchors={"21n": anchor}, obstacles=index_of(n12=anchor))

    if "n12" not in plain:
        assert {key[::-1]: position for key, position in other.items()} == plain


def test_a_chain_is_a_row() -> None:
    nodes, edges = chain("a", "b", "c")

    assert layout_all(nodes, edges) == {"a": (0, 0), "b": (300, 0), "c": (600, 0)}


def test_edges_of_a_graph_without_cycles_run_to_the_right() -> None:
    nodes, edges = dataflow(200, seed=3)

    placed = placed_boxes(nodes, layout_all(nodes, edges))

    assert all(placed[edge.source_id].right < placed[edge.target_id].x for edge in edges)


def test_a_cycle_has_the_columns_of_the_chain_it_opens_to() -> None:
    nodes, edges = chain("a", "b", "c")

    closed = [*edges, LayoutEdge("c", "a"), LayoutEdge("b", "b")]

    positions = layout_all(nodes, closed)
    assert [positions[name][0] for name in "abc"] == [0, 300, 600]


def test_unconnected_nodes_fill_rows() -> None:
    nodes = [LayoutNode(f"n{number}", 240, 120) for number in range(30)]

    outer = bounding_box(placed_boxes(nodes, layout_all(nodes, [])).values())

    assert outer.width < 3000
    assert outer.height < 3000


def test_a_block_stands_right_of_what_feeds_it_and_level_with_it() -> None:
    nodes, edges = chain("a", "b")
    fixed = {"up": node_box(1000, 500, 300, 100), "down": node_box(9000, 500, 300, 100)}
    edges = [LayoutEdge("up", "a"), *edges, LayoutEdge("b", "down")]

    positions = arrange(nodes, edges, anchors=fixed, obstacles=index_of(**fixed))

    assert positions == {"a": (1380, 500), "b": (1680, 500)}


def test_a_block_stands_left_of_what_it_feeds() -> None:
    nodes, edges = chain("a", "b")
    fixed = {"down": node_box(1000, 500, 300, 100)}

    positions = arrange(
        nodes, [*edges, LayoutEdge("b", "down")], anchors=fixed, obstacles=index_of(**fixed)
    )

    assert positions == {"a": (420, 500), "b": (720, 500)}


def test_a_block_slides_past_what_stands_in_its_place() -> None:
    nodes, edges = chain("a", "b")
    fixed = {"up": node_box(0, 0, 200, 100), "wall": node_box(300, -20, 100, 100)}

    positions = arrange(
        nodes, [LayoutEdge("up", "a"), *edges], anchors=fixed, obstacles=index_of(**fixed)
    )

    assert_apart(placed_boxes(nodes, positions), index_of(**fixed))
    assert positions["a"][0] == 280
    assert positions["b"] == (580, positions["a"][1])
    assert abs(positions["a"][1]) < 250


def test_a_block_without_ties_stays_where_it_is() -> None:
    nodes = [LayoutNode("a", 200, 100, 70, 90), LayoutNode("b", 200, 100, 500, 400)]

    positions = arrange(nodes, [LayoutEdge("a", "b")], anchors={}, obstacles=BoxIndex())

    assert positions == {"a": (70, 90), "b": (370, 90)}


@given(st.integers(0, 50))
def test_arranging_what_is_arranged_moves_nothing(seed: int) -> None:
    nodes, edges = dataflow(15, seed)
    fixed = {"up": node_box(0, 0), "other": node_box(700, 100)}
    edges = [*edges, LayoutEdge("up", "n0")]
    first = arrange(nodes, edges, anchors=fixed, obstacles=index_of(**fixed))
    moved = [
        LayoutNode(node.node_id, node.width, node.height, *first[node.node_id]) for node in nodes
    ]

    scope = index_of(**fixed, **placed_boxes(nodes, first))

    assert arrange(moved, edges, anchors=fixed, obstacles=scope) == first


@pytest.mark.parametrize("links", [True, False])
def test_a_graph_that_would_leave_the_plane_is_folded(*, links: bool) -> None:
    nodes = [LayoutNode(f"n{number}", 200_000, 90_000) for number in range(120)]
    edges = [
        LayoutEdge("n0" if links else f"n{number - 1}", f"n{number}") for number in range(1, 120)
    ]

    positions = layout_all(nodes, edges)

    assert_apart(placed_boxes(nodes, positions))
    assert all(abs(v) <= COORDINATE_LIMIT for position in positions.values() for v in position)


def test_few_edges_cross() -> None:
    counts = [crossings_of(*dataflow(100, seed)) for seed in range(1, 6)]

    assert median(counts) <= 60


def crossings_of(nodes: list[LayoutNode], edges: list[LayoutEdge]) -> int:
    placed = placed_boxes(nodes, layout_all(nodes, edges))
    return straight_crossings(
        Line(
            placed[edge.source_id].right,
            placed[edge.source_id].y + placed[edge.source_id].height / 2,
            placed[edge.target_id].x,
            placed[edge.target_id].y + placed[edge.target_id].height / 2,
            int(edge.source_id[1:]),
            int(edge.target_id[1:]),
        )
        for edge in edges
    )


def test_a_hub_of_many_edges_has_them_in_the_order_of_its_ports() -> None:
    count = 2000
    nodes = [LayoutNode(f"n{number}", 240, 120) for number in range(count + 1)]
    edges = [
        LayoutEdge(f"n{number}", f"n{count}", 0, number * 7 % count) for number in range(count)
    ]

    positions = layout_all(nodes, edges)

    by_port = sorted(edges, key=lambda edge: edge.target_order)
    heights = [positions[edge.source_id][1] for edge in by_port]
    assert heights == sorted(heights)


def test_more_edges_than_are_compared_as_lines_are_laid_out() -> None:
    nodes = [LayoutNode(f"n{number}", 240, 120) for number in range(70)]
    edges = [LayoutEdge(f"n{a}", f"n{b}", a, b) for b in range(70) for a in range(b)]

    assert_apart(placed_boxes(nodes, layout_all(nodes, edges)))
