"""An edit of an opened file shows in the export where it belongs, and nowhere else."""

from typing import Any

import pytest
from attrs import evolve

from protocol.graph import (
    ComponentId,
    Edge,
    EdgeId,
    Endpoint,
    Node,
    NodeId,
    Port,
    PortId,
    Position,
    ProjectState,
)
from protocol.json_text import dumps
from sidecar.formats.reader import read
from tests.formats.remint import reminted
from tests.formats.samples import SAMPLES
from tests.formats.support import (
    assert_comes_back,
    differences,
    exported,
    set_parameter,
    with_added_node,
    with_edge,
    with_node,
    without_node,
)


def edited(name: str, change: Any) -> list[str]:
    """Return where the export of a sample differs after a change."""
    return list(differences(SAMPLES[name], exported(read(SAMPLES[name]), change)))


@pytest.mark.parametrize(
    ("name", "index", "parameter", "places"),
    [
        ("comfyui", 2, "steps", ["/nodes/2/widgets_values/2"]),
        ("comfyui", 2, "control_after_generate", ["/nodes/2/widgets_values/1"]),
        ("comfyui", 4, "value", ["/nodes/4/widgets_values/value"]),
        ("comfyui", 5, "text", ["/nodes/5/widgets_values/0"]),
        ("comfyui-api", 0, "seed", ["/3/inputs/seed"]),
        ("node-red", 0, "repeat", ["/6/repeat"]),
        ("n8n", 2, "rules", ["/nodes/2/parameters/rules"]),
        ("react-flow", 0, "v", ["/nodes/0/data/v"]),
        ("react-flow", 5, "inp", ["/nodes/7/data/node/template/inp/value"]),
        ("graph", 0, "new", ["/graph/nodes/0/parameters"]),
    ],
)
def test_setting_a_parameter(name: str, index: int, parameter: str, places: list[str]) -> None:
    assert edited(name, lambda s: set_parameter(s, index, parameter, "another")) == places


@pytest.mark.parametrize(
    ("name", "index", "places"),
    [
        ("comfyui", 0, ["/nodes/0/pos/0"]),
        ("comfyui", 1, ["/nodes/1/pos"]),
        ("node-red", 0, ["/6/x"]),
        ("node-red", 4, ["/11/x"]),
        ("n8n", 0, ["/nodes/0/position/0"]),
        ("react-flow", 0, ["/nodes/0/position/x"]),
        ("react-flow", 1, ["/nodes/1/position/x"]),
        ("graph", 0, ["/graph/nodes/0/position/x"]),
    ],
)
def test_moving_a_node(name: str, index: int, places: list[str]) -> None:
    def change(state: ProjectState) -> ProjectState:
        spot = state.graph.nodes[index].position
        return with_node(state, index, position=Position(spot.x + 3, spot.y))

    assert edited(name, change) == places


@pytest.mark.parametrize(
    ("name", "index", "places"),
    [
        ("comfyui", 0, ["/nodes/0/title"]),
        ("comfyui", 1, ["/nodes/1/title"]),
        ("comfyui-api", 0, ["/3/_meta/title"]),
        ("comfyui-api", 1, ["/4/_meta"]),
        ("node-red", 0, ["/6/name"]),
        ("n8n", 2, [
            "/nodes/2/name",
            "/connections/Set1",
            "/connections/Another",
            "/connections/When clicking/main/0/3/node",
            "/connections/Model/ai_languageModel/0/0/node",
        ]),
        ("react-flow", 0, ["/nodes/0/data/label"]),
        ("react-flow", 5, ["/nodes/7/data/node/display_name"]),
        ("graph", 0, ["/graph/nodes/0/name"]),
    ],
)  # fmt: skip
def test_renaming_a_node(name: str, index: int, places: list[str]) -> None:
    found = edited(name, lambda s: with_node(s, index, name="Another"))
    assert sorted(found) == sorted(places)


@pytest.mark.parametrize(
    ("name", "index", "places"),
    [
        ("comfyui", 0, ["/nodes/0/mode"]),
        ("node-red", 0, ["/6/d"]),
        ("n8n", 0, ["/nodes/0/disabled"]),
        ("graph", 0, ["/graph/nodes/0/enabled"]),
    ],
)
def test_muting_a_node(name: str, index: int, places: list[str]) -> None:
    assert edited(name, lambda s: with_node(s, index, enabled="muted")) == places


def removed(name: str, index: int) -> Any:
    def change(state: ProjectState) -> ProjectState:
        return without_node(state, state.graph.nodes[index].node_id)

    return exported(read(SAMPLES[name]), change)


def test_removing_a_comfyui_node_takes_links_reroutes_and_looks_along() -> None:
    file = removed("comfyui", 2)

    assert [node["id"] for node in file["nodes"]] == [1, 2, 4, "n5", 6]
    assert [link[0] for link in file["links"]] == [2]
    assert file["nodes"][0]["outputs"][0]["links"] is None
    assert file["nodes"][1]["outputs"][0]["links"] == [99]
    assert file["nodes"][2]["inputs"][0]["link"] is None
    assert file["extra"]["reroutes"] == []
    assert file["extra"]["linkExtensions"] == []
    assert file["extra"]["linkPresentation"] == {"2": {"label": "words"}}
    assert file["last_node_id"] == 9


def test_removing_an_api_node_takes_its_links_along() -> None:
    file = removed("comfyui-api", 1)
    assert file == {
        "3": {**SAMPLES["comfyui-api"]["3"], "inputs": {
            "seed": 5, "sizes": {"__value__": [1, 2]}, "odd": [1, 2, 3], "lost": ["99", 1]}},
        "5:2": {"inputs": {"samples": ["3", 0]}, "class_type": "VAEDecode"},
    }  # fmt: skip


def test_removing_a_node_red_node_takes_wires_and_membership_along() -> None:
    file = {item["id"]: item for item in removed("node-red", 1)}
    assert "n2" not in file
    assert file["n1"]["wires"] == [["nope"]]
    assert file["g1"]["nodes"] == ["n1", "ghost"]
    assert file["j"] == SAMPLES["node-red"][8]


def test_removing_a_link_node_takes_its_mentions_along() -> None:
    file = {item["id"]: item for item in removed("node-red", 5)}
    assert file["lo"]["links"] == ["gone"]


def test_removing_an_n8n_node_takes_its_connections_along() -> None:
    file = removed("n8n", 1)
    assert file["connections"]["Set1"] == {"main": [None, [], []]}
    assert [entry["node"] for entry in file["connections"]["When clicking"]["main"][0]] == [
        "Nope",
        "Set1",
    ]
    assert file["nodeGroups"][0]["nodeIds"] == ["u1", "zz"]
    assert file["connections"]["Ghost"] == SAMPLES["n8n"]["connections"]["Ghost"]


def test_removing_a_react_flow_node_takes_its_edges_along() -> None:
    file = removed("react-flow", 1)
    assert [edge["id"] for edge in file["edges"]] == ["e3"]
    assert [node["id"] for node in file["nodes"]] == ["a", "g", "g2", "p", "q", "q", "L1"]


def fresh(component: str, **values: Any) -> Node:
    defaults: dict[str, Any] = {
        "inputs": (Port(name="in", data_type="*"),),
        "outputs": (Port(name="out", data_type="*"),),
    }
    return Node(
        node_id=NodeId("fresh"),
        component_id=ComponentId(component),
        position=Position(50, 900),
        **{**defaults, **values},
    )


def edge_to_fresh(state: ProjectState, index: int, target: str = "in") -> Edge:
    node = state.graph.nodes[index]
    return Edge(
        edge_id=EdgeId("fresh-edge"),
        source=Endpoint(node_id=node.node_id, port_id=node.outputs[0].port_id),
        target=Endpoint(node_id=NodeId("fresh"), port_id=PortId(target)),
        data_type=node.outputs[0].data_type,
    )


def grown(name: str, index: int, node: Node) -> Any:
    """Return the export of a sample after a node was added and connected to."""
    return exported(
        read(SAMPLES[name]),
        lambda s: with_edge(
            with_added_node(s, node), edge_to_fresh(s, index, node.inputs[0].port_id)
        ),
    )


def test_a_new_comfyui_node_has_fresh_ids_and_raises_the_counters() -> None:
    node = fresh("PreviewImage", name="Look", parameters={"scale": 2})
    file = grown("comfyui", 0, node)

    added, link = file["nodes"][-1], file["links"][-1]
    assert file["links"][-2] == [6, 77, 0, 3, 9, "X"]
    assert added["id"] == 78
    assert file["last_node_id"] == 78
    assert link == [file["last_link_id"], 1, 0, 78, 0, "MODEL"]
    assert file["last_link_id"] == 13
    assert file["nodes"][0]["outputs"][0]["links"] == [1, 13]
    assert added["inputs"] == [{"name": "in", "type": "*", "link": 13}]
    assert added["title"] == "Look"
    assert added["widgets_values"] == [2]
    assert added["widgets_values_named"] == {"scale": 2}
    assert {"pos", "size", "flags", "order", "mode", "properties"} <= added.keys()
    kept = {**file, "nodes": file["nodes"][:-1], "links": file["links"][:-1]}
    changed = list(differences(SAMPLES["comfyui"], kept))
    assert sorted(changed) == [
        "/last_link_id",
        "/last_node_id",
        "/nodes/0/outputs/0/links#length",
    ]
    assert_comes_back(file)


def test_a_new_api_node_has_a_fresh_id() -> None:
    file = grown("comfyui-api", 1, fresh("SaveImage", parameters={"prefix": ["a"]}))
    assert file["100"] == {
        "inputs": {"in": ["4", 0], "prefix": {"__value__": ["a"]}},
        "class_type": "SaveImage",
    }
    assert_comes_back(file)


def test_a_new_node_red_node_stands_on_the_first_tab() -> None:
    file = grown("node-red", 0, fresh("debug", parameters={"active": True}, inputs=(Port(name="input", data_type="*", multiple=True),)))  # fmt: skip
    added = file[-1]
    assert len(added["id"]) == 16
    assert file[6]["wires"] == [["n2", "nope", "n2", added["id"]]]
    assert added["z"] == "t1"
    assert added["type"] == "debug"
    assert added["active"] is True
    assert (added["x"], added["y"]) == (110, 915)
    assert added["wires"] == [[]]
    assert_comes_back(file)


def test_a_new_n8n_node_has_a_name_of_its_own() -> None:
    node = fresh("n8n-nodes-base.set", name="Set", inputs=(Port(name="main", port_id=PortId("main:0"), data_type="main", multiple=True),))  # fmt: skip
    file = grown("n8n", 0, node)
    added = file["nodes"][-1]
    assert added["name"] == "Set2"
    assert added["typeVersion"] == 1
    assert file["connections"]["When clicking"]["main"][0][-1] == {
        "node": "Set2",
        "type": "main",
        "index": 0,
    }
    assert_comes_back(file)


def test_a_new_react_flow_node_has_its_own_handles() -> None:
    file = grown("react-flow", 0, fresh("output", name="End"))
    assert file["nodes"][-1] == {
        "id": "fresh",
        "type": "output",
        "position": {"x": 50, "y": 900},
        "data": {"label": "End"},
    }
    assert file["edges"][-1] == {
        "id": "fresh-edge",
        "source": "a",
        "target": "fresh",
        "targetHandle": "in",
    }
    assert_comes_back(file)


def test_a_new_node_in_a_graph_file_keeps_its_id() -> None:
    file = grown("graph", 0, fresh("x"))
    assert file["graph"]["nodes"][-1]["nodeId"] == "fresh"
    assert file["graph"]["edges"][-1]["target"]["nodeId"] == "fresh"
    assert_comes_back(file)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_copy_in_the_same_scope_gets_an_id_of_its_own(name: str) -> None:
    """A copy carries the native of its original; ids stay unique all the same."""

    def change(state: ProjectState) -> ProjectState:
        copy = evolve(state.graph.nodes[0], node_id=NodeId("copy"), position=Position(5000, 5000))
        return with_added_node(state, copy)

    file = exported(read(SAMPLES[name]), change)
    again = read(file)
    before = len(read(SAMPLES[name]).state.graph.nodes)
    assert len(again.state.graph.nodes) == before + 1
    assert dumps(exported(again)) == dumps(file)
    duplicates = [n.code for n in again.notices].count("duplicate-id")
    assert duplicates == [n.code for n in read(SAMPLES[name]).notices].count("duplicate-id")


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_removing_an_edge_and_putting_it_back_gives_the_same_file(name: str) -> None:
    state = reminted(read(SAMPLES[name]).state)
    first = state.graph.edges[0]

    def without(state: ProjectState) -> ProjectState:
        edges = state.graph.edges
        return evolve(state, graph=evolve(state.graph, edges=edges[1:]))

    def back(state: ProjectState) -> ProjectState:
        return evolve(state, graph=evolve(state.graph, edges=(first, *state.graph.edges)))

    reading = read(SAMPLES[name])
    assert dumps(exported(reading, without)) != dumps(SAMPLES[name])
    assert dumps(exported(reading, lambda s: back(without(s)))) == dumps(SAMPLES[name])
