"""What the sweep breaks: every method that changes something, and the upkeep of the file.

A request is a method with its params, made for the prepared file; several requests are served in
one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from attrs import frozen

from tests.faults.sweep.template import (
    AT_WORK,
    FRAMED,
    OTHER,
    PAUSED,
    PROJECT,
    RUN,
    SESSION,
    TEXT,
    node,
    wire,
)
from tests.handlers.sessions.chat import append, fork
from tests.handlers.sessions.inside import Call, Engine
from tests.handlers.test_refusals import COMFYUI

LARGE: Final = "".join(f"{number:x} " for number in range(500_000))
"""Larger than SQLite's page cache: written before the COMMIT."""


@frozen(kw_only=True)
class Operation:
    """Requests of one transaction; ``quiet`` False where the same once more is told again.

    ``cost`` says how many points of another operation take as long as one of this.
    """

    name: str
    calls: Callable[[Engine], Sequence[Call]]
    quiet: bool = True
    cost: int = 1


def revision(engine: Engine, project_id: str = PROJECT) -> str:
    """Return the id of a project's current version."""
    shown = engine.call("getProject", projectId=project_id, projection="none")
    found: str = shown["revisionId"]
    return found


def commit(action: str, payload: dict[str, Any], expected: str, **over: Any) -> Call:
    return "commitCommand", {
        "projectId": PROJECT,
        "actionId": action,
        "expectedRevisionId": expected,
        "actor": "manual",
        "runId": None,
        "payload": payload,
        **over,
    }


def _committing(name: str, payload: dict[str, Any], *, cost: int = 1) -> Operation:
    def calls(engine: Engine) -> list[Call]:
        return [commit(name, payload, revision(engine))]

    return Operation(name=name, calls=calls, cost=cost)


def _plain(method: str, *, quiet: bool = True, **params: Any) -> Operation:
    return Operation(name=method, calls=lambda _: [(method, params)], quiet=quiet)


def _command(method: str, name: str | None = None, **params: Any) -> Operation:
    name = name or method

    def calls(engine: Engine) -> list[Call]:
        about = {"actionId": name, "expectedRevisionId": revision(engine)}
        if method not in ("applyDraft", "restoreToMessage"):
            about["projectId"] = PROJECT
        return [(method, {**about, **params})]

    return Operation(name=name, calls=calls)


def _batch(session: str, *commands: dict[str, Any]) -> Call:
    return "applySessionCommands", {"sessionId": session, "commands": list(commands)}


COMMITS: Final = (
    _committing("add-node", node("new", 5_000)),
    _committing(
        "set-parameter",
        {"kind": "set-parameter", "nodeId": "n1", "name": "text", "value": "other"},
    ),
    _committing(
        "large",
        {"kind": "set-parameter", "nodeId": "n1", "name": "text", "value": LARGE},
        cost=5,
    ),
    _committing(
        "move-nodes",
        {
            "kind": "move-nodes",
            "moves": [
                {"nodeId": f"n{one}", "position": {"x": one, "y": 900 * one}} for one in range(6)
            ],
        },
    ),
    _committing("connect", wire("new-edge", "n2", "n3")),
    _committing("remove-node", {"kind": "remove-node", "nodeId": "n1"}),
    _committing(
        "create-subgraph",
        {
            "kind": "create-subgraph",
            "nodeIds": ["n1", "n2"],
            "name": "Inside",
            "subgraphId": "inside",
            "instanceId": "instance",
        },
    ),
    _committing(
        "import-workflow", {"kind": "import-workflow", "content": COMFYUI, "format": "comfyui"}
    ),
    _committing("open-native", {"kind": "open-native", "content": COMFYUI, "format": "comfyui"}),
    _committing("restore-revision", {"kind": "restore-revision", "revisionId": "v3"}),
)
ENGINE: Final = (
    _command("undo"),
    _command("redo"),
    _command("renameProject", title="Renamed"),
    _command("applyDraft", draftId="draft", actor="manual", runId=None),
    Operation(
        name="commit-of-a-run",
        calls=lambda engine: [
            commit(
                "by-the-run",
                node("m9", 2_000),
                revision(engine, OTHER),
                projectId=OTHER,
                actor="ai",
                runId=RUN,
            )
        ],
    ),
    _plain("createProject", projectId="new", title="New"),
    _plain("deleteProject", projectId=PROJECT),
    _plain("startRun", projectId=OTHER, runId="next"),
    _plain("pauseRun", runId=RUN),
    _plain("resumeRun", runId=PAUSED),
    _plain("cancelRun", runId=RUN),
    _plain("closeRun", runId=RUN),
    _plain("closeStaleRuns"),
    _plain(
        "createDraft",
        projectId=PROJECT,
        draftId="another",
        title="Draft",
        nodeIds=[],
        payloads=[node("d9")],
    ),
    _plain("discardDraft", draftId="draft"),
    _plain(
        "setExplanation",
        quiet=False,
        projectId=PROJECT,
        explanationId="about-g",
        subject={"kind": "group", "id": "g"},
        text=TEXT,
        author="manual",
    ),
    _plain("removeExplanation", projectId=PROJECT, explanationId="about-node"),
    _plain("updateSettings", stepsPerAnswer=7),
)
SESSIONS: Final = (
    _plain("createSession", projectId=PROJECT, sessionId="s9", title="Nine"),
    Operation(
        name="applySessionCommands",
        calls=lambda _: [
            _batch(SESSION, append("m3", "r1", content=TEXT), append("m4", "m3", content=TEXT))
        ],
    ),
    Operation(
        name="fork",
        calls=lambda _: [
            _batch(
                SESSION,
                fork("b2", "m2"),
                append("m5", "r0", branch="b2", content=TEXT, command_id="append-m5"),
            )
        ],
    ),
    _plain(
        "recordSessionEvents",
        sessionId=AT_WORK,
        promptMessageId="w1",
        startedAt=20,
        eventSeq=2,
        messages=[{"id": "wr2", "content": TEXT, "status": "streaming"}],
        appendText=[{"messageId": "wr", "text": TEXT}],
    ),
    _plain(
        "settleSessionRun",
        sessionId=AT_WORK,
        promptMessageId="w1",
        startedAt=20,
        outcome="completed",
    ),
    _plain("renameSession", sessionId=SESSION, title="Renamed"),
    _plain("pinSession", sessionId=SESSION, pinned=True),
    _plain("archiveSession", sessionId=SESSION, archived=True),
    _plain("updateSession", sessionId=SESSION, set={"own": TEXT}),
    _plain("selectFrame", sessionId=FRAMED, frameId="child"),
    Operation(
        name="importSession",
        calls=lambda engine: [
            (
                "importSession",
                {"session": engine.export(SESSION), "sessionId": "s8", "projectId": PROJECT},
            )
        ],
    ),
    _plain("deleteSession", sessionId=SESSION),
    _command(
        "restoreToMessage",
        sessionId=SESSION,
        messageId="m2",
        commands=[fork("b3", "m2"), append("m6", "r0", branch="b3", content=TEXT)],
    ),
)


def _chained(engine: Engine) -> list[Call]:
    first = revision(engine)
    return [
        commit("one", node("g1", 5_000), first, newRevisionId="g-1"),
        commit("two", wire("g-edge", "n5", "g1"), "g-1", newRevisionId="g-2"),
        commit("three", {"kind": "remove-node", "nodeId": "n0"}, "g-2", newRevisionId="g-3"),
    ]


def _mixed(engine: Engine) -> list[Call]:
    first = revision(engine)
    return [
        commit("one", node("g1", 5_000), first, newRevisionId="g-1"),
        _batch(SESSION, append("m3", "r1", content=TEXT)),
        ("createProject", {"projectId": "new", "title": "New"}),
        commit("late", node("g2", 5_400), first),
        ("pauseRun", {"runId": RUN}),
        commit("two", node("g3", 5_800), "g-1"),
    ]


def _whole_sessions(_: Engine) -> list[Call]:
    return [
        _batch(SESSION, append("m3", "r1", content=TEXT)),
        _batch(SESSION, append("m4", "m3", content=TEXT)),
        ("createSession", {"projectId": PROJECT, "sessionId": "s9"}),
        ("deleteSession", {"sessionId": "s3"}),
    ]


def _undone_and_gone(engine: Engine) -> list[Call]:
    return [
        (
            "undo",
            {"projectId": PROJECT, "actionId": "undo", "expectedRevisionId": revision(engine)},
        ),
        ("cancelRun", {"runId": RUN}),
        ("deleteProject", {"projectId": OTHER}),
    ]


GROUPS: Final = (
    Operation(name="three-commits", calls=_chained),
    Operation(name="all-sorts", calls=_mixed),
    Operation(name="sessions-alone", calls=_whole_sessions),
    Operation(name="undo-cancel-delete", calls=_undone_and_gone, quiet=False),
)
OPERATIONS: Final = (*COMMITS, *ENGINE, *SESSIONS, *GROUPS)
