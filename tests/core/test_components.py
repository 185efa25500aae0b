from typing import Any

import pytest

from protocol.graph import Node, ParameterSpec
from sidecar.core.errors import RejectedError
from sidecar.core.graph import ProjectGraph
from tests.core.builders import (
    component,
    definition,
    do,
    edge,
    graph,
    instance,
    node,
    node_of,
    pairs,
    port,
    text,
)


def spec(id_: str = "c", **fields: Any) -> dict[str, Any]:
    return {"componentId": id_, "name": id_, "kind": "builtin", **fields}


def wire(name: str, data_type: str = "*", **fields: Any) -> dict[str, Any]:
    return {"name": name, "dataType": data_type, **fields}


def bound() -> ProjectGraph:
    """Return two nodes of one component in two scopes, each fed and feeding."""
    old = component("c", inputs=["in", "side"], outputs=["out"])
    inner = definition(
        "s",
        nodes=[node("sn", component="c", inputs=["in", "side"]), node("sa")],
        edges=[edge("se", "sa.out", "sn.side")],
    )
    return graph(
        node("a"),
        node("n", component="c", inputs=["in", "side"], parameters={"p": 1, "q": 2}),
        node("z"),
        instance("i", inner),
        edges=[
            edge("in", "a.out", "n.in"),
            edge("side", "a.out", "n.side"),
            edge("out", "n.out", "z.in"),
        ],
        subgraphs=[inner],
        components=[old, component("free")],
    )


def port_ids(one: Node) -> tuple[list[str], list[str]]:
    return [p.port_id for p in one.inputs], [p.port_id for p in one.outputs]


def test_a_new_component_is_defined() -> None:
    whole = graph()

    done = do(whole, "set-component", componentId="c", component=spec(name=" My  c "))

    assert whole.components["c"].name == "My  c"
    assert done.effects.created.components == ("c",)


def test_every_bound_node_in_every_scope_follows_a_replaced_component() -> None:
    whole = bound()
    new = spec(inputs=[wire("in")], outputs=[wire("out"), wire("more")])

    done = do(whole, "set-component", componentId="c", component=new)

    assert port_ids(node_of(whole, "n")) == (["in"], ["out", "more"])
    assert port_ids(node_of(whole, "sn", "s")) == (["in"], ["out", "more"])
    assert pairs(whole) == {("a.out", "n.in"), ("n.out", "z.in")}
    assert pairs(whole, "s") == set()
    assert {(gone.scope, gone.edge.edge_id) for gone in done.effects.dropped_edges} == {
        (None, "side"),
        ("s", "se"),
    }


def test_edges_that_no_longer_fit_are_dropped_and_reported() -> None:
    whole = graph(
        node("a", outputs=[port("out", "IMAGE")]),
        node("n", component="c", inputs=[port("in", "IMAGE")]),
        edges=[edge("e", "a.out", "n.in")],
        components=[component("c", inputs=[port("in", "IMAGE")])],
    )

    done = do(whole, "set-component", componentId="c", component=spec(inputs=[wire("in", "MASK")]))

    assert pairs(whole) == set()
    assert [gone.edge.edge_id for gone in done.effects.dropped_edges] == ["e"]


def test_an_input_that_no_longer_takes_many_keeps_its_first_edge() -> None:
    many = port("in", multiple=True)
    whole = graph(
        node("a"),
        node("b"),
        node("n", component="c", inputs=[many]),
        edges=[edge("1", "a.out", "n.in"), edge("2", "b.out", "n.in")],
        components=[component("c", inputs=[many])],
    )

    done = do(whole, "set-component", componentId="c", component=spec(inputs=[wire("in")]))

    assert pairs(whole) == {("a.out", "n.in")}
    assert [gone.edge.edge_id for gone in done.effects.dropped_edges] == ["2"]


def test_an_ill_typed_edge_that_a_file_brought_stays_where_its_port_stays() -> None:
    inputs = [port("in", "MASK"), port("x")]
    whole = graph(
        node("a", outputs=[port("out", "IMAGE")]),
        node("n", component="c", inputs=inputs),
        edges=[edge("e", "a.out", "n.in")],
        components=[component("c", inputs=inputs)],
    )

    do(whole, "set-component", componentId="c", component=spec(inputs=[wire("in", "MASK")]))

    assert pairs(whole) == {("a.out", "n.in")}


def test_parameters_are_kept_by_name_and_the_rest_is_put_aside() -> None:
    whole = bound()

    do(whole, "set-component", componentId="c", component=spec(parameters=[{"name": "q"}]))

    assert node_of(whole, "n").parameters == {"q": 2}
    assert node_of(whole, "n").native == {"orphanParameters": {"p": 1}}


def test_an_open_component_keeps_all_parameters() -> None:
    whole = bound()

    do(whole, "set-component", componentId="c", component=spec(openSchema=True))

    assert node_of(whole, "n").parameters == {"p": 1, "q": 2}
    assert node_of(whole, "n").native is None


def test_one_node_is_bound_to_a_component() -> None:
    whole = bound()

    done = do(whole, "set-component", componentId="free", nodeId="n")

    assert node_of(whole, "n").component_id == "free"
    assert port_ids(node_of(whole, "n")) == (["in"], ["out"])
    assert pairs(whole) == {("a.out", "n.in"), ("n.out", "z.in")}
    assert done.effects.updated.nodes == ("n",)


def test_a_component_is_defined_and_bound_in_one_command() -> None:
    whole = bound()

    do(whole, "set-component", componentId="new", component=spec("new"), nodeId="z")

    assert node_of(whole, "z").component_id == "new"
    assert node_of(whole, "n").component_id == "c"
    assert pairs(whole) == {("a.out", "n.in"), ("a.out", "n.side")}


def test_a_missing_node_that_is_bound_is_no_longer_missing() -> None:
    whole = graph(
        node(
            "n",
            status="missing",
            native={"id": 4, "orphanParameters": {"x": 1}},
            parameters={"y": 2},
        ),
        components=[component("c")],
    )

    do(whole, "set-component", componentId="c", nodeId="n")

    assert node_of(whole, "n").status == "ok"
    assert node_of(whole, "n").native == {"id": 4, "orphanParameters": {"x": 1, "y": 2}}


def test_a_port_that_stays_keeps_its_label_and_native_part() -> None:
    labelled = port("in", label="Image", native={"slot": 3})
    whole = graph(node("n", inputs=[labelled]), components=[component("c", inputs=["in"])])

    do(whole, "set-component", componentId="c", nodeId="n")

    assert node_of(whole, "n").inputs == (labelled,)


def test_a_definition_goes_when_its_last_instance_becomes_something_else() -> None:
    inner = definition("s", nodes=[node("x")])
    whole = graph(instance("i", inner), subgraphs=[inner], components=[component("c")])

    done = do(whole, "set-component", componentId="c", nodeId="i")

    assert done.effects.removed.subgraphs == ("s",)


def test_an_unused_component_is_deleted() -> None:
    whole = bound()

    done = do(whole, "set-component", componentId="free", component=None)

    assert done.effects.removed.components == ("free",)
    assert "free" not in whole.components


@pytest.mark.parametrize(
    "fields",
    [
        {
            "componentId": "free",
            "component": spec("free", inputs=[wire("in")], outputs=[wire("out")]),
        },
        {"componentId": "c", "nodeId": "n"},
    ],
)
def test_what_is_so_already_changes_nothing(fields: dict[str, Any]) -> None:
    whole = bound()
    do(whole, "set-component", componentId="c", nodeId="n")

    assert not do(whole, "set-component", **fields).changed


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"componentId": "c"}, "invalid-command"),
        ({"componentId": "c", "component": None, "nodeId": "n"}, "invalid-command"),
        ({"componentId": "c", "component": spec("other")}, "invalid-command"),
        ({"componentId": "", "nodeId": "n"}, "invalid-command"),
        ({"componentId": "c", "component": None}, "component-in-use"),
        ({"componentId": "no", "component": None}, "unknown-component"),
        ({"componentId": "no", "nodeId": "n"}, "unknown-component"),
        ({"componentId": "c", "nodeId": "no"}, "unknown-node"),
        ({"componentId": "c", "nodeId": "sn"}, "cross-scope"),
        ({"componentId": "subgraph:s", "nodeId": "n"}, "invalid-component"),
        ({"componentId": "c", "component": spec(kind="subgraph")}, "invalid-component"),
        ({"componentId": "c", "component": spec(name=" ")}, "invalid-name"),
        (
            {"componentId": "c", "component": spec(inputs=[wire("x"), wire("x")])},
            "invalid-component",
        ),
        (
            {"componentId": "c", "component": spec(outputs=[wire("x"), wire("x")])},
            "invalid-component",
        ),
        (
            {"componentId": "c", "component": spec(parameters=[{"name": "p"}, {"name": "p"}])},
            "invalid-component",
        ),
        (
            {
                "componentId": "c",
                "component": spec(parameters=[{"name": "p", "minimum": 2, "maximum": 1}]),
            },
            "invalid-component",
        ),
        (
            {"componentId": "c", "component": spec(process={"kind": "command", "argv": []})},
            "invalid-process",
        ),
    ],
)
def test_set_component_refuses(fields: dict[str, Any], code: str) -> None:
    assert refused(bound(), "set-component", **fields) == code


def test_what_a_node_executes_gives_its_ports() -> None:
    whole = bound()
    process = {"kind": "script", "code": "x", "inputs": [wire("in")], "outputs": [wire("out")]}

    done = do(whole, "set-process", nodeId="n", process=process)

    changed = node_of(whole, "n")
    assert changed.process is not None
    assert changed.process.code == "x"
    assert port_ids(changed) == (["in"], ["out"])
    assert pairs(whole) == {("a.out", "n.in"), ("n.out", "z.in")}
    assert [gone.edge.edge_id for gone in done.effects.dropped_edges] == ["side"]


def test_a_renamed_port_keeps_its_edges() -> None:
    whole = bound()
    process = {
        "kind": "script",
        "inputs": [wire("first"), wire("in")],
        "outputs": [wire("result")],
    }
    renames = {"in": "first", "side": "in", "out": "result"}

    done = do(whole, "set-process", nodeId="n", process=process, renames=renames)

    assert pairs(whole) == {("a.out", "n.first"), ("a.out", "n.in"), ("n.result", "z.in")}
    assert done.effects.dropped_edges == ()
    assert set(done.effects.updated.edges) == {"in", "side", "out"}


def test_taking_a_nodes_process_away_gives_the_components_ports_back() -> None:
    whole = bound()
    do(whole, "set-process", nodeId="n", process={"kind": "script", "inputs": [wire("x")]})

    do(whole, "set-process", nodeId="n", process=None)

    assert node_of(whole, "n").process is None
    assert port_ids(node_of(whole, "n")) == (["in", "side"], ["out"])


def test_a_process_that_is_not_there_takes_no_port_of_a_parameter_along() -> None:
    whole = bound()
    promoted = {"nodeId": "n", "parameter": "p"}
    do(whole, "set-component", componentId="c", component=spec(openSchema=True))
    do(whole, "create-subgraph", nodeIds=["n"], promote=[promoted], subgraphId="t")
    ports_of = port_ids(node_of(whole, "n", "t"))

    payload = {"kind": "set-process", "nodeId": "n", "process": None}
    done = do(whole, "edit-in-subgraph", subgraphId="t", payload=payload)

    assert not done.changed
    assert ports_of[0] == ["p"]


def test_a_node_of_its_own_process_keeps_its_ports_when_the_component_changes() -> None:
    whole = bound()
    do(whole, "set-process", nodeId="n", process={"kind": "script", "inputs": [wire("x")]})

    do(whole, "set-component", componentId="c", component=spec(inputs=[wire("y")]))

    assert port_ids(node_of(whole, "n")) == (["x"], [])
    assert port_ids(node_of(whole, "sn", "s")) == (["y"], [])


def test_a_components_process_gives_ports_to_all_its_nodes() -> None:
    whole = bound()
    process = {"kind": "http", "request": {"url": "x"}, "inputs": [wire("other"), wire("in")]}

    done = do(whole, "set-process", componentId="c", process=process, renames={"side": "other"})

    assert [p.port_id for p in whole.components["c"].inputs] == ["other", "in"]
    assert pairs(whole) == {("a.out", "n.in"), ("a.out", "n.other")}
    assert pairs(whole, "s") == {("sa.out", "sn.other")}
    assert [gone.edge.edge_id for gone in done.effects.dropped_edges] == ["out"]


def test_the_same_process_again_changes_nothing() -> None:
    whole = bound()
    process = {"kind": "script", "inputs": [wire("in")], "outputs": [wire("out")]}
    do(whole, "set-process", nodeId="n", process=process)

    assert not do(whole, "set-process", nodeId="n", process=process).changed
    assert not do(whole, "set-process", nodeId="z", process=None).changed


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"process": None}, "invalid-command"),
        ({"nodeId": "n", "componentId": "c", "process": None}, "invalid-command"),
        ({"nodeId": "no", "process": None}, "unknown-node"),
        ({"componentId": "no", "process": None}, "unknown-component"),
        ({"nodeId": "i", "process": {"kind": "none"}}, "invalid-process"),
        ({"nodeId": "n", "process": {"kind": "command"}}, "invalid-process"),
        ({"nodeId": "n", "process": {"kind": "script", "argv": []}}, "invalid-process"),
        ({"nodeId": "n", "process": {"kind": "script", "timeoutMs": 0}}, "invalid-process"),
        ({"nodeId": "n", "process": {"kind": "script", "code": "é" * 600_000}}, "invalid-process"),
        (
            {"nodeId": "n", "process": {"kind": "none", "inputs": [wire("x"), wire("x")]}},
            "invalid-process",
        ),
        ({"nodeId": "n", "process": {"kind": "none"}, "renames": {"no": "x"}}, "unknown-port"),
        ({"nodeId": "n", "process": {"kind": "none"}, "renames": {"in": "x"}}, "invalid-process"),
        (
            {
                "nodeId": "n",
                "process": {"kind": "none", "inputs": [wire("x")]},
                "renames": {"in": "x", "side": "x"},
            },
            "invalid-process",
        ),
        (
            {
                "nodeId": "n",
                "process": {"kind": "none", "inputs": [wire("side")]},
                "renames": {"in": "side"},
            },
            "invalid-process",
        ),
    ],
)
def test_set_process_refuses(fields: dict[str, Any], code: str) -> None:
    assert refused(bound(), "set-process", **fields) == code


def test_a_specification_knows_its_parameters_after_a_change() -> None:
    whole = graph(
        node("n", component="c"),
        components=[component("c", parameters=[ParameterSpec(name="p", data_type="INT")])],
    )
    new = spec(parameters=[{"name": "p", "dataType": "STRING"}])
    do(whole, "set-component", componentId="c", component=new)

    do(whole, "set-parameter", nodeId="n", name="p", value="text")

    assert node_of(whole, "n").parameters == {"p": "text"}


def refused(whole: ProjectGraph, kind: str, **fields: Any) -> str:
    before = text(whole)
    with pytest.raises(RejectedError) as refusal:
        do(whole, kind, **fields)
    assert text(whole) == before
    return refusal.value.code
