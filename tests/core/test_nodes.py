from typing import Any

import pytest

from protocol.graph import Bounds, ParameterSpec, Position, Size
from sidecar.core.errors import RejectedError
from sidecar.core.graph import ProjectGraph, box_of
from tests.core.builders import (
    component,
    counter,
    definition,
    do,
    edge,
    edge_of,
    graph,
    group,
    group_of,
    instance,
    node,
    node_of,
    pairs,
    port,
    ports,
    text,
)


def xy(x: float, y: float) -> dict[str, float]:
    return {"x": x, "y": y}


def refused(whole: ProjectGraph, kind: str, **fields: Any) -> str:
    """Return the code of a refusal that leaves no trace."""
    before = text(whole)
    with pytest.raises(RejectedError) as refusal:
        do(whole, kind, world=ports(retired=[("node", "old")]), **fields)
    assert text(whole) == before
    return refusal.value.code


def catalogue() -> ProjectGraph:
    return graph(
        node("a"),
        components=[
            component(
                "blur",
                inputs=[port("image", "IMAGE")],
                outputs=[port("image", "IMAGE")],
                parameters=[
                    ParameterSpec(name="radius", data_type="INT", default=3, minimum=0, maximum=9),
                    ParameterSpec(name="mode", data_type="STRING", options=("box", "gauss")),
                ],
            )
        ],
        groups=[group("g", "a")],
        subgraphs=[definition("s", nodes=[node("inner")], groups=[group("far")])],
    )


def test_a_known_component_gives_ports_and_defaults() -> None:
    whole = catalogue()

    done = do(whole, "add-node", nodeId="n", componentId="blur", position=xy(5, 6))

    added = node_of(whole, "n")
    assert [one.port_id for one in (*added.inputs, *added.outputs)] == ["image", "image"]
    assert added.parameters == {"radius": 3}
    assert added.position == Position(5, 6)
    assert done.effects.created.nodes == ("n",)
    assert done.effects.placed == ()


def test_given_parameters_stand_beside_defaults() -> None:
    whole = catalogue()

    do(whole, "add-node", nodeId="n", componentId="blur", parameters={"mode": "box", "radius": 9})

    assert node_of(whole, "n").parameters == {"radius": 9, "mode": "box"}


def test_a_component_that_nobody_knows_takes_the_given_ports() -> None:
    whole = catalogue()

    do(
        whole,
        "add-node",
        nodeId="n",
        componentId="theirs",
        name="  Café ",
        annotation="",
        parameters={"anything": None},
        inputs=[{"name": "x", "dataType": "INT"}],
        outputs=[{"name": "y", "dataType": "*", "portId": "out"}],
        size={"width": 10, "height": 20},
    )

    added = node_of(whole, "n")
    assert added.status == "ok"
    assert (added.name, added.annotation) == ("Café", None)
    assert [one.port_id for one in (*added.inputs, *added.outputs)] == ["x", "out"]
    assert added.parameters == {"anything": None}
    assert added.size == Size(10, 20)


def test_the_ports_of_a_given_process_become_the_nodes() -> None:
    whole = catalogue()
    process = {"kind": "script", "inputs": [{"name": "x", "dataType": "INT"}]}

    do(whole, "add-node", nodeId="n", componentId="blur", process=process)

    assert [one.port_id for one in node_of(whole, "n").inputs] == ["x"]
    assert node_of(whole, "n").outputs == ()


def test_a_process_without_ports_leaves_the_components() -> None:
    whole = catalogue()

    do(whole, "add-node", nodeId="n", componentId="blur", process={"kind": "script", "code": "1"})

    assert [one.port_id for one in node_of(whole, "n").inputs] == ["image"]


def test_a_new_node_joins_a_group_whose_frame_grows() -> None:
    whole = graph(
        node("a"),
        groups=[
            group("outer", bounds=bounds(0, 0, 50, 50)),
            group("none", parent_group_id="outer"),
            group("g", "a", parent_group_id="none", bounds=bounds(0, 0, 50, 50)),
        ],
    )

    do(whole, "add-node", nodeId="n", componentId="x", groupId="g", position=xy(100, 100))

    assert group_of(whole, "g").node_ids == ("a", "n")
    assert group_of(whole, "g").bounds == bounds(0, 0, 350, 230)
    assert group_of(whole, "none").bounds is None
    assert group_of(whole, "outer").bounds == bounds(-10, -10, 370, 250)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"nodeId": "a"}, "id-in-use"),
        ({"nodeId": "inner"}, "id-in-use"),
        ({"nodeId": "old"}, "id-retired"),
        ({"nodeId": ""}, "invalid-command"),
        ({"nodeId": "x" * 129}, "invalid-command"),
        ({"nodeId": "a\x00"}, "invalid-command"),
        ({"name": ""}, "invalid-name"),
        ({"name": "   "}, "invalid-name"),
        ({"name": "x" * 256}, "invalid-name"),
        ({"name": "a\nb"}, "invalid-name"),
        ({"groupId": "no"}, "unknown-group"),
        ({"groupId": "far"}, "cross-scope"),
        ({"near": {"nodeId": "no"}}, "unknown-node"),
        ({"near": {"nodeId": "inner"}}, "cross-scope"),
        ({"position": xy(1e8, 0)}, "invalid-position"),
        ({"position": xy(0, -10_000_001)}, "invalid-position"),
        ({"position": xy(10**400, 0)}, "invalid-position"),
        ({"size": {"width": -1, "height": 1}}, "invalid-command"),
        ({"size": {"width": 1, "height": 1e300}}, "invalid-command"),
        ({"componentId": "subgraph:s"}, "invalid-component"),
        ({"componentId": ""}, "invalid-command"),
        ({"componentId": "blur", "inputs": []}, "invalid-command"),
        ({"componentId": "blur", "outputs": []}, "invalid-command"),
        ({"componentId": "blur", "parameters": {"no": 1}}, "unknown-parameter"),
        ({"componentId": "blur", "parameters": {"radius": "3"}}, "type-mismatch"),
        ({"componentId": "blur", "parameters": {"radius": True}}, "type-mismatch"),
        ({"componentId": "blur", "parameters": {"radius": 10}}, "value-not-allowed"),
        ({"componentId": "blur", "parameters": {"mode": "other"}}, "value-not-allowed"),
        ({"annotation": "é" * 32_769}, "size-limit"),
        ({"process": {"kind": "command"}}, "invalid-process"),
        (
            {"inputs": [{"name": "x", "dataType": "*"}, {"name": "x", "dataType": "*"}]},
            "invalid-command",
        ),
    ],
)
def test_add_node_refuses(fields: dict[str, Any], code: str) -> None:
    assert refused(catalogue(), "add-node", **{"componentId": "any", **fields}) == code


def test_parameters_may_be_nested_so_deep_and_no_deeper() -> None:
    deep: Any = 1
    for _ in range(63):
        deep = [deep]

    do(graph(), "add-node", componentId="any", parameters={"p": deep})

    assert refused(graph(), "add-node", componentId="any", parameters={"p": [deep]}) == "size-limit"


def test_the_persons_node_stands_exactly_where_asked() -> None:
    whole = graph(node("a"))

    do(whole, "add-node", nodeId="n", componentId="x", position=xy(1, 1))

    assert node_of(whole, "n").position == Position(1, 1)


def test_the_persons_node_without_a_position_is_placed_beside_the_last() -> None:
    whole = graph(node("a", at=(100, 50)))

    done = do(whole, "add-node", nodeId="n", componentId="x")

    assert node_of(whole, "n").position == Position(380, 50)
    assert [(one.node_id, one.position) for one in done.effects.placed] == [
        ("n", Position(380, 50))
    ]


def test_the_assistants_node_is_kept_where_it_is_free() -> None:
    whole = graph(node("a"))

    done = do(whole, "add-node", nodeId="n", componentId="x", position=xy(1000, 0.5), actor="ai")

    assert node_of(whole, "n").position == Position(1000, 0.5)
    assert done.effects.placed == ()


def test_the_assistants_node_never_lands_on_another_and_says_where_it_went() -> None:
    whole = graph(node("a"))

    done = do(whole, "add-node", nodeId="n", componentId="x", position=xy(10, 10), actor="ai")

    assert not box_of(node_of(whole, "n")).overlaps(box_of(node_of(whole, "a")))
    assert done.effects.placed[0].position == node_of(whole, "n").position


def test_a_node_goes_on_the_asked_side_of_its_neighbour() -> None:
    whole = graph(node("a", at=(0, 0)), node("b", at=(900, 900)))

    do(whole, "add-node", nodeId="n", componentId="x", near={"nodeId": "a", "side": "below"})

    assert node_of(whole, "n").position == Position(0, 192)


def test_fifty_nodes_of_the_assistant_after_removals_overlap_nothing_and_move_nothing() -> None:
    whole = graph(*(node(f"n{i}", at=(300 * (i % 5), 200 * (i // 5))) for i in range(20)))
    for gone in ("n3", "n7", "n12"):
        do(whole, "remove-node", nodeId=gone)
    stay = {one.node_id: one.position for one in whole.scopes[None].nodes.values()}
    world = ports(new_id=counter())

    for i in range(50):
        asked: Any = {"position": xy(40 * i, 30)} if i % 2 else {}
        do(whole, "add-node", componentId="x", actor="ai", world=world, **asked)

    nodes = list(whole.scopes[None].nodes.values())
    assert len(nodes) == 67
    boxes = [box_of(one) for one in nodes]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert {one.node_id: one.position for one in nodes if one.node_id in stay} == stay


def test_a_removed_node_takes_its_edges_and_leaves_its_group() -> None:
    whole = graph(
        *(node(name) for name in "abc"),
        edges=[edge("ab", "a.out", "b.in"), edge("bc", "b.out", "c.in")],
        groups=[group("g", "b")],
    )

    done = do(whole, "remove-node", nodeId="b")

    assert pairs(whole) == set()
    assert group_of(whole, "g").node_ids == ()
    assert done.effects.removed.nodes == ("b",)
    assert set(done.effects.removed.edges) == {"ab", "bc"}
    assert [gone.edge.edge_id for gone in done.effects.dropped_edges] == ["ab", "bc"]
    assert done.effects.updated.groups == ("g",)


def test_reconnecting_joins_every_pair_that_fits_and_reports_the_others() -> None:
    whole = graph(
        node("s1", outputs=[port("o", "IMAGE")]),
        node("s2", outputs=[port("o", "MASK")]),
        node("m", inputs=["x", "y"], outputs=["z"]),
        node("t1", inputs=[port("i", "IMAGE")]),
        node("t2", inputs=[port("i", "*", multiple=True)]),
        edges=[
            edge("1", "s1.o", "m.x"),
            edge("2", "s2.o", "m.y"),
            edge("3", "m.z", "t1.i"),
            edge("4", "m.z", "t2.i"),
        ],
    )

    done = do(whole, "remove-node", nodeId="m", reconnect=True)

    assert pairs(whole) == {("s1.o", "t1.i"), ("s1.o", "t2.i"), ("s2.o", "t2.i")}
    assert [warning.code for warning in done.effects.warnings] == ["not-reconnected"]


def test_reconnecting_fills_a_single_input_once() -> None:
    whole = graph(
        node("s1"),
        node("s2"),
        node("m", inputs=["x", "y"]),
        node("t"),
        edges=[edge("1", "s1.out", "m.x"), edge("2", "s2.out", "m.y"), edge("3", "m.out", "t.in")],
    )

    do(whole, "remove-node", nodeId="m", reconnect=True)

    assert pairs(whole) == {("s1.out", "t.in")}


def test_reconnecting_a_node_that_feeds_itself_only_joins_the_others() -> None:
    whole = graph(
        *(node(name, inputs=[port("in", multiple=True)]) for name in "abc"),
        edges=[edge("1", "a.out", "b.in"), edge("2", "b.out", "b.in"), edge("3", "b.out", "c.in")],
    )

    do(whole, "remove-node", nodeId="b", reconnect=True)

    assert pairs(whole) == {("a.out", "c.in")}


def test_a_definition_goes_with_its_last_instance_and_takes_those_only_it_used() -> None:
    leaf = definition("leaf", nodes=[node("l")], edges=[], groups=[group("lg", "l")])
    shared = definition("shared", nodes=[node("sh")])
    top = definition("top", nodes=[instance("i-leaf", leaf), instance("i-shared", shared)])
    whole = graph(
        instance("one", top),
        instance("two", top),
        instance("other", shared),
        subgraphs=[leaf, shared, top],
    )

    first = do(whole, "remove-node", nodeId="one")
    second = do(whole, "remove-node", nodeId="two")

    assert first.effects.removed.subgraphs == ()
    assert set(second.effects.removed.subgraphs) == {"top", "leaf"}
    assert set(second.effects.removed.nodes) == {"two", "i-leaf", "i-shared", "l"}
    assert set(whole.subgraphs) == {"shared"}


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("remove-node", {}),
        ("move-node", {"position": xy(1, 1)}),
        ("rename-node", {"name": "N"}),
        ("annotate-node", {"annotation": "N"}),
        ("set-parameter", {"name": "p", "value": 1}),
        ("set-process", {"process": None}),
    ],
)
@pytest.mark.parametrize(("node_id", "code"), [("no", "unknown-node"), ("inner", "cross-scope")])
def test_a_node_must_be_in_the_scope(
    kind: str, fields: dict[str, Any], node_id: str, code: str
) -> None:
    assert refused(catalogue(), kind, nodeId=node_id, **fields) == code


def test_a_removed_id_is_not_given_out_again_by_the_next_stacked_command() -> None:
    whole = graph(node("a"))
    done = do(whole, "remove-node", nodeId="a")

    with pytest.raises(RejectedError) as refusal:
        do(whole, "add-node", nodeId="a", componentId="x", workspace=done.workspace)

    assert refusal.value.code == "id-retired"


def test_move_node_is_absolute_and_keeps_membership() -> None:
    whole = graph(
        node("a"),
        node("b", at=(2000, 0)),
        groups=[group("g", "a", bounds=bounds(-10, -42, 260, 172)), group("h", "b")],
    )

    do(whole, "move-node", nodeId="a", position=xy(2000, 10))

    assert node_of(whole, "a").position == Position(2000, 10)
    assert group_of(whole, "g").node_ids == ("a",)
    assert group_of(whole, "h").node_ids == ("b",)
    assert group_of(whole, "g").bounds == bounds(-10, -42, 2260, 182)


def test_a_group_without_a_frame_gets_none_by_moving() -> None:
    whole = graph(node("a"), groups=[group("g", "a")])

    done = do(whole, "move-node", nodeId="a", position=xy(500, 500))

    assert done.effects.updated.groups == ()
    assert group_of(whole, "g").bounds is None


def test_a_frame_never_shrinks() -> None:
    whole = graph(node("a", at=(500, 500)), groups=[group("g", "a", bounds=bounds(0, 0, 999, 999))])

    do(whole, "move-node", nodeId="a", position=xy(400, 400))

    assert group_of(whole, "g").bounds == bounds(0, 0, 999, 999)


@pytest.mark.parametrize(
    "fields",
    [
        {
            "moves": [
                {"nodeId": "a", "position": xy(10, 5)},
                {"nodeId": "b", "position": xy(310, 5)},
            ]
        },
        {"nodeIds": ["b", "a"], "delta": xy(10, 5)},
    ],
)
def test_bends_between_nodes_moved_alike_move_along(fields: dict[str, Any]) -> None:
    bend = (Position(100, 100),)
    whole = graph(
        node("a"),
        node("b", at=(300, 0)),
        node("c", at=(600, 0)),
        edges=[
            edge("ab", "a.out", "b.in", waypoints=bend),
            edge("bc", "b.out", "c.in", waypoints=bend),
        ],
    )

    done = do(whole, "move-nodes", **fields)

    assert edge_of(whole, "ab").waypoints == (Position(110, 105),)
    assert edge_of(whole, "bc").waypoints == bend
    assert done.effects.updated.edges == ("ab",)


def test_bends_between_nodes_moved_apart_stay() -> None:
    whole = graph(
        node("a"),
        node("b", at=(300, 0)),
        edges=[edge("ab", "a.out", "b.in", waypoints=(Position(1, 1),))],
    )
    moves = [{"nodeId": "a", "position": xy(10, 5)}, {"nodeId": "b", "position": xy(310, 6)}]

    do(whole, "move-nodes", moves=moves)

    assert edge_of(whole, "ab").waypoints == (Position(1, 1),)


def test_bends_may_not_be_moved_too_far_out() -> None:
    whole = graph(
        node("a"),
        node("b", at=(300, 0)),
        edges=[edge("ab", "a.out", "b.in", waypoints=(Position(1e7, 0),))],
    )

    assert refused(whole, "move-nodes", nodeIds=["a", "b"], delta=xy(1, 0)) == "invalid-position"


def test_whole_numbers_stay_whole() -> None:
    whole = graph(node("a"), groups=[group("g", "a", bounds=bounds(0, 0, 1, 1))])

    do(whole, "move-nodes", nodeIds=["a"], delta=xy(7, 8))

    assert b'"position":{"x":7,"y":8}' in text(whole)
    assert b'"bounds":{"height":' in text(whole)
    assert b".0" not in text(whole)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "invalid-command"),
        ({"moves": []}, "invalid-command"),
        ({"nodeIds": [], "delta": xy(1, 1)}, "invalid-command"),
        ({"nodeIds": ["a"]}, "invalid-command"),
        ({"delta": xy(1, 1)}, "invalid-command"),
        ({"nodeIds": ["a", "a"], "delta": xy(1, 1)}, "invalid-command"),
        ({"moves": [{"nodeId": "a", "position": xy(1, 1)}], "delta": xy(1, 1)}, "invalid-command"),
        ({"nodeIds": ["a", "no"], "delta": xy(1, 1)}, "unknown-node"),
        ({"nodeIds": ["a", "inner"], "delta": xy(1, 1)}, "cross-scope"),
        ({"nodeIds": ["a"], "delta": xy(10**400, 0)}, "invalid-position"),
        ({"nodeIds": ["a"], "delta": xy(1e7 + 1, 0)}, "invalid-position"),
        (
            {
                "moves": [
                    {"nodeId": "a", "position": xy(1, 1)},
                    {"nodeId": "a", "position": xy(2, 2)},
                ]
            },
            "invalid-command",
        ),
        ({"moves": [{"nodeId": "a", "position": xy(1, 2e7)}]}, "invalid-position"),
    ],
)
def test_move_nodes_refuses(fields: dict[str, Any], code: str) -> None:
    assert refused(catalogue(), "move-nodes", **fields) == code


def test_a_move_to_the_same_place_changes_nothing() -> None:
    whole = graph(node("a", at=(5, 5)), groups=[group("g", "a", bounds=bounds(0, 0, 1, 1))])

    assert not do(whole, "move-node", nodeId="a", position=xy(5.0, 5)).changed
    assert not do(whole, "move-nodes", nodeIds=["a"], delta=xy(0, 0)).changed


@pytest.mark.parametrize(
    ("given", "kept"),
    [("  Two words ", "Two words"), ("e\u0301", "é"), (None, None), ("a'b\"c\\", "a'b\"c\\")],
)
def test_a_name_is_trimmed_and_composed(given: str | None, kept: str | None) -> None:
    whole = graph(node("a", name="Before"))

    do(whole, "rename-node", nodeId="a", name=given)

    assert node_of(whole, "a").name == kept


@pytest.mark.parametrize("name", ["", "  ", "\u00a0", "x" * 256, "a\tb", "a\u0085b"])
def test_impossible_names_are_refused(name: str) -> None:
    assert refused(graph(node("a")), "rename-node", nodeId="a", name=name) == "invalid-name"


def test_renaming_one_leaves_names_that_contain_it_alone() -> None:
    whole = graph(node("a", name="Set"), node("b", name="Set1"))

    do(whole, "rename-node", nodeId="a", name="Put")

    assert node_of(whole, "b").name == "Set1"


def test_an_empty_annotation_is_none() -> None:
    whole = graph(node("a", annotation="old"))

    do(whole, "annotate-node", nodeId="a", annotation="")

    assert node_of(whole, "a").annotation is None
    assert not do(whole, "annotate-node", nodeId="a", annotation=None).changed


def test_an_annotation_has_so_many_bytes_and_no_more() -> None:
    whole = graph(node("a"))

    do(whole, "annotate-node", nodeId="a", annotation="é" * 32_768)

    assert refused(whole, "annotate-node", nodeId="a", annotation="x" * 65_537) == "size-limit"


def bounds(x: float, y: float, width: float, height: float) -> Any:
    return Bounds(x, y, width, height)
