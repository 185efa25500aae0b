"""Public bug reports on undo, editing by assistants, conflicts and history, told to this engine.

Each test names the behaviour and the reports it comes from; rows on single rules stand with the
rules, in ``tests/core``.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client import RpcError
from tests.handlers.desk import Desk, Json, add, canonical, end, ports, reason, wire
from tests.handlers.test_refusals import COMFYUI


@pytest.fixture(scope="module")
def sidecar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with Desk.begin(tmp_path_factory.mktemp("reports") / "graphs.db") as desk:
        yield desk
        assert desk.client.close() == 0


@pytest.fixture
def desk(sidecar: Desk, request: pytest.FixtureRequest) -> Desk:
    fresh = Desk(sidecar.client, request.node.name)
    fresh.create()
    return fresh


def edges(desk: Desk) -> dict[str, str]:
    """Return the edges in list order, each as ``a.out b.in``."""
    ends = ("source", "target")
    return {
        one["edgeId"]: " ".join(f"{one[side]['nodeId']}.{one[side]['portId']}" for side in ends)
        for one in desk.look()["graph"]["edges"]
    }


@pytest.mark.spec("G12")
def test_replacing_a_link_is_one_version_and_its_undo_gives_both_ends_back(desk: Desk) -> None:
    """ComfyUI_frontend#1477."""
    for number, name in enumerate("abc"):
        desk.do(**add(name, x=number * 300))
    desk.do("connect", edgeId="old", **wire("a.out", "c.in"))
    before, versions = desk.state(), len(desk.revisions())

    answer = desk.do("connect", edgeId="new", **wire("b.out", "c.in"))
    replaced = list(edges(desk))
    desk.undo()

    assert [one["edge"]["edgeId"] for one in answer["effects"]["replacedEdges"]] == ["old"]
    assert replaced == ["new"]
    assert len(desk.revisions()) == versions + 2
    assert canonical(desk.state()) == canonical(before)
    desk.redo()
    assert list(edges(desk)) == ["new"]


@pytest.mark.spec("V2", "G24")
def test_undo_of_an_edit_outside_does_not_take_back_edits_inside_a_definition(desk: Desk) -> None:
    """ComfyUI#10762, #9610: root and definition edited in turns; each undo is one edit."""
    for name in ("in", "out"):
        desk.do(**add(name))
    desk.do("create-subgraph", nodeIds=["in"], subgraphId="s", instanceId="i")
    states = [canonical(desk.state())]
    for number in range(4):
        desk.do("rename-node", nodeId="out", name=f"outer {number}")
        states.append(canonical(desk.state()))
        inner = {"kind": "rename-node", "nodeId": "in", "name": f"inner {number}"}
        desk.do("edit-in-subgraph", subgraphId="s", payload=inner)
        states.append(canonical(desk.state()))

    for state in states[-2::-1]:
        desk.undo()
        assert canonical(desk.state()) == state


@pytest.mark.spec("G19", "C6")
def test_opening_a_file_again_overwrites_nothing_that_cannot_be_had_back(desk: Desk) -> None:
    """ComfyUI_frontend#10766, ComfyUI#13652, ComfyUI_frontend#1415."""
    desk.do("open-native", content=COMFYUI)
    first = desk.look()["document"]["documentId"]
    desk.do(**add("mine", x=3000))
    unsaved, before = canonical(desk.state()), desk.revision

    desk.do("open-native", content=COMFYUI)
    second = desk.look()["document"]["documentId"]
    stale = desk.refused(add("late"), expectedRevisionId=before)
    desk.undo()

    assert first != second
    assert stale[:2] == ("conflict", "revision-moved")
    assert canonical(desk.state()) == unsaved
    assert desk.look()["document"]["documentId"] == first


@pytest.mark.spec("C6", "C12")
def test_of_two_windows_the_loser_is_told_and_its_edit_is_not_lost(
    desk: Desk, sidecar: Desk
) -> None:
    """comfyui-mcp-panel#197, n8n#11638: two windows with a state each; no silent overwriting."""
    other = Desk(sidecar.client, desk.project)
    other.look()
    mine = add("mine")

    desk.do(**add("theirs"))
    conflict = other.commit(mine, actionId="kept", projection="changes")
    retried = other.commit(mine, actionId="kept")

    assert reason(conflict)[:2] == ("conflict", "revision-moved")
    assert [change["id"] for change in conflict["changes"]] == ["theirs"]
    assert retried["status"] == "applied"
    assert list(desk.nodes()) == ["theirs", "mine"]


@pytest.mark.spec("V2", "G25")
def test_ungrouping_is_undone_twice_without_a_ghost_and_the_frame_is_back(desk: Desk) -> None:
    """node-red#3581, #4043."""
    desk.do(**add("a"))
    empty = canonical(desk.state())
    frame = {"x": -50.5, "y": -60, "width": 700, "height": 300}
    desk.do("add-group", groupId="g", name="G", nodeIds=["a"], bounds=frame, color="red")
    grouped = canonical(desk.state())
    desk.do("remove-group", groupId="g")
    desk.undo()
    assert canonical(desk.state()) == grouped
    (group,) = desk.look()["graph"]["groups"]
    assert group["bounds"] == frame
    desk.undo()
    assert canonical(desk.state()) == empty


@pytest.mark.spec("V3")
def test_undo_of_a_node_put_on_a_wire_gives_the_wire_back_under_its_id(desk: Desk) -> None:
    """node-red#5219: the assistant puts a node into a wire inside a group, in three commands."""
    for number, name in enumerate("ab"):
        desk.do(**add(name, x=number * 600))
    desk.do("add-group", groupId="g", name="G", nodeIds=["a", "b"])
    desk.do("connect", edgeId="wire", label="L", **wire("a.out", "b.in"))
    before = canonical(desk.state())
    run = desk.run()
    desk.do(**add("mid", x=300, groupId="g"), run=run)
    desk.do("retarget-edge", edgeId="wire", target=end("mid", "in"), run=run)
    desk.do("connect", **wire("mid.out", "b.in"), run=run)
    desk.request("closeRun", runId=run)
    desk.look()

    desk.undo()

    assert canonical(desk.state()) == before
    assert edges(desk) == {"wire": "a.out b.in"}


@pytest.mark.spec("V2", "G18")
def test_undo_of_an_import_leaves_nothing_of_it(desk: Desk) -> None:
    """node-red#1681, #4805: components, definitions and residues of the document go too."""
    desk.do(**add("a"))
    before = canonical(desk.state())
    content: Json = {
        "schemaVersion": 1,
        "title": "Other",
        "document": None,
        "components": [{"componentId": "k", "name": "K", "kind": "builtin"}],
        "graph": {
            "nodes": [
                {"nodeId": "x", "componentId": "k", "position": {"x": 0, "y": 0}},
                {"nodeId": "i", "componentId": "subgraph:s", "position": {"x": 400, "y": 0}},
            ],
            "edges": [],
            "groups": [],
            "subgraphs": [
                {
                    "subgraphId": "s",
                    "name": "S",
                    "nodes": [{"nodeId": "n", "componentId": "k", "position": {"x": 0, "y": 0}}],
                    "edges": [],
                    "groups": [],
                    "inputs": [],
                    "outputs": [],
                    "inputAnchor": {"x": 0, "y": 0},
                    "outputAnchor": {"x": 0, "y": 0},
                }
            ],
        },
    }
    desk.do("import-workflow", content=content)
    shown = desk.look()
    assert len(shown["components"]) == len(shown["graph"]["subgraphs"]) == 1

    desk.undo()

    assert canonical(desk.state()) == before


@pytest.mark.spec("V1", "C17")
def test_the_first_command_of_a_new_project_lands_and_a_conflict_keeps_everything(
    desk: Desk,
) -> None:
    """dify#7173, #32992, #35790: a restored draft is its exact content, a conflict costs nothing."""
    first = desk.commit(add("a"), expectedRevisionId=desk.revisions()[0]["revisionId"])
    before = canonical(desk.state())
    conflict = desk.commit(add("b"), expectedRevisionId="draft-0")
    desk.do("remove-node", nodeId="a")
    desk.do("restore-revision", revisionId=first["revisionId"])

    assert (first["status"], conflict["status"]) == ("applied", "conflict")
    assert canonical(desk.state()) == before


@pytest.mark.spec("V2", "G14")
def test_undo_unplugs_the_right_one_of_two_edges_between_the_same_nodes(desk: Desk) -> None:
    """Natron#838, and what Rivet's undo of a connection does to its siblings."""
    desk.do(**add("a"))
    desk.do(**add("b", x=300, inputs=ports("x", "y", "z")))
    for port in "xyz":
        desk.do("connect", edgeId=port, source=end("a", "out"), target=end("b", port))
    desk.undo()
    assert list(edges(desk)) == ["x", "y"]
    desk.do("remove-edge", edgeId="x")
    desk.undo()
    assert list(edges(desk)) == ["x", "y"]
    desk.undo()
    assert list(edges(desk)) == ["x"]


@pytest.mark.spec("C8", "V4")
def test_undo_after_opening_leads_to_what_was_before_and_no_ops_are_no_edits(desk: Desk) -> None:
    """genassist PR#896: undo after a load emptied the canvas; selections counted as edits."""
    desk.do(**add("a"))
    before = canonical(desk.state())
    desk.do("open-native", content=COMFYUI)
    opened = canonical(desk.state())
    name = next(iter(desk.nodes()))
    there = desk.nodes()[name]
    desk.do("move-node", nodeId=name, position=there["position"])
    desk.do("rename-node", nodeId=name, name=there["name"])
    assert desk.look()["undo"]["commands"] == 1

    desk.undo()
    assert canonical(desk.state()) == before
    desk.do("move-node", nodeId="a", position={"x": 0, "y": 0})
    desk.redo()
    assert canonical(desk.state()) == opened
    desk.undo()
    desk.do("rename-node", nodeId="a", name="edited")
    assert desk.look()["redo"] is None


@pytest.mark.spec("G10")
def test_members_move_with_their_group_and_no_other_group_takes_them(desk: Desk) -> None:
    """comfyui-mcp-panel#408, ComfyUI#169, #2244."""
    for number, name in enumerate("ab"):
        desk.do(**add(name, x=number * 300))
    desk.do(**add("c", x=3000))
    desk.do("add-group", groupId="g", name="G", nodeIds=["a", "b"])
    far = {"x": 2900, "y": -200, "width": 900, "height": 600}
    desk.do("add-group", groupId="h", name="H", nodeIds=["c"], bounds=far)

    desk.do("move-nodes", nodeIds=["a", "b"], delta={"x": 3000, "y": 0})

    groups = {one["groupId"]: one["nodeIds"] for one in desk.look()["graph"]["groups"]}
    assert groups == {"g": ["a", "b"], "h": ["c"]}
    assert [desk.nodes()[name]["position"]["x"] for name in "ab"] == [3000, 3300]


@pytest.mark.spec("V5", "R4")
def test_a_persons_undo_works_after_the_assistant_edited(desk: Desk) -> None:
    """jules#11, copilot-intellij-feedback#246, opencode#10287, #32529."""
    desk.do(**add("mine"))
    mine = canonical(desk.state())
    run = desk.run()
    for number in range(3):
        desk.do(**add(f"ai{number}"), run=run)
    desk.request("cancelRun", runId=run)

    desk.undo()
    assert canonical(desk.state()) == mine
    desk.undo()
    assert desk.nodes() == {}
    assert reason(desk.undo())[1] == "nothing-to-undo"
    desk.redo()
    desk.redo()
    assert list(desk.nodes()) == ["mine", "ai0", "ai1", "ai2"]


@pytest.mark.spec("E3", "L4")
def test_a_damaged_file_is_refused_and_never_taken_for_an_empty_one(tmp_path: Path) -> None:
    """Node-RED reads an invalid flow file as an empty flow, and saves that over it."""
    path = tmp_path / "graphs.db"
    with Desk.begin(path) as desk:
        desk.do(**add("a"))
        assert desk.client.close() == 0
    damaged = b"{}" * 2048 + path.read_bytes()[4096:]
    path.write_bytes(damaged)

    with pytest.raises(RpcError) as caught:
        Desk.spawn(path)

    assert caught.value.code == -32803
    assert caught.value.data["code"] in {"storage-corrupt", "storage-foreign"}
    assert path.read_bytes() == damaged
