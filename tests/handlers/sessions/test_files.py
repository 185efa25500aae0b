"""importSession and exportSession: what comes in goes out, by value and by path."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.client import RpcError
from tests.handlers.sessions.chat import PROJECT, SESSION, Chat, append, fork, start_run
from tests.handlers.sessions.large import LARGE as LARGE_SESSION
from tests.handlers.sessions.large import MIB, write_large
from tests.vectors.files import MAIN, vectors

LARGE = '0123456789 \\ " é\n' * 20_000


def talked(chat: Chat) -> dict[str, Any]:
    """A session with a fork, a reply and a large tool output."""
    chat.applied(append("m1"), start_run("run", "m1", 20))
    chat.events(
        "m1",
        20,
        messages=[{"id": "r1", "content": "done", "status": "streaming"}],
        activities=[{"id": "a1", "rawOutput": {"text": LARGE}, "rawInput": [1, 1.0, None]}],
    )
    chat.settle("m1", 20, "completed")
    chat.applied(append("m2", "r1"), fork("b2", "m2"), append("m3", "r1", branch="b2"))
    return chat.export()


def test_an_exported_session_comes_in_as_it_was(chat: Chat) -> None:
    session = talked(chat)
    session |= {"unknown": {"z": 1, "a": [1.0, 10**30, "😀"]}, "another": None}
    session["conversationGraph"]["extra"] = [{}]
    for messages in (session["messages"], session["conversationGraph"]["messages"]):
        messages[0]["own"] = {"jsonrpc": "2.0"}
    # The branch in view gets the session's time whenever a session is read.
    session["conversationGraph"]["branches"][1]["updatedAt"] = session["updatedAt"]
    chat.request("deleteSession", sessionId=SESSION)

    chat.request("importSession", session=session)
    first = chat.export()
    chat.request("deleteSession", sessionId=SESSION)
    chat.request("importSession", session=first)

    assert text_of(first) == text_of(session)
    assert text_of(chat.export()) == text_of(first)


@pytest.mark.parametrize("bytes_a_line", [None, 2])
def test_a_file_comes_in_as_the_same_value_does(
    chat: Chat, tmp_path: Path, bytes_a_line: int | None
) -> None:
    session = talked(chat)
    file = tmp_path / "session.json"
    file.write_text(json.dumps({"version": 2, "session": session}, indent=bytes_a_line), "utf-8")

    chat.request("importSession", path=str(file), sessionId="by-path")
    chat.request("importSession", session=session, sessionId="by-value")

    by_path, by_value = chat.export("by-path"), chat.export("by-value")
    renamed = text_of(by_path).replace("by-path", "by-value")
    assert renamed == text_of(by_value)
    shown = chat.request("getActivity", sessionId="by-path", activityId="a1")
    assert [one["path"] for one in shown["omitted"]] == ["/rawOutput"]


def test_flat_activities_that_say_more_than_the_graph_come_out_as_they_came(
    chat: Chat, tmp_path: Path
) -> None:
    session = talked(chat)
    graph = session["conversationGraph"]
    # The branch in view gets the session's time whenever a session is read.
    graph["branches"][1]["updatedAt"] = session["updatedAt"]
    known = {key: graph["activities"][0][key] for key in reversed(graph["activities"][0])}
    placed = ("agentFrameId", "messageBranchId", "runtimeSegmentId")
    session["activities"] = [
        {key: value for key, value in known.items() if key not in placed},
        # Not on the transcript of any prompt: the graph has nothing of it.
        {**session["conversationGraph"]["activities"][0], "id": "a2", "promptMessageId": "gone"},
    ]
    file = tmp_path / "session.json"
    file.write_text(json.dumps(session), "utf-8")

    ways: list[dict[str, Any]] = [{"path": str(file)}, {"session": session}]
    for number, given in enumerate(ways):
        chat.request("deleteSession", sessionId=SESSION)
        chat.request("importSession", **given)
        before = chat.export()
        chat.request("renameSession", sessionId=SESSION, title="other")
        after = chat.export()
        target = tmp_path / f"out-{number}.json"
        chat.request("exportSession", sessionId=SESSION, path=str(target))
        chat.applied(append("m4", "m3", branch="b2"))

        assert text_of(before["activities"]) == text_of(session["activities"])
        assert text_of(after["activities"]) == text_of(session["activities"])
        assert text_of(json.loads(target.read_text("utf-8"))) == text_of(after)
        projected = chat.export()["activities"]
        assert [(one["id"], "promptMessageId" in one) for one in projected] == [("a1", False)]


def test_flat_activities_cost_no_memory_of_their_own(chat: Chat, tmp_path: Path) -> None:
    file = write_large(tmp_path / "large.json")
    text = file.read_text("utf-8")
    placed = text[text.rindex('"activities": [') : -2]
    file.write_text(f"{text[:-1]}, {placed}}}", "utf-8")
    chat.export()
    before = chat.client.peak_rss()

    chat.request("importSession", path=str(file))
    for title in ("one", "two"):
        chat.request("renameSession", sessionId=LARGE_SESSION, title=title)
    chat.request("getSession", sessionId=LARGE_SESSION, view="active")

    assert chat.client.peak_rss() - before < (MIB << 20)
    assert chat.request("checkDatabase")["ok"]


def test_a_file_is_written_whole_private_and_over_nothing(chat: Chat, tmp_path: Path) -> None:
    session = talked(chat)
    file = tmp_path / "session.json"

    written = chat.request("exportSession", sessionId=SESSION, path=str(file))

    assert written == {"path": str(file), "bytes": file.stat().st_size}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert text_of(json.loads(file.read_text("utf-8"))) == text_of(session)
    before = file.read_bytes()
    with pytest.raises(RpcError) as caught:
        chat.request("exportSession", sessionId=SESSION, path=str(file))
    assert caught.value.code == -32602
    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["session.json"]


@pytest.mark.parametrize("path", ["session.json", "", "/no/such/folder/s.json", "/tmp\0/x"])
def test_a_path_that_nothing_can_be_written_to_is_refused(chat: Chat, path: str) -> None:
    for method, named in (("exportSession", {"sessionId": SESSION}), ("importSession", {})):
        with pytest.raises(RpcError) as caught:
            chat.request(method, path=path, **named)
        assert caught.value.code == -32602


def test_the_database_itself_is_no_session_file_and_stays_locked(chat: Chat) -> None:
    database = chat.request("getStatus")["database"]["path"]
    for end in ("", "-wal", "-shm"):
        with pytest.raises(RpcError) as caught:
            chat.request("importSession", path=database + end)
        assert caught.value.code == -32602


def test_a_fifo_is_no_session_file_and_blocks_nothing(chat: Chat, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")

    with pytest.raises(RpcError) as caught:
        chat.request("importSession", path=str(tmp_path / "fifo"))

    assert caught.value.code == -32602


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"id": "s9"',
        '{"id": "s9", "messages": [}',
        '{"id": "s9"} {}',
        '{"id": NaN}',
        '{"id": "\\ud800"}',
        '{"conversationGraph": {"activities": [{"id": "a", "x": "' + "y" * 70_000 + '\\ud800"}]}}',
        '{"conversationGraph": {"activities": [{"id": ' + "[" * 3_000 + "}]}}",
    ],
)
def test_a_file_that_is_no_json_is_no_session(chat: Chat, tmp_path: Path, text: str) -> None:
    file = tmp_path / "session.json"
    file.write_text(text, "utf-8")

    code, details = chat.refusal("importSession", path=str(file))

    assert code == "invalid-session"
    assert details["phase"] in {"file", "shape"}


@pytest.mark.parametrize("version", [1, 2])
def test_both_envelopes_are_read(chat: Chat, version: int) -> None:
    envelope = {"version": version, "session": chat.export(), "other": 1}

    made = chat.request("importSession", session=envelope, sessionId="s2")

    assert made["sessionId"] == "s2"


@pytest.mark.parametrize("version", [0, 3, True, "2", None, 1.5])
def test_an_envelope_of_another_version_is_refused(chat: Chat, version: Any) -> None:
    envelope = {"version": version, "session": chat.export()}

    code, details = chat.refusal("importSession", session=envelope, sessionId="s2")

    assert (code, details["phase"]) == ("invalid-session", "envelope")


def test_another_id_renames_what_was_derived_from_the_old_one(chat: Chat) -> None:
    session = talked(chat)

    made = chat.request("importSession", session=session, sessionId="s2")

    graph = chat.export("s2")["conversationGraph"]
    assert made["activeBranchId"] == "b2"
    assert graph["rootFrameId"] == "root-frame-s2"
    assert [one["id"] for one in graph["branches"]] == ["message-branch-s2", "b2"]
    assert SESSION not in text_of(graph)


def test_the_project_is_the_named_one_else_the_files(chat: Chat) -> None:
    session = {**chat.export(), "projectId": "elsewhere"}

    assert chat.refusal("importSession", session=session, sessionId="s2")[0] == "unknown-project"
    made = chat.request("importSession", session=session, sessionId="s2", projectId=PROJECT)

    assert (made["projectId"], chat.export("s2")["projectId"]) == (PROJECT, PROJECT)


def test_an_id_that_is_there_is_not_written_over(chat: Chat) -> None:
    session = chat.export()
    chat.applied(append("m1"))

    assert chat.refusal("importSession", session=session)[0] == "id-in-use"
    assert chat.transcript() == ["m1"]


@pytest.mark.parametrize(
    ("damage", "phase"),
    [
        ({"status": "dancing"}, "shape"),
        ({"id": ""}, "shape"),
        ({"id": "x" * 300}, "shape"),
        ({"messages": None}, "shape"),
        ({"revision": -1}, "shape"),
    ],
)
def test_what_does_not_hold_together_is_refused(
    chat: Chat, damage: dict[str, Any], phase: str
) -> None:
    session = {**chat.export(), **damage}
    if session["id"] == SESSION:
        session["id"] = "s2"

    code, details = chat.refusal("importSession", session=session)

    assert (code, details["phase"]) == ("invalid-session", phase)


def test_exactly_one_source_is_named(chat: Chat) -> None:
    for given in ({}, {"path": "/x", "session": {}}):
        with pytest.raises(RpcError) as caught:
            chat.request("importSession", **given)
        assert caught.value.code == -32602


def test_an_imported_run_belongs_to_this_process_and_goes_on(chat: Chat) -> None:
    chat.applied(append("m1"), start_run("run", "m1", 20))
    session = chat.export()
    chat.request("importSession", session=session, sessionId="s2")

    answer = chat.events("m1", 20, "s2", messages=[{"id": "r1", "content": "still here"}])

    assert (answer["changed"], chat.transcript(session="s2")) == (True, ["m1", "r1"])


def test_recorded_sessions_come_out_as_they_settle(chat: Chat) -> None:
    """Every session of the recorded batches: what import makes of it is stable."""
    chat.request("createProject", projectId="p1", title="Other")
    count = 0
    for vector in vectors(MAIN):
        session = vector["input"].get("session")
        if session is None:
            continue
        if not comes_in(chat, session, "again"):
            continue
        first = chat.export("again")
        drop(chat, "again")
        chat.request("importSession", session=first)
        assert text_of(chat.export("again")) == text_of(first), vector["name"]
        drop(chat, "again")
        count += 1

    assert count > 150


def comes_in(chat: Chat, session: dict[str, Any], session_id: str) -> bool:
    params = {"session": session, "sessionId": session_id}
    answer = chat.client.answer_message(chat.client.start("importSession", params))
    if "error" in answer:
        assert answer["error"]["data"]["code"] == "invalid-session"
    return "result" in answer


def drop(chat: Chat, session_id: str) -> None:
    run = chat.summary(session_id)["activeRun"]
    if run is not None:
        chat.settle(run["promptMessageId"], run["startedAt"], "completed", session_id)
    chat.request("deleteSession", sessionId=session_id)


def text_of(value: Any) -> str:
    """JSON text with the order of keys."""
    return json.dumps(value, ensure_ascii=False)
