import pytest

from protocol.graph import Bounds, Position, SubgraphDefinition
from tests.core.builders import definition, edge, group, instance, node, port
from tests.core.subgraph_bench import Bench, bench


def twice() -> Bench:
    """x -> [a -> b] -> y, and a second instance of the same definition."""
    inner = definition(
        "s",
        nodes=[node("a", at=(0, 0)), node("b", at=(300, 0))],
        edges=[
            edge("in", "<input.p", "a.in"),
            edge("ab", "a.out", "b.in"),
            edge("out", "b.out", ">output.q"),
        ],
        groups=[group("g", "a")],
        inputs=["p"],
        outputs=["q"],
    )
    return bench(
        node("x", at=(1000, 1000)),
        instance("i", inner, at=(1500, 1000)),
        node("y", at=(2000, 1000)),
        instance("j", inner),
        edges=[edge("xi", "x.out", "i.p"), edge("iy", "i.q", "y.in")],
        subgraphs=[inner],
    )


def test_the_last_instance_gives_its_things_away_under_their_ids() -> None:
    desk = twice()
    desk.do("remove-node", nodeId="j")

    effects = desk.do("dissolve-subgraph", nodeId="i")

    assert desk.graph.subgraphs == {}
    assert list(desk.nodes()) == ["x", "y", "a", "b"]
    assert desk.edges() == {"xi": "x.out a.in", "iy": "b.out y.in", "ab": "a.out b.in"}
    assert desk.groups()["g"].node_ids == ("a",)
    assert effects.id_map == ()
    assert effects.dropped_edges == ()
    assert effects.removed.subgraphs == ("s",)
    assert effects.updated.nodes == ("a", "b")


def test_one_of_two_instances_gives_copies_and_leaves_all_else_as_it_was() -> None:
    desk = twice()
    definition_before = desk.state().graph.subgraphs
    other_before = desk.nodes()["j"]

    effects = desk.do("dissolve-subgraph", nodeId="i")

    new = {one.old: one.new for one in effects.id_map}
    a, b = new["a"], new["b"]
    assert desk.state().graph.subgraphs == definition_before
    assert desk.nodes()["j"] == other_before
    assert set(new) == {"a", "b", "ab", "g"}
    assert {one.scope for one in effects.id_map} == {"s"}
    assert desk.edges() == {
        "xi": f"x.out {a}.in",
        "iy": f"{b}.out y.in",
        new["ab"]: f"{a}.out {b}.in",
    }
    assert desk.groups()[new["g"]].node_ids == (a,)


def test_contents_keep_their_shape_around_the_middle_of_the_instance() -> None:
    desk = twice()
    desk.do("remove-node", nodeId="j")

    desk.do("dissolve-subgraph", nodeId="i")

    assert desk.nodes()["a"].position == Position(1350, 1000)
    assert desk.nodes()["b"].position == Position(1650, 1000)


def test_contents_wider_than_the_room_that_is_left_stay_in_the_world() -> None:
    inner = definition("s", nodes=[node("a", at=(-1e7, 0)), node("b", at=(1e7, 0))])
    desk = bench(instance("i", inner, at=(1e7, 5)), subgraphs=[inner])

    desk.do("dissolve-subgraph", nodeId="i")

    assert [one.position for one in desk.nodes().values()] == [Position(-1e7, 5), Position(1e7, 5)]


def test_bends_and_frames_move_with_the_contents() -> None:
    inner = definition(
        "s",
        nodes=[node("a"), node("b")],
        edges=[edge("ab", "a.out", "b.in", waypoints=(Position(10, 20),))],
        groups=[group("g", "a", bounds=Bounds(-10, -42, 260, 172))],
    )
    desk = bench(instance("i", inner, at=(100, 200)), subgraphs=[inner])

    desk.do("dissolve-subgraph", nodeId="i")

    assert desk.edge("ab").waypoints == (Position(110, 220),)
    assert desk.groups()["g"].bounds == Bounds(90, 158, 260, 172)


def fan(*, outer: int, inner: int) -> Bench:
    """Some outer sources on one multiple input that feeds some inner nodes."""
    contents = definition(
        "s",
        nodes=[node(f"n{n}", inputs=[port("in", multiple=True)]) for n in range(inner)],
        edges=[edge(f"e{n}", "<input.p", f"n{n}.in") for n in range(inner)],
        inputs=[port("p", multiple=True)],
    )
    return bench(
        *(node(f"o{n}") for n in range(outer)),
        instance("i", contents),
        edges=[edge(f"x{n}", f"o{n}.out", "i.p", label=f"l{n}") for n in range(outer)],
        subgraphs=[contents],
    )


def test_every_outer_edge_is_joined_with_every_inner_one() -> None:
    desk = fan(outer=2, inner=3)

    effects = desk.do("dissolve-subgraph", nodeId="i")

    assert sorted(desk.edges().values()) == sorted(
        f"o{x}.out n{y}.in" for x in range(2) for y in range(3)
    )
    assert desk.edges()["x0"] == "o0.out n0.in"
    assert desk.edges()["x1"] == "o1.out n0.in"
    assert {desk.edge(id_).label for id_ in ("x0", "x1")} == {"l0", "l1"}
    assert effects.dropped_edges == ()


def test_a_pass_through_joins_what_is_outside() -> None:
    inner = definition(
        "s", edges=[edge("through", "<input.p", ">output.q")], inputs=["p"], outputs=["q"]
    )
    desk = bench(
        node("x"),
        instance("i", inner),
        node("y"),
        node("z"),
        edges=[edge("xi", "x.out", "i.p"), edge("iy", "i.q", "y.in"), edge("iz", "i.q", "z.in")],
        subgraphs=[inner],
    )

    effects = desk.do("dissolve-subgraph", nodeId="i")

    assert desk.edges() == {"iy": "x.out y.in", "iz": "x.out z.in"}
    assert set(effects.removed.edges) == {"through", "xi"}
    assert effects.dropped_edges == ()


def test_an_instance_that_feeds_itself_is_joined_through() -> None:
    inner = definition(
        "s",
        nodes=[node("n")],
        edges=[edge("in", "<input.p", "n.in"), edge("out", "n.out", ">output.q")],
        inputs=["p"],
        outputs=["q"],
    )
    desk = bench(instance("i", inner), edges=[edge("loop", "i.q", "i.p")], subgraphs=[inner])

    desk.do("dissolve-subgraph", nodeId="i")

    assert desk.edges() == {"loop": "n.out n.in"}


@pytest.mark.timeout(20)
def test_a_ring_of_pass_throughs_ends() -> None:
    ports = [f"p{n}" for n in range(600)]
    inner = definition(
        "s",
        edges=[edge(f"t{name}", f"<input.{name}", f">output.{name}") for name in ports],
        inputs=ports,
        outputs=ports,
    )
    loops = [
        edge(f"l{name}", f"i.{name}", f"i.{after}")
        for name, after in zip(ports, [*ports[1:], ports[0]], strict=True)
    ]
    desk = bench(
        instance("i", inner),
        node("y"),
        edges=[*loops, edge("y", "i.p0", "y.in")],
        subgraphs=[inner],
    )

    effects = desk.do("dissolve-subgraph", nodeId="i")

    assert desk.edges() == {}
    assert len(effects.dropped_edges) == 601


def test_a_single_inner_input_takes_the_first_of_many_and_the_rest_is_reported() -> None:
    inner = definition(
        "s",
        nodes=[node("n")],
        edges=[edge("in", "<input.p", "n.in")],
        inputs=[port("p", multiple=True)],
    )
    desk = bench(
        node("x"),
        node("y"),
        instance("i", inner),
        edges=[edge("xi", "x.out", "i.p"), edge("yi", "y.out", "i.p")],
        subgraphs=[inner],
    )

    effects = desk.do("dissolve-subgraph", nodeId="i")

    assert desk.edges() == {"xi": "x.out n.in"}
    assert [one.edge.edge_id for one in effects.dropped_edges] == ["yi"]


def test_an_edge_that_was_there_already_stands_for_a_joined_one() -> None:
    inner = definition(
        "s", edges=[edge("through", "<input.p", ">output.q")], inputs=["p"], outputs=["q"]
    )
    desk = bench(
        node("x"),
        instance("i", inner),
        node("y", inputs=[port("in", multiple=True)]),
        edges=[
            edge("xy", "x.out", "y.in"),
            edge("xi", "x.out", "i.p"),
            edge("iy", "i.q", "y.in"),
        ],
        subgraphs=[inner],
    )

    effects = desk.do("dissolve-subgraph", nodeId="i")

    assert desk.edges() == {"xy": "x.out y.in"}
    assert effects.dropped_edges == ()
    assert set(effects.removed.edges) == {"through", "xi", "iy"}


def test_an_outer_edge_that_leads_nowhere_inside_is_reported() -> None:
    inner = definition("s", nodes=[node("n")], inputs=["p"], outputs=["q"])
    desk = bench(
        node("x"),
        instance("i", inner),
        edges=[edge("xi", "x.out", "i.p"), edge("ix", "i.q", "x.in")],
        subgraphs=[inner],
    )

    effects = desk.do("dissolve-subgraph", nodeId="i")

    assert desk.edges() == {}
    assert [one.edge.edge_id for one in effects.dropped_edges] == ["xi", "ix"]


def many_widgets(count: int) -> SubgraphDefinition:
    widgets = [port(f"w{n}", "INT", parameter=f"w{n}") for n in range(count)]
    return definition(
        "s",
        nodes=[node("n", inputs=widgets, parameters={"w0": 0})],
        edges=[edge(f"e{n}", f"<input.p{n}", f"n.w{n}") for n in range(count)],
        inputs=[port(f"p{n}", "INT", parameter=f"p{n}") for n in range(count)],
    )


def test_no_edge_into_a_parameter_is_lost() -> None:
    inner = many_widgets(35)
    desk = bench(
        node("x", outputs=[port("out", "INT")]),
        instance("i", inner),
        edges=[edge(f"o{n}", "x.out", f"i.p{n}") for n in range(35)],
        subgraphs=[inner],
    )

    effects = desk.do("dissolve-subgraph", nodeId="i")

    assert desk.edges() == {f"o{n}": f"x.out n.w{n}" for n in range(35)}
    assert effects.dropped_edges == ()


def test_a_value_goes_into_the_parameter_that_it_fed_unless_an_edge_overrides_it() -> None:
    inner = many_widgets(4)
    desk = bench(
        node("x", outputs=[port("out", "INT")]),
        instance("i", inner, parameters={"p0": 1, "p1": None, "p2": 3}),
        edges=[edge("xi", "x.out", "i.p2")],
        subgraphs=[inner],
    )

    effects = desk.do("dissolve-subgraph", nodeId="i")

    assert desk.nodes()["n"].parameters == {"w0": 1, "w1": None}
    assert desk.edges() == {"xi": "x.out n.w2"}
    assert [one.code for one in effects.warnings] == ["value-dropped"]


def test_a_value_of_one_instance_is_no_value_of_another() -> None:
    inner = many_widgets(1)
    desk = bench(
        instance("i", inner, parameters={"p0": 1}),
        instance("j", inner, parameters={"p0": 2}),
        subgraphs=[inner],
    )

    effects = desk.do("dissolve-subgraph", nodeId="i")

    copy = next(one.new for one in effects.id_map if one.old == "n")
    assert desk.nodes()[copy].parameters == {"w0": 1}
    assert desk.nodes("s")["n"].parameters == {"w0": 0}
    assert desk.nodes()["j"].parameters == {"p0": 2}


def test_contents_join_the_group_of_the_instance() -> None:
    inner = definition("s", nodes=[node("a"), node("b", at=(300, 0))], groups=[group("inner", "a")])
    desk = bench(
        node("x"),
        instance("i", inner),
        groups=[group("outer", "i", "x", bounds=Bounds(0, 0, 10, 10))],
        subgraphs=[inner],
    )

    desk.do("dissolve-subgraph", nodeId="i")

    groups = desk.groups()
    assert groups["outer"].node_ids == ("b", "x")
    assert groups["inner"].parent_group_id == "outer"
    assert groups["outer"].bounds == Bounds(-160, -42, 560, 172)


def test_what_was_said_of_the_instance_is_reported() -> None:
    inner = definition("s", nodes=[node("a")])
    desk = bench(
        instance("i", inner, name="Name", annotation="Text", enabled="muted"), subgraphs=[inner]
    )

    warnings = desk.do("dissolve-subgraph", nodeId="i").warnings

    assert [one.code for one in warnings] == ["name-dropped", "annotation-dropped", "state-dropped"]
    assert "Name" in warnings[0].message
    assert "Text" in warnings[1].message


def test_a_missing_node_inside_keeps_its_raw_data() -> None:
    raw = node("m", status="missing", native={"id": 1, "type": "Gone", "widgets_values": [1, None]})
    inner = definition("s", nodes=[raw])
    desk = bench(instance("i", inner), instance("j", inner), subgraphs=[inner])

    effects = desk.do("dissolve-subgraph", nodeId="i")
    desk.do("dissolve-subgraph", nodeId="j")

    for node_id in (effects.id_map[0].new, "m"):
        found = desk.nodes()[node_id]
        assert (found.status, found.native) == ("missing", raw.native)


def test_only_one_level_is_dissolved() -> None:
    innermost = definition("t", nodes=[node("n")])
    inner = definition("s", nodes=[instance("k", innermost)])
    desk = bench(instance("i", inner), instance("j", inner), subgraphs=[inner, innermost])

    effects = desk.do("dissolve-subgraph", nodeId="i")
    desk.do("dissolve-subgraph", nodeId="j")

    copy = effects.id_map[0].new
    assert set(desk.graph.subgraphs) == {"t"}
    assert {one.component_id for one in desk.nodes().values()} == {"subgraph:t"}
    assert set(desk.nodes()) == {copy, "k"}


def test_an_instance_inside_a_definition_is_joined_to_its_boundary() -> None:
    innermost = definition(
        "t",
        nodes=[node("n")],
        edges=[edge("ti", "<input.p", "n.in"), edge("to", "n.out", ">output.q")],
        inputs=["p"],
        outputs=["q"],
    )
    inner = definition(
        "s",
        nodes=[instance("k", innermost)],
        edges=[edge("si", "<input.x", "k.p"), edge("so", "k.q", ">output.y")],
        inputs=["x"],
        outputs=["y"],
    )
    desk = bench(instance("i", inner), subgraphs=[inner, innermost])

    desk.do("dissolve-subgraph", scope="s", nodeId="k")

    assert desk.edges("s") == {"si": "<input.x n.in", "so": "n.out >output.y"}


@pytest.mark.parametrize(
    ("node_id", "code"),
    [
        ("x", "not-a-subgraph"),
        ("lost", "not-a-subgraph"),
        ("?", "unknown-node"),
        ("a", "cross-scope"),
    ],
)
def test_what_is_no_instance_is_refused(node_id: str, code: str) -> None:
    inner = definition("s", nodes=[node("a")])
    desk = bench(
        node("x"),
        node("lost", component="subgraph:gone", status="missing"),
        instance("i", inner),
        subgraphs=[inner],
    )

    assert desk.refused("dissolve-subgraph", nodeId=node_id).code == code
