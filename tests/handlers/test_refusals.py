"""Every code that a command can be refused with, provoked over stdio: it says what and where."""

import inspect
import resource
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from protocol.errors import COMMAND_CODES, CONFLICT_CODES, REJECTION_CODES, STORAGE_CODES
from tests.handlers.desk import Desk, Json, add, end, node, ports, reason, wire

COMPONENT: Json = {
    "componentId": "k",
    "name": "K",
    "kind": "builtin",
    "inputs": [{"name": "in", "dataType": "INT"}],
    "outputs": [{"name": "out", "dataType": "INT"}],
    "parameters": [{"name": "p", "dataType": "INT", "minimum": 0, "maximum": 10}],
}
COMFYUI: Json = {
    "version": 0.4,
    "nodes": [
        {
            "id": number,
            "type": "T",
            "pos": [number * 300, 0],
            "inputs": [{"name": "in", "type": "*", "link": None}],
            "outputs": [{"name": "out", "type": "*", "links": []}],
        }
        for number in (1, 2)
    ],
    "links": [],
}


def connect(source: str, target: str, **fields: Any) -> Json:
    return {"kind": "connect", **wire(source, target, **fields)}


def inside(payload: Json) -> Json:
    return {"kind": "edit-in-subgraph", "subgraphId": "s", "payload": payload}


def nested(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


# Code, payload and the details that must be among those told.
REFUSALS: list[tuple[str, Json, Json]] = [
    ("unknown-node", {"kind": "remove-node", "nodeId": "x"}, {"nodeId": "x"}),
    ("unknown-edge", {"kind": "remove-edge", "edgeId": "x"}, {"edgeId": "x"}),
    (
        "unknown-edge",
        {"kind": "remove-edge", **wire("a.out", "c.in")},
        {"source": end("a", "out"), "target": end("c", "in")},
    ),
    ("unknown-port", connect("a.x", "c.in"), {"nodeId": "a", "portId": "x"}),
    ("unknown-group", {"kind": "remove-group", "groupId": "x"}, {"groupId": "x"}),
    (
        "unknown-subgraph",
        {"kind": "rename-subgraph", "subgraphId": "x", "name": "X"},
        {"subgraphId": "x"},
    ),
    (
        "unknown-subgraph",
        {**inside({"kind": "remove-node", "nodeId": "m"}), "subgraphId": "x"},
        {"subgraphId": "x"},
    ),
    (
        "unknown-component",
        {"kind": "set-component", "componentId": "x", "nodeId": "a"},
        {"componentId": "x"},
    ),
    (
        "unknown-parameter",
        {"kind": "set-parameter", "nodeId": "kn", "name": "x", "value": 1},
        {"name": "x", "known": ["p"]},
    ),
    (
        "unknown-parameter",
        {"kind": "set-parameter", "nodeId": "a", "name": "x", "path": "/y/z", "value": 1},
        {"name": "x", "path": "/y/z"},
    ),
    (
        "unknown-io",
        {"kind": "remove-subgraph-io", "subgraphId": "s", "portId": "x"},
        {"subgraphId": "s", "portId": "x"},
    ),
    (
        "unknown-revision",
        {"kind": "restore-revision", "revisionId": "x"},
        {"revisionId": "x"},
    ),
    ("unknown-kind", {"kind": "paint-node", "nodeId": "a"}, {"kind": "paint-node"}),
    ("unknown-kind", inside({"kind": "paint-node"}), {"kind": "paint-node"}),
    ("id-in-use", add("a"), {"kind": "node", "id": "a"}),
    ("id-in-use", add("m"), {"kind": "node", "id": "m"}),
    ("id-retired", add("gone"), {"kind": "node", "id": "gone"}),
    ("id-retired", connect("a.out", "c.in", edgeId="lost"), {"kind": "edge", "id": "lost"}),
    ("invalid-name", {"kind": "rename-node", "nodeId": "a", "name": " "}, {"path": "/name"}),
    ("invalid-name", {"kind": "rename-group", "groupId": "g", "name": "\u0007"}, {"path": "/name"}),
    (
        "name-taken",
        {
            "kind": "add-subgraph-io",
            "subgraphId": "s",
            "direction": "input",
            "name": "one",
            "dataType": "*",
        },
        {"name": "one", "path": "/name"},
    ),
    (
        "invalid-position",
        {"kind": "move-node", "nodeId": "a", "position": {"x": 1e7 + 1, "y": 0}},
        {"path": "/position"},
    ),
    (
        "invalid-position",
        {"kind": "move-nodes", "nodeIds": ["a"], "delta": {"x": 0, "y": -2e7}},
        {},
    ),
    ("wrong-direction", connect("a.in", "c.in"), {"nodeId": "a", "portId": "in"}),
    ("wrong-direction", connect("a.out", "c.out"), {"nodeId": "c", "portId": "out"}),
    (
        "duplicate-edge",
        {"kind": "retarget-edge", "edgeId": "bm", "source": end("a", "out")},
        {"edgeId": "am"},
    ),
    (
        "type-mismatch",
        connect("text.out", "kn.in"),
        {"sourceType": "STRING", "targetType": "INT"},
    ),
    (
        "value-not-allowed",
        {"kind": "set-parameter", "nodeId": "kn", "name": "p", "value": "five"},
        {"name": "p"},
    ),
    (
        "value-not-allowed",
        {"kind": "set-parameter", "nodeId": "kn", "name": "p", "value": 11},
        {"name": "p", "maximum": 10},
    ),
    ("port-occupied", connect("c.out", "b.in", onOccupied="error"), {"edgeId": "ab"}),
    ("cross-scope", {"kind": "remove-node", "nodeId": "m"}, {"nodeId": "m", "scope": "s"}),
    ("cross-scope", inside({"kind": "remove-node", "nodeId": "a"}), {"nodeId": "a", "scope": None}),
    (
        "cross-scope",
        {"kind": "add-group", "name": "G", "nodeIds": ["c", "m"]},
        {"nodeId": "m", "scope": "s"},
    ),
    ("not-a-subgraph", {"kind": "dissolve-subgraph", "nodeId": "a"}, {"nodeId": "a"}),
    (
        "subgraph-recursion",
        inside({"kind": "insert-subgraph", "subgraphId": "s"}),
        {"path": ["s", "s"]},
    ),
    (
        "size-limit",
        {"kind": "annotate-node", "nodeId": "a", "annotation": "é" * 32_769},
        {"path": "/annotation", "limit": 65_536},
    ),
    (
        "size-limit",
        {
            "kind": "set-parameter",
            "nodeId": "a",
            "name": "deep",
            "path": "/0" * 40,
            "value": nested(40),
        },
        {"limit": 64},
    ),
    (
        "node-in-other-group",
        {"kind": "add-group", "name": "G", "nodeIds": ["a", "c"]},
        {"groupIds": ["g"]},
    ),
    (
        "forbidden-in-subgraph",
        inside({"kind": "open-native", "content": {}}),
        {"kind": "open-native"},
    ),
    (
        "forbidden-in-subgraph",
        inside({"kind": "edit-in-subgraph", "subgraphId": "s", "payload": {"kind": "x"}}),
        {"kind": "edit-in-subgraph"},
    ),
    (
        "invalid-component",
        {"kind": "add-node", "componentId": "subgraph:s"},
        {"componentId": "subgraph:s"},
    ),
    (
        "invalid-component",
        {
            "kind": "set-component",
            "componentId": "two",
            "component": {
                "componentId": "two",
                "name": "Two",
                "kind": "builtin",
                "inputs": [{"name": "in", "dataType": "*"}, {"name": "in", "dataType": "*"}],
            },
        },
        {},
    ),
    (
        "component-in-use",
        {"kind": "set-component", "componentId": "k", "component": None},
        {"componentId": "k", "nodeIds": ["kn"]},
    ),
    (
        "invalid-process",
        {"kind": "set-process", "nodeId": "a", "process": {"kind": "command", "argv": []}},
        {},
    ),
    ("unreadable-content", {"kind": "import-workflow", "content": "{"}, {"reason": "not-json"}),
    ("unknown-format", {"kind": "open-native", "content": {"a": 1}}, {}),
    ("unknown-format", {"kind": "open-native", "content": {}, "format": "visio"}, {}),
    (
        "unsupported-version",
        {"kind": "open-native", "content": {**COMFYUI, "version": 99}, "format": "comfyui"},
        {},
    ),
    (
        "empty-workflow",
        {"kind": "import-workflow", "content": {**COMFYUI, "nodes": []}},
        {},
    ),
    ("invalid-command", {"kind": "move-node", "nodeId": "a"}, {}),
    ("invalid-command", {"kind": "add-node", "componentId": "k", "inputs": ports("x")}, {}),
    ("invalid-command", {"kind": "set-parameter", "nodeId": "a"}, {}),
]
ELSEWHERE = {
    "self-connection",
    "would-create-cycle",
    "depth-limit",
    "pruned-revision",
    "unknown-project",
    "action-id-reused",
    "nothing-to-undo",
    "nothing-to-redo",
    "draft-state",
    "unknown-draft",
    *STORAGE_CODES,
}
"""Codes that need another document, another history or another disk: tests of their own below."""


@pytest.fixture(scope="module")
def set_up(sidecar: Desk) -> Desk:
    """Two scopes, typed ports, groups, a component, things that are gone."""
    desk = Desk(sidecar.client, "set-up")
    desk.create()
    for number, id_ in enumerate("abc"):
        desk.do("add-node", **node(id_, x=300 * number))
    for payload in (
        add("text", y=500, inputs=[], outputs=[{"name": "out", "dataType": "STRING"}]),
        add("many", y=800, inputs=ports("in", multiple=True)),
        {"kind": "set-component", "componentId": "k", "component": COMPONENT},
        {"kind": "add-node", "nodeId": "kn", "componentId": "k"},
        connect("a.out", "b.in", edgeId="ab"),
        connect("a.out", "many.in", edgeId="am"),
        connect("b.out", "many.in", edgeId="bm"),
        connect("b.out", "c.in", edgeId="lost"),
        {"kind": "remove-edge", "edgeId": "lost"},
        {"kind": "add-group", "groupId": "g", "name": "G", "nodeIds": ["a"]},
        {"kind": "set-parameter", "nodeId": "a", "name": "deep", "value": nested(41)},
        add("gone"),
        {"kind": "remove-node", "nodeId": "gone"},
        add("m", y=1200),
        {"kind": "create-subgraph", "subgraphId": "s", "instanceId": "i", "nodeIds": ["m"]},
        {
            "kind": "add-subgraph-io",
            "subgraphId": "s",
            "direction": "input",
            "name": "one",
            "dataType": "*",
        },
    ):
        desk.do(**payload)
    return desk


@pytest.mark.spec("C3", "E1", "G4", "G5")
@pytest.mark.parametrize(("code", "payload", "details"), REFUSALS)
def test_a_refusal_says_what_and_where(
    set_up: Desk, code: str, payload: Json, details: Json
) -> None:
    before = set_up.look()

    status, told, said = set_up.refused(payload)

    assert (status, told) == ("rejected", code)
    assert said.items() >= details.items()
    if code in {"invalid-command", "invalid-process"}:
        assert all(issue["path"].startswith("/") for issue in said["issues"])
    assert said or code == "empty-workflow"
    assert set_up.look() == before


@pytest.mark.spec("G13")
def test_cycles_are_refused_in_documents_of_formats_without(desk: Desk) -> None:
    desk.do("open-native", content=COMFYUI)
    first, second = desk.nodes()
    out, into = _port(desk, first, "outputs"), _port(desk, first, "inputs")
    desk.do("connect", source=out, target=_port(desk, second, "inputs"))

    back = {"kind": "connect", "source": _port(desk, second, "outputs"), "target": into}
    itself = {"kind": "connect", "source": out, "target": into}

    assert desk.refused(back)[:2] == ("rejected", "would-create-cycle")
    assert set(desk.refused(back)[2]["path"]) == {first, second}
    assert desk.refused(itself) == ("rejected", "self-connection", {"nodeId": first})


@pytest.mark.spec("G13")
def test_a_selection_with_others_in_between_is_no_subgraph_there(desk: Desk) -> None:
    """ComfyUI_frontend#4182."""
    content = {**COMFYUI, "nodes": [*COMFYUI["nodes"], {**COMFYUI["nodes"][0], "id": 3}]}
    desk.do("open-native", content=content)
    one, two, three = desk.nodes()
    for source, target in ((one, two), (two, three)):
        desk.do(
            "connect", source=_port(desk, source, "outputs"), target=_port(desk, target, "inputs")
        )

    refused = desk.refused({"kind": "create-subgraph", "nodeIds": [one, three]})

    assert refused[:2] == ("rejected", "would-create-cycle")
    assert two in refused[2]["path"]


def _port(desk: Desk, node_id: str, side: str) -> Json:
    return end(node_id, desk.nodes()[node_id][side][0]["portId"])


@pytest.mark.spec("G21")
def test_definitions_nest_32_levels_deep_and_no_deeper(desk: Desk) -> None:
    desk.do("add-node", **node("n0"))
    for level in range(1, 33):
        desk.do("create-subgraph", nodeIds=[f"n{level - 1}"], instanceId=f"n{level}")

    refused = desk.refused({"kind": "create-subgraph", "nodeIds": ["n32"]})

    assert refused == ("rejected", "depth-limit", {"limit": 32, "depth": 33})


@pytest.mark.spec("V8")
def test_a_version_that_is_gone_is_told_apart_from_one_that_never_was(database: Path) -> None:
    with Desk.begin(database) as desk:
        desk.request("updateSettings", minRevisions=1, maxRevisions=2)
        first = desk.revision
        for number in range(6):
            desk.do("add-node", **node(f"n{number}"))

        gone = desk.refused({"kind": "restore-revision", "revisionId": first})
        never = desk.refused({"kind": "restore-revision", "revisionId": "never"})

        assert gone == ("rejected", "pruned-revision", {"revisionId": first})
        assert never == ("rejected", "unknown-revision", {"revisionId": "never"})
        for method, params in (
            ("getRevision", {"revisionId": first}),
            ("diffRevisions", {"fromRevisionId": first, "toRevisionId": desk.revision}),
            ("exportProject", {"format": "graph", "revisionId": first}),
            ("listExplanations", {"revisionId": first}),
        ):
            assert desk.refusal(method, projectId="p", **params) == (
                "pruned-revision",
                {"revisionId": first},
            )


@pytest.mark.spec("C7")
def test_a_persons_command_has_no_run_and_the_assistants_has_one(desk: Desk) -> None:
    run = desk.run()
    elsewhere = Desk(desk.client, desk.project + "-other")
    elsewhere.create()
    foreign = elsewhere.run()

    assert desk.refused(add("a"), runId=run) == ("conflict", "run-not-allowed", {})
    assert desk.refused(add("a"), actor="ai") == (
        "conflict",
        "run-not-running",
        {"runId": None, "status": None},
    )
    assert desk.refused(add("a"), actor="ai", runId="nobody")[:2] == ("conflict", "run-not-running")
    assert desk.refused(add("a"), actor="ai", runId=foreign)[:2] == ("conflict", "run-not-running")
    assert desk.refused(add("a"), expectedRevisionId="x") == (
        "conflict",
        "revision-moved",
        {"expected": "x", "current": desk.revision},
    )
    assert reason(desk.undo()) == ("conflict", "run-open", {"runId": run})


@pytest.mark.spec("V5")
def test_there_may_be_nothing_to_undo_or_to_redo(desk: Desk) -> None:
    assert reason(desk.undo()) == ("rejected", "nothing-to-undo", {})
    assert reason(desk.redo()) == ("rejected", "nothing-to-redo", {})


# The file itself.


def _limit(desk: Desk, size: int) -> None:
    resource.prlimit(desk.client.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


@pytest.mark.spec("E3")
@pytest.mark.skipif(sys.platform != "linux", reason="limits another process's files")
def test_on_a_full_disk_nothing_lands_and_the_same_action_does_once_there_is_room(
    database: Path,
) -> None:
    with Desk.begin(database) as desk:
        desk.do("add-node", **node("a"))
        before = desk.look()
        _limit(desk, 1000)
        payload = add("b", annotation="words " * 5_000)

        answer = desk.commit(payload, actionId="again")
        status, code, details = reason(answer)
        shown = desk.look()
        _limit(desk, resource.RLIM_INFINITY)
        applied = desk.commit(payload, actionId="again")

        assert (status, code, details["retryable"]) == ("rejected", "storage-full", True)
        assert answer["projection"] == shown == before
        assert (applied["status"], list(desk.nodes())) == ("applied", ["a", "b"])
        assert desk.request("checkDatabase")["ok"]


@pytest.mark.spec("E3")
def test_a_file_that_somebody_else_holds_is_busy_and_serves_when_it_is_free(
    database: Path,
) -> None:
    with Desk.begin(database) as desk:
        other = sqlite3.connect(database)
        other.execute("BEGIN IMMEDIATE")
        answer = desk.commit(add("a"), actionId="again")
        other.rollback()
        other.close()

        status, code, details = reason(answer)
        assert (status, code, details["retryable"]) == ("rejected", "storage-busy", True)
        assert desk.commit(add("a"), actionId="again")["status"] == "applied"


@pytest.mark.spec("E5")
@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be moved there")
@pytest.mark.parametrize("way", ["moved", "replaced", "unlinked"])
def test_a_file_moved_away_acknowledges_nothing_and_ends_the_process(
    database: Path, way: str
) -> None:
    with Desk.begin(database) as desk:
        desk.do("add-node", **node("a"))
        if way == "replaced":
            shutil.copy(database, database.with_name("copy.db"))
            database.with_name("copy.db").replace(database)
        elif way == "moved":
            database.rename(database.with_name("elsewhere.db"))
        else:
            database.unlink()

        answer = desk.commit(add("b"))

        assert reason(answer)[:2] == ("rejected", "storage-moved")
        assert desk.client.wait() == 3


@pytest.mark.spec("E3")
def test_a_file_that_a_newer_process_raised_is_left_alone(database: Path) -> None:
    with Desk.begin(database) as desk:
        other = sqlite3.connect(database)
        (version,) = other.execute("PRAGMA user_version").fetchone()
        other.execute(f"PRAGMA user_version = {version + 1}")
        other.close()

        answer = desk.commit(add("a"))

        assert reason(answer)[:2] == ("rejected", "storage-newer")
        assert answer["projection"] is None


def test_no_code_is_without_a_test() -> None:
    """The codes of storage that need a failing disk are provoked in ``tests/store``."""
    provoked = {code for code, _, _ in REFUSALS}
    source = inspect.getsource(sys.modules[__name__])
    tests = source[source.index("def test_cycles_are_refused") :]
    here = {code for code in ELSEWHERE if f'"{code}"' in tests}

    assert set(REJECTION_CODES) - provoked - here == set()
    assert set(COMMAND_CODES) - provoked - here <= {
        "action-id-reused",
        "unknown-project",
        "draft-state",
        "unknown-draft",
        "storage-readonly",
        "storage-io",
        "storage-corrupt",
        "storage-foreign",
        "storage-indeterminate",
    }
    # ``run-behind`` takes an engine that forgot to move a run along: ``test_inside.py``.
    assert {code for code in CONFLICT_CODES if f'"{code}"' not in tests} <= {"run-behind"}
