"""Graphs as broken files give them: each fault is repaired alone, with one warning at its place."""

from typing import Any

import pytest
from hypothesis import given, settings

from protocol.graph import Bounds, Graph, Position, ProjectState, Size
from sidecar.core.invariants import check_all
from sidecar.core.repair import repaired
from tests.core.builders import definition, edge, graph_of, group, node, port, show, state
from tests.core.files import broken_states

INF, NAN = float("inf"), float("nan")


def a_graph(**parts: Any) -> Graph:
    return Graph(**{name: tuple(part) for name, part in parts.items()})


def places(graph: Graph) -> list[tuple[str, str | None]]:
    return [(one.code, one.path) for one in repaired(graph).notices]


def edges_of(graph: Graph) -> dict[str, str]:
    return {
        one.edge_id: f"{show(one.source)} {show(one.target)}" for one in repaired(graph).graph.edges
    }


def test_a_sound_graph_stays_as_it_is() -> None:
    sound = a_graph(
        nodes=[node("a"), node("b", size=Size(1, 2))],
        edges=[edge("e", "a.out", "b.in", waypoints=(Position(1, 1),))],
        groups=[group("g", "a", bounds=Bounds(0, 0, 1, 1)), group("h", "b", parent_group_id="g")],
        subgraphs=[definition("s", nodes=[node("a")], inputs=["p"], outputs=["q"])],
    )

    found = repaired(sound)

    assert found.graph == sound
    assert found.notices == []


@pytest.mark.parametrize(
    ("line", "path"),
    [
        (edge("e", "gone.out", "b.in"), "/graph/edges/0/source"),
        (edge("e", "a.gone", "b.in"), "/graph/edges/0/source"),
        (edge("e", "a.out", "gone.in"), "/graph/edges/0/target"),
        (edge("e", "a.in", "b.in"), "/graph/edges/0/source"),
        (edge("e", "a.out", "b.out"), "/graph/edges/0/target"),
        (edge("e", "<input.p", "b.in"), "/graph/edges/0/source"),
        (edge("e", "a.out", ">output.q"), "/graph/edges/0/target"),
    ],
)
def test_an_edge_that_ends_at_nothing_is_dropped(line: Any, path: str) -> None:
    broken = a_graph(nodes=[node("a"), node("b")], edges=[line])

    assert edges_of(broken) == {}
    assert places(broken) == [("edge-dropped", path)]


def test_of_two_edges_between_the_same_ports_the_first_is_kept() -> None:
    many = port("in", multiple=True)
    broken = a_graph(
        nodes=[node("a"), node("b", inputs=[many])],
        edges=[edge("e1", "a.out", "b.in"), edge("e2", "a.out", "b.in")],
    )

    assert edges_of(broken) == {"e1": "a.out b.in"}
    assert places(broken) == [("edge-dropped", "/graph/edges/1")]


def test_of_two_edges_into_a_single_input_the_first_is_kept() -> None:
    broken = a_graph(
        nodes=[node("a"), node("b"), node("c")],
        edges=[edge("e1", "b.out", "c.in"), edge("e2", "a.out", "c.in")],
    )

    assert edges_of(broken) == {"e1": "b.out c.in"}
    assert places(broken) == [("edge-dropped", "/graph/edges/1")]


def test_an_output_of_a_boundary_takes_one_edge_too() -> None:
    inner = definition(
        "s",
        nodes=[node("a"), node("b")],
        edges=[edge("e1", "a.out", ">output.q"), edge("e2", "b.out", ">output.q")],
        outputs=["q"],
    )

    assert places(a_graph(subgraphs=[inner])) == [("edge-dropped", "/graph/subgraphs/0/edges/1")]


def test_a_second_thing_of_an_id_gets_another_and_edges_stay_with_the_first() -> None:
    broken = a_graph(
        nodes=[node("a"), node("a", outputs=["other"]), node("b")],
        edges=[edge("e", "a.out", "b.in"), edge("e", "b.out", "a.in")],
        groups=[group("g"), group("g")],
    )

    found = repaired(broken)

    assert [one.node_id for one in found.graph.nodes] == ["a", "a~2", "b"]
    assert edges_of(broken) == {"e": "a.out b.in", "e~2": "b.out a.in"}
    assert [one.group_id for one in found.graph.groups] == ["g", "g~2"]
    assert places(broken) == [
        ("duplicate-id", "/graph/nodes/1"),
        ("duplicate-id", "/graph/edges/1"),
        ("duplicate-id", "/graph/groups/1"),
    ]


def test_a_second_definition_of_an_id_is_nobodys() -> None:
    broken = a_graph(
        nodes=[node("i", component="subgraph:s", inputs=[], outputs=[])],
        subgraphs=[definition("s", name="first"), definition("s", name="second")],
    )

    found = repaired(broken).graph

    assert [(one.subgraph_id, one.name) for one in found.subgraphs] == [
        ("s", "first"),
        ("s~2", "second"),
    ]
    assert places(broken) == [("duplicate-id", "/graph/subgraphs/1")]


def test_members_that_are_not_there_or_elsewhere_already_are_dropped() -> None:
    broken = a_graph(
        nodes=[node("a"), node("b")],
        groups=[group("g", "a", "gone", "a"), group("h", "a", "b")],
    )

    assert [one.node_ids for one in repaired(broken).graph.groups] == [("a",), ("b",)]
    assert places(broken) == [
        ("member-dropped", "/graph/groups/0/nodeIds/1"),
        ("member-dropped", "/graph/groups/0/nodeIds/2"),
        ("member-dropped", "/graph/groups/1/nodeIds/0"),
    ]


@pytest.mark.parametrize(
    ("parents", "expected", "cut"),
    [
        ({"a": "b", "b": None}, {"a": "b", "b": None}, []),
        ({"a": "gone"}, {"a": None}, [0]),
        ({"a": "a"}, {"a": None}, [0]),
        ({"a": "b", "b": "c", "c": "a"}, {"a": None, "b": "c", "c": "a"}, [0]),
        ({"x": "a", "a": "b", "b": "a"}, {"x": "a", "a": None, "b": "a"}, [1]),
        ({"x": "y", "y": "gone", "z": "y"}, {"x": "y", "y": None, "z": "y"}, [1]),
        ({"a": "c", "b": "c", "c": None}, {"a": "c", "b": "c", "c": None}, []),
    ],
)
def test_groups_are_a_forest(
    parents: dict[str, str | None], expected: dict[str, str | None], cut: list[int]
) -> None:
    broken = a_graph(groups=[group(one, parent_group_id=up) for one, up in parents.items()])

    assert {one.group_id: one.parent_group_id for one in repaired(broken).graph.groups} == expected
    assert places(broken) == [
        ("parent-dropped", f"/graph/groups/{number}/parentGroupId") for number in cut
    ]


@pytest.mark.timeout(20)
def test_a_long_row_of_groups_is_walked_once() -> None:
    count = 20_000
    broken = a_graph(
        groups=[group(f"g{n}", parent_group_id=f"g{min(n + 1, count - 3)}") for n in range(count)]
    )

    assert [one.path for one in repaired(broken).notices] == [
        f"/graph/groups/{count - 3}/parentGroupId"
    ]


@pytest.mark.parametrize("at", [(NAN, 0), (0, INF), (-INF, 0), (2e7, 0), (0, -1e300), (10**400, 0)])
def test_a_node_at_no_possible_place_is_put_beside_the_others(at: tuple[float, float]) -> None:
    broken = a_graph(nodes=[node("a"), node("b", at=at), node("c", at=(280, 0)), node("d", at=at)])

    found = repaired(broken).graph

    boxes = list(graph_of(state(*found.nodes)).boxes(None))
    assert [one.position for one in found.nodes][::2] == [Position(0, 0), Position(280, 0)]
    assert not any(one.overlaps(two) for n, one in enumerate(boxes) for two in boxes[:n])
    assert places(broken) == [
        ("position-repaired", "/graph/nodes/1"),
        ("position-repaired", "/graph/nodes/3"),
    ]


@pytest.mark.parametrize("size", [Size(NAN, 1), Size(1, -1), Size(INF, 1), Size(1e9, 1)])
def test_an_impossible_size_or_frame_is_left_out(size: Size) -> None:
    frame = Bounds(0, 0, size.width, size.height)
    broken = a_graph(nodes=[node("a", size=size)], groups=[group("g", bounds=frame)])

    found = repaired(broken).graph

    assert found.nodes[0].size is None
    assert found.groups[0].bounds is None
    assert places(broken) == [
        ("size-repaired", "/graph/nodes/0"),
        ("bounds-repaired", "/graph/groups/0/bounds"),
    ]


def test_impossible_bends_and_anchors_are_left_out() -> None:
    line = edge("e", "a.out", "a.in", waypoints=(Position(NAN, 0), Position(1, 1)))
    inner = definition("s", nodes=[node("a")], edges=[line], input_anchor=Position(INF, 0))

    found = repaired(a_graph(subgraphs=[inner]))

    assert found.graph.subgraphs[0].edges[0].waypoints == (Position(1, 1),)
    assert found.graph.subgraphs[0].input_anchor == Position(0, 0)
    assert [one.path for one in found.notices] == [
        "/graph/subgraphs/0/edges/0",
        "/graph/subgraphs/0/inputAnchor",
    ]


def test_ports_of_an_instance_follow_the_definition_by_id_then_by_name() -> None:
    ports = [port("one", port_id="1"), port("two", port_id="2"), port("three", port_id="3")]
    own = [port("two", native={"slot": 0}), port("1", native={"slot": 1}), port("old")]
    broken = a_graph(
        nodes=[node("x"), node("i", component="subgraph:s", inputs=own, outputs=[])],
        edges=[
            edge("e1", "x.out", "i.1"),
            edge("e2", "x.out", "i.two"),
            edge("e3", "x.out", "i.old"),
        ],
        subgraphs=[definition("s", inputs=ports)],
    )

    found = repaired(broken).graph

    assert [(one.port_id, one.native) for one in found.nodes[1].inputs] == [
        ("1", {"slot": 1}),
        ("2", {"slot": 0}),
        ("3", None),
    ]
    assert edges_of(broken) == {"e1": "x.out i.1", "e2": "x.out i.2"}
    assert places(broken) == [("edge-dropped", "/graph/edges/2/target")]


def test_an_output_with_the_id_of_an_input_gets_one_of_its_own() -> None:
    inner = definition(
        "s",
        nodes=[node("a")],
        edges=[edge("in", "<input.p", "a.in"), edge("out", "a.out", ">output.p")],
        inputs=["p"],
        outputs=["p"],
    )
    both = node("i", component="subgraph:s", inputs=["p"], outputs=["p"])
    sound = a_graph(nodes=[both, node("y")], edges=[edge("iy", "i.p", "y.in")], subgraphs=[inner])

    found = repaired(sound)

    made = found.graph.subgraphs[0]
    assert [one.port_id for one in (*made.inputs, *made.outputs)] == ["p", "p~2"]
    assert [show(one.target) for one in made.edges] == ["a.in", ">output.p~2"]
    assert edges_of(sound) == {"iy": "i.p~2 y.in"}
    assert found.notices == []


def test_an_instance_of_a_definition_that_is_not_there_is_missing() -> None:
    lost = node("i", component="subgraph:gone", native={"id": 1})
    broken = a_graph(nodes=[lost, node("x")], edges=[edge("e", "x.out", "i.in")])

    found = repaired(broken).graph

    assert (found.nodes[0].status, found.nodes[0].native) == ("missing", {"id": 1})
    assert edges_of(broken) == {"e": "x.out i.in"}
    assert places(broken) == [("unknown-subgraph", "/graph/nodes/0")]


def test_what_has_another_form_than_the_graph_is_pointed_at_as_a_whole() -> None:
    broken = a_graph(nodes=[node("a"), node("a")])

    assert [one.path for one in repaired(broken, exact=False).notices] == [""]


@given(broken_states())
@settings(max_examples=150, deadline=None)
def test_whatever_a_file_holds_comes_out_sound_and_stays_so(broken: ProjectState) -> None:
    once = repaired(broken.graph)

    again = repaired(once.graph)
    assert again.notices == []
    assert again.graph == once.graph
    assert check_all(graph_of(state_of_root(once.graph))) == []


def state_of_root(graph: Graph) -> ProjectState:
    """The root alone: the ids of a file are unique within each scope, not over all of them."""
    bare = [
        definition(one.subgraph_id, inputs=one.inputs, outputs=one.outputs)
        for one in graph.subgraphs
    ]
    return state(*graph.nodes, edges=graph.edges, groups=graph.groups, subgraphs=bare)
