"""What a file says without meaning it stays that way, whatever is edited around it."""

from copy import deepcopy
from typing import Any

import pytest

from protocol.commands import (
    AddGroup,
    AddSubgraphIo,
    Connect,
    CreateSubgraph,
    DissolveSubgraph,
    ImportWorkflow,
    RemoveNode,
    RemoveSubgraphIo,
)
from protocol.graph import Endpoint, Graph, NodeId, PortId, ProjectState, SubgraphDefinition
from protocol.json_text import dumps
from sidecar.formats.reader import read
from sidecar.formats.writer import write
from tests.formats.samples import SAMPLES
from tests.formats.test_with_engine import Project


def wires(state: ProjectState) -> list[Any]:
    """Return which component feeds which one, in all scopes."""
    scopes: list[Graph | SubgraphDefinition] = [state.graph, *state.graph.subgraphs]
    found = []
    for scope in scopes:
        names = {node.node_id: node.name or node.component_id for node in scope.nodes}
        for edge in scope.edges:
            ends = [names[end.node_id] if end.node_id else end.boundary for end in (edge.source, edge.target)]  # fmt: skip
            found.append((ends, edge.target.port_id))
    return sorted(found, key=repr)


def reopened(project: Project) -> ProjectState:
    file = project.export()
    again = Project(file)
    assert dumps(again.export()) == dumps(file)
    return again.state


def test_a_port_that_a_file_left_out_of_an_instance_can_be_linked() -> None:
    content = deepcopy(SAMPLES["comfyui"])
    del content["nodes"][3]["inputs"][:]
    content["links"] = [link for link in content["links"] if link[3] != content["nodes"][3]["id"]]
    project = Project(content)
    source = next(node for node in project.state.graph.nodes if node.component_id == "KSampler")
    instance = next(n for n in project.state.graph.nodes if n.component_id.startswith("subgraph:"))
    project.do(
        Connect(
            source=Endpoint(node_id=source.node_id, port_id=source.outputs[0].port_id),
            target=Endpoint(node_id=instance.node_id, port_id=PortId("samples")),
        )
    )

    assert wires(reopened(project)) == wires(project.state)
    assert [slot["name"] for slot in project.export()["nodes"][3]["inputs"]] == ["samples"]


def test_a_value_goes_with_the_input_of_the_definition_that_held_it() -> None:
    project = Project(SAMPLES["comfyui"])
    id_ = project.state.graph.subgraphs[0].subgraph_id

    project.do(RemoveSubgraphIo(subgraph_id=id_, port_id=PortId("scale")))

    assert project.export()["nodes"][3]["widgets_values"] == []
    assert reopened(project).graph.nodes[3].parameters == {}


def test_a_link_from_a_slot_that_was_not_there_stays_dead() -> None:
    content = deepcopy(SAMPLES["comfyui"])
    del content["definitions"]["subgraphs"][0]["inputs"][1]
    project = Project(content)
    id_ = project.state.graph.subgraphs[0].subgraph_id

    project.do(AddSubgraphIo(subgraph_id=id_, direction="input", name="new", data_type="*"))

    assert wires(reopened(project)) == wires(project.state)


def test_links_of_a_prompt_that_lead_nowhere_do_not_lead_to_what_comes_later() -> None:
    lost = {"9": {"class_type": "Save", "inputs": {"images": ["3", 0]}}}
    project = Project(lost)

    project.do(ImportWorkflow(content={"3": {"class_type": "Load", "inputs": {"a": 1}}}))

    assert reopened(project).graph.edges == ()
    assert project.export()["9"] == lost["9"]


TWINS: dict[str, Any] = {
    "react-flow": {
        "nodes": [
            {"id": id_, "type": "x", "position": {"x": x, "y": 0}, "data": {"label": name}}
            for id_, x, name in (("p", 0, "P"), ("q", 400, "first"), ("q", 800, "second"))
        ],
        "edges": [{"id": "e", "source": "p", "target": "q"}],
    },
    "comfyui": {
        "version": 0.4,
        "nodes": [
            {
                "id": id_,
                "type": "X",
                "title": name,
                "pos": [x, 0],
                "inputs": [{"name": "i", "type": "T", "link": 1 if name == "first" else None}],
                "outputs": [{"name": "o", "type": "T", "links": [1] if id_ == 1 else None}],
            }
            for id_, x, name in ((1, 0, "P"), (2, 400, "first"), (2, 800, "second"))
        ],
        "links": [[1, 1, 0, 2, 0, "T"]],
    },
}


@pytest.mark.parametrize("format_", TWINS)
def test_the_first_of_two_with_one_id_stays_the_one_that_the_id_means(format_: str) -> None:
    project = Project(TWINS[format_])
    first = next(node for node in project.state.graph.nodes if node.name == "first")
    # It comes back behind the other one.
    project.do(CreateSubgraph(node_ids=(first.node_id,), instance_id=NodeId("i")))
    project.do(DissolveSubgraph(node_id=NodeId("i")))
    assert [node.name for node in project.state.graph.nodes] == ["P", "second", "first"]

    assert wires(reopened(project)) == wires(project.state) != []


def test_groups_of_an_n8n_file_find_members_whose_ids_were_there_twice_or_not_at_all() -> None:
    nodes = [
        {"name": name, "type": "t", "position": [0, 0], "parameters": {}, **id_}
        for name, id_ in (("A", {"id": "u"}), ("B", {"id": "u"}), ("C", {}))
    ]
    project = Project({"nodes": nodes, "connections": {}})
    ids = [node.node_id for node in project.state.graph.nodes]
    project.do(AddGroup(name="All", node_ids=tuple(ids)))

    graph = reopened(project).graph

    names = {node.node_id: node.name for node in graph.nodes}
    assert [[names[id_] for id_ in group.node_ids] for group in graph.groups] == [["A", "B", "C"]]


def test_a_second_edge_of_a_flow_does_not_come_alive_when_the_first_one_goes() -> None:
    content = {
        "nodes": [
            {"id": id_, "type": "x", "position": {"x": 0, "y": 0}, "data": {"label": id_}}
            for id_ in ("a", "k")
        ],
        "edges": [{"id": e, "source": "a", "target": "k"} for e in ("e", "dup")],
    }
    project = Project(content)
    project.do(RemoveNode(node_id=project.state.graph.nodes[0].node_id))
    project.do(ImportWorkflow(content=content))

    state = reopened(project)

    assert len(state.graph.edges) == len(project.state.graph.edges) == 1


LINKED = [
    {"id": "t", "type": "tab", "label": "T"},
    {"id": "n", "type": "inject", "z": "t", "x": 0, "y": 0, "wires": [["o"]]},
    {"id": "o", "type": "link out", "z": "t", "links": ["i"], "x": 200, "y": 0, "wires": []},
    {"id": "i", "type": "link in", "z": "t", "links": ["o"], "x": 400, "y": 0, "wires": [["d"]]},
    {"id": "d", "type": "debug", "z": "t", "x": 600, "y": 0, "wires": []},
]


@pytest.mark.spec("F5")
@pytest.mark.parametrize("inner", [[1], [2], [0, 1], [2, 3]])
def test_a_link_across_the_boundary_of_a_subflow_is_told(inner: list[int]) -> None:
    project = Project(LINKED)
    nodes = project.state.graph.nodes
    project.do(CreateSubgraph(node_ids=tuple(nodes[index].node_id for index in inner)))

    file, notices = write(project.state, "node-red")

    assert any("ports of links" in one.message for one in notices)
    assert read(file).notices == ()
    assert len(wires(read(file).state)) < len(wires(project.state))


@pytest.mark.parametrize("type_", ["tab", "subflow", "group", "workspace"])
@pytest.mark.parametrize("format_", ["node-red", "react-flow"])
def test_a_node_stays_one_whatever_its_type_means_elsewhere(type_: str, format_: str) -> None:
    nodes = [{"name": "N", "type": type_, "position": [0, 0], "parameters": {"a": 1}}]
    project = Project({"nodes": nodes, "connections": {}})

    again = Project(project.export(format_))

    assert [node.name for node in again.state.graph.nodes] == ["N"]
    assert again.state.graph.groups == ()
    assert dumps(again.export()) == dumps(project.export(format_))
