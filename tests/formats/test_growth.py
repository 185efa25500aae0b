"""Reading and writing cost in proportion to the file, also where the file is out to be costly."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.formats.reader import read
from sidecar.formats.writer import write
from tests.formats.support import content_of, real_files

STEP = 4
MOST_STEP = 3 * STEP
"""Proportional growth would be 4, quadratic 16."""


def comfyui(count: int, *, frames: int = 0, same: bool = False, far: int = 0) -> Any:
    nodes = [
        {
            "id": 1 if same else i,
            "type": "X",
            "pos": [i % 100 * 300, i // 100 * 200],
            "size": [200, 100],
            "inputs": [{"name": "a", "type": "T", "link": i - 1 if i else None}],
            "outputs": [{"name": "o", "type": "T", "links": [i]}],
            "widgets_values": [1],
        }
        for i in range(count)
    ]
    links = [[i, i + far, 0, i + 1, 0, "T"] for i in range(count - 1)]
    groups = [
        {"id": i, "title": "g", "bounding": [i % 100 * 300 - 5, i // 100 * 200 - 40, 250, 180]}
        for i in range(frames)
    ]
    return {"nodes": nodes, "links": links, "groups": groups, "version": 0.4}


def fan(count: int) -> Any:
    file = comfyui(count)
    file["links"] = [[i, 0, 0, i, 0, "T"] for i in range(count - 1, 0, -1)]
    file["nodes"][0]["outputs"][0]["links"] = list(range(1, count))
    return file


def node_red(count: int, *, same: bool = False, nested: int = 0) -> list[Any]:
    nodes = [
        {
            "id": "x" if same else f"n{i}",
            "type": "f",
            "z": "t",
            "x": i,
            "y": 0,
            "wires": [[f"n{i + 1}"]],
        }
        for i in range(count)
    ]
    groups = [
        {
            "id": f"g{i}",
            "type": "group",
            "z": "t",
            "g": f"g{i + 1}",
            "nodes": [f"n{i}"],
            "x": 0,
            "y": 0,
            "w": 1,
            "h": 1,
        }
        for i in range(nested)
    ]
    return [{"id": "t", "type": "tab", "label": "T"}, *nodes, *groups]  # fmt: skip


def n8n(count: int, *, same: bool = False) -> Any:
    nodes = [
        {
            "id": f"u{i}",
            "name": "N" if same else f"N{i}",
            "type": "t",
            "position": [i, 0],
            "parameters": {},
        }
        for i in range(count)
    ]
    connections = {
        f"N{i}": {"main": [[{"node": f"N{i + 1}", "type": "main", "index": 0}]]}
        for i in range(count - 1)
    }
    return {"name": "x", "nodes": nodes, "connections": connections}  # fmt: skip


def react_flow(count: int, *, nested: bool = False) -> Any:
    type_ = "group" if nested else "x"
    nodes = [
        {"id": f"n{i}", "type": type_, "position": {"x": 1, "y": i}, "data": {}}
        | ({"parentId": f"n{i - 1}"} if nested and i else {})
        for i in range(count)
    ]
    pairs = range(0 if nested else count - 1)
    edges = [{"id": f"e{i}", "source": f"n{i}", "target": f"n{i + 1}"} for i in pairs]
    return {"nodes": nodes, "edges": edges}


def graph(count: int) -> Any:
    port = {"name": "p", "dataType": "*"}
    nodes = [
        {
            "nodeId": f"n{i}",
            "componentId": "c",
            "position": {"x": i, "y": 0},
            "inputs": [port],
            "outputs": [port],
        }
        for i in range(count)
    ]
    edges = [
        {
            "edgeId": f"e{i}",
            "source": {"nodeId": f"n{i}", "portId": "p"},
            "target": {"nodeId": f"n{i + 1}", "portId": "p"},
        }
        for i in range(count - 1)
    ]
    return {"schemaVersion": 1, "title": "x", "graph": {"nodes": nodes, "edges": edges}}  # fmt: skip


def nested_frames(count: int) -> Any:
    file = comfyui(10)
    file["groups"] = [
        {"id": i, "title": "g", "bounding": [-i, -i, 2000 + 2 * i, 2000 + 2 * i]}
        for i in range(count)
    ]
    return file


def wide_definition(count: int) -> Any:
    """An instance whose definition has many inputs, each of which holds a value."""
    names = [f"a{i}" for i in range(count)]
    slots = [{"name": n, "type": "T", "link": None, "widget": {"name": n}} for n in names]
    inner = [{**slot, "link": i} for i, slot in enumerate(slots)]
    node = {"id": 1, "pos": [0, 0], "outputs": [], "widgets_values": list(range(count))}
    definition = {
        "id": "D",
        "name": "D",
        "inputs": [{"name": n, "type": "T", "linkIds": [i]} for i, n in enumerate(names)],
        "nodes": [{**node, "type": "X", "inputs": inner}],
        "links": [
            {"id": i, "origin_id": -10, "origin_slot": i, "target_id": 1, "target_slot": i}
            for i in range(count)
        ],
    }
    file = {"version": 0.4, "links": [], "definitions": {"subgraphs": [definition]}}
    return {**file, "nodes": [{**node, "type": "D", "inputs": slots}]}


def wide_subflow(count: int) -> list[Any]:
    exits = [{"wires": [{"id": "s", "port": i}]} for i in range(count)]
    subflow = {"id": "s", "type": "subflow", "in": [{"wires": []} for _ in exits], "out": exits}
    return [subflow, {"id": "a", "type": "f", "z": "s", "x": 0, "y": 0, "wires": []}]


FILES: dict[str, Callable[[int], Any]] = {
    "comfyui": comfyui,
    "comfyui with frames": lambda n: comfyui(n, frames=n),
    "comfyui with one id": lambda n: comfyui(n, same=True),
    "comfyui with lost links": lambda n: comfyui(n, far=10**7),
    "comfyui fan": fan,
    "comfyui-api": lambda n: {
        str(i): {"class_type": "X", "inputs": {"a": [str(i - 1), 0], "b": 1}} for i in range(n)
    },
    "comfyui with frames in frames": nested_frames,
    "comfyui with a wide definition": wide_definition,
    "comfyui-api with many values": lambda n: {
        "1": {"class_type": "X", "inputs": {f"a{i}": i for i in range(n)}}
    },
    "node-red": node_red,
    "node-red with a wide subflow": wide_subflow,
    "node-red with one id": lambda n: node_red(n, same=True),
    "node-red with nested groups": lambda n: node_red(n, nested=n),
    "n8n": n8n,
    "n8n with one name": lambda n: n8n(n, same=True),
    "react-flow": react_flow,
    "react-flow nested": lambda n: react_flow(n, nested=True),
    "graph": graph,
}


def cost(content: Any) -> float:
    """Return the processor seconds of reading and writing a content, the best of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        state = read(content).state
        assert state.document is not None
        value, _ = write(state, state.document.format)
        times.append(time.process_time() - start)
        assert value == content
    return min(times)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FILES))
def test_four_times_the_file_costs_about_four_times_as_much(name: str) -> None:
    small, large = cost(FILES[name](1_000)), cost(FILES[name](1_000 * STEP))
    print(f"{name}: {small * 1000:.0f} ms, {large * 1000:.0f} ms")
    assert large < small * MOST_STEP


@pytest.mark.slow
def test_the_largest_real_file_takes_a_moment() -> None:
    path = max(real_files(), key=lambda one: one.stat().st_size)
    seconds = cost(content_of(path))
    print(f"{path.name}: {seconds * 1000:.0f} ms")
    assert seconds < 0.5
