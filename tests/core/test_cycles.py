from collections import deque
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from protocol.graph import Edge, EdgeId, NodeId
from sidecar.core.cycles import find_path
from sidecar.core.graph import ROOT, ProjectGraph
from tests.core.builders import edge, graph, node, port

JOINED = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14)


def network(joined: set[tuple[int, int]]) -> ProjectGraph:
    many = port("in", multiple=True)
    return graph(
        *(node(str(number), inputs=[many]) for number in range(7)),
        edges=[edge(f"{a}-{b}", f"{a}.out", f"{b}.in") for a, b in sorted(joined)],
    )


def reachable(joined: set[tuple[int, int]], start: int) -> set[int]:
    seen, waiting = {start}, deque([start])
    while waiting:
        here = waiting.popleft()
        found = {b for a, b in joined if a == here} - seen
        seen |= found
        waiting.extend(found)
    return seen


@given(joined=JOINED, start=st.integers(0, 6), goal=st.integers(0, 6))
def test_a_path_is_found_exactly_where_there_is_one(
    joined: set[tuple[int, int]], start: int, goal: int
) -> None:
    path = find_path(network(joined), ROOT, NodeId(str(start)), NodeId(str(goal)))

    assert (path is not None) == (goal in reachable(joined, start))
    if path is not None:
        numbers = [int(step) for step in path]
        assert (numbers[0], numbers[-1]) == (start, goal)
        assert set(pairwise(numbers)) <= joined


def test_an_edge_can_be_left_out_of_account() -> None:
    whole = network({(0, 1), (1, 2)})

    assert find_path(whole, ROOT, NodeId("0"), NodeId("2")) == ["0", "1", "2"]
    assert find_path(whole, ROOT, NodeId("0"), NodeId("2"), without=EdgeId("1-2")) is None


class CountingTable(dict[str, Edge]):
    """Counts how often an edge is looked at."""

    looks = 0

    def __getitem__(self, key: str) -> Edge:
        self.looks += 1
        return super().__getitem__(key)


def test_a_node_that_nothing_feeds_is_known_at_once_not_to_be_reached() -> None:
    names = [f"n{number}" for number in range(500)]
    whole = graph(
        node("new"),
        *(node(name) for name in names),
        edges=[edge(f"e{number}", f"n{number}.out", f"n{number + 1}.in") for number in range(499)],
    )
    edges = CountingTable(whole.scopes[ROOT].edges)
    whole.scopes[ROOT].edges = edges  # type: ignore[assignment]

    assert find_path(whole, ROOT, NodeId("n0"), NodeId("new")) is None
    assert edges.looks <= 2
