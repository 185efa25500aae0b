"""A text in every field that a person or a model fills in: it is stored, and told to nobody else.

Not in the log at its loudest, not on stderr, not in the data of any error.
"""

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.client import Client, RpcError
from tests.handlers.desk import Json
from tests.handlers.sessions.chat import append, fork, start_run
from tests.handlers.test_refusals import COMFYUI

CANARY = "kanarie sk-live-4f1c0b7e"
FREE = {"text": f"{CANARY} text", CANARY: [CANARY, {"key": CANARY}]}
Call = tuple[str, Json]


def commands() -> Iterator[Json]:
    """Payloads with the text wherever one may be."""
    port = {"name": "in", "dataType": "*", "label": CANARY}
    yield {
        "kind": "add-node",
        "nodeId": "a",
        "componentId": "c",
        "annotation": CANARY,
        "inputs": [{**port, "name": CANARY}],
        "outputs": [port],
        "parameters": FREE,
    }
    yield {"kind": "add-node", "nodeId": "b", "componentId": "c", "parameters": FREE}
    yield {"kind": "rename-node", "nodeId": "a", "name": CANARY}
    yield {"kind": "annotate-node", "nodeId": "a", "annotation": CANARY}
    yield {"kind": "set-parameter", "nodeId": "a", "name": CANARY, "value": CANARY}
    yield {"kind": "set-parameter", "nodeId": "a", "values": FREE}
    yield {"kind": "add-group", "groupId": "g", "name": CANARY, "nodeIds": ["a"], "color": CANARY}
    yield {"kind": "rename-group", "groupId": "g", "name": CANARY}
    yield {"kind": "create-subgraph", "nodeIds": ["b"], "name": CANARY, "subgraphId": "s"}
    yield {"kind": "rename-subgraph", "subgraphId": "s", "name": CANARY}
    yield {
        "kind": "set-component",
        "componentId": "c",
        "component": {
            "componentId": "c",
            "kind": "script",
            "name": CANARY,
            "description": CANARY,
            "native": FREE,
            "source": CANARY,
        },
    }
    yield {
        "kind": "set-process",
        "nodeId": "a",
        "process": {"kind": "script", "language": CANARY, "code": CANARY, "environment": FREE},
    }
    content = {**COMFYUI, "extra": FREE, CANARY: CANARY}
    yield {"kind": "open-native", "content": content, "title": CANARY, "path": CANARY}
    yield {"kind": "import-workflow", "content": content, "format": "comfyui", "groupName": CANARY}
    yield {"kind": "open-native", "content": {**content, "version": CANARY}, "title": CANARY}
    yield {"kind": "open-native", "content": CANARY, "title": CANARY, "path": CANARY}


def requests() -> Iterator[Call]:
    """All requests that carry such a text, in an order in which most of them succeed."""
    yield "createProject", {"projectId": "p", "title": CANARY}
    for number, payload in enumerate(commands()):
        yield _command("commitCommand", number, actor="manual", runId=None, payload=payload)
    yield _command("renameProject", "rename", title=CANARY)
    yield _command("undo", "undo")
    explained = {"subject": {"kind": "graph", "id": None}, "text": CANARY, "author": "ai"}
    yield "setExplanation", {"projectId": "p", "explanationId": "e", **explained}
    payloads = [next(commands()), {"kind": "annotate-node", "nodeId": "z", "annotation": CANARY}]
    draft = {"projectId": "p", "draftId": "d", "title": CANARY, "nodeIds": []}
    yield "createDraft", {**draft, "payloads": payloads}
    applied = {"draftId": "d", "actionId": "apply", "actor": "manual", "runId": None}
    yield "applyDraft", {**applied, "expectedRevisionId": ""}
    session = {"sessionId": "s", "title": CANARY, "cwd": CANARY, "model": CANARY}
    yield "createSession", {"projectId": "p", **session}
    batch = [append("m1", content=CANARY, branch="message-branch-s"), start_run("run", "m1", 20)]
    for command in batch:
        yield "applySessionCommands", {"sessionId": "s", "commands": [command]}
    about = {"sessionId": "s", "promptMessageId": "m1", "startedAt": 20}
    message = {"id": "r1", "content": CANARY, "status": "streaming"}
    activity = {"id": "t", "kind": "tool", "title": CANARY, "input": FREE, "output": CANARY}
    yield "recordSessionEvents", {**about, "messages": [message]}
    yield "recordSessionEvents", {**about, "activities": [activity]}
    yield "recordSessionEvents", {**about, "appendText": [{"messageId": "r1", "text": CANARY}]}
    yield "settleSessionRun", {**about, "outcome": "error", "error": CANARY}
    forked = [fork("b", "m1", parent="message-branch-s"), append("m1", content=CANARY)]
    yield "applySessionCommands", {"sessionId": "s", "commands": forked}
    yield "renameSession", {"sessionId": "s", "title": CANARY}
    yield "updateSession", {"sessionId": "s", "set": {"model": CANARY, "cwd": CANARY}}
    yield "importSession", {"projectId": "p", "session": {"id": "i", "title": CANARY, **FREE}}
    yield "searchSessions", {"query": CANARY}
    yield "searchSessions", {"query": CANARY, "before": CANARY}
    yield "listSessions", {"query": CANARY}
    yield "exportProject", {"projectId": "p", "format": CANARY}
    yield "updateSettings", {"stepsPerAnswer": CANARY}
    yield "backupDatabase", {"path": CANARY}
    yield "exportSession", {"sessionId": "s", "path": f"{CANARY}.json"}


def _command(method: str, action: object, **params: Any) -> Call:
    about = {"projectId": "p", "actionId": f"action-{action}", "expectedRevisionId": ""}
    return method, {**about, **params}


def spoiled(value: Any) -> Iterator[Any]:
    """Yield a value with each of its leaves in turn of a wrong kind, too long, or gone."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield {name: one for name, one in value.items() if name != key}
            yield from ({**value, key: wrong} for wrong in spoiled(member))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from ([*value[:place], wrong, *value[place + 1 :]] for wrong in spoiled(item))
    else:
        yield from ({CANARY: [CANARY]}, [CANARY, 7])
        if isinstance(value, str) and CANARY in value:
            yield f"{CANARY} " * 60_000
            yield 7


class Listener:
    """Sends requests and keeps what was said about those that were refused."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.refusals: list[Any] = []
        self.landed = 0

    def send(self, method: str, params: Json) -> None:
        if params.get("expectedRevisionId") == "":
            shown = self.client.request("getProject", {"projectId": "p", "projection": "none"})
            params = {**params, "expectedRevisionId": shown["revisionId"]}
        try:
            answer = self.client.request(method, params)
        except RpcError as error:
            self.refusals.append([method, error.message, error.data])
            return
        reason = answer.get("reason") if isinstance(answer, dict) else None
        if reason is None:
            self.landed += 1
        else:
            self.refusals.append([method, reason])

    def told(self) -> list[Any]:
        """Return the refusals that give the text away."""
        return [one for one in self.refusals if CANARY in json.dumps(one)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def spawn(tmp_path: Path, log: Path) -> Client:
    flags = ["--database", str(tmp_path / "graphs.db"), "--log-level", "debug"]
    return Client.spawn([sys.executable, "-m", "sidecar", *flags, "--log-file", str(log)])


def test_no_log_and_no_error_repeats_what_people_write(tmp_path: Path, log: Path) -> None:
    with spawn(tmp_path, log) as client:
        client.initialize()
        listener = Listener(client)
        for method, params in requests():
            listener.send(method, params)
        landed = listener.landed
        numbers = itertools.count()
        for method, params in requests():
            for wrong in spoiled(params):
                again = f"spoiled-{next(numbers)}"
                params_ = {**wrong, "actionId": again} if "actionId" in wrong else wrong
                listener.send(method, params_)
        client.send_raw(b"Content-Length: 7\r\n\r\n{" + CANARY.encode()[:6])
        answer = client.answer_message(None)
        assert client.close() == 0

        assert landed >= 25
        assert len(listener.refusals) > 300
        assert listener.told() == []
        assert CANARY not in json.dumps(answer)
        assert CANARY not in client.stderr
    assert CANARY not in log.read_text(encoding="utf-8")
    assert log.stat().st_size > 0


def test_damaged_texts_are_not_told_either(tmp_path: Path, log: Path) -> None:
    with spawn(tmp_path, log) as client:
        client.initialize()
        listener = Listener(client)
        for method, params in requests():
            listener.send(method, params)
        assert client.close() == 0
    connection = apsw.Connection(str(tmp_path / "graphs.db"))
    connection.execute("UPDATE graph_records SET json = substr(json, 1, length(json) - 3)")
    connection.execute("UPDATE session_bodies SET body = substr(body, 3)")
    connection.execute("UPDATE sessions SET title = title || 'x', head = substr(head, 2)")
    connection.close()

    with spawn(tmp_path, log) as client:
        client.initialize()
        listener = Listener(client)
        for method, params in [
            ("getProject", {"projectId": "p"}),
            ("getSession", {"sessionId": "s", "view": "active"}),
            ("checkDatabase", {}),
            ("exportSession", {"sessionId": "s"}),
            ("exportProject", {"projectId": "p", "format": "comfyui"}),
        ]:
            listener.send(method, params)
        problems = client.request("checkDatabase", {})
        assert client.close() == 0

        assert len(listener.refusals) >= 2
        assert listener.told() == []
        assert not problems["ok"]
        assert CANARY not in json.dumps(problems)
        assert CANARY not in client.stderr
    assert CANARY not in log.read_text(encoding="utf-8")
