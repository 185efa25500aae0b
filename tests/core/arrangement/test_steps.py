import random
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.arrangement.acyclic import without_cycles
from sidecar.core.arrangement.bends import layered
from sidecar.core.arrangement.crossings import (
    Line,
    crossings_below,
    number_slots,
    straight_crossings,
)
from sidecar.core.arrangement.exchange import exchange_neighbours
from sidecar.core.arrangement.layering import layers_of
from sidecar.core.arrangement.model import Layered, Link
from sidecar.core.arrangement.ordering import orders
from sidecar.core.arrangement.shelves import shelve
from sidecar.core.boxes import Box

COUNT = 6
vertices = st.integers(0, COUNT - 1)
links = st.lists(st.builds(Link, vertices, vertices, st.just(0), st.just(0)), max_size=14)


@st.composite
def connected_dags(draw: st.DrawFn, count: int = COUNT) -> list[Link]:
    """A tree that reaches every vertex, and some more edges, all to higher numbers."""
    ports = st.integers(0, 2)
    tree = [
        Link(draw(st.integers(0, end - 1)), end, draw(ports), draw(ports))
        for end in range(1, count)
    ]
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    more = [
        Link(min(pair), max(pair), draw(ports), draw(ports))
        for pair in draw(st.lists(pairs, max_size=8))
        if pair[0] != pair[1]
    ]
    return tree + more


def total_length(layer: list[int], links: list[Link]) -> int:
    return sum(layer[link.target] - layer[link.source] for link in links)


@given(links)
def test_without_cycles_every_edge_can_run_forward(some: list[Link]) -> None:
    acyclic = without_cycles(COUNT, some)

    assert len(acyclic) == sum(link.source != link.target for link in some)
    left = set(range(COUNT))
    while left:
        free = {
            one for one in left if not any(k.target == one and k.source in left for k in acyclic)
        }
        assert free
        left -= free


@given(connected_dags())
def test_edges_of_a_graph_without_cycles_are_not_turned(dag: list[Link]) -> None:
    assert without_cycles(COUNT, dag) == dag


@given(connected_dags())
def test_layers_are_as_short_as_an_exhaustive_search_finds(dag: list[Link]) -> None:
    layer = layers_of(COUNT, dag)

    assert all(layer[link.target] > layer[link.source] for link in dag)
    assert min(layer) == 0
    assert total_length(layer, dag) == _least_length(dag)


def _least_length(dag: list[Link]) -> int:
    """By trying every layer that is still allowed, vertex by vertex."""
    best = COUNT * len(dag)
    stack: list[list[int]] = [[]]
    while stack:
        chosen = stack.pop()
        vertex = len(chosen)
        if vertex == COUNT:
            best = min(best, total_length(chosen, dag))
            continue
        first = max((chosen[k.source] + 1 for k in dag if k.target == vertex), default=0)
        stack.extend([*chosen, number] for number in range(first, COUNT))
    return best


@given(connected_dags(), st.integers(0, 30))
def test_layers_are_valid_however_early_the_work_is_cut(dag: list[Link], work: int) -> None:
    layer = layers_of(COUNT, dag, work)

    assert all(layer[link.target] > layer[link.source] for link in dag)


def numbered(graph: Layered) -> list[int]:
    position = [0] * len(graph.owners)
    for layer in graph.layers:
        number_slots(graph.in_slots, layer, position)
        number_slots(graph.out_slots, layer, position)
    return position


def crossings(graph: Layered) -> int:
    position = numbered(graph)
    return sum(crossings_below(graph, layer, position) for layer in range(len(graph.layers) - 1))


def crossings_by_pairs(graph: Layered) -> int:
    position = numbered(graph)
    count = 0
    for layer in graph.layers:
        segments = [
            (position[start], position[end])
            for vertex in layer
            for start in graph.out_slots[vertex]
            for end in graph.targets[start]
        ]
        count += sum(
            (one[0] - other[0]) * (one[1] - other[1]) < 0
            for one, other in combinations(segments, 2)
        )
    return count


@given(connected_dags(12), st.randoms(use_true_random=False))
def test_crossings_between_layers_are_those_of_all_pairs(
    dag: list[Link], shuffler: random.Random
) -> None:
    graph = layered(layers_of(12, dag), dag)
    for layer in graph.layers:
        shuffler.shuffle(layer)

    assert crossings(graph) == crossings_by_pairs(graph)


@given(connected_dags(12))
def test_an_order_keeps_every_vertex_on_its_layer(dag: list[Link]) -> None:
    graph = layered(layers_of(12, dag), dag)
    before = [sorted(layer) for layer in graph.layers]

    for order in orders(graph):
        assert [sorted(layer) for layer in order.layers] == before
        graph.layers[:] = order.layers
        assert crossings(graph) == order.crossings


@given(connected_dags(12), st.randoms(use_true_random=False))
def test_an_exchange_saves_as_many_crossings_as_it_says(
    dag: list[Link], shuffler: random.Random
) -> None:
    graph = layered(layers_of(12, dag), dag)
    for layer in graph.layers:
        shuffler.shuffle(layer)
    for layer in graph.layers:
        before = crossings(graph)
        position = numbered(graph)
        ups = [sorted(position[slot] for slot in graph.up[vertex]) for vertex in layer]
        downs = [sorted(position[slot] for slot in graph.down[vertex]) for vertex in layer]

        saved, _ = exchange_neighbours(layer, ups, downs, work=1000)

        # Ports of one vertex cannot be exchanged, so crossings within it stay in both counts.
        assert before - crossings(graph) == saved
        assert saved >= 0


def test_a_tree_is_drawn_without_crossings() -> None:
    tree = [Link((end - 1) // 3, end, 0, 0) for end in range(1, 121)]
    graph = layered(layers_of(121, tree), tree)

    graph.layers[:] = list(orders(graph))[-1].layers

    assert crossings(graph) == 0


def test_vertices_follow_the_ports_they_feed() -> None:
    ports = [2, 0, 3, 1]
    star = [Link(source, 4, 0, port) for source, port in enumerate(ports)]
    graph = layered(layers_of(5, star), star)

    graph.layers[:] = list(orders(graph))[-1].layers

    assert [ports[vertex] for vertex in graph.layers[0]] == [0, 1, 2, 3]


def test_bends_are_capped_and_the_longest_edges_left_straight() -> None:
    chain = [Link(number, number + 1, 0, 0) for number in range(99)]
    far = [Link(0, number, 0, 0) for number in range(2, 100)]
    graph = layered(layers_of(100, chain + far), chain + far)

    bends = len(graph.up) - graph.real
    assert 700 < bends <= 800
    assert len(graph.down[0]) < 99


coordinates = st.integers(-5, 5)
lines = st.builds(Line, coordinates, coordinates, coordinates, coordinates, vertices, vertices)


@given(st.lists(lines, max_size=12))
def test_straight_crossings_are_those_of_all_pairs(several: list[Line]) -> None:
    assert straight_crossings(several) == sum(
        meet(one, other) for one, other in combinations(several, 2)
    )


def meet(one: Line, other: Line) -> bool:
    if {one.source, one.target} & {other.source, other.target}:
        return False
    return (
        side(one, other.x1, other.y1) * side(one, other.x2, other.y2) < 0
        and side(other, one.x1, one.y1) * side(other, one.x2, one.y2) < 0
    )


def side(line: Line, x: float, y: float) -> float:
    return (line.x2 - line.x1) * (y - line.y1) - (line.y2 - line.y1) * (x - line.x1)


@given(st.lists(st.tuples(st.floats(0, 5000), st.floats(0, 5000)), max_size=30))
def test_shelved_boxes_keep_their_sizes_and_do_not_overlap(
    sizes: list[tuple[float, float]],
) -> None:
    placed = shelve([Box(7, 7, width, height) for width, height in sizes])

    assert [(box.width, box.height) for box in placed] == sizes
    assert not any(one.overlaps(other) for one, other in combinations(placed, 2))
