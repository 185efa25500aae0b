"""All 26 kinds of payload are applied over stdio, and each is one step that undo takes back."""

from collections.abc import Iterator

import pytest

from protocol.commands import FORBIDDEN_INSIDE, PAYLOAD_KINDS
from tests.handlers.desk import Desk, Json, add, canonical, end, wire
from tests.handlers.test_refusals import COMFYUI, COMPONENT

PORT = {"name": "in", "dataType": "*"}
# A setting for all of them, and one payload of each kind in an order in which all can be applied.
SETTING: list[Json] = [
    add("a"),
    add("b", x=400),
    add("c", x=800),
    add("d", x=1200),
    {"kind": "connect", "edgeId": "ab", **wire("a.out", "b.in")},
    {"kind": "connect", "edgeId": "cd", **wire("c.out", "d.in")},
    {"kind": "add-group", "groupId": "g", "name": "G", "nodeIds": ["a", "b"]},
    add("m", y=900),
    add("n", x=400, y=900),
    {"kind": "create-subgraph", "subgraphId": "s", "instanceId": "i", "nodeIds": ["m", "n"]},
    {
        "kind": "add-subgraph-io",
        "subgraphId": "s",
        "direction": "input",
        "name": "x",
        "dataType": "*",
        "portId": "x",
        "from": end("m", "in"),
    },
    {"kind": "set-component", "componentId": "k", "component": COMPONENT},
]
KINDS: dict[str, Json] = {
    "add-node": {"nodeId": "e", "componentId": "k", "near": {"nodeId": "a", "side": "below"}},
    "remove-node": {"nodeId": "c", "reconnect": True},
    "move-node": {"nodeId": "a", "position": {"x": -10, "y": 0.5}},
    "move-nodes": {"nodeIds": ["a", "b"], "delta": {"x": 10, "y": 10}},
    "rename-node": {"nodeId": "a", "name": "Alpha"},
    "connect": wire("b.out", "d.in"),
    "remove-edge": {"edgeId": "ab"},
    "retarget-edge": {"edgeId": "ab", "target": end("c", "in")},
    "set-parameter": {"nodeId": "a", "values": {"p": 1, "q": [None]}},
    "annotate-node": {"nodeId": "a", "annotation": "note"},
    "set-component": {"componentId": "k", "nodeId": "d"},
    "set-process": {
        "nodeId": "a",
        "process": {"kind": "script", "language": "python", "code": "x", "inputs": [PORT]},
    },
    "import-workflow": {"content": COMFYUI, "groupName": "Imported"},
    "open-native": {"content": COMFYUI, "title": "Opened", "path": "/a/b.json"},
    "create-subgraph": {"nodeIds": ["a", "b"], "name": "Sub"},
    "insert-subgraph": {"subgraphId": "s", "name": "Second"},
    "dissolve-subgraph": {"nodeId": "i"},
    "rename-subgraph": {"subgraphId": "s", "name": "Renamed"},
    "add-subgraph-io": {
        "subgraphId": "s",
        "direction": "output",
        "name": "y",
        "dataType": "*",
        "from": end("n", "out"),
    },
    "remove-subgraph-io": {"subgraphId": "s", "portId": "x"},
    "rename-subgraph-io": {"subgraphId": "s", "portId": "x", "name": "z"},
    "edit-in-subgraph": {
        "subgraphId": "s",
        "payload": {"kind": "rename-node", "nodeId": "m", "name": "Inner"},
    },
    "add-group": {"name": "H", "nodeIds": ["c"], "color": "#fff"},
    "remove-group": {"groupId": "g"},
    "rename-group": {"groupId": "g", "name": "Named"},
    "restore-revision": {"revisionId": "set-up"},
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with Desk.begin(tmp_path_factory.mktemp("kinds") / "graphs.db") as desk:
        for number, payload in enumerate(SETTING):
            chosen = {"newRevisionId": "set-up"} if number == 3 else {}
            answer = desk.commit(payload, **chosen)
            assert answer["status"] == "applied", answer["reason"]
        yield desk
        assert desk.request("checkDatabase")["ok"]
        assert desk.client.close() == 0


def test_the_table_has_every_kind() -> None:
    assert set(KINDS) == set(PAYLOAD_KINDS)


@pytest.mark.spec("C1", "C15", "G1")
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_is_applied_and_taken_back_in_one_step(desk: Desk, kind: str) -> None:
    before = desk.look()

    answer = desk.commit({"kind": kind, **KINDS[kind]})
    after = desk.state()
    version = desk.revisions()[0]
    undone = desk.undo()

    assert (answer["status"], answer["changed"]) == ("applied", True)
    assert (version["kind"], version["revisionId"]) == (kind, answer["revisionId"])
    assert version["label"]
    assert undone["projection"]["redo"]["commands"] == 1
    assert canonical(desk.state()) == canonical({name: before[name] for name in after})
    assert canonical(desk.at(answer["revisionId"])) == canonical(after)
    assert canonical(after) != canonical(desk.state())
    touched = {
        id_
        for what in ("created", "removed", "updated")
        for ids in answer["effects"][what].values()
        for id_ in ids
    }
    assert touched


@pytest.mark.spec("G24")
@pytest.mark.parametrize("kind", sorted(FORBIDDEN_INSIDE))
def test_what_may_not_run_inside_a_definition_is_refused(desk: Desk, kind: str) -> None:
    inner = {"kind": kind, **KINDS[kind]}
    refused = desk.refused({"kind": "edit-in-subgraph", "subgraphId": "s", "payload": inner})

    assert refused[:2] == ("rejected", "forbidden-in-subgraph")
    assert refused[2]["kind"] == kind


@pytest.mark.spec("G24")
@pytest.mark.parametrize(
    "payload",
    [
        add("in1"),
        {"kind": "remove-node", "nodeId": "m"},
        {"kind": "move-node", "nodeId": "m", "position": {"x": 1, "y": 1}},
        {"kind": "move-nodes", "nodeIds": ["m", "n"], "delta": {"x": 5, "y": 5}},
        {"kind": "rename-node", "nodeId": "m", "name": "M"},
        {"kind": "connect", **wire("m.out", "n.in")},
        {
            "kind": "connect",
            "source": {"boundary": "input", "portId": "x"},
            "target": end("n", "in"),
        },
        {"kind": "set-parameter", "nodeId": "m", "name": "p", "value": 1},
        {"kind": "annotate-node", "nodeId": "m", "annotation": "x"},
        {"kind": "set-component", "componentId": "k", "nodeId": "n"},
        {"kind": "set-process", "nodeId": "m", "process": {"kind": "none"}},
        {"kind": "import-workflow", "content": COMFYUI},
        {"kind": "create-subgraph", "nodeIds": ["n"]},
        {"kind": "add-group", "name": "G", "nodeIds": ["m"]},
    ],
    ids=lambda payload: str(payload["kind"]),
)
def test_a_payload_inside_a_definition_changes_that_definition_alone(
    desk: Desk, payload: Json
) -> None:
    before = desk.look()["graph"]

    answer = desk.commit({"kind": "edit-in-subgraph", "subgraphId": "s", "payload": payload})
    after = desk.look()["graph"]
    desk.undo()

    assert answer["status"] == "applied", answer["reason"]
    assert {**after, "subgraphs": None} == {**before, "subgraphs": None}
    assert after["subgraphs"][0] != before["subgraphs"][0]
    assert desk.look()["graph"] == before
