"""Every answer and notification of sessions is what the protocol's schemas say."""

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from protocol.openrpc import openrpc_document
from tests.handlers.sessions.chat import BRANCH, PROJECT, SESSION, Chat, append, fork, start_run

DOCUMENT = openrpc_document()
RESULTS = {method["name"]: method["result"]["schema"] for method in DOCUMENT["methods"]}
NOTES = {one["name"]: one["params"] for one in DOCUMENT["x-notifications"]}
SESSION_METHODS = {name for name in RESULTS if "Session" in name} | {
    "getConversationTree",
    "getExecutionContext",
    "getActivity",
    "restoreToMessage",
    "selectFrame",
}


class Checked(Chat):
    """A chat whose answers are checked; it remembers which methods it saw."""

    seen: set[str]

    def request(self, method: str, **params: Any) -> Any:
        answer = super().request(method, **params)
        assert faults(RESULTS[method], answer) == [], method
        self.seen.add(method)
        return answer


def faults(schema: dict[str, Any], value: Any) -> list[str]:
    validator = Draft7Validator({**schema, "components": DOCUMENT["components"]})
    return [f"{list(error.path)}: {error.message[:200]}" for error in validator.iter_errors(value)]


@pytest.fixture
def chat(tmp_path: Path) -> Any:
    with Checked.spawn(tmp_path / "graphs.db") as chat:
        chat.seen = set()
        yield chat


def test_a_whole_conversation_keeps_to_the_schemas(chat: Checked, tmp_path: Path) -> None:
    project = chat.request("createProject", projectId=PROJECT, title="Project")
    chat.create(SESSION, title="Talk")
    chat.apply(append("m1", content="find me"), start_run("run", "m1", 20), answer="full")
    chat.apply(append("m2", "m1"))
    chat.apply({"id": "c", "kind": "dance"})
    chat.apply(append("m1"), session="nobody")
    chat.events(
        "m1",
        20,
        messages=[{"id": "r1", "content": "x"}],
        activities=[{"id": "a1", "activityGroupId": "g1", "rawOutput": "y" * 70_000}],
        activityGroups=[{"id": "g1", "activityIds": ["a1"]}],
    )
    chat.settle("m1", 20, "cancelled")
    for view in ("active", "graph", "summary"):
        chat.request("getSession", sessionId=SESSION, view=view, limit=2)
    chat.request("listSessions")
    chat.request("searchSessions", query="find")
    chat.request("renameSession", sessionId=SESSION, title="New")
    chat.request("pinSession", sessionId=SESSION, pinned=True)
    chat.request("archiveSession", sessionId=SESSION, archived=True)
    chat.request("updateSession", sessionId=SESSION, set={"cwd": "/"})
    chat.request("selectFrame", sessionId=SESSION, frameId=f"root-frame-{SESSION}")
    chat.request("getConversationTree", sessionId=SESSION)
    chat.request("getExecutionContext", sessionId=SESSION, promptMessageId="m1")
    chat.request("getActivity", sessionId=SESSION, activityId="a1")
    chat.request("getActivity", sessionId=SESSION, activityId="a1", path="/rawOutput")
    for action in ("r1", "r1", "r2"):
        chat.request(
            "restoreToMessage",
            sessionId=SESSION,
            messageId="m1",
            actionId=action,
            expectedRevisionId=project["revisionId"],
            commands=[fork("b2", "m1", parent=BRANCH)],
            projection="changes",
        )
    chat.request("exportSession", sessionId=SESSION, path=str(tmp_path / "s.json"))
    session = chat.export()
    chat.request("importSession", session=session, sessionId="s2")
    chat.request("deleteSession", sessionId="s2")

    assert chat.seen >= SESSION_METHODS
    for note in chat.client.notifications:
        assert faults(NOTES[note["method"]], note["params"]) == [], note["method"]


def test_what_does_not_keep_to_a_schema_is_noticed() -> None:
    assert all(faults(RESULTS[method], {"other": 1}) for method in SESSION_METHODS - OPEN_ANSWERS)
    assert faults(NOTES["sessionChanged"], {})


OPEN_ANSWERS = {"getExecutionContext", "exportSession", "getActivity"}
"""Answers that are free JSON, or of which every member may be missing."""
