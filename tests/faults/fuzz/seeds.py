"""The requests that fuzzing starts from: every method, in the order in which a host uses them."""

from pathlib import Path
from typing import Any, Final

from protocol.methods import METHODS

PROJECT: Final = "p"
SESSION: Final = "s"


def conversation(folder: Path) -> list[dict[str, Any]]:
    """Return messages without ids; ``folder`` is where files may be written."""
    asked = [(method, params) for method, params in _asked(folder) if method in METHODS]
    missing = METHODS.keys() - {method for method, _ in asked} - _LIFECYCLE
    requests = [*asked, *((method, {}) for method in sorted(missing))]
    return [{"jsonrpc": "2.0", "method": method, "params": params} for method, params in requests]


_LIFECYCLE: Final = {"initialize", "shutdown"}


def _asked(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    project, session = {"projectId": PROJECT}, {"sessionId": SESSION}
    command = {**project, "actionId": "a", "expectedRevisionId": "r"}
    manual = {**command, "actor": "manual", "runId": None}
    turn = {**session, "promptMessageId": "m", "startedAt": 5}
    return [
        ("createProject", {**project, "title": "Project"}),
        *(("commitCommand", {**manual, "payload": payload}) for payload in _payloads()),
        ("undo", command),
        ("redo", {**command, "projection": "changes"}),
        ("renameProject", {**command, "title": "Other"}),
        ("getProject", project),
        ("listProjects", {"limit": 2}),
        ("listRevisions", {**project, "limit": 3}),
        ("getRevision", {**project, "revisionId": "r"}),
        ("diffRevisions", {**project, "fromRevisionId": "r", "toRevisionId": "r"}),
        ("startRun", {**project, "runId": "run", "stepLimit": 3}),
        ("pauseRun", {"runId": "run"}),
        ("resumeRun", {"runId": "run"}),
        ("closeRun", {"runId": "run"}),
        ("getRun", {"runId": "run"}),
        ("listRuns", project),
        ("exportProject", {**project, "format": "comfyui"}),
        ("setExplanation", {**project, "subject": {"kind": "graph", "id": None}, "text": "t", "author": "ai"}),
        ("listExplanations", project),
        ("createDraft", {**project, "draftId": "d", "title": "D", "nodeIds": [], "payloads": _payloads()[:2]}),
        ("applyDraft", {**manual, "draftId": "d"}),
        ("updateSettings", {"maxRevisions": 20, "minRevisions": 5}),
        ("getStatus", {}),
        ("checkDatabase", {}),
        ("backupDatabase", {"path": str(folder / "copy.db")}),
        ("createSession", {**project, **session}),
        ("applySessionCommands", {**session, "commands": _chat()}),
        ("recordSessionEvents", {**turn, "messages": [{"id": "r", "content": "c", "status": "streaming"}]}),
        ("settleSessionRun", {**turn, "outcome": "completed"}),
        ("getSession", {**session, "view": "active"}),
        ("searchSessions", {"query": "words of nobody"}),
        ("exportSession", session),
        ("importSession", {"session": {"id": "s2", "messages": []}, **project}),
        ("updateSession", {**session, "set": {"cwd": "x"}, "unset": ["model"]}),
        ("restoreToMessage", {**session, "messageId": "m", "actionId": "z", "expectedRevisionId": "r", "commands": []}),
    ]  # fmt: skip


def _payloads() -> list[dict[str, Any]]:
    port = {"name": "in", "dataType": "*", "multiple": True}
    node = {"kind": "add-node", "componentId": "C", "position": {"x": 1, "y": 2}}
    ends = {"source": {"nodeId": "n", "portId": "out"}, "target": {"nodeId": "n", "portId": "in"}}
    return [
        {**node, "nodeId": "n", "inputs": [port], "outputs": [{"name": "out", "dataType": "*"}]},
        {"kind": "connect", **ends, "edgeId": "e"},
        {"kind": "set-parameter", "nodeId": "n", "name": "v", "value": {"deep": [1, 2.5, None]}},
        {"kind": "move-nodes", "moves": [{"nodeId": "n", "position": {"x": 5, "y": 6}}]},
        {"kind": "add-group", "name": "G", "nodeIds": ["n"]},
        {"kind": "create-subgraph", "nodeIds": ["n"], "subgraphId": "g"},
        {"kind": "import-workflow", "content": {"nodes": [], "links": [], "version": 0.4}},
        {"kind": "set-component", "componentId": "C", "component": None},
        {"kind": "restore-revision", "revisionId": "r"},
    ]


def _chat() -> list[dict[str, Any]]:
    message = {
        "id": "m",
        "role": "user",
        "content": "words",
        "status": "complete",
        "eventIds": [],
        "createdAt": 1,
        "updatedAt": 1,
    }
    append = {"id": "c1", "kind": "append-user", "timestamp": 1, "message": message}
    run = {"promptMessageId": "m", "startedAt": 5}
    return [
        {**append, "branchId": f"message-branch-{SESSION}"},
        {"id": "c2", "kind": "start-run", "timestamp": 5, "run": run},
    ]
