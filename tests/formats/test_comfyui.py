"""ComfyUI workflow files: widget values, groups, reroutes, broken links, version 1."""

from typing import Any

import pytest
from attrs import evolve

from protocol.graph import Bounds, EdgeId, Endpoint, Group, GroupId, Port, Position, ProjectState
from protocol.json_text import dumps
from sidecar.formats.reader import read
from sidecar.formats.writer import write
from tests.formats.samples import COMFYUI
from tests.formats.support import (
    assert_comes_back,
    differences,
    exported,
    set_parameter,
    with_graph,
    with_node,
    without_node,
)


def node(id_: Any, type_: str = "Thing", **values: Any) -> dict[str, Any]:
    return {"id": id_, "type": type_, "pos": [0, 0], "size": [100, 50], **values}


def file(*nodes: Any, **values: Any) -> dict[str, Any]:
    return {"nodes": list(nodes), "links": [], "version": 0.4, **values}


def slot(name: str, type_: str = "X", **values: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, **values}


def parameters(raw: dict[str, Any]) -> dict[str, Any]:
    reading = assert_comes_back(file(raw))
    return reading.state.graph.nodes[0].parameters


def widget(name: str) -> dict[str, Any]:
    return slot(name, widget={"name": name}, link=None)


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        (node(1, widgets_values=[1, 2], widgets_values_named={"a": 1, "b": 2}), ["a", "b"]),
        (node(1, widgets_values=[1, 2, 3], widgets_values_named={"a": 1}), ["a", "widget_1", "widget_2"]),
        (node(1, widgets_values=[1], widgets_values_named={"a": 1, "b": 2}), ["a"]),
        (node(1, inputs=[widget("a"), slot("x"), widget("b")], widgets_values=["p", "q"]), ["a", "b"]),
        (
            node(1, inputs=[widget("seed"), widget("steps")], widgets_values=[1, "fixed", 20]),
            ["seed", "control_after_generate", "steps"],
        ),
        (node(1, inputs=[widget("a")], widgets_values=["p", "fixed"]), ["widget_0", "widget_1"]),
        (node(1, inputs=[widget("a"), widget("a")], widgets_values=[1, 2]), ["a", "a#2"]),
        (node(1, "KSampler", widgets_values=[1, "fixed", 20, 8, "euler", "normal", 1]), [
            "seed", "control_after_generate", "steps", "cfg", "sampler_name", "scheduler", "denoise",
        ]),
        (node(1, "KSampler", widgets_values=[1, 2]), ["widget_0", "widget_1"]),
        (node(1, widgets_values={"rate": 8, "loop": True}), ["rate", "loop"]),
        (node(1, widgets_values=[]), []),
        (node(1, widgets_values=None), []),
        (node(1), []),
    ],
)  # fmt: skip
def test_widget_values_have_names_where_the_file_tells_them(
    raw: dict[str, Any], names: list[str]
) -> None:
    assert list(parameters(raw)) == names


def test_a_named_value_changes_in_both_places() -> None:
    content = file(node(1, widgets_values=[1, 2], widgets_values_named={"a": 1, "b": 2}))
    changed = exported(read(content), lambda s: set_parameter(s, 0, "b", 3))

    assert list(differences(content, changed)) == [
        "/nodes/0/widgets_values/1",
        "/nodes/0/widgets_values_named/b",
    ]


def test_names_and_values_that_contradict_each_other_stay_so() -> None:
    content = file(node(1, widgets_values=[1, 2], widgets_values_named={"a": 1, "b": 9, "c": 3}))
    changed = exported(read(content), lambda s: set_parameter(s, 0, "a", 5))

    assert changed["nodes"][0]["widgets_values"] == [5, 2]
    assert changed["nodes"][0]["widgets_values_named"] == {"a": 5, "b": 9, "c": 3}


def test_a_value_that_is_unset_leaves_a_gap() -> None:
    content = file(node(1, widgets_values=["a", "b"]))
    changed = exported(read(content), lambda s: with_node(s, 0, parameters={"widget_1": "b"}))

    assert changed["nodes"][0]["widgets_values"] == [None, "b"]


@pytest.mark.parametrize(("mode", "enabled"), [(0, "active"), (2, "muted"), (4, "bypassed"), (1, "active"), (3, "active"), ("x", "active"), (True, "active")])  # fmt: skip
def test_modes_say_whether_a_node_runs(mode: Any, enabled: str) -> None:
    reading = assert_comes_back(file(node(1, mode=mode)))
    assert reading.state.graph.nodes[0].enabled == enabled


@pytest.mark.parametrize(
    ("type_", "component", "status"),
    [
        ("Thing", "Thing", "ok"),
        ("workflow/My group node", "workflow/My group node", "ok"),
        ("8b0f5c1e-0000-4000-8000-000000000000", "8b0f5c1e-0000-4000-8000-000000000000", "missing"),
        (None, "unknown", "missing"),
        ("subgraph:x", "unknown:subgraph:x", "missing"),
    ],
)
def test_only_what_the_file_cannot_tell_is_missing(type_: Any, component: str, status: str) -> None:
    read_node = assert_comes_back(file(node(1, type_))).state.graph.nodes[0]
    assert (read_node.component_id, read_node.status) == (component, status)


def test_types_of_slots_become_text() -> None:
    types: list[Any] = ["IMAGE", -1, ["A", "B"], "*", "", 0, None]
    raw = node(1, outputs=[slot(f"o{i}", type_) for i, type_ in enumerate(types)])
    outputs = assert_comes_back(file(raw)).state.graph.nodes[0].outputs
    assert [port.data_type for port in outputs] == ["IMAGE", "-1", "A,B", "*", "*", "*", "*"]


def members(*groups: Any, nodes: Any = ()) -> list[tuple[str | None, list[str]]]:
    graph = assert_comes_back(file(*nodes, groups=list(groups))).state.graph
    return [(group.parent_group_id, list(group.node_ids)) for group in graph.groups]


def frame(id_: int, *bounding: float) -> dict[str, Any]:
    return {"id": id_, "title": f"G{id_}", "bounding": list(bounding)}


def test_a_group_has_the_nodes_whose_centre_it_contains() -> None:
    # The box of a node is 100 by 80 with its title, so its centre is 50 right of and 10 below it.
    inside, edge, outside = node(1, pos=[0, 0]), node(2, pos=[50, 0]), node(3, pos=[51, 0])
    collapsed = node(4, pos=[0, 15], flags={"collapsed": True})
    group = frame(1, 0, 0, 101, 90)
    assert members(group, nodes=[inside, edge, outside, collapsed]) == [(None, ["1", "2", "4"])]


def test_the_smallest_frame_around_a_node_has_it() -> None:
    outer, inner = frame(1, -500, -500, 2000, 2000), frame(2, -50, -50, 300, 300)
    apart = frame(3, 5000, 0, 10, 10)
    far = node(2, pos=[800, 800])
    assert members(outer, inner, apart, nodes=[node(1), far]) == [
        (None, ["2"]),
        ("1", ["1"]),
        (None, []),
    ]


def test_frames_that_are_the_same_stand_beside_each_other() -> None:
    same = [frame(id_, 0, 0, 500, 500) for id_ in (1, 2, 3)]
    assert [parent for parent, _ in members(*same)] == [None, None, None]


def test_a_group_without_a_frame_gets_one_around_its_members() -> None:
    content = file(node(1, pos=[100, 100]))

    def grouped(state: ProjectState) -> ProjectState:
        ids = (state.graph.nodes[0].node_id,)
        group = Group(group_id=GroupId("g"), name="New", node_ids=ids, color="#abc")
        return with_graph(state, groups=(group,))

    groups = exported(read(content), grouped)["groups"]
    assert groups == [
        {
            "id": 1,
            "title": "New",
            "bounding": [90, 30, 120, 130],
            "color": "#abc",
            "font_size": 24,
            "flags": {},
        }
    ]


def test_frames_widen_for_members_and_inner_groups_that_would_fall_out() -> None:
    content = file(node(1), groups=[frame(1, -50, -50, 400, 400), frame(2, -20, -40, 300, 300)])

    def moved(state: ProjectState) -> ProjectState:
        return with_node(state, 0, position=Position(900, 0))

    groups = exported(read(content), moved)["groups"]
    assert groups[1]["bounding"] == [-20, -40, 1020, 300]
    assert groups[0]["bounding"] == [-50, -50, 1050, 400]


BROKEN = file(
    node(1, outputs=[slot("o", links=[5])]),
    node(2, inputs=[slot("i", link=9), slot("j", link=None)]),
    links=[
        [5, 1, 0, 2, 0, "X"],
        [6, 88, 0, 2, 1, "X"],
        [9, 1, 0, 2, 0, "X"],
        "nonsense",
        [7, 1, -1, 2, 1, "X"],
        [8, 1, 3, 2, 1, "X"],
    ],
)


def test_of_two_links_into_an_input_the_one_it_names_is_kept() -> None:
    reading = assert_comes_back(BROKEN)
    assert [edge.edge_id for edge in reading.state.graph.edges] == ["9", "8"]
    assert [notice.code for notice in reading.notices] == [
        "missing-port",
        "input-occupied",
        "dangling-link",
        "unreadable-link",
        "dangling-link",
    ]
    assert [notice.path for notice in reading.notices if notice.code == "dangling-link"] == [
        "/links/1",
        "/links/4",
    ]


def test_dropped_links_come_back_only_while_their_ends_are_as_they_were() -> None:
    reading = read(BROKEN)
    untouched = exported(reading, lambda s: with_node(s, 0, name="Other"))
    assert untouched["links"] == BROKEN["links"]

    without_target = exported(reading, lambda s: without_node(s, s.graph.nodes[1].node_id))
    assert without_target["links"] == ["nonsense"]

    def freed(state: ProjectState) -> ProjectState:
        return with_graph(state, edges=state.graph.edges[1:])

    assert exported(reading, freed)["links"] == [
        [6, 88, 0, 2, 1, "X"],
        "nonsense",
        [7, 1, -1, 2, 1, "X"],
        [8, 1, 3, 2, 1, "X"],
    ]


def test_a_slot_that_only_links_name_is_a_port_and_not_written() -> None:
    reading = read(BROKEN)
    assert [port.name for port in reading.state.graph.nodes[0].outputs] == [
        "o",
        "output_1",
        "output_2",
        "output_3",
    ]
    assert len(exported(reading)["nodes"][0]["outputs"]) == 1


def test_links_with_the_same_id_are_two_edges() -> None:
    content = file(
        node(1, outputs=[slot("o", links=[5, 5])]),
        node(2, inputs=[slot("i", link=5), slot("j", link=5)]),
        links=[[5, 1, 0, 2, 0, "X"], [5, 1, 0, 2, 1, "X"]],
    )
    reading = assert_comes_back(content)
    assert len(reading.state.graph.edges) == 2
    assert [notice.code for notice in reading.notices] == ["duplicate-id"]


def test_a_circle_is_told_and_kept() -> None:
    content = file(
        node(1, inputs=[slot("i", link=1)], outputs=[slot("o", links=[1])]),
        links=[[1, 1, 0, 1, 0, "X"]],
    )
    reading = assert_comes_back(content)
    assert [notice.code for notice in reading.notices] == ["cycle"]


VERSION_1 = {
    "version": 1,
    "state": {"lastGroupId": 0, "lastNodeId": 2, "lastLinkId": 1, "lastRerouteId": 2},
    "nodes": [
        node(1, outputs=[slot("o", links=[1])]),
        node(2, inputs=[slot("i", link=1), slot("j", link=None)]),
    ],
    "links": [
        {"id": 1, "origin_id": 1, "origin_slot": 0, "target_id": 2, "target_slot": 0, "type": "X", "parentId": 2}
    ],
    "reroutes": [
        {"id": 1, "pos": [10, 20], "linkIds": [1]},
        {"id": 2, "parentId": 1, "pos": [30, 40], "linkIds": [1]},
    ],
    "extra": {},
}  # fmt: skip


def test_version_1_has_objects_for_links_and_its_own_counters() -> None:
    reading = assert_comes_back(VERSION_1)
    edge = reading.state.graph.edges[0]
    assert edge.waypoints == (Position(10, 20), Position(30, 40))
    assert reading.state.document is not None
    assert reading.state.document.format_version == "1"

    def connected(state: ProjectState) -> ProjectState:
        target = state.graph.edges[0].target
        new = evolve(
            state.graph.edges[0],
            edge_id=EdgeId("new"),
            target=Endpoint(node_id=target.node_id, port_id=state.graph.nodes[1].inputs[1].port_id),
            waypoints=(Position(5, 5),),
            native=None,
        )
        return with_graph(state, edges=(*state.graph.edges, new))

    changed = exported(reading, connected)
    assert changed["links"][1] == {
        "id": 2,
        "origin_id": 1,
        "origin_slot": 0,
        "target_id": 2,
        "target_slot": 1,
        "type": "X",
        "parentId": 3,
    }
    assert changed["reroutes"][2] == {"id": 3, "pos": [5, 5], "linkIds": [2]}
    assert changed["state"] == {
        "lastGroupId": 0,
        "lastNodeId": 2,
        "lastLinkId": 2,
        "lastRerouteId": 3,
    }
    assert_comes_back(changed)


def moved_waypoints(edge: int, *spots: Position) -> Any:
    def change(state: ProjectState) -> ProjectState:
        edges = list(state.graph.edges)
        edges[edge] = evolve(edges[edge], waypoints=spots)
        return with_graph(state, edges=tuple(edges))

    return change


def test_a_moved_waypoint_moves_its_reroute() -> None:
    changed = exported(read(VERSION_1), moved_waypoints(0, Position(10, 20), Position(31, 40)))
    assert list(differences(VERSION_1, changed)) == ["/reroutes/1/pos/0"]


def test_waypoints_that_went_take_their_reroutes_along() -> None:
    changed = exported(read(VERSION_1), moved_waypoints(0))
    assert changed["reroutes"] == []
    assert "parentId" not in changed["links"][0]


def test_a_reroute_that_two_links_share_is_moved_for_one_alone() -> None:
    edges = read(COMFYUI).state.graph.edges
    shared = next(i for i, edge in enumerate(edges) if edge.edge_id == "3")
    assert edges[shared].waypoints == (Position(1120, 10),)

    changed = exported(read(COMFYUI), moved_waypoints(shared, Position(0, 0)))
    places = {item["id"]: item["pos"] for item in changed["extra"]["reroutes"]}
    assert places == {1: [0, 0], 3: [1120, 10], 4: [1150, 30.5]}
    again = read(changed)
    assert {edge.edge_id: edge.waypoints for edge in again.state.graph.edges} == {
        edge.edge_id: (Position(0, 0),) if edge.edge_id == "3" else edge.waypoints for edge in edges
    }


def test_a_project_that_comes_from_no_file_is_a_complete_workflow() -> None:
    state = evolve(read(COMFYUI).state, document=None)
    graph = state.graph
    bare = evolve(
        state,
        graph=evolve(
            graph,
            nodes=tuple(evolve(one, native=None, inputs=bared(one.inputs), outputs=bared(one.outputs)) for one in graph.nodes),
            edges=tuple(evolve(one, native=None) for one in graph.edges),
            groups=(Group(group_id=GroupId("g"), name="G", bounds=Bounds(0, 0, 5, 5)),),
            subgraphs=tuple(evolve(one, native=None) for one in graph.subgraphs),
        ),
    )  # fmt: skip
    content, notices = write(bare, "comfyui")

    assert not notices
    assert {"last_node_id", "last_link_id", "nodes", "links", "groups", "version"} <= set(content)
    assert [one["id"] for one in content["nodes"]] == sorted(
        {one["id"] for one in content["nodes"]}
    )
    assert all(isinstance(one["id"], int) for one in content["nodes"])
    again = read(content)
    assert not again.notices
    assert dumps(exported(again)) == dumps(content)
    assert [n.component_id for n in again.state.graph.nodes][:3] == [
        n.component_id for n in graph.nodes
    ][:3]


def bared(ports: tuple[Port, ...]) -> tuple[Port, ...]:
    return tuple(evolve(port, native=None) for port in ports)
