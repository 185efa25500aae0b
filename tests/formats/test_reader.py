"""What a content is taken for, and which contents are refused and why."""

from importlib import resources
from typing import Any

import pytest

from protocol.json_text import dumps, loads
from sidecar.core.errors import RejectedError
from sidecar.core.limits import MAX_IMPORT
from sidecar.formats.adapters import ADAPTERS
from sidecar.formats.detect import detect
from sidecar.formats.reader import read
from sidecar.formats.writer import write
from tests.formats.samples import COMFYUI, COMFYUI_API, REACT_FLOW, SAMPLES
from tests.formats.support import assert_comes_back, content_of, exported, real_files

EMPTY = {"nodes": [], "links": [], "version": 0.4}


def refusal(content: Any, format_: str = "auto") -> RejectedError:
    with pytest.raises(RejectedError) as caught:
        read(content, format_)
    return caught.value


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ([{"id": "a", "type": "tab"}], "node-red"),
        ({"nodes": [], "connections": {}, "edges": []}, "n8n"),
        ({"nodes": [], "links": [], "version": 1, "edges": []}, "comfyui"),
        ({"nodes": [], "edges": []}, "react-flow"),
        ({"nodes": [], "edges": [], "schemaVersion": 1}, "graph"),
        ({"1": {"class_type": "A", "inputs": {}}}, "comfyui-api"),
        ({"prompt": {"1": {"class_type": "A", "inputs": {}}}}, "comfyui-api"),
        ({"prompt": {"class_type": "A", "inputs": {}}}, "comfyui-api"),
        ({"workflow": COMFYUI, "prompt": COMFYUI_API}, "comfyui"),
        ({"workflow": dumps(COMFYUI).decode()}, "comfyui"),
        ({"workflow": None, "prompt": COMFYUI_API}, "comfyui-api"),
        ({"name": "x", "data": REACT_FLOW}, "react-flow"),
    ],
)
def test_the_shape_tells_the_format(content: Any, name: str) -> None:
    assert detect(content) == name


@pytest.mark.parametrize(
    "content",
    [{}, "[1]", {"nodes": {}}, [1], [{"id": 1, "type": "tab"}], {"a": 1}, "7", "null", '"text"'],
)
def test_what_has_no_known_shape_is_refused_with_what_was_tried(content: Any) -> None:
    error = refusal(content)
    assert error.code == "unknown-format"
    assert set(error.details["tried"]) == set(ADAPTERS)


@pytest.mark.parametrize("text", ["", "{", "{'a': 1}", "[NaN]", '{"a": 1} x'])
def test_what_is_not_json_is_unreadable(text: str) -> None:
    error = refusal(text)
    assert error.code == "unreadable-content"
    assert error.details == {"reason": "not-json"}


def test_what_is_nested_too_deep_is_unreadable() -> None:
    deep: Any = 1
    for _ in range(70):
        deep = [deep]
    assert refusal({**COMFYUI, "extra": {"deep": deep}}).details == {"reason": "too-deep"}
    assert refusal("[" * 100_000).code == "unreadable-content"


def test_a_text_that_is_too_long_is_refused() -> None:
    assert refusal(" " * (MAX_IMPORT + 1)).code == "size-limit"


def test_an_unknown_format_is_refused_by_reading_and_writing() -> None:
    assert refusal(COMFYUI, "galaxy").code == "unknown-format"
    with pytest.raises(RejectedError) as caught:
        write(read(COMFYUI).state, "galaxy")
    assert caught.value.code == "unknown-format"


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_content_of_another_shape_than_the_named_format_is_refused(name: str) -> None:
    other: Any = {} if name == "node-red" else []
    assert refusal(other, name).code == "unreadable-content"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (EMPTY, "auto"),
        ([], "auto"),
        ([{"id": "t", "type": "tab"}], "auto"),
        ({"nodes": [], "connections": {}}, "auto"),
        ({"nodes": [], "edges": []}, "auto"),
        ({"schemaVersion": 1, "title": "x", "graph": {}}, "auto"),
        ({}, "comfyui-api"),
    ],
)
def test_a_file_with_nothing_in_it_is_refused(content: Any, name: str) -> None:
    assert refusal(content, name).code == "empty-workflow"


@pytest.mark.parametrize(
    "content",
    [
        {**COMFYUI, "version": 2},
        {**COMFYUI, "version": 0.3},
        {**SAMPLES["graph"], "schemaVersion": 2},
        {**SAMPLES["graph"], "schemaVersion": True},
        {**SAMPLES["graph"], "schemaVersion": None},
    ],
)
def test_an_unknown_version_is_refused(content: Any) -> None:
    error = refusal(content)
    assert error.code == "unsupported-version"
    assert error.details["supported"]


def definition(id_: str, *types: str) -> Any:
    nodes = [{"id": i, "type": t, "pos": [0, 0]} for i, t in enumerate(types)]
    return {"id": id_, "version": 1, "name": id_, "nodes": nodes, "links": [], "inputs": []}


def test_definitions_in_a_circle_are_refused_with_the_way_round() -> None:
    loop = [definition("a", "b"), definition("b", "c"), definition("c", "x", "b")]
    error = refusal({**EMPTY, "definitions": {"subgraphs": loop}})
    assert error.code == "subgraph-recursion"
    assert error.details == {"path": ["b", "c", "b"]}


def test_a_subflow_in_itself_is_refused() -> None:
    flow = [
        {"id": "s", "type": "subflow", "name": "S", "in": [], "out": []},
        {"id": "n", "type": "subflow:s", "z": "s", "x": 0, "y": 0, "wires": []},
    ]
    assert refusal(flow).code == "subgraph-recursion"


def test_a_definition_used_twice_and_nested_is_no_circle() -> None:
    nested = [definition("a", "b", "b", "c"), definition("b", "c"), definition("c", "x")]
    file = {**EMPTY, "definitions": {"subgraphs": nested}}
    assert len(assert_comes_back(file).state.graph.subgraphs) == 3


def test_a_graph_file_of_another_shape_is_refused_place_by_place() -> None:
    broken = {"schemaVersion": 1, "title": "x", "graph": {"nodes": [{"nodeId": 7}], "edges": {}}}
    error = refusal(broken)
    assert error.code == "unreadable-content"
    paths = {issue["path"] for issue in error.details["issues"]}
    assert "/graph/nodes/0/nodeId" in paths
    assert "/graph/nodes/0/position" in paths


@pytest.mark.parametrize(
    "content",
    [
        {"workflow": COMFYUI, "prompt": COMFYUI_API, "other": 1},
        {"first": [], "workflow": dumps(COMFYUI).decode(), "prompt": "{}"},
        {"workflow": " " + dumps(COMFYUI).decode().replace(",", ", ")},
        {"client_id": "x", "prompt": COMFYUI_API, "extra_data": {"a": 1}},
        {"id": "x", "data": REACT_FLOW, "name": "flow", "tags": []},
    ],
)
def test_what_is_around_a_workflow_comes_back_too(content: Any) -> None:
    reading = read(content)
    assert dumps(exported(reading)) == dumps(content)
    assert all(notice.path.startswith("/") for notice in reading.notices if notice.path)


def test_paths_of_repairs_begin_at_the_whole_content() -> None:
    paths = [notice.path or "" for notice in read({"workflow": COMFYUI}).notices]
    assert paths
    assert all(path.startswith("/workflow/") for path in paths)


def test_a_file_of_the_program_itself_is_a_clean_workflow() -> None:
    text = resources.files("sidecar.cli").joinpath("sample.json").read_text(encoding="utf-8")
    reading = assert_comes_back(loads(text))
    assert not reading.notices
    assert reading.state.graph.groups
    assert reading.state.graph.subgraphs


def test_reading_changes_nothing_in_the_content() -> None:
    for name, sample in SAMPLES.items():
        before = dumps(sample)
        state = read(sample, name).state
        for target in ADAPTERS:
            write(state, target)
        assert dumps(sample) == before


def test_a_graph_file_of_a_workflow_still_knows_the_workflow() -> None:
    for path in real_files()[::80]:
        content = content_of(path)
        file, _ = write(read(content).state, "graph")
        reading = read(file)
        assert not reading.notices
        again, _ = write(reading.state, "comfyui")
        assert dumps(again) == dumps(content)
