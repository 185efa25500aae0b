from typing import Any

import pytest

from protocol.graph import SubgraphDefinition
from tests.core.builders import definition, edge, instance, node, port
from tests.core.subgraph_bench import Bench, bench


def fanned() -> SubgraphDefinition:
    """Input A feeds three nodes, input B feeds a fourth, C is not wired; Y comes out of it."""
    return definition(
        "s",
        nodes=[node(f"n{n}") for n in range(1, 5)],
        edges=[
            edge("a1", "<input.A", "n1.in"),
            edge("a2", "<input.A", "n2.in"),
            edge("a3", "<input.A", "n3.in"),
            edge("b4", "<input.B", "n4.in"),
            edge("y", "n1.out", ">output.Y"),
        ],
        inputs=[port("A", "INT", parameter="A"), port("B"), port("C")],
        outputs=["Y"],
    )


def desk_of(inner: SubgraphDefinition) -> Bench:
    """Two instances at the root and one in another definition, all fed and used."""
    outer = definition(
        "t",
        nodes=[node("source"), instance("k", inner)],
        edges=[edge("ka", "source.out", "k.A"), edge("kb", "source.out", "k.B")],
    )
    return bench(
        node("x"),
        instance("i", inner, parameters={"A": 5}),
        instance("j", inner, parameters={"A": 6}),
        instance("o", outer),
        edges=[
            edge("ia", "x.out", "i.A"),
            edge("ib", "x.out", "i.B"),
            edge("jb", "x.out", "j.B"),
            edge("iy", "i.Y", "x.in"),
        ],
        subgraphs=[inner, outer],
    )


def wired_to(inner: dict[str, str]) -> dict[str, Any]:
    return {"from": inner}


def names(desk: Bench, node_id: str, scope: str | None = None) -> list[str]:
    return [one.name for one in desk.nodes(scope)[node_id].inputs]


def test_removing_an_input_takes_all_its_edges_and_no_other() -> None:
    desk = desk_of(fanned())

    effects = desk.do("remove-subgraph-io", subgraphId="s", portId="A")

    assert desk.edges("s") == {"b4": "<input.B n4.in", "y": "n1.out >output.Y"}
    assert desk.edges() == {"ib": "x.out i.B", "jb": "x.out j.B", "iy": "i.Y x.in"}
    assert desk.edges("t") == {"kb": "source.out k.B"}
    assert [names(desk, "i"), names(desk, "j"), names(desk, "k", "t")] == [["B", "C"]] * 3
    assert [(one.scope, one.edge.edge_id) for one in effects.dropped_edges] == [
        ("s", "a1"),
        ("s", "a2"),
        ("s", "a3"),
        ("t", "ka"),
        (None, "ia"),
    ]


def test_the_values_of_a_removed_input_go_with_it() -> None:
    desk = desk_of(fanned())

    effects = desk.do("remove-subgraph-io", subgraphId="s", portId="A")

    assert [desk.nodes()[name].parameters for name in ("i", "j")] == [{}, {}]
    assert [one.code for one in effects.warnings] == ["value-dropped", "value-dropped"]


def test_removing_the_middle_input_leaves_values_and_edges_with_their_ids() -> None:
    desk = desk_of(fanned())

    desk.do("remove-subgraph-io", subgraphId="s", portId="B")

    assert desk.nodes()["i"].parameters == {"A": 5}
    assert desk.edges()["ia"] == "x.out i.A"
    assert desk.edges("s")["a3"] == "<input.A n3.in"
    assert names(desk, "i") == ["A", "C"]


def test_removing_an_output_takes_its_edges_everywhere() -> None:
    desk = desk_of(fanned())

    desk.do("remove-subgraph-io", subgraphId="s", portId="Y")

    assert "y" not in desk.edges("s")
    assert "iy" not in desk.edges()
    assert desk.nodes("t")["k"].outputs == ()


@pytest.mark.parametrize(
    ("index", "expected"),
    [(None, ["A", "B", "C", "D"]), (0, ["D", "A", "B", "C"]), (3, ["A", "B", "C", "D"])],
)
def test_an_added_input_shows_on_every_instance_unconnected(
    index: int | None, expected: list[str]
) -> None:
    desk = desk_of(fanned())
    before = desk.edges()
    place: dict[str, Any] = {} if index is None else {"index": index}

    desk.do("add-subgraph-io", subgraphId="s", direction="input", name="D", dataType="*", **place)

    assert [names(desk, "i"), names(desk, "k", "t")] == [expected, expected]
    assert desk.edges() == before
    assert len(desk.edges("s")) == 5


def test_an_added_output_is_wired_inside_where_asked() -> None:
    desk = desk_of(fanned())

    desk.do(
        "add-subgraph-io",
        subgraphId="s",
        direction="output",
        name="Z",
        dataType="*",
        portId="z",
        **wired_to({"nodeId": "n2", "portId": "out"}),
    )

    assert list(desk.edges("s").values())[-1] == "n2.out >output.z"
    assert [one.port_id for one in desk.nodes()["j"].outputs] == ["Y", "z"]


def test_an_added_input_takes_the_place_of_what_fed_the_inner_port() -> None:
    desk = desk_of(fanned())

    effects = desk.do(
        "add-subgraph-io",
        subgraphId="s",
        direction="input",
        name="D",
        dataType="*",
        portId="d",
        **wired_to({"nodeId": "n1", "portId": "in"}),
    )

    assert [one.edge.edge_id for one in effects.replaced_edges] == ["a1"]
    assert list(desk.edges("s").values())[-1] == "<input.d n1.in"


def test_an_input_that_feeds_a_parameter_lets_instances_have_a_value_of_their_own() -> None:
    widget = port("seed", "INT", parameter="seed")
    inner = definition("s", nodes=[node("n", inputs=[widget], parameters={"seed": 1})])
    desk = bench(instance("i", inner), instance("j", inner), subgraphs=[inner])

    desk.do(
        "add-subgraph-io",
        subgraphId="s",
        direction="input",
        name="Seed",
        dataType="INT",
        **wired_to({"nodeId": "n", "portId": "seed"}),
    )
    desk.do("set-parameter", nodeId="i", name="Seed", value=9)

    assert desk.nodes()["i"].parameters == {"Seed": 9}
    assert desk.nodes()["j"].parameters == {}
    assert desk.nodes("s")["n"].parameters == {"seed": 1}


def test_a_renamed_port_keeps_its_edges_its_place_and_its_values() -> None:
    desk = desk_of(fanned())
    before = [desk.edges(scope) for scope in (None, "s", "t")]

    desk.do("rename-subgraph-io", subgraphId="s", portId="A", name=" New ")

    assert [names(desk, "i"), names(desk, "k", "t")] == [["New", "B", "C"]] * 2
    assert desk.nodes()["i"].inputs[0].port_id == "A"
    assert desk.nodes()["i"].parameters == {"A": 5}
    assert [desk.edges(scope) for scope in (None, "s", "t")] == before


def test_a_label_does_not_hide_a_new_name() -> None:
    inner = definition("s", inputs=[port("p", label="Old")])
    desk = bench(instance("i", inner), subgraphs=[inner])

    desk.do("rename-subgraph-io", subgraphId="s", portId="p", name="New")

    shown = desk.nodes()["i"].inputs[0]
    assert (shown.name, shown.label) == ("New", None)


def test_a_port_that_comes_back_under_the_same_name_has_no_old_edges() -> None:
    desk = desk_of(fanned())

    desk.do("remove-subgraph-io", subgraphId="s", portId="A")
    desk.do("add-subgraph-io", subgraphId="s", direction="input", name="A", dataType="*")

    assert "ia" not in desk.edges()
    assert desk.nodes()["i"].inputs[-1].name == "A"


def test_what_a_file_says_of_an_instance_port_stays_with_it() -> None:
    inner = definition("s", inputs=[port("p"), port("q")])
    own = (port("p", native={"slot": 0}), port("q", native={"slot": 1}))
    desk = bench(node("i", component="subgraph:s", inputs=own, outputs=[]), subgraphs=[inner])

    desk.do("remove-subgraph-io", subgraphId="s", portId="p")

    assert [one.native for one in desk.nodes()["i"].inputs] == [{"slot": 1}]


ADD: dict[str, Any] = {
    "subgraphId": "s",
    "direction": "input",
    "name": "D",
    "dataType": "INT",
}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"subgraphId": "gone"}, "unknown-subgraph"),
        ({"name": "A"}, "name-taken"),
        ({"name": "  "}, "invalid-name"),
        ({"index": -1}, "invalid-command"),
        ({"index": 4}, "invalid-command"),
        ({"portId": "A"}, "id-in-use"),
        ({"portId": "Y"}, "id-in-use"),
        ({"portId": ""}, "invalid-command"),
        ({"from": {"nodeId": "gone", "portId": "in"}}, "unknown-node"),
        ({"from": {"nodeId": "x", "portId": "in"}}, "cross-scope"),
        ({"from": {"nodeId": "n1", "portId": "gone"}}, "unknown-port"),
        ({"from": {"nodeId": "n1", "portId": "out"}}, "wrong-direction"),
        ({"from": {"nodeId": "text", "portId": "in"}}, "type-mismatch"),
    ],
)
def test_an_impossible_port_is_refused(changes: dict[str, Any], code: str) -> None:
    inner = fanned()
    text = node("text", inputs=[port("in", "STRING")])
    desk = desk_of(
        definition(
            "s",
            nodes=[*inner.nodes, text],
            edges=inner.edges,
            inputs=inner.inputs,
            outputs=inner.outputs,
        )
    )

    assert desk.refused("add-subgraph-io", **{**ADD, **changes}).code == code


def test_a_name_may_be_taken_in_the_other_direction() -> None:
    desk = desk_of(fanned())

    desk.do("add-subgraph-io", subgraphId="s", direction="output", name="A", dataType="*")

    assert [one.name for one in desk.definition("s").outputs] == ["Y", "A"]


@pytest.mark.parametrize(
    ("kind", "fields", "code"),
    [
        ("remove-subgraph-io", {"subgraphId": "gone", "portId": "A"}, "unknown-subgraph"),
        ("remove-subgraph-io", {"subgraphId": "s", "portId": "gone"}, "unknown-io"),
        ("rename-subgraph-io", {"subgraphId": "s", "portId": "gone", "name": "N"}, "unknown-io"),
        ("rename-subgraph-io", {"subgraphId": "s", "portId": "A", "name": "B"}, "name-taken"),
        ("rename-subgraph-io", {"subgraphId": "s", "portId": "A", "name": ""}, "invalid-name"),
    ],
)
def test_what_is_not_there_or_taken_is_refused(
    kind: str, fields: dict[str, str], code: str
) -> None:
    assert desk_of(fanned()).refused(kind, **fields).code == code
