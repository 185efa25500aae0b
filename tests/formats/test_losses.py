"""What a format cannot hold is told, feature by feature, and nothing else is."""

from collections.abc import Callable
from typing import Any

import pytest

from protocol.graph import Graph, Node, ProjectState
from sidecar.formats.adapters import ADAPTERS
from sidecar.formats.reader import read
from sidecar.formats.writer import write
from tests.formats.samples import SAMPLES
from tests.formats.support import real_files

Look = Callable[[ProjectState], Any]


def node(id_: str, x: float, **fields: Any) -> dict[str, Any]:
    return {
        "nodeId": id_,
        "componentId": "C",
        "name": id_,
        "position": {"x": x, "y": 0},
        "inputs": [{"name": "i1", "dataType": "*"}, {"name": "i2", "dataType": "*"}],
        "outputs": [{"name": "o1", "dataType": "*"}, {"name": "o2", "dataType": "*"}],
        **fields,
    }


def edge(id_: str, output: str, input_: str, **fields: Any) -> dict[str, Any]:
    source = {"nodeId": "A", "portId": output}
    return {"edgeId": id_, "source": source, "target": {"nodeId": "B", "portId": input_}, **fields}


def project(
    *edges: Any, first: Any = None, second: Any = None, groups: Any = (), **fields: Any
) -> ProjectState:
    graph = {
        "nodes": [node("A", 0, **(first or {})), node("B", 400, **(second or {}))],
        "edges": list(edges),
        "groups": list(groups),
    }
    return read({"schemaVersion": 1, "graph": graph, **fields}).state


def nodes(state: ProjectState) -> list[Node]:
    return sorted(state.graph.nodes, key=lambda one: one.name or "")


def of_nodes(name: str) -> Look:
    return lambda state: [getattr(one, name) for one in nodes(state)]


def of_edges(name: str) -> Look:
    return lambda state: [getattr(one, name) for one in state.graph.edges]


def of_groups(name: str) -> Look:
    return lambda state: [getattr(one, name) for one in state.graph.groups]


def wiring(state: ProjectState) -> Any:
    """Which output feeds which input, by their places where both ends have all their ports."""
    graph: Graph = state.graph
    places = {
        (side, one.node_id, port.port_id): (one.name, place)
        for one in graph.nodes
        for side, ports in (("out", one.outputs), ("in", one.inputs))
        for place, port in enumerate(ports)
    }
    return sorted(
        (
            places["out", one.source.node_id, one.source.port_id],
            places["in", one.target.node_id, one.target.port_id],
        )
        for one in graph.edges
        if one.source.node_id and one.target.node_id
    )


def members(state: ProjectState) -> Any:
    names = {one.node_id: one.name for one in state.graph.nodes}
    groups = {one.group_id: one for one in state.graph.groups}
    return sorted(
        (
            one.name,
            [names[id_] for id_ in one.node_ids],
            groups[one.parent_group_id].name if one.parent_group_id else None,
        )
        for one in groups.values()
    )


GROUP = {"groupId": "g", "name": "G", "nodeIds": ["A"]}
INNER = {"groupId": "h", "name": "H", "nodeIds": ["B"], "parentGroupId": "g"}
FRAME = {"x": -100, "y": -200, "width": 900, "height": 800}
WITHIN = {
    "groupId": "w",
    "name": "W",
    "nodeIds": [],
    "bounds": {"x": 0, "y": 400, "width": 9, "height": 9},
}
COMPONENT = {"componentId": "C", "name": "Cee", "kind": "builtin"}
MANY = {"inputs": [{"name": "i1", "dataType": "*", "multiple": True}]}
FEATURES: dict[str, tuple[ProjectState, Look, str]] = {
    "name": (project(), of_nodes("name"), "Names"),
    "place": (project(), of_nodes("position"), "Places"),
    "size": (
        project(first={"size": {"width": 9, "height": 8}}),
        lambda state: nodes(state)[0].size,
        "izes",
    ),
    "muted": (project(first={"enabled": "muted"}), of_nodes("enabled"), "uted|Disabled"),
    "bypassed": (project(first={"enabled": "bypassed"}), of_nodes("enabled"), "ypassed|Disabled"),
    "collapsed": (project(first={"collapsed": True}), of_nodes("collapsed"), "collapsed|Places"),
    "pinned": (project(first={"pinned": True}), of_nodes("pinned"), "pinned|Places"),
    "note": (project(first={"annotation": "n"}), of_nodes("annotation"), "Notes"),
    "parameters": (project(first={"parameters": {"p": {"q": 1}}}), of_nodes("parameters"), "-"),
    "parameters of ours": (
        project(first={"parameters": {"x": 1, "name": 2}}),
        of_nodes("parameters"),
        "Parameters",
    ),
    "process": (
        project(first={"process": {"kind": "script", "code": "c"}}),
        of_nodes("process"),
        "execute",
    ),
    "ports": (
        project(first={"inputs": [{"name": "i", "label": "L", "dataType": "INT"}]}),
        lambda state: [
            [(p.name, p.label, p.data_type) for p in one.inputs] for one in nodes(state)
        ],
        "ports",
    ),
    "edge": (project(edge("e", "o1", "i1")), wiring, "-"),
    "edges": (project(edge("e", "o1", "i1"), edge("f", "o2", "i2")), wiring, "several inputs"),
    "fan": (project(edge("e", "o1", "i1"), edge("f", "o1", "i2")), wiring, "several inputs"),
    "label": (project(edge("e", "o1", "i1", label="L")), of_edges("label"), "Labels"),
    "bends": (
        project(edge("e", "o1", "i1", waypoints=[{"x": 5, "y": 5}])),
        of_edges("waypoints"),
        "Bends",
    ),
    "hidden": (project(edge("e", "o1", "i1", hidden=True)), of_edges("hidden"), "hidden"),
    "group": (project(groups=[GROUP]), members, "groups"),
    "nested": (project(groups=[GROUP, INNER]), members, "roups"),
    "frame": (project(groups=[{**GROUP, "bounds": FRAME}]), of_groups("bounds"), "roups"),
    "color": (project(groups=[{**GROUP, "color": "#f00"}]), of_groups("color"), "roups"),
    "component": (
        project(components=[COMPONENT]),
        lambda state: [one.component_id for one in state.components],
        "components",
    ),
}


@pytest.mark.spec("F5")
@pytest.mark.parametrize("format_", ADAPTERS)
@pytest.mark.parametrize("feature", FEATURES)
def test_what_does_not_come_back_from_a_file_was_told(feature: str, format_: str) -> None:
    state, look, words = FEATURES[feature]

    value, notices = write(state, format_)
    reading = read(value, format_)

    told = [one.message for one in notices]
    if look(reading.state) != look(state):
        assert any(word in message for word in words.split("|") for message in told), told
    # What we write ourselves needs no repair.
    assert [one.code for one in reading.notices] == []


@pytest.mark.spec("F2", "F5")
@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_as_it_was_opened_loses_nothing(name: str) -> None:
    reading = read(SAMPLES[name])
    assert reading.state.document is not None

    assert write(reading.state, reading.state.document.format)[1] == []


def test_real_files_lose_nothing_in_their_own_format() -> None:
    for path in real_files()[::50]:
        assert write(read(path.read_text()).state, "comfyui")[1] == []


@pytest.mark.spec("F5")
@pytest.mark.parametrize("format_", ["n8n", "react-flow"])
def test_a_file_without_subgraphs_needs_no_repair(format_: str) -> None:
    for path in real_files()[5::60]:
        value, notices = write(read(path.read_text()).state, format_)

        notices_of_reading = read(value, format_).notices if value["nodes"] else ()

        assert [one.code for one in notices_of_reading] == [], path.name
        assert notices


@pytest.mark.spec("F5")
@pytest.mark.parametrize("format_", ["n8n", "react-flow"])
def test_links_of_link_nodes_are_drawn_in_other_formats_and_that_is_told(format_: str) -> None:
    state = read(SAMPLES["node-red"]).state
    assert any(of_edges("hidden")(state))

    value, notices = write(state, format_)

    shown = not any(of_edges("hidden")(read(value, format_).state))
    assert shown == any("hidden" in one.message for one in notices)
