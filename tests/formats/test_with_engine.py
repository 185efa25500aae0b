"""Files opened, edited and exported by the real engine."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from attrs import evolve

from protocol.commands import (
    AddGroup,
    AddNode,
    AddSubgraphIo,
    AnnotateNode,
    Connect,
    CreateSubgraph,
    DissolveSubgraph,
    EditInSubgraph,
    ImportWorkflow,
    InsertSubgraph,
    MoveNode,
    OpenNative,
    Payload,
    RemoveNode,
    RemoveSubgraphIo,
    RenameSubgraph,
    RenameSubgraphIo,
    SetParameter,
)
from protocol.graph import (
    Bounds,
    ComponentId,
    Endpoint,
    Graph,
    GroupId,
    NodeId,
    Port,
    PortId,
    Position,
    ProjectState,
)
from protocol.json_text import dumps
from sidecar.core.edit import Ports
from sidecar.core.errors import RejectedError
from sidecar.core.execute import run
from sidecar.core.graph import ProjectGraph
from sidecar.formats.adapters import ADAPTERS
from sidecar.formats.reader import read
from sidecar.formats.writer import write
from tests.formats.samples import SAMPLES
from tests.formats.support import content_of, differences, real_files


class Project:
    """One project with a file open in it."""

    def __init__(self, content: Any) -> None:
        numbers = count(1)
        self.graph = ProjectGraph()
        self._ports = Ports(
            new_id=lambda: f"id-{next(numbers)}", retired=lambda *_: False, read=read
        )
        self.do(OpenNative(content=content))

    def do(self, payload: Payload) -> None:
        run(self.graph, payload, self._ports, "manual")

    @property
    def state(self) -> ProjectState:
        return self.graph.state()

    def export(self, format_: str | None = None) -> Any:
        assert self.state.document is not None
        value, notices = write(self.state, format_ or self.state.document.format)
        assert "residue-dropped" not in [one.code for one in notices]
        return value


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_an_opened_sample_is_exported_as_it_was(name: str) -> None:
    assert dumps(Project(SAMPLES[name]).export()) == dumps(SAMPLES[name])


def test_opened_real_files_are_exported_as_they_were() -> None:
    for path in real_files()[::38]:
        content = content_of(path)
        assert dumps(Project(content).export()) == dumps(content)


@pytest.mark.slow
def test_all_opened_real_files_are_exported_as_they_were() -> None:
    for path in real_files():
        content = content_of(path)
        assert dumps(Project(content).export()) == dumps(content), path.name


def test_commands_show_in_the_file() -> None:
    project = Project(SAMPLES["comfyui"])
    sampler = project.state.graph.nodes[2].node_id
    project.do(SetParameter(node_id=sampler, name="steps", value=30))
    project.do(MoveNode(node_id=sampler, position=Position(801, 0)))
    project.do(AnnotateNode(node_id=sampler, annotation="Slow."))

    assert sorted(differences(SAMPLES["comfyui"], project.export())) == [
        "/nodes/2/pos/0",
        "/nodes/2/properties/annotation",
        "/nodes/2/widgets_values/2",
    ]


def test_a_value_of_an_instance_is_its_own() -> None:
    project = Project(SAMPLES["comfyui"])
    instance = project.state.graph.nodes[3]
    project.do(SetParameter(node_id=instance.node_id, name="scale", value=4))

    assert list(differences(SAMPLES["comfyui"], project.export())) == ["/nodes/3/widgets_values/0"]


def test_an_edit_in_a_definition_shows_there() -> None:
    project = Project(SAMPLES["comfyui"])
    definition = project.state.graph.subgraphs[0]
    inner = SetParameter(node_id=definition.nodes[0].node_id, name="scale", value=3)
    project.do(EditInSubgraph(subgraph_id=definition.subgraph_id, payload=inner))
    project.do(RenameSubgraph(subgraph_id=definition.subgraph_id, name="Enlarge"))

    at = "/definitions/subgraphs/0"
    found = list(differences(SAMPLES["comfyui"], project.export()))
    assert found == [f"{at}/name", f"{at}/nodes/0/widgets_values/0"]


def test_ports_of_a_definition_come_and_go_on_its_instances() -> None:
    project = Project(SAMPLES["comfyui"])
    id_ = project.state.graph.subgraphs[0].subgraph_id
    project.do(
        AddSubgraphIo(subgraph_id=id_, direction="input", name="mask", data_type="MASK", index=0)
    )
    project.do(RenameSubgraphIo(subgraph_id=id_, port_id=PortId("samples"), name="latent"))
    file = project.export()

    definition, instance = file["definitions"]["subgraphs"][0], file["nodes"][3]
    assert [slot["name"] for slot in definition["inputs"]] == ["mask", "latent", "scale"]
    assert [slot["name"] for slot in instance["inputs"]] == ["mask", "latent"]
    assert file["links"][4] == [5, 3, 0, 4, 1, "LATENT"]
    assert [link["origin_slot"] for link in definition["links"][:3:2]] == [1, 2]
    again = Project(file)
    assert dumps(again.export()) == dumps(file)
    project.do(RemoveSubgraphIo(subgraph_id=id_, port_id=PortId("samples")))
    file = project.export()
    assert [slot["name"] for slot in file["nodes"][3]["inputs"]] == ["mask"]
    assert [link[0] for link in file["links"]] == [1, 2, 3, 4, 6]


def test_a_new_subgraph_and_its_copy_are_well_formed() -> None:
    project = Project(SAMPLES["comfyui"])
    sampler = project.state.graph.nodes[2].node_id
    project.do(CreateSubgraph(node_ids=(sampler,), name="Sample"))
    made = project.state.graph.subgraphs[-1]
    project.do(InsertSubgraph(subgraph_id=made.subgraph_id, position=Position(0, 2000)))
    file = project.export()

    instances = [node for node in file["nodes"] if node["type"] == made.subgraph_id]
    assert len(instances) == 2
    assert len({node["id"] for node in file["nodes"]}) == len(file["nodes"])
    definition = file["definitions"]["subgraphs"][-1]
    assert definition["id"] == made.subgraph_id
    assert {"version", "state", "inputNode", "outputNode", "config", "widgets"} <= set(definition)
    assert [slot["type"] for slot in definition["inputs"]] == ["MODEL", "CONDITIONING", "INT"]
    assert definition["nodes"][0]["id"] == 3
    assert {link["origin_id"] for link in definition["links"]} == {-10, 3}
    assert definition["state"]["lastLinkId"] >= max(link["id"] for link in definition["links"])
    again = Project(file)
    assert shape(again.state) == shape(project.state)
    assert dumps(again.export()) == dumps(file)


def shape(state: ProjectState) -> Any:
    """Return how many things a state has, scope by scope."""
    scopes: list[Any] = [state.graph, *state.graph.subgraphs]
    return [(len(s.nodes), len(s.edges), len(s.groups)) for s in scopes]


def test_a_dissolved_instance_is_replaced_by_its_contents() -> None:
    project = Project(SAMPLES["comfyui"])
    project.do(DissolveSubgraph(node_id=project.state.graph.nodes[3].node_id))
    file = project.export()

    assert "definitions" not in file
    upscale = next(node for node in file["nodes"] if node["type"] == "Upscale")
    assert upscale["inputs"][0]["link"] is not None
    assert upscale["widgets_values"] == [2]
    assert len({node["id"] for node in file["nodes"]}) == len(file["nodes"])
    assert dumps(Project(file).export()) == dumps(file)


def test_groups_are_written_around_their_members() -> None:
    project = Project(SAMPLES["comfyui"])
    nodes = project.state.graph.nodes
    project.do(AddGroup(group_id=GroupId("mine"), name="Mine", node_ids=(nodes[4].node_id,)))
    file = project.export()

    added = file["groups"][-1]
    assert added["title"] == "Mine"
    again = Project(file).state.graph
    mine = next(group for group in again.groups if group.name == "Mine")
    assert [n.component_id for n in again.nodes if n.node_id in mine.node_ids] == ["PrimitiveInt"]


def test_a_node_that_leaves_its_frame_takes_the_frame_along() -> None:
    project = Project(SAMPLES["comfyui"])
    prompt = project.state.graph.nodes[1].node_id
    project.do(MoveNode(node_id=prompt, position=Position(-4000, 20)))
    file = project.export()

    again = Project(file).state.graph
    group = next(group for group in again.groups if group.name == "Prompt")
    assert "What to draw" in [n.name for n in again.nodes if n.node_id in group.node_ids]


@pytest.mark.parametrize("target", sorted(SAMPLES))
@pytest.mark.parametrize("source", sorted(SAMPLES))
def test_an_imported_workflow_is_exported_with_the_rest(source: str, target: str) -> None:
    project = Project(SAMPLES[target])
    before = len(project.state.graph.nodes)
    project.do(ImportWorkflow(content=SAMPLES[source], position=Position(0, 5000)))
    file = project.export()

    again = Project(file)
    assert len(again.state.graph.nodes) >= before
    assert dumps(again.export()) == dumps(file)


def test_importing_a_file_into_itself_gives_ids_of_their_own() -> None:
    project = Project(SAMPLES["comfyui"])
    project.do(ImportWorkflow(content=SAMPLES["comfyui"], position=Position(0, 5000)))
    file = project.export()

    ids = [node["id"] for node in file["nodes"]]
    assert len(set(ids)) == len(ids) == 12
    assert len(file["definitions"]["subgraphs"]) == 1
    links = [link[0] for link in file["links"]]
    assert len(set(links)) == len(links)


Step = Callable[[Project], None]


def new_node(project: Project) -> None:
    project.do(
        AddNode(
            node_id=NodeId("new"),
            component_id=ComponentId("thing"),
            position=Position(0, 9000),
            parameters={"a": 1},
            inputs=(Port(name="in", data_type="*"),),
        )
    )
    source = next(node for node in project.state.graph.nodes if node.outputs)
    project.do(
        Connect(
            source=Endpoint(node_id=source.node_id, port_id=source.outputs[0].port_id),
            target=Endpoint(node_id=NodeId("new"), port_id=PortId("in")),
            waypoints=(Position(10, 8000), Position(20, 8500)),
            label="words",
        )
    )


def no_nodes(project: Project) -> None:
    for node in project.state.graph.nodes[1:]:
        project.do(RemoveNode(node_id=node.node_id))


def one_group(project: Project) -> None:
    grouped = {id_ for group in project.state.graph.groups for id_ in group.node_ids}
    free = [n.node_id for n in project.state.graph.nodes if n.node_id not in grouped]
    bounds = None if free else Bounds(0, 7000, 100, 100)
    project.do(AddGroup(name="New", node_ids=tuple(free[:2]), bounds=bounds))


def one_subgraph(project: Project) -> None:
    project.do(CreateSubgraph(node_ids=(project.state.graph.nodes[0].node_id,)))


@pytest.mark.parametrize("name", sorted(SAMPLES))
@pytest.mark.parametrize("step", [new_node, no_nodes, one_group, one_subgraph])
def test_an_edited_file_opens_again_as_it_was_written(name: str, step: Step) -> None:
    project = Project(SAMPLES[name])
    step(project)
    file = project.export()

    again = Project(file)
    assert dumps(again.export()) == dumps(file)
    for target in sorted(SAMPLES):
        value = project.export(target)
        assert dumps(Project(value).export()) == dumps(value)


def test_waypoints_are_written_as_reroutes() -> None:
    project = Project(SAMPLES["comfyui"])
    new_node(project)
    file = project.export()

    link = file["links"][-1][0]
    reroutes = file["extra"]["reroutes"]
    assert reroutes[:2] == SAMPLES["comfyui"]["extra"]["reroutes"]
    assert reroutes[2:] == [
        {"id": 3, "pos": [10, 8000], "linkIds": [link]},
        {"id": 4, "parentId": 3, "pos": [20, 8500], "linkIds": [link]},
    ]
    assert file["extra"]["linkExtensions"][-1] == {"id": link, "parentId": 4}
    assert file["extra"]["linkPresentation"][str(link)] == {"label": "words"}
    waypoints = Project(file).state.graph.edges[-1].waypoints
    assert waypoints == (Position(10, 8000), Position(20, 8500))


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize("levels", [30, 56, 60, 63, 64, 67, 70, 85, 200, 900])
@pytest.mark.parametrize("place", ["beside", "inside", "around", "text", "graph", "dropped"])
def test_a_file_is_opened_as_deep_as_a_project_can_hold_it_and_refused_beyond(
    levels: int, place: str
) -> None:
    sample, deep = SAMPLES["comfyui"], nested(levels)
    first, *others = sample["nodes"]
    inside = {**sample, "nodes": [{**first, "properties": {"deep": deep}}, *others]}
    own = {"nodeId": "n", "componentId": "C", "position": {"x": 0, "y": 0}}
    ends = {"source": {"nodeId": "n", "portId": "x"}, "target": {"nodeId": "n", "portId": "y"}}
    content = {
        "beside": {**sample, "extra": {"deep": deep}},
        "inside": inside,
        "around": {"workflow": sample, "deep": deep},
        "text": {"workflow": dumps(inside).decode()},
        "graph": {
            "schemaVersion": 1,
            "graph": {"nodes": [{**own, "parameters": {"deep": deep}}]},
        },
        "dropped": {
            "schemaVersion": 1,
            "graph": {
                "nodes": [own],
                "edges": [{"edgeId": "e", **ends, "native": {"deep": deep}}],
            },
        },
    }[place]

    text = dumps(content).decode()
    refusal = _refusal(text)

    if refusal is None:
        assert levels <= 64
        assert Project(text).export() == content
    else:
        assert levels > 56
        assert refusal.details == {"reason": "too-deep"}


def _refusal(text: str) -> RejectedError | None:
    try:
        Project(text)
    except RejectedError as error:
        return error
    return None


@pytest.mark.parametrize("name", ["comfyui", "graph"])
def test_what_a_parameter_may_hold_can_be_opened_again(name: str) -> None:
    project = Project(SAMPLES[name])
    node_id = project.state.graph.nodes[0].node_id
    project.do(SetParameter(node_id=node_id, name="deep", value=nested(63)))

    file = project.export()

    assert Project(dumps(file).decode()).export() == file


def own_file(text: str) -> Any:
    """A file of this model that says ``text`` wherever it names something."""
    twice = [{"name": text, "portId": "x", "dataType": "*"}] * 2
    component = {"componentId": "K", "name": text, "kind": "builtin", "inputs": twice}
    node = {"nodeId": "a", "componentId": "K", "name": text, "annotation": "", "inputs": twice}
    group = {"groupId": "g", "name": text, "nodeIds": ["a"]}
    place = {"position": {"x": 0, "y": 0}}
    definition = {"subgraphId": "s", "name": text, "nodes": [{**node, "nodeId": "b", **place}]}
    edge = {
        "edgeId": "e",
        "source": {"nodeId": "o", "portId": "o"},
        "target": {"nodeId": "a", "portId": "x"},
    }
    source = {
        "nodeId": "o",
        "componentId": "C",
        "outputs": [{"name": "o", "dataType": "*"}],
        **place,
    }
    return {
        "schemaVersion": 1,
        "title": text,
        "components": [component, {**component, "name": "Other"}],
        "graph": {
            "nodes": [{**node, **place}, source],
            "edges": [edge],
            "groups": [group],
            "subgraphs": [definition],
        },
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Name", "Name"),
        (" e\u0301 ", "\u00e9"),
        ("a\nb", "a b"),
        ("x" * 300, "x" * 255),
        ("", None),
        (" \u2028", None),
    ],
)
def test_a_file_of_this_model_is_kept_by_its_rules_and_exported_as_it_was(
    text: str, name: str | None
) -> None:
    content = own_file(text)

    project = Project(dumps(content).decode())

    state, graph = project.state, project.state.graph
    node = graph.nodes[0]
    assert (state.title, graph.groups[0].name) == (name or "Untitled", name or "Group")
    assert (node.name, node.annotation, graph.subgraphs[0].name) == (name, None, name or "Subgraph")
    assert [port.port_id for port in node.inputs] == ["x", "x~2"]
    assert [(one.component_id, one.name) for one in state.components] == [
        ("K", name or "Component")
    ]
    assert [one.target.port_id for one in graph.edges] == ["x"]
    assert dumps(project.export()) == dumps(content)


def test_each_repair_of_a_file_of_this_model_is_told_with_its_place() -> None:
    told = [(one.code, one.path) for one in read(own_file("a\nb")).notices]

    assert sorted(told) == sorted(
        [
            ("name-repaired", "/title"),
            ("name-repaired", "/components/0/name"),
            ("duplicate-id", "/components/0/inputs/1"),
            ("duplicate-id", "/components/1"),
            ("name-repaired", "/graph/nodes/0/name"),
            ("duplicate-id", "/graph/nodes/0/inputs/1"),
            ("name-repaired", "/graph/groups/0/name"),
            ("name-repaired", "/graph/subgraphs/0/name"),
            ("name-repaired", "/graph/subgraphs/0/nodes/0/name"),
            ("duplicate-id", "/graph/subgraphs/0/nodes/0/inputs/1"),
        ]
    )


@pytest.mark.parametrize("format_", ADAPTERS)
def test_ids_that_are_used_twice_over_kinds_or_look_like_paths_do_not_mix_things_up(
    format_: str,
) -> None:
    inner = {"nodeId": "q", "componentId": "C", "name": "inner", "position": {"x": 0, "y": 0}}
    port = [{"name": "p", "dataType": "*"}]
    nodes = [
        {**inner, "nodeId": id_, "name": id_, "position": {"x": x, "y": 0}, "inputs": port}
        for id_, x in (("g", 0), ("h", 400), ("i:q", 800))
    ]
    nodes[0]["outputs"] = port
    instance = {"nodeId": "i", "componentId": "subgraph:g", "position": {"x": 1200, "y": 0}}
    ends = {"source": {"nodeId": "g", "portId": "p"}, "target": {"nodeId": "h", "portId": "p"}}
    graph = {
        "nodes": [*nodes, instance],
        "edges": [{"edgeId": "g", **ends}],
        "groups": [
            {"groupId": "g", "name": "G", "nodeIds": ["h"]},
            {"groupId": "h", "name": "H", "nodeIds": ["g"]},
        ],
        "subgraphs": [{"subgraphId": "g", "name": "S", "nodes": [inner], "edges": []}],
    }
    state = read({"schemaVersion": 1, "graph": graph}).state
    bare = evolve(state, document=None, graph=_without_natives(state.graph))

    found = read(write(bare, format_)[0], format_)

    names = {node.node_id: node.name for node in found.state.graph.nodes}
    assert found.notices == ()
    assert {"g", "h", "i:q"} <= set(names.values())
    assert [
        (names[one.source.node_id], names[one.target.node_id])
        for one in found.state.graph.edges
        if one.source.node_id and one.target.node_id
    ] == [("g", "h")]
    if format_ != "comfyui-api":
        groups = {g.name: [names[id_] for id_ in g.node_ids] for g in found.state.graph.groups}
        assert groups == {"G": ["h"], "H": ["g"]}


def _without_natives(graph: Graph) -> Graph:
    """The graph as commands would have made it."""
    return Graph(
        nodes=tuple(evolve(one, native=None) for one in graph.nodes),
        edges=tuple(evolve(one, native=None) for one in graph.edges),
        groups=tuple(evolve(one, native=None) for one in graph.groups),
        subgraphs=tuple(
            evolve(one, native=None, nodes=tuple(evolve(node, native=None) for node in one.nodes))
            for one in graph.subgraphs
        ),
    )


@pytest.mark.parametrize("format_", ADAPTERS)
def test_groups_inside_of_a_grouped_instance_stand_in_its_group(format_: str) -> None:
    inner = [
        {"nodeId": id_, "componentId": "C", "name": id_, "position": {"x": x, "y": 0}}
        for id_, x in (("a", 0), ("b", 400))
    ]
    instance = {"nodeId": "i", "componentId": "subgraph:s", "position": {"x": 0, "y": 0}}
    small = {"groupId": "small", "name": "Small", "nodeIds": ["a"]}
    graph = {
        "nodes": [instance],
        "edges": [],
        "groups": [{"groupId": "big", "name": "Big", "nodeIds": ["i"]}],
        "subgraphs": [{"subgraphId": "s", "name": "S", "nodes": inner, "groups": [small]}],
    }

    value, _ = write(read({"schemaVersion": 1, "graph": graph}).state, format_)
    found = read(value, format_)

    assert found.notices == ()
    if format_ in ("n8n", "react-flow"):
        names = {node.node_id: node.name for node in found.state.graph.nodes}
        groups = {g.name: [names[id_] for id_ in g.node_ids] for g in found.state.graph.groups}
        assert groups == {"Small": ["a"], "Big": ["b"]}
