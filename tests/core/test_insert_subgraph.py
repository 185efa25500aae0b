from typing import Any

import pytest
from attrs import evolve

from protocol.graph import Position, SubgraphDefinition, SubgraphId
from tests.core.builders import CONVERTER, definition, edge, group, instance, node, port
from tests.core.subgraph_bench import Bench, bench


def wire(whole: SubgraphDefinition) -> Any:
    """A definition as a payload carries it."""
    return CONVERTER.unstructure(whole)


def box() -> SubgraphDefinition:
    return definition(
        "s",
        nodes=[node("a", at=(5, 5))],
        edges=[edge("in", "<input.p", "a.in"), edge("out", "a.out", ">output.q")],
        groups=[group("g", "a")],
        inputs=[port("p", "INT", parameter="p")],
        outputs=["q"],
    )


def nested() -> Bench:
    """s holds t, t holds u."""
    u = definition("u", nodes=[node("nu")])
    t = definition("t", nodes=[instance("iu", u), node("nt")])
    s = definition("s", nodes=[instance("it", t), node("ns")])
    return bench(instance("i", s), subgraphs=[s, t, u])


def test_an_existing_definition_gives_one_more_linked_instance() -> None:
    whole = box()
    desk = bench(instance("i", whole), subgraphs=[whole])

    effects = desk.do("insert-subgraph", subgraphId="s", nodeId="j", position={"x": 900, "y": 0})
    desk.do("annotate-node", scope="s", nodeId="a", annotation="both")

    made = desk.nodes()["j"]
    assert (made.component_id, made.name, made.position) == ("subgraph:s", None, Position(900, 0))
    assert (made.inputs, made.outputs) == (whole.inputs, whole.outputs)
    assert list(desk.graph.subgraphs) == ["s"]
    assert effects.created.nodes == ("j",)
    assert effects.id_map == ()
    assert len(desk.graph.instances(desk.definition("s").subgraph_id)) == 2


def test_an_inline_definition_is_independent_and_all_its_ids_are_new() -> None:
    whole = box()
    desk = bench(instance("i", whole), subgraphs=[whole])

    effects = desk.do("insert-subgraph", definition=wire(whole), nodeId="j")

    new = {(one.kind, one.scope, one.old): one.new for one in effects.id_map}
    made = new["subgraph", None, "s"]
    a = new["node", "s", "a"]
    assert set(new) == {
        ("subgraph", None, "s"),
        ("node", "s", "a"),
        ("edge", "s", "in"),
        ("edge", "s", "out"),
        ("group", "s", "g"),
    }
    assert list(desk.graph.subgraphs) == ["s", made]
    assert desk.nodes()["j"].component_id == f"subgraph:{made}"
    assert desk.edges(made) == {
        new["edge", "s", "in"]: f"<input.p {a}.in",
        new["edge", "s", "out"]: f"{a}.out >output.q",
    }
    assert desk.groups(made)[new["group", "s", "g"]].node_ids == (a,)
    assert desk.nodes(made)[a].position == Position(5, 5)


def test_an_inline_definition_may_hold_instances_of_existing_ones() -> None:
    whole = box()
    desk = bench(instance("i", whole), subgraphs=[whole])
    outer = definition("new", nodes=[node("k", component="subgraph:s", inputs=[], outputs=[])])

    effects = desk.do("insert-subgraph", definition=wire(outer))

    made = next(one.new for one in effects.id_map if one.kind == "subgraph")
    inner = next(iter(desk.nodes(made).values()))
    assert inner.component_id == "subgraph:s"
    assert [one.port_id for one in (*inner.inputs, *inner.outputs)] == ["p", "q"]


def test_an_instance_has_values_and_a_name_of_its_own() -> None:
    whole = box()
    desk = bench(instance("i", whole), subgraphs=[whole])

    desk.do("insert-subgraph", subgraphId="s", nodeId="j", name=" Own ", parameters={"p": 3})

    assert (desk.nodes()["j"].name, desk.nodes()["j"].parameters) == ("Own", {"p": 3})
    assert desk.nodes("s")["a"].parameters == {}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [({}, (280, 0)), ({"near": {"nodeId": "i", "side": "below"}}, (0, 192))],
)
def test_an_instance_without_a_position_stands_on_free_space(
    fields: dict[str, Any], expected: tuple[float, float]
) -> None:
    whole = box()
    desk = bench(instance("i", whole), subgraphs=[whole])

    effects = desk.do("insert-subgraph", subgraphId="s", nodeId="j", **fields)

    assert desk.nodes()["j"].position == Position(*expected)
    assert [(one.node_id, one.position) for one in effects.placed] == [("j", Position(*expected))]


def test_an_instance_of_the_assistant_never_lands_on_another_node() -> None:
    whole = box()
    desk = bench(instance("i", whole), subgraphs=[whole])

    for number in range(10):
        desk.do(
            "insert-subgraph",
            subgraphId="s",
            nodeId=f"j{number}",
            position={"x": 10, "y": 10},
            actor="ai",
        )

    boxes = list(desk.graph.boxes(None))
    assert not any(
        one.overlaps(other) for number, one in enumerate(boxes) for other in boxes[:number]
    )


@pytest.mark.parametrize(
    ("scope", "subgraph_id", "path"),
    [("s", "s", ["s", "s"]), ("t", "s", ["t", "s", "t"]), ("u", "s", ["u", "s", "t", "u"])],
)
def test_a_definition_cannot_come_to_hold_itself(
    scope: str, subgraph_id: str, path: list[str]
) -> None:
    refusal = nested().refused("insert-subgraph", scope=scope, subgraphId=subgraph_id)

    assert refusal.code == "subgraph-recursion"
    assert refusal.details["path"] == path


def test_an_inline_definition_cannot_lead_back_to_the_scope() -> None:
    outer = definition("new", nodes=[node("k", component="subgraph:s")])

    refusal = nested().refused("insert-subgraph", scope="u", definition=wire(outer))

    assert (refusal.code, refusal.details["path"]) == ("subgraph-recursion", ["u", "s", "t", "u"])


@pytest.mark.parametrize("scope", ["t", "u"])
def test_siblings_may_share_a_definition(scope: str) -> None:
    desk = nested()
    desk.do("insert-subgraph", scope="s", subgraphId="u", nodeId="more")
    other = definition("new", nodes=[node("x")])

    desk.do("insert-subgraph", scope=scope, definition=wire(other))

    assert len(desk.graph.subgraphs) == 4


def chain_of(length: int) -> Bench:
    definitions: list[SubgraphDefinition] = [definition(f"s{length}", nodes=[node("n")])]
    for level in range(length - 1, 0, -1):
        definitions.append(definition(f"s{level}", nodes=[instance(f"i{level}", definitions[-1])]))
    top = definition("top", nodes=[node("t")])
    return bench(instance("i", definitions[-1]), instance("j", top), subgraphs=[*definitions, top])


@pytest.mark.parametrize(("length", "allowed"), [(31, True), (32, False)])
def test_definitions_nest_32_levels_deep(length: int, *, allowed: bool) -> None:
    desk = chain_of(length)
    outer = definition("new", nodes=[node("k", component="subgraph:s1")])

    if allowed:
        desk.do("insert-subgraph", scope="top", subgraphId="s1")
        desk.do("insert-subgraph", definition=wire(outer))
    else:
        refusals = [
            desk.refused("insert-subgraph", scope="top", subgraphId="s1"),
            desk.refused("insert-subgraph", definition=wire(outer)),
        ]
        assert [one.code for one in refusals] == ["depth-limit", "depth-limit"]


BROKEN: dict[str, tuple[SubgraphDefinition, str]] = {
    "dangling": (
        definition("d", nodes=[node("a")], edges=[edge("e", "a.out", "gone.in")]),
        "/definition/edges/0/target",
    ),
    "boundary": (
        definition("d", nodes=[node("a")], edges=[edge("e", "<input.gone", "a.in")]),
        "/definition/edges/0/source",
    ),
    "twin nodes": (definition("d", nodes=[node("a"), node("a")]), "/definition/nodes/1"),
    "stranger": (
        definition("d", nodes=[node("a")], groups=[group("g", "b")]),
        "/definition/groups/0/nodeIds/0",
    ),
    "far": (definition("d", nodes=[node("a", at=(2e7, 0))]), "/definition/nodes/0"),
    "twin ports": (definition("d", inputs=["p"], outputs=["p"]), "/definition/inputs/1"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_definition_is_refused_with_the_place_of_the_fault(name: str) -> None:
    whole, path = BROKEN[name]

    refusal = bench().refused("insert-subgraph", definition=wire(whole))

    assert refusal.code == "invalid-command"
    assert [one["path"] for one in refusal.details["issues"]] == [path]


def with_node(**fields: Any) -> SubgraphDefinition:
    return definition("d", nodes=[node("a"), node("b", **fields)], groups=[group("g", "a")])


IMPOSSIBLE: dict[str, tuple[SubgraphDefinition, str, str]] = {
    "no name": (with_node(name=" "), "invalid-name", "/definition/nodes/1/name"),
    "a control": (with_node(name="a\nb"), "invalid-name", "/definition/nodes/1/name"),
    "a long note": (
        with_node(annotation="x" * 65_537),
        "size-limit",
        "/definition/nodes/1/annotation",
    ),
    "a group without a name": (
        definition("d", groups=[group("g", name="")]),
        "invalid-name",
        "/definition/groups/0/name",
    ),
    "two inputs of one name": (
        definition("d", inputs=[port("x"), evolve(port("y"), name="x ")]),
        "name-taken",
        "/definition/inputs/1/name",
    ),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_no_command_would_take_is_not_taken_inside_a_definition_either(name: str) -> None:
    whole, code, path = IMPOSSIBLE[name]

    refusal = bench().refused("insert-subgraph", definition=wire(whole))

    assert (refusal.code, refusal.details["path"]) == (code, path)


def test_names_and_notes_of_a_definition_are_kept_as_commands_keep_them() -> None:
    desk = bench()
    whole = with_node(name=" e\u0301 ", annotation="")

    desk.do("insert-subgraph", definition=wire(whole), nodeId="j")

    (made,) = desk.graph.subgraphs
    inside = list(desk.graph.scopes[SubgraphId(made)].nodes.values())
    assert [(one.name, one.annotation) for one in inside] == [(None, None), ("\u00e9", None)]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "invalid-command"),
        ({"subgraphId": "s", "definition": wire(definition("d"))}, "invalid-command"),
        ({"subgraphId": "gone"}, "unknown-subgraph"),
        (
            {"definition": wire(definition("d", nodes=[node("x", component="subgraph:no")]))},
            "unknown-subgraph",
        ),
        (
            {"definition": wire(definition("d", nodes=[node("x", component="subgraph:d")]))},
            "subgraph-recursion",
        ),
        ({"definition": wire(definition("d", name=""))}, "invalid-name"),
        ({"subgraphId": "s", "nodeId": "i"}, "id-in-use"),
        ({"subgraphId": "s", "name": ""}, "invalid-name"),
        ({"subgraphId": "s", "position": {"x": 2e7, "y": 0}}, "invalid-position"),
        ({"subgraphId": "s", "near": {"nodeId": "gone"}}, "unknown-node"),
        ({"subgraphId": "s", "parameters": {"nothing": 1}}, "unknown-parameter"),
        ({"subgraphId": "s", "parameters": {"p": "text"}}, "type-mismatch"),
    ],
)
def test_what_cannot_be_inserted_is_refused(fields: dict[str, Any], code: str) -> None:
    whole = box()
    desk = bench(instance("i", whole), subgraphs=[whole])

    assert desk.refused("insert-subgraph", **fields).code == code
