"""The prepared file: projects, versions to undo and redo, runs, drafts, chats, things to prune."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sidecar.handlers.unit import Job, run_jobs
from sidecar.store import settings
from tests.faults.sweep.stage import FILE, Ids, engine_at
from tests.handlers.sessions.chat import add_frame, append, start_run
from tests.handlers.sessions.inside import Engine

PROJECT: Final = "p"
OTHER: Final = "other"
PRUNED: Final = "long"
RUN: Final = "run"
PAUSED: Final = "paused"
STALE: Final = "stale"
SESSION: Final = "s1"
AT_WORK: Final = "s2"
FRAMED: Final = "s4"
TEXT: Final = "some text that fills pages, " * 12


def prepare(folder: Path) -> None:
    """Write the prepared file into an empty folder."""
    engine = engine_at(folder / FILE, Ids())
    for project_id in (PROJECT, OTHER, PRUNED):
        call(engine, "createProject", projectId=project_id, title=f"Project {project_id}")
    _graph(engine)
    _chats(engine)
    _frames(engine)
    _undone(engine)
    _other(engine)
    _runs_that_wait(engine)
    _long(engine)
    engine.database.close()


def call(engine: Engine, method: str, **params: Any) -> Any:
    answer = engine.call(method, **params)
    assert not isinstance(answer, Exception), (method, answer)
    if isinstance(answer, dict) and "reason" in answer:
        assert answer["reason"] is None, (method, answer["reason"])
    return answer


def commit(engine: Engine, revision: str, payload: dict[str, Any], **over: Any) -> str:
    """Have a payload applied as the version ``revision``; return that id."""
    project_id = over.pop("project", PROJECT)
    shown = call(engine, "getProject", projectId=project_id, projection="none")
    call(
        engine,
        "commitCommand",
        **{
            "projectId": project_id,
            "actionId": f"made-{revision}",
            "expectedRevisionId": shown["revisionId"],
            "actor": "manual",
            "runId": None,
            "payload": payload,
            "newRevisionId": revision,
            "projection": "none",
            **over,
        },
    )
    return revision


def node(node_id: str, x: float = 0, **parameters: Any) -> dict[str, Any]:
    return {
        "kind": "add-node",
        "componentId": "any",
        "nodeId": node_id,
        "position": {"x": x, "y": 0},
        "inputs": [{"name": "in", "dataType": "*"}],
        "outputs": [{"name": "out", "dataType": "*"}],
        "parameters": {"text": TEXT, **parameters},
    }


def wire(edge_id: str, source: str, target: str) -> dict[str, Any]:
    return {
        "kind": "connect",
        "edgeId": edge_id,
        "source": {"nodeId": source, "portId": "out"},
        "target": {"nodeId": target, "portId": "in"},
    }


def _graph(engine: Engine) -> None:
    """Versions v0 to v8, explanations and a draft."""
    for number in range(6):
        commit(engine, f"v{number}", node(f"n{number}", 400.0 * number))
    commit(engine, "v6", wire("e0", "n0", "n1"))
    commit(engine, "v7", wire("e1", "n1", "n2"))
    commit(engine, "v8", {"kind": "add-group", "groupId": "g", "name": "G", "nodeIds": ["n0"]})
    for subject in ({"kind": "node", "id": "n1"}, {"kind": "graph", "id": None}):
        call(
            engine,
            "setExplanation",
            projectId=PROJECT,
            explanationId=f"about-{subject['kind']}",
            subject=subject,
            text=TEXT,
            author="ai",
        )
    call(
        engine,
        "createDraft",
        projectId=PROJECT,
        draftId="draft",
        title="Draft",
        nodeIds=["n1"],
        payloads=[node("d0", 2600), node("d1", 3000), wire("de", "d0", "d1")],
    )


def _undone(engine: Engine) -> None:
    commit(engine, "v9", {"kind": "rename-node", "nodeId": "n3", "name": "undone"})
    call(
        engine,
        "undo",
        projectId=PROJECT,
        actionId="undone",
        expectedRevisionId="v9",
        projection="none",
    )


def _other(engine: Engine) -> None:
    """A project with a running run that made three nodes in a heap."""
    call(engine, "startRun", projectId=OTHER, runId=RUN)
    for number in range(3):
        commit(
            engine,
            f"o{number}",
            node(f"m{number}", 10.0 * number),
            project=OTHER,
            actor="ai",
            runId=RUN,
        )
    commit(engine, "o3", wire("oe", "m0", "m1"), project=OTHER, actor="ai", runId=RUN)
    call(engine, "createSession", projectId=OTHER, sessionId="s3")


def _runs_that_wait(engine: Engine) -> None:
    """A run that is paused, and one whose process is gone."""
    for name in (PAUSED, STALE):
        call(engine, "createProject", projectId=f"of-{name}", title=name)
        call(engine, "startRun", projectId=f"of-{name}", runId=name)
    call(engine, "pauseRun", runId=PAUSED)
    with engine.database.write() as tx:
        tx.execute("UPDATE runs SET owner = ? WHERE run_id = ?", ('{"pid":2}', STALE))


def _long(engine: Engine) -> None:
    """A project with versions beyond its limits, the first of them kept by a draft."""
    commit(engine, "l0", node("x"), project=PRUNED)
    call(
        engine,
        "createDraft",
        projectId=PRUNED,
        draftId="keeps",
        title="Keeps",
        nodeIds=[],
        payloads=[node("y")],
    )
    limits = {"maxRevisions": 3, "minRevisions": 1}
    run_jobs(engine.database, [Job(lambda unit: settings.write(unit.tx, limits))])
    for number in range(1, 12):
        payload = {"kind": "set-parameter", "nodeId": "x", "name": "n", "value": number}
        commit(engine, f"l{number}", payload, project=PRUNED)
    wide = {"maxRevisions": 1_000, "minRevisions": 1}
    run_jobs(engine.database, [Job(lambda unit: settings.write(unit.tx, wide))])


def _chats(engine: Engine) -> None:
    """A chat with two answered prompts, and one whose prompt is at work."""
    call(engine, "createSession", projectId=PROJECT, sessionId=SESSION)
    parent = None
    for number, prompt in enumerate(("m1", "m2")):
        _apply(engine, SESSION, append(prompt, parent, content=TEXT))
        _apply(engine, SESSION, start_run(f"run-{prompt}", prompt, 20 + number))
        _events(engine, SESSION, prompt, 20 + number, f"r{number}")
        commit(engine, f"c{number}", node(f"chat{number}", 4_000.0 + 400 * number))
        call(
            engine,
            "settleSessionRun",
            sessionId=SESSION,
            promptMessageId=prompt,
            startedAt=20 + number,
            outcome="completed",
        )
        parent = f"r{number}"
    call(engine, "createSession", projectId=PROJECT, sessionId=AT_WORK)
    branch = f"message-branch-{AT_WORK}"
    _apply(engine, AT_WORK, append("w1", content=TEXT, branch=branch, command_id="append-w1"))
    _apply(engine, AT_WORK, start_run("run-w1", "w1", 20))
    _events(engine, AT_WORK, "w1", 20, "wr")


def _frames(engine: Engine) -> None:
    """A chat with another agent's frame, which can be put in view."""
    session = engine.export(SESSION)
    add_frame(session, "r1")
    call(engine, "importSession", session=session, sessionId=FRAMED, projectId=PROJECT)


def _apply(engine: Engine, session: str, command: dict[str, Any]) -> None:
    call(engine, "applySessionCommands", sessionId=session, commands=[command])


def _events(engine: Engine, session: str, prompt: str, at: float, reply: str) -> None:
    call(
        engine,
        "recordSessionEvents",
        sessionId=session,
        promptMessageId=prompt,
        startedAt=at,
        eventSeq=1,
        messages=[{"id": reply, "content": TEXT, "status": "streaming"}],
    )
