"""The session format's recorded batches over real stdio: imported, applied, exported."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client import RpcError
from tests.handlers.sessions.chat import Chat
from tests.vectors.files import CHANGED, MAIN, QUIRKS, vectors

# What a command may be is checked before the session is looked at.
SANITIZED = {
    "case-unknown-kind-known-id-0001",
    "case-empty-id-known-0001",
    "wide-batch-0001",
    "quirk-known-id-unknown-kind",
    "quirk-window-not-refreshed",
}
# A session whose lists and graph do not fit together is refused when it comes in.
NOT_IMPORTED = {
    "case-non-root-frame-flat-foreign-0001",
    "case-flat-newer-structural-0001",
    "case-flat-other-branch-0001",
    "quirk-flat-message-reparents",
    "quirk-non-root-view-with-root-flat",
}
# Commands and messages lose keys that they have no right to before they are compared.
KEYS_DROPPED = {
    "window-0004": "applied",
    "apply-0032": "applied",
    "quirk-segment-replay-with-owner": "applied",
    "quirk-append-structural-key": "applied",
    "apply-0025": "activeRun",
    "apply-0062": "activeRun",
}
# A batch without a new command writes nothing, so it adds no keys either.
NOTHING_WRITTEN = {
    "case-non-root-frame-no-commands-0001",
    "apply-0014",
    "quirk-window-trim-without-commands",
    "quirk-non-root-view-empty-batch",
}
# Seed text (its beginning) -> (status, code) that sessions of ours may answer with.
ANSWERS: dict[str, set[tuple[str, str]]] = {
    "zod": {("rejected", "invalid-command")},
    "Unknown Session conversation command": {("rejected", "invalid-command")},
    "Invalid Session conversation command identity": {("rejected", "invalid-command")},
    "Only user Messages": {("rejected", "invalid-command")},
    "Session conversation command identity": {("rejected", "command-id-reused")},
    "Conversation Message identity": {("rejected", "message-id-reused")},
    "Conversation Branch identity": {("rejected", "branch-id-reused")},
    "Runtime Segment identity": {("rejected", "segment-id-reused")},
    "Cannot append a user Message while": {("deferred", "run-active")},
    "Cannot fork a running or changed": {
        ("deferred", "run-active"),
        ("conflict", "branch-moved"),
        ("rejected", "unknown-branch"),
    },
    "Conversation Branch changed before": {
        ("conflict", "branch-moved"),
        ("rejected", "unknown-branch"),
        ("rejected", "unknown-message"),
        # The parent is null, which the schema does not know as an id.
        ("rejected", "invalid-command"),
    },
    "Cannot select a running or changed": {
        ("conflict", "run-active"),
        ("conflict", "branch-moved"),
    },
    "Selected Message Branch does not": {("rejected", "unknown-branch")},
    "Only an active user Message": {
        ("conflict", "not-on-branch"),
        ("rejected", "not-a-prompt"),
        ("rejected", "unknown-message"),
    },
    "Run prompt is not on the": {
        ("conflict", "not-on-branch"),
        ("rejected", "not-a-prompt"),
        ("rejected", "unknown-message"),
    },
    "Conversation Branch fork Message is": {
        ("conflict", "not-on-branch"),
        ("rejected", "unknown-message"),
    },
    "Conversation Branch fork Activity is": {
        ("conflict", "not-on-branch"),
        ("rejected", "unknown-activity"),
    },
    "Message Branch Activity fork is not on its path": {("rejected", "fork-before-prompt")},
    "Message response target is invalid": {("rejected", "invalid-message")},
    "Resume no longer matches": {("conflict", "recovery-gone")},
    "Session already has an active run": {("conflict", "run-active")},
    "The requested conversation run has already": {
        ("conflict", "run-settled"),
        # The start time is negative, which the schema does not know as a time.
        ("rejected", "invalid-command"),
    },
    "User conversation commands require the root": {("conflict", "view-not-root")},
}


def apply_vectors(name: str) -> Iterator[dict[str, Any]]:
    changed = {vector["name"]: vector for vector in vectors(CHANGED)}
    for vector in vectors(name):
        if vector["op"] == "apply":
            yield changed.get(vector["name"], vector)


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chat]:
    database: Path = tmp_path_factory.mktemp("vectors") / "graphs.db"
    with Chat.spawn(database) as chat:
        for project in ("p", "p1"):
            chat.request("createProject", projectId=project, title="Project")
        yield chat


@pytest.mark.parametrize(("name", "count"), [(MAIN, 194), (QUIRKS, 34)])
def test_a_batch_over_the_wire_gives_what_the_format_recorded(
    chat: Chat, name: str, count: int
) -> None:
    seen = 0
    for vector in apply_vectors(name):
        seen += 1
        given = vector["input"]["session"]
        try:
            chat.request("importSession", session=given)
        except RpcError as error:
            assert_not_imported(vector, error)
            continue
        try:
            assert_applied_as_recorded(chat, vector)
        finally:
            remove(chat, given["id"])

    assert seen == count


def test_every_named_difference_is_one_of_a_recorded_batch() -> None:
    named = SANITIZED | NOT_IMPORTED | KEYS_DROPPED.keys() | NOTHING_WRITTEN

    assert named < {vector["name"] for name in (MAIN, QUIRKS) for vector in apply_vectors(name)}


def assert_not_imported(vector: dict[str, Any], error: RpcError) -> None:
    named = vector["name"] in NOT_IMPORTED or vector["name"].startswith("apply-graph-")
    assert named, (vector["name"], error)
    assert error.data["code"] == "invalid-session"
    assert vector["expect"]["error"]["name"] == "ConversationGraphMaterializationError"
    assert error.data["details"]["phase"] == vector["expect"]["error"]["phase"]


def assert_applied_as_recorded(chat: Chat, vector: dict[str, Any]) -> None:
    name, session_id = vector["name"], vector["input"]["session"]["id"]
    before = chat.export(session_id)
    answer = chat.request(
        "applySessionCommands", sessionId=session_id, commands=vector["input"]["commands"]
    )
    after = chat.export(session_id)
    if answer["status"] != "applied":
        assert before == after, name
    if name in SANITIZED:
        assert (answer["status"], answer["reason"]["code"]) == ("rejected", "invalid-command")
    elif name in NOTHING_WRITTEN:
        assert (answer["status"], before) == ("applied", after), name
    elif KEYS_DROPPED.get(name) == "applied":
        assert answer["status"] == "applied"
        assert "error" in vector["expect"]
    elif name in KEYS_DROPPED:
        key = KEYS_DROPPED[name]
        expected = vector["expect"]["ok"]
        assert {**without_revision(after), key: 0} == {**without_revision(expected), key: 0}, name
        assert after[key].items() < expected[key].items(), name
    elif "error" in vector["expect"]:
        assert_refused_as_recorded(vector, answer)
    else:
        assert answer["status"] == "applied", (name, answer["reason"])
        assert without_revision(after) == without_revision(vector["expect"]["ok"]), name


def assert_refused_as_recorded(vector: dict[str, Any], answer: dict[str, Any]) -> None:
    text = vector["expect"]["error"]["message"]
    (expected,) = (codes for start, codes in ANSWERS.items() if text.startswith(start))
    assert (answer["status"], answer["reason"]["code"]) in expected, (vector["name"], text)
    assert {"index", "commandId"} <= answer["reason"]["details"].keys()


def without_revision(session: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in session.items() if key != "revision"}


def remove(chat: Chat, session_id: str) -> None:
    run = chat.summary(session_id)["activeRun"]
    if run is not None:
        chat.settle(run["promptMessageId"], run["startedAt"], "completed", session_id)
    assert chat.request("deleteSession", sessionId=session_id) == {"deleted": True}
