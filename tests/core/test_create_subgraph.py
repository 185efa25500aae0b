from typing import Any

import pytest

from protocol.graph import Bounds, Position
from tests.core.builders import component, definition, edge, group, instance, node, port
from tests.core.subgraph_bench import Bench, bench


def chain(format_: str | None = None) -> Bench:
    """a -> b -> c -> d in a row."""
    return bench(
        *(node(name, at=(300 * x, 0)) for x, name in enumerate("abcd")),
        edges=[
            edge("ab", "a.out", "b.in"),
            edge("bc", "b.out", "c.in"),
            edge("cd", "c.out", "d.in"),
        ],
        format_=format_,
    )


def test_nodes_become_one_instance_with_their_outer_edges() -> None:
    desk = chain()

    effects = desk.do(
        "create-subgraph", nodeIds=["b", "c"], name="Both", subgraphId="s", instanceId="i"
    )

    made = desk.definition("s")
    entry, exit_ = made.inputs[0].port_id, made.outputs[0].port_id
    assert list(desk.nodes()) == ["a", "d", "i"]
    assert list(desk.nodes("s")) == ["b", "c"]
    assert desk.edges() == {"ab": f"a.out i.{entry}", "cd": f"i.{exit_} d.in"}
    assert list(desk.edges("s").values()) == [
        "b.out c.in",
        f"<input.{entry} b.in",
        f"c.out >output.{exit_}",
    ]
    assert (made.name, made.inputs[0].name, made.outputs[0].name) == ("Both", "in", "out")
    assert effects.created.subgraphs == ("s",)
    assert effects.updated.nodes == ("b", "c")
    assert effects.dropped_edges == ()


def test_an_instance_stands_in_the_middle_of_what_it_stands_for() -> None:
    desk = chain()

    desk.do("create-subgraph", nodeIds=["b", "c"], instanceId="i", subgraphId="s")

    assert desk.nodes()["i"].position == Position(450, 0)
    assert desk.nodes("s")["b"].position == Position(300, 0)
    assert desk.definition("s").input_anchor == Position(250, 44)
    assert desk.definition("s").output_anchor == Position(890, 44)


def test_an_instance_at_the_edge_of_the_world_stays_in_it() -> None:
    desk = bench(node("a", at=(-1e7, -1e7)))

    desk.do("create-subgraph", nodeIds=["a"], instanceId="i")

    assert desk.nodes()["i"].position == Position(-1e7, -1e7)


def test_one_outside_source_that_feeds_many_becomes_one_input_that_feeds_all() -> None:
    desk = bench(
        node("source"),
        node("one", at=(0, 100)),
        node("two", at=(0, 50), inputs=["x"]),
        edges=[
            edge("e1", "source.out", "one.in", label="first"),
            edge("e2", "source.out", "two.x", label="second"),
        ],
    )

    effects = desk.do("create-subgraph", nodeIds=["one", "two"], subgraphId="s", instanceId="i")

    made = desk.definition("s")
    entry = made.inputs[0].port_id
    assert [(one.name, one.multiple) for one in made.inputs] == [("x", False)]
    assert desk.edges() == {"e1": f"source.out i.{entry}"}
    assert sorted(desk.edges("s").values()) == [f"<input.{entry} one.in", f"<input.{entry} two.x"]
    assert [(one.scope, one.edge.edge_id) for one in effects.dropped_edges] == [(None, "e2")]


def test_one_inner_output_that_feeds_many_outside_becomes_one_output() -> None:
    desk = bench(
        node("inner"),
        node("one"),
        node("two"),
        edges=[edge("e1", "inner.out", "one.in"), edge("e2", "inner.out", "two.in")],
    )

    effects = desk.do("create-subgraph", nodeIds=["inner"], subgraphId="s", instanceId="i")

    exit_ = desk.definition("s").outputs[0].port_id
    assert desk.edges() == {"e1": f"i.{exit_} one.in", "e2": f"i.{exit_} two.in"}
    assert list(desk.edges("s").values()) == [f"inner.out >output.{exit_}"]
    assert effects.dropped_edges == ()


def test_ports_of_a_new_subgraph_are_in_order_of_place_and_named_apart() -> None:
    desk = bench(
        *(node(f"s{n}") for n in range(4)),
        node("low", at=(0, 500), inputs=["image", "mask"], outputs=["image"]),
        node("right", at=(400, 100), inputs=["image"], outputs=["image"]),
        node("left", at=(0, 100), inputs=["image"], outputs=["image"]),
        node("end", inputs=["a", "b", "c"]),
        edges=[
            edge("e0", "s0.out", "low.mask"),
            edge("e1", "s1.out", "low.image"),
            edge("e2", "s2.out", "right.image"),
            edge("e3", "s3.out", "left.image"),
            edge("o1", "low.image", "end.a"),
            edge("o2", "right.image", "end.b"),
            edge("o3", "left.image", "end.c"),
        ],
    )

    desk.do("create-subgraph", nodeIds=["low", "right", "left"], subgraphId="s", instanceId="i")

    made = desk.definition("s")
    assert [one.name for one in made.inputs] == ["image", "image 2", "image 3", "mask"]
    assert [one.name for one in made.outputs] == ["image", "image 2", "image 3"]
    by_port = {str(one.port_id): one.name for one in (*made.inputs, *made.outputs)}
    named = [
        " ".join(f"{side.split('.')[0]}.{by_port.get(side.split('.')[1], '')}" for side in pair)
        for pair in (text.split(" ") for text in desk.edges().values())
    ]
    assert named == [
        "s0. i.mask",
        "s1. i.image 3",
        "s2. i.image 2",
        "s3. i.image",
        "i.image 3 end.",
        "i.image 2 end.",
        "i.image end.",
    ]


@pytest.mark.parametrize(("types", "expected"), [(("A", "A"), "A"), (("A", "B"), "A,B")])
def test_an_input_that_feeds_unlike_inputs_has_the_type_of_its_source(
    types: tuple[str, str], expected: str
) -> None:
    desk = bench(
        node("source", outputs=[port("out", "A,B")]),
        node("one", inputs=[port("in", types[0])]),
        node("two", inputs=[port("in", types[1])]),
        edges=[edge("e1", "source.out", "one.in"), edge("e2", "source.out", "two.in")],
    )

    desk.do("create-subgraph", nodeIds=["one", "two"], subgraphId="s")

    assert [one.data_type for one in desk.definition("s").inputs] == [expected]


def test_two_sources_of_one_multiple_input_become_two_inputs() -> None:
    desk = bench(
        node("a"),
        node("b"),
        node("c", inputs=[port("in", multiple=True)]),
        edges=[edge("ac", "a.out", "c.in"), edge("bc", "b.out", "c.in")],
    )

    desk.do("create-subgraph", nodeIds=["c"], subgraphId="s", instanceId="i")

    assert [one.name for one in desk.definition("s").inputs] == ["in", "in 2"]
    assert list(desk.edges()) == ["ac", "bc"]


@pytest.mark.parametrize("format_", ["comfyui", "comfyui-api"])
def test_nodes_that_others_stand_between_would_make_a_cycle(format_: str) -> None:
    desk = chain(format_)

    refusal = desk.refused("create-subgraph", nodeIds=["a", "d"])

    assert refusal.code == "would-create-cycle"
    assert refusal.details == {"path": ["a", "b", "c", "d"]}


@pytest.mark.parametrize("format_", [None, "node-red", "n8n"])
def test_formats_with_cycles_allow_others_in_between(format_: str | None) -> None:
    desk = chain(format_)

    desk.do("create-subgraph", nodeIds=["a", "d"], subgraphId="s")

    assert list(desk.nodes("s")) == ["a", "d"]


def test_a_third_subgraph_beside_two_others_is_no_cycle() -> None:
    desk = chain("comfyui")
    desk.do("create-subgraph", nodeIds=["a"], instanceId="i1")
    desk.do("create-subgraph", nodeIds=["b"], instanceId="i2")

    desk.do("create-subgraph", nodeIds=["i1", "i2"], subgraphId="s")
    refusal = desk.refused("create-subgraph", nodeIds=[list(desk.nodes())[-1], "d"])

    assert list(desk.nodes("s")) == ["i1", "i2"]
    assert refusal.code == "would-create-cycle"


def test_groups_wholly_inside_move_in_and_others_keep_the_rest() -> None:
    desk = bench(
        *(node(name) for name in "abcd"),
        groups=[
            group("outer", "c"),
            group("whole", "a", parent_group_id="outer"),
            group("empty", parent_group_id="whole"),
            group("part", "b", "d", parent_group_id="outer"),
            group("apart"),
        ],
    )

    desk.do("create-subgraph", nodeIds=["a", "b"], subgraphId="s", instanceId="i")

    inside, outside = desk.groups("s"), desk.groups()
    assert {name: one.node_ids for name, one in inside.items()} == {"whole": ("a",), "empty": ()}
    assert [one.parent_group_id for one in inside.values()] == [None, "whole"]
    assert {name: one.node_ids for name, one in outside.items()} == {
        "outer": ("c", "i"),
        "part": ("d",),
        "apart": (),
    }


def test_an_instance_joins_the_group_that_all_nodes_share() -> None:
    desk = bench(
        node("a"),
        node("b"),
        node("c"),
        groups=[group("g", "a", "b", "c", bounds=Bounds(0, 0, 9, 9))],
    )

    desk.do("create-subgraph", nodeIds=["a", "b"], instanceId="i")

    frame = desk.groups()["g"].bounds
    assert desk.groups()["g"].node_ids == ("c", "i")
    assert frame == Bounds(-10, -42, 260, 172)


def test_a_group_stands_for_its_members_at_all_depths() -> None:
    desk = bench(
        *(node(name) for name in "abc"),
        groups=[group("outer", "a"), group("inner", "b", parent_group_id="outer"), group("no")],
    )

    desk.do("create-subgraph", groupIds=["outer", "no"], subgraphId="s", instanceId="i")

    assert set(desk.nodes("s")) == {"a", "b"}
    assert set(desk.groups("s")) == {"outer", "inner", "no"}
    assert desk.groups() == {}


def with_parameter(name: str = "n") -> Bench:
    spec = {"name": "seed", "dataType": "INT", "default": 7}
    widget = port("seed", "INT", parameter="seed")
    desk = bench(
        node("source", outputs=[port("out", "INT")]),
        node(name, inputs=["in", widget], parameters={"seed": 5, "text": "hello"}),
    )
    desk.do(
        "set-component",
        componentId="any",
        component={
            "componentId": "any",
            "name": "Any",
            "kind": "builtin",
            "openSchema": True,
            "inputs": [
                {"name": "in", "dataType": "*"},
                {"name": "seed", "dataType": "INT", "parameter": "seed"},
            ],
            "outputs": [{"name": "out", "dataType": "*"}],
            "parameters": [spec, {"name": "text", "dataType": "STRING"}],
        },
    )
    return desk


def test_a_promoted_parameter_becomes_an_input_whose_value_the_instance_holds() -> None:
    desk = with_parameter()

    desk.do(
        "create-subgraph",
        nodeIds=["n"],
        subgraphId="s",
        instanceId="i",
        promote=[{"nodeId": "n", "parameter": "seed"}, {"nodeId": "n", "parameter": "text"}],
    )

    made = desk.definition("s").inputs
    assert [(one.name, one.data_type, one.parameter) for one in made] == [
        ("seed", "INT", "seed"),
        ("text", "STRING", "text"),
    ]
    assert desk.nodes()["i"].parameters == {"seed": 5, "text": "hello"}
    assert desk.nodes("s")["n"].parameters == {"seed": 5, "text": "hello"}
    assert list(desk.edges("s").values()) == [
        f"<input.{made[0].port_id} n.seed",
        f"<input.{made[1].port_id} n.text",
    ]


def test_a_promoted_parameter_that_is_fed_from_outside_shares_the_input() -> None:
    desk = with_parameter()
    desk.do(
        "connect",
        edgeId="e",
        source={"nodeId": "source", "portId": "out"},
        target={"nodeId": "n", "portId": "seed"},
    )

    desk.do(
        "create-subgraph",
        nodeIds=["n"],
        subgraphId="s",
        instanceId="i",
        promote=[{"nodeId": "n", "parameter": "seed"}],
    )

    made = desk.definition("s").inputs
    assert [(one.name, one.parameter) for one in made] == [("seed", "seed")]
    assert desk.nodes()["i"].parameters == {"seed": 5}
    assert desk.edges() == {"e": f"source.out i.{made[0].port_id}"}


@pytest.mark.parametrize(
    ("promotion", "code"),
    [
        ({"nodeId": "n", "parameter": "nothing"}, "unknown-parameter"),
        ({"nodeId": "gone", "parameter": "seed"}, "unknown-node"),
        ({"nodeId": "source", "parameter": "seed"}, "invalid-command"),
    ],
)
def test_a_promotion_of_what_is_not_there_is_refused(promotion: dict[str, str], code: str) -> None:
    desk = with_parameter()

    assert desk.refused("create-subgraph", nodeIds=["n"], promote=[promotion]).code == code


def test_a_parameter_that_is_fed_inside_cannot_be_promoted() -> None:
    desk = with_parameter()
    desk.do(
        "connect",
        source={"nodeId": "source", "portId": "out"},
        target={"nodeId": "n", "portId": "seed"},
    )

    refusal = desk.refused(
        "create-subgraph", nodeIds=["n", "source"], promote=[{"nodeId": "n", "parameter": "seed"}]
    )

    assert refusal.code == "port-occupied"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"nodeIds": []}, "invalid-command"),
        ({"groupIds": ["empty"]}, "invalid-command"),
        ({"nodeIds": ["a", "gone"]}, "unknown-node"),
        ({"groupIds": ["gone"]}, "unknown-group"),
        ({"nodeIds": ["inner"]}, "cross-scope"),
        ({"nodeIds": ["a"], "name": " "}, "invalid-name"),
        ({"nodeIds": ["a"], "instanceId": "i"}, "id-in-use"),
        ({"nodeIds": ["a"], "subgraphId": "t"}, "id-in-use"),
        ({"nodeIds": ["a"], "subgraphId": "named"}, "id-in-use"),
        ({"nodeIds": ["a"], "instanceId": "\n"}, "invalid-command"),
    ],
)
def test_what_cannot_become_a_subgraph_is_refused(fields: dict[str, Any], code: str) -> None:
    inner = definition("t", nodes=[node("inner")])
    lost = node("lost", component="subgraph:named", status="missing")
    desk = bench(node("a"), instance("i", inner), lost, groups=[group("empty")], subgraphs=[inner])

    assert desk.refused("create-subgraph", **fields).code == code


def test_an_id_of_a_removed_definition_is_never_used_again() -> None:
    desk = chain()
    desk.do("create-subgraph", nodeIds=["b"], subgraphId="s", instanceId="i")
    desk.do("dissolve-subgraph", nodeId="i")

    refusals = [
        desk.refused("create-subgraph", nodeIds=["b"], **{name: id_}).code
        for name, id_ in (("subgraphId", "s"), ("instanceId", "i"))
    ]

    assert refusals == ["id-retired", "id-retired"]


def test_a_subgraph_in_a_definition_takes_over_its_boundary_edges() -> None:
    inner = definition(
        "s",
        nodes=[node("n")],
        edges=[edge("in", "<input.x", "n.in"), edge("out", "n.out", ">output.y")],
        inputs=["x"],
        outputs=["y"],
    )
    desk = bench(instance("i", inner), instance("j", inner), subgraphs=[inner])

    desk.do("create-subgraph", scope="s", nodeIds=["n"], subgraphId="t", instanceId="k")

    made = desk.definition("t")
    assert desk.edges("s") == {
        "in": f"<input.x k.{made.inputs[0].port_id}",
        "out": f"k.{made.outputs[0].port_id} >output.y",
    }
    assert list(desk.nodes("t")) == ["n"]
    assert desk.definition("s").inputs == inner.inputs


def test_definitions_nest_32_levels_deep_and_no_deeper() -> None:
    desk = bench(node("n"))
    desk.do("create-subgraph", nodeIds=["n"], subgraphId="s1", instanceId="i1")
    for level in range(2, 33):
        desk.do(
            "create-subgraph",
            scope=f"s{level - 1}",
            nodeIds=["n"],
            subgraphId=f"s{level}",
            instanceId=f"i{level}",
        )

    outermost = desk.refused("create-subgraph", nodeIds=["i1"])
    innermost = desk.refused("create-subgraph", scope="s32", nodeIds=["n"])

    assert [outermost.code, innermost.code] == ["depth-limit", "depth-limit"]


def test_missing_nodes_move_in_as_they_are() -> None:
    raw = node("m", status="missing", native={"id": 9, "type": "Gone"})
    desk = bench(raw)

    desk.do("create-subgraph", nodeIds=["m"], subgraphId="s")

    assert desk.nodes("s")["m"] == raw


def test_renaming_a_definition_changes_no_node_and_no_edge() -> None:
    inner = definition("s", nodes=[node("n")])
    desk = bench(instance("i", inner), instance("j", inner, name="Own"), subgraphs=[inner])
    nodes = desk.nodes()

    effects = desk.do("rename-subgraph", subgraphId="s", name=" New ")

    assert desk.definition("s").name == "New"
    assert desk.nodes() == nodes
    assert effects.updated.subgraphs == ("s",)
    assert effects.updated.nodes == ()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"subgraphId": "gone", "name": "x"}, "unknown-subgraph"),
        ({"subgraphId": "s", "name": ""}, "invalid-name"),
        ({"subgraphId": "s", "name": "x" * 256}, "invalid-name"),
    ],
)
def test_impossible_names_of_definitions_are_refused(fields: dict[str, str], code: str) -> None:
    inner = definition("s", nodes=[node("n")])
    desk = bench(instance("i", inner), subgraphs=[inner])

    assert desk.refused("rename-subgraph", **fields).code == code


def test_the_same_name_again_changes_nothing() -> None:
    inner = definition("s", nodes=[node("n")])
    desk = bench(instance("i", inner), subgraphs=[inner], components=[component("c")])

    assert desk.do("rename-subgraph", subgraphId="s", name="s").updated.subgraphs == ()
