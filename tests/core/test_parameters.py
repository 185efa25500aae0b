from typing import Any

import pytest

from protocol.graph import ParameterSpec
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
    port,
    text,
)


def known(**parameters: Any) -> ProjectGraph:
    """Return a graph with one node of a component that says all about its parameters."""
    specs = [
        ParameterSpec(name="count", data_type="INT", minimum=1, maximum=5),
        ParameterSpec(name="ratio", data_type="FLOAT", maximum=1.5),
        ParameterSpec(name="text", data_type="STRING"),
        ParameterSpec(name="flag", data_type="BOOLEAN"),
        ParameterSpec(name="mode", options=("a", 1, 0.5, None)),
        ParameterSpec(name="tree", data_type="object", default={"list": [1, {"x/y": 2}]}),
        ParameterSpec(name="any", data_type="MODEL"),
    ]
    kind = component("c", parameters=specs, inputs=["in", port("side", "INT", parameter="fed")])
    return graph(
        node("a"),
        node("n", component="c", inputs=kind.inputs, parameters=parameters),
        components=[kind],
    )


def values(whole: ProjectGraph) -> dict[str, Any]:
    return node_of(whole, "n").parameters


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("count", 1),
        ("count", 5),
        ("ratio", 1),
        ("ratio", -2.5),
        ("text", ""),
        ("flag", False),
        ("mode", 1.0),
        ("mode", None),
        ("tree", {}),
        ("any", ["whatever"]),
        ("count", None),
        ("fed", 7),
    ],
)
def test_allowed_values_are_set(name: str, value: Any) -> None:
    whole = known()

    done = do(whole, "set-parameter", nodeId="n", name=name, value=value)

    assert values(whole) == {name: value}
    assert done.effects.updated.nodes == ("n",)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("count", 0),
        ("count", 6),
        ("count", 1.0),
        ("count", True),
        ("count", "1"),
        ("ratio", 1.6),
        ("ratio", "1"),
        ("text", 1),
        ("flag", 1),
        ("mode", "b"),
        ("mode", True),
        ("tree", []),
        ("fed", "seven"),
    ],
)
def test_other_values_are_refused(name: str, value: Any) -> None:
    assert refused(known(), name=name, value=value) == "value-not-allowed"


def test_a_parameter_that_the_component_does_not_have_is_refused() -> None:
    assert refused(known(), name="no", value=1) == "unknown-parameter"
    assert refused(known(), name="no", unset=True) == "unknown-parameter"


def test_one_that_a_file_brought_along_may_be_set_all_the_same() -> None:
    whole = known(extra=1)

    do(whole, "set-parameter", nodeId="n", name="extra", value="other")

    assert values(whole) == {"extra": "other"}


@pytest.mark.parametrize("fields", [{"kind": "missing"}, {"open_schema": True}])
def test_anything_goes_where_the_component_does_not_say(fields: dict[str, Any]) -> None:
    whole = graph(node("n", component="c"), components=[component("c", **fields)])

    do(whole, "set-parameter", nodeId="n", name="p", value={"deep": [1]})

    assert values(whole) == {"p": {"deep": [1]}}


def test_anything_goes_where_nobody_knows_the_component() -> None:
    whole = graph(node("n"))

    do(whole, "set-parameter", nodeId="n", values={"a": None, "b": 2**70})

    assert values(whole) == {"a": None, "b": 2**70}


def test_several_values_are_set_together_or_not_at_all() -> None:
    whole = known(text="kept")

    do(whole, "set-parameter", nodeId="n", values={"count": 2, "flag": True})

    assert values(whole) == {"text": "kept", "count": 2, "flag": True}
    assert refused(known(), values={"flag": True, "count": 9}) == "value-not-allowed"


def test_a_place_inside_a_value_is_set() -> None:
    whole = known(tree={"list": [1, {"x/y": 2}], "~": 0})

    do(whole, "set-parameter", nodeId="n", name="tree", path="/list/1/x~1y", value=3)
    do(whole, "set-parameter", nodeId="n", name="tree", path="/list/-", value=4)
    do(whole, "set-parameter", nodeId="n", name="tree", path="/list/0", value="one")
    do(whole, "set-parameter", nodeId="n", name="tree", path="/~0", value=[])
    do(whole, "set-parameter", nodeId="n", name="tree", path="/new", value=None)

    assert values(whole)["tree"] == {"list": ["one", {"x/y": 3}, 4], "~": [], "new": None}


def test_a_place_inside_a_default_is_set_on_a_copy_of_it() -> None:
    whole = known()

    do(whole, "set-parameter", nodeId="n", name="tree", path="/list/0", value=9)

    assert values(whole) == {"tree": {"list": [9, {"x/y": 2}]}}
    assert whole.components["c"].parameters[5].default == {"list": [1, {"x/y": 2}]}


def test_the_empty_path_is_the_whole_value() -> None:
    whole = known()

    do(whole, "set-parameter", nodeId="n", name="count", path="", value=2)

    assert values(whole) == {"count": 2}


@pytest.mark.parametrize(
    "path", ["/list/2/deeper", "/no/deeper", "/list/3", "/list/01", "/list/x", "/list/0/x"]
)
def test_a_path_that_leads_nowhere_is_refused(path: str) -> None:
    assert refused(known(), name="tree", path=path, value=1) == "unknown-parameter"


def test_values_are_removed_whole_or_in_part() -> None:
    whole = known(tree={"list": [1, 2], "x": 1}, count=2)

    do(whole, "set-parameter", nodeId="n", name="count", unset=True)
    do(whole, "set-parameter", nodeId="n", name="tree", path="/list/0", unset=True)
    do(whole, "set-parameter", nodeId="n", name="tree", path="/x", unset=True)

    assert values(whole) == {"tree": {"list": [2]}}


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "count", "value": 2},
        {"name": "text", "unset": True},
        {"name": "tree", "path": "/no", "unset": True},
        {"name": "tree", "path": "/list/7", "unset": True},
        {"values": {}},
        {"values": {"count": 2}},
    ],
)
def test_what_is_so_already_changes_nothing(fields: dict[str, Any]) -> None:
    whole = known(count=2)

    assert not do(whole, "set-parameter", nodeId="n", **fields).changed


@pytest.mark.parametrize(("before", "after"), [(1, 1.0), (1, True), (0.0, -0.0), ([1], [True])])
def test_values_that_are_written_differently_are_a_change(before: Any, after: Any) -> None:
    whole = graph(node("n", parameters={"p": before}))

    assert do(whole, "set-parameter", nodeId="n", name="p", value=after).changed
    assert repr(values(whole)["p"]) == repr(after)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"name": "p"},
        {"value": 1},
        {"name": "p", "value": 1, "values": {"p": 1}},
        {"name": "p", "values": {"p": 1}},
        {"values": {"p": 1}, "value": None},
        {"values": {"p": 1}, "path": "/a"},
        {"values": {"p": 1}, "unset": True},
        {"name": "p", "value": None, "unset": True},
        {"path": "/a", "value": 1},
        {"name": "p", "path": "a", "value": 1},
        {"name": "p", "path": "/~2", "value": 1},
    ],
)
def test_mixed_forms_are_refused(fields: dict[str, Any]) -> None:
    assert refused(known(), **fields) == "invalid-command"


def test_values_may_not_be_nested_too_deep() -> None:
    whole = graph(node("n"))
    deep: Any = 1
    for _ in range(63):
        deep = {"k": deep}
    do(whole, "set-parameter", nodeId="n", name="p", value=deep)

    with pytest.raises(RejectedError) as refusal:
        do(whole, "set-parameter", nodeId="n", name="p", value=[deep])

    assert refusal.value.code == "size-limit"


def test_a_value_under_an_edge_is_kept_and_the_caller_warned() -> None:
    whole = known()
    do(
        whole,
        "connect",
        source={"nodeId": "a", "portId": "out"},
        target={"nodeId": "n", "portId": "side"},
    )

    done = do(whole, "set-parameter", nodeId="n", name="fed", value=4)

    assert values(whole) == {"fed": 4}
    assert [warning.code for warning in done.effects.warnings] == ["overridden-by-edge"]


def test_an_instance_has_values_of_its_own() -> None:
    inner = definition(
        "s",
        nodes=[
            node("inside", inputs=[port("seed", "INT", parameter="seed")], parameters={"seed": 1})
        ],
        edges=[edge("e", "<input.seed", "inside.seed")],
        inputs=[port("seed", "INT", parameter="seed"), port("image", "IMAGE")],
    )
    whole = graph(instance("n", inner), instance("m", inner), subgraphs=[inner])

    done = do(whole, "set-parameter", nodeId="n", name="seed", value=5)

    assert values(whole) == {"seed": 5}
    assert node_of(whole, "m").parameters == {}
    assert node_of(whole, "inside", "s").parameters == {"seed": 1}
    assert done.effects.updated.nodes == ("n",)
    assert refused(whole, name="seed", value="x") == "value-not-allowed"
    assert refused(whole, name="image", value=1) == "unknown-parameter"


def refused(whole: ProjectGraph, **fields: Any) -> str:
    before = text(whole)
    with pytest.raises(RejectedError) as refusal:
        do(whole, "set-parameter", nodeId="n", **fields)
    assert text(whole) == before
    return refusal.value.code
