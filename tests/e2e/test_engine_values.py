"""Whatever stands in a free field comes back as the same JSON value, from a real process and file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.handlers.desk import Desk, Json, add, node, ports

HOSTILE = (
    "",
    "a b",
    "a.b",
    "$ref",
    "jsonrpc",
    "method",
    "id",
    "__class__",
    "__proto__",
    "constructor",
    "type_name",
    "self",
    "\u0000",
    "\u007f",
    "é",
    "e\u0301",
    "\u202e",
    "\U0001f9e8",
    "'; DROP TABLE projects; --",
    "%s{0}${x}",
    "</script>",
    "\\u0000",
    "a'b\"c\\",
)
TEXTS = st.one_of(
    st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
)
NUMBERS = st.one_of(
    st.integers(),
    st.sampled_from([2**53 + 1, -(2**63), 2**64, 10**30, 0, -0.0, 1.0, 1e308, 5e-324, 0.1]),
    st.floats(allow_nan=False, allow_infinity=False),
)
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=5)
CALM = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("values") / "graphs.db"


@pytest.fixture(scope="module")
def desk(path: Path) -> Iterator[Desk]:
    with Desk.begin(path) as desk:
        yield desk
        assert desk.client.close() == 0


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON, key order and kinds of numbers included."""
    return json.dumps(one) == json.dumps(other)


@pytest.mark.spec("W7")
@settings(max_examples=60, suppress_health_check=CALM)
@given(parameters=OBJECTS, name=TEXTS, value=VALUES)
def test_parameters_come_back_as_they_were_sent(
    desk: Desk, parameters: Json, name: str, value: Any
) -> None:
    answer = desk.commit(
        {"kind": "add-node", "componentId": "any", "parameters": parameters}, projection="changes"
    )
    (node_id,) = answer["effects"]["created"]["nodes"]
    set_ = desk.commit(
        {"kind": "set-parameter", "nodeId": node_id, "name": name, "value": value},
        projection="changes",
    )
    after = {**parameters, name: value}

    assert same(answer["changes"][0]["after"]["parameters"], parameters)
    assert set_["changes"] == [] or same(set_["changes"][0]["after"]["parameters"], after)
    assert same(desk.nodes()[node_id]["parameters"], after)
    told = desk.client.notifications[-1]["params"]["changes"]
    assert told is None or same(
        told[0]["after"]["parameters"], after if set_["changed"] else parameters
    )
    desk.do("remove-node", nodeId=node_id)


@pytest.mark.spec("W7")
@settings(max_examples=40, suppress_health_check=CALM)
@given(natives=st.lists(OBJECTS, min_size=4, max_size=4), default=VALUES)
def test_native_and_other_free_fields_come_back_as_they_were_sent(
    desk: Desk, natives: list[Json], default: Any
) -> None:
    one, two, three, four = natives
    component: Json = {
        "componentId": "free",
        "name": "Free",
        "kind": "http",
        "native": one,
        "outputs": [{"name": "o", "dataType": "*", "native": two}],
        "parameters": [{"name": "p", "dataType": "*", "default": default}],
        "process": {"kind": "http", "request": {"url": "x", **three}, "environment": {}},
    }
    desk.do("set-component", componentId="free", component=component)
    made = desk.do(
        "add-node",
        componentId="any",
        outputs=[{"name": "o", "dataType": "*", "native": four}],
    )
    shown = desk.look()
    (kept,) = shown["components"]
    port = shown["graph"]["nodes"][-1]["outputs"][0]

    assert same(kept["native"], one)
    assert same(kept["outputs"][0]["native"], two)
    assert same(kept["parameters"][0]["default"], default)
    assert same(kept["process"]["request"], {"url": "x", **three})
    assert same(port["native"], four)
    desk.do("remove-node", nodeId=made["effects"]["created"]["nodes"][0])


@pytest.mark.spec("W7")
@settings(max_examples=25, suppress_health_check=CALM)
@given(objects=st.lists(OBJECTS, min_size=1, max_size=3), extra=OBJECTS)
def test_a_file_full_of_hostile_values_is_exported_as_it_was(
    desk: Desk, objects: list[Json], extra: Json
) -> None:
    content = {
        "nodes": [
            {"id": f"n{number}", "position": {"x": number * 400, "y": 0}, "data": one}
            for number, one in enumerate(objects)
        ],
        "edges": [],
        "viewport": extra,
    }
    desk.do("open-native", content=json.dumps(content), format="react-flow")
    exported = desk.request("exportProject", projectId=desk.project, format="react-flow")

    assert same(json.loads(exported["content"]), content)


@pytest.mark.spec("W7", "G3")
@pytest.mark.parametrize("text", [text for text in HOSTILE if text.strip()])
def test_texts_and_ids_come_back_and_are_found_again(desk: Desk, text: str) -> None:
    """n8n PR#2368, #27371; n8n-mcp#353: names are never identities, whatever is in them."""
    name = "".join(one for one in text if one.isprintable()) or "x"
    fresh = desk.look()["revisionNumber"]
    other = f"other {fresh}"
    ids = {"nodeId": f"n{fresh} {name}", "componentId": f"c {name}"}
    desk.do("add-node", **{**node("x"), **ids, "annotation": text, "name": name})
    desk.do("add-node", **node(other, y=900))
    edge, group = f"e{fresh} {name}", f"g{fresh} {name}"
    desk.do(
        "connect",
        edgeId=edge,
        source={"nodeId": ids["nodeId"], "portId": "out"},
        target={"nodeId": other, "portId": "in"},
        label=text,
    )
    desk.do("add-group", groupId=group, name=name, nodeIds=[ids["nodeId"]], color=text)
    shown = desk.look()
    graph = shown["graph"]
    found = next(one for one in graph["nodes"] if one["nodeId"] == ids["nodeId"])

    assert (found["componentId"], found["annotation"]) == (ids["componentId"], text)
    assert next(one for one in graph["edges"] if one["edgeId"] == edge)["label"] == text
    assert next(one for one in graph["groups"] if one["groupId"] == group)["color"] == text
    for _ in range(4):
        desk.undo()


@pytest.mark.spec("W7")
def test_all_of_it_is_still_so_after_a_restart(tmp_path: Path) -> None:
    value = {key: [1, 1.0, 10**30, key] for key in HOSTILE}
    with Desk.begin(tmp_path / "graphs.db") as desk:
        desk.do(
            **add(
                "a",
                parameters=value,
                inputs=ports(*[one for one in HOSTILE if one.isprintable() and one]),
            )
        )
        before = desk.look()
        assert desk.client.close() == 0
    with Desk.spawn(tmp_path / "graphs.db") as desk:
        assert same(desk.look(), before)
        assert same(desk.nodes()["a"]["parameters"], value)


@pytest.mark.spec("C8", "F2", "W7")
def test_what_changes_nothing_leaves_the_order_of_keys_alone(desk: Desk) -> None:
    def process(request: Json) -> Json:
        return {"kind": "http", "request": request, "environment": dict.fromkeys(request, "x")}

    def exported(**over: str) -> str:
        params = {"projectId": desk.project, "format": "graph", **over}
        content: str = desk.request("exportProject", **params)["content"]
        return content

    desk.do(**add("a", inputs=[], outputs=[]))
    desk.do("set-process", nodeId="a", process=process({"one": {"x": 1, "y": 2}, "two": 2}))
    before = exported()
    again = desk.do("set-process", nodeId="a", process=process({"two": 2, "one": {"y": 2, "x": 1}}))
    after, stored = exported(), exported(revisionId=desk.revision)
    desk.do("rename-node", nodeId="a", name="A")
    renamed = desk.nodes()["a"]

    assert (again["status"], again["changed"]) == ("applied", False)
    assert before == after == stored
    assert list(renamed["process"]["request"]) == ["one", "two"]


@pytest.mark.spec("G5", "G18", "G21", "F2")
def test_frames_that_grew_to_the_limits_come_back_with_the_file(desk: Desk) -> None:
    frame = {"x": 0, "y": 0, "width": 10, "height": 10}
    desk.do(**add("far"))
    desk.do("add-group", groupId="far-group", name="Far", nodeIds=["far"], bounds=frame)
    for place in (-1e7, 1e7):
        desk.do("move-node", nodeId="far", position={"x": place, "y": place})
    (grown,) = desk.look()["graph"]["groups"]
    exported = desk.request("exportProject", projectId=desk.project, format="graph")
    desk.do("create-subgraph", nodeIds=["far"])
    (inside,) = desk.look()["graph"]["subgraphs"]
    inserted = desk.do("insert-subgraph", definition=inside)
    opened = desk.do("open-native", content=exported["content"])
    (kept,) = desk.look()["graph"]["groups"]
    corner = {"nodeId": "n", "componentId": "c", "position": {"x": -1e7, "y": -1e7}}
    file = {"schemaVersion": 1, "title": "T", "graph": {"nodes": [corner], "edges": []}}
    wrapped = desk.do("import-workflow", content=file, groupName="All")
    around = desk.look()["graph"]["groups"][1]

    assert (grown["bounds"]["x"], grown["bounds"]["y"]) == (-1e7, -1e7)
    assert [one["effects"]["warnings"] for one in (inserted, opened, wrapped)] == [[], [], []]
    assert kept["bounds"] == grown["bounds"]
    assert around["name"] == "All"
    assert (around["bounds"]["x"], around["bounds"]["y"]) == (-1e7, -1e7)
    for _ in range(7):
        desk.undo()
