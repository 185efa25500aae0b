"""Several processes on one file, and those that are gone."""

from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import apsw
import pytest

from tests.handlers.sessions.chat import BRANCH, SESSION, Chat, append, fork, start_run


@pytest.fixture
def first(database: Path) -> Iterator[Chat]:
    with Chat.begin(database) as chat:
        yield chat


@pytest.fixture
def other(database: Path, first: Chat) -> Iterator[Chat]:
    assert first.client.process.poll() is None
    with Chat.spawn(database) as chat:
        yield chat


def test_each_sees_what_the_other_wrote_before_its_own_write(first: Chat, other: Chat) -> None:
    first.applied(append("m1"))
    stale = other.apply(append("m2"))
    other.applied(append("m2", "m1", command_id="again"))
    first.applied(append("m3", "m2"))

    assert (stale["status"], stale["reason"]["code"]) == ("conflict", "branch-moved")
    assert first.transcript() == other.transcript() == ["m1", "m2", "m3"]
    assert other.apply(append("m1"))["revision"] == 3


def test_writes_of_another_process_are_told_with_their_cause(first: Chat, other: Chat) -> None:
    first.applied(append("m1"))
    changed = other.client.wait_told("sessionChanged")
    first.create("s2")
    made = other.client.wait_told("sessionChanged", count=2)
    first.request("deleteSession", sessionId="s2")
    gone = other.client.wait_told("sessionChanged", count=3)

    assert (changed["sessionId"], changed["revision"]) == (SESSION, 1)
    assert (changed["cause"], changed["origin"], changed["changes"]) == ("commands", "other", None)
    assert (made["sessionId"], made["cause"], made["projectId"]) == ("s2", "created", "p")
    assert (gone["sessionId"], gone["cause"], gone["origin"]) == ("s2", "deleted", "other")


def test_what_another_process_wrote_is_told_before_what_one_writes_oneself(
    first: Chat, other: Chat
) -> None:
    for number in range(5):
        first.applied(append(f"m{number}", None if number == 0 else f"m{number - 1}"))
    other.applied(append("mine", "m4"))

    notes = [
        (note["params"]["origin"], note["params"]["revision"])
        for note in other.client.notifications
        if note["method"] == "sessionChanged"
    ]
    assert notes[-1] == ("self", 6)
    assert notes[-2] == ("other", 5)
    revisions = [revision for _, revision in notes]
    assert revisions == sorted(revisions)


def test_a_session_whose_process_was_killed_is_interrupted_at_the_next_start(
    database: Path,
) -> None:
    with Chat.begin(database) as chat:
        chat.applied(append("m1"), start_run("run", "m1", 20))
        chat.events(
            "m1",
            20,
            messages=[{"id": "r1", "content": "half", "status": "streaming"}],
            activities=[{"id": "a1", "status": "in_progress"}],
        )
        chat.create("s2")
    with Chat.spawn(database) as chat:
        session = chat.export()

        assert chat.greeting["interruptedSessions"] == [SESSION]
        assert (session["status"], "activeRun" in session) == ("error", False)
        assert session["resumeRecovery"]["cause"] == "app-restart"
        assert [one["status"] for one in session["messages"]] == ["complete", "error"]
        assert session["messages"][0]["interrupted"] is True
        assert session["activities"][0]["status"] == "failed"
        assert chat.settle("m1", 20, "completed")["outcome"] == "interrupted"
        assert chat.apply(append("m2", "r1"))["status"] == "applied"
    with Chat.spawn(database) as chat:
        assert chat.greeting["interruptedSessions"] == []


def test_a_reply_that_no_run_writes_any_more_is_closed_with_its_session(database: Path) -> None:
    with Chat.begin(database) as chat:
        chat.applied(append("m1"), start_run("run", "m1", 20))
        chat.events("m1", 20, messages=[{"id": "r1", "content": "half", "status": "streaming"}])
        session = {key: value for key, value in chat.export().items() if key != "activeRun"}
        chat.request("importSession", session=session, sessionId="s2")
    with Chat.spawn(database) as chat:
        assert chat.greeting["interruptedSessions"] == [SESSION, "s2"]
        assert [one["status"] for one in chat.export("s2")["messages"]] == ["complete", "error"]


def test_a_run_belongs_to_who_started_it_whoever_brought_the_session(
    first: Chat, other: Chat, database: Path
) -> None:
    session = {**first.export(), "status": "running"}
    first.request("importSession", session=session, sessionId="s2")
    other.applied(
        append("m1", branch="message-branch-s2"), start_run("run", "m1", 20), session="s2"
    )
    first.client.kill()
    with Chat.spawn(database) as third:
        assert third.greeting["interruptedSessions"] == []
    other.client.kill()
    with Chat.spawn(database) as third:
        assert third.greeting["interruptedSessions"] == ["s2"]


def test_the_first_outcome_of_a_run_outlives_the_process_and_what_came_after(
    database: Path,
) -> None:
    with Chat.begin(database) as chat:
        chat.applied(append("m1"), start_run("run", "m1", 20))
        chat.settle("m1", 20, "error", error="no")
        chat.applied(fork("b2", "m1"))
    with Chat.spawn(database) as chat:
        assert chat.summary()["status"] == "idle"
        assert chat.settle("m1", 20, "completed")["outcome"] == "error"


def test_a_session_that_cannot_be_interrupted_keeps_no_other_from_it(database: Path) -> None:
    with Chat.begin(database) as chat:
        chat.create("s2")
        for session in (SESSION, "s2"):
            branch = f"message-branch-{session}"
            chat.applied(append("m1", branch=branch), start_run("r", "m1", 20), session=session)
            chat.events("m1", 20, session, activities=[{"id": "a1", "status": "in_progress"}])
    odd = b'{"id":"a1","updatedAt":"soon"}'
    connection = apsw.Connection(str(database))
    connection.execute(
        "UPDATE session_bodies SET body = ?, checksum = ? WHERE thing_key IN (SELECT thing_key"
        " FROM session_bodies WHERE CAST(body AS TEXT) LIKE '%in_progress%' ORDER BY thing_key LIMIT 1)",
        (odd, crc32(odd)),
    )
    connection.close()

    with Chat.spawn(database) as chat:
        assert chat.greeting["interruptedSessions"] == ["s2"]
        assert (chat.summary("s2")["status"], chat.summary()["status"]) == ("error", "running")


def test_what_no_host_can_see_is_not_told_to_others(first: Chat, other: Chat) -> None:
    first.applied(append("m1"), start_run("run", "m1", 20))
    other.client.wait_told("sessionChanged")
    noted = first.events("m1", 20, eventSeq=1)
    other.summary()
    first.create("s2")
    other.client.wait_told("sessionChanged", count=2)
    repeated = other.events("m1", 20, eventSeq=1, messages=[{"id": "r1"}])
    other.events("m1", 20, eventSeq=2, messages=[{"id": "r1"}])

    assert (noted["changed"], repeated["ignored"]) == (False, "repeated")
    told = [
        (note["params"]["sessionId"], note["params"]["revision"], note["params"]["origin"])
        for note in other.client.notifications
        if note["method"] == "sessionChanged"
    ]
    assert told == [(SESSION, 1, "other"), ("s2", 0, "other"), (SESSION, 2, "self")]


def test_a_session_of_a_process_that_lives_is_left_alone(first: Chat, database: Path) -> None:
    first.applied(append("m1"), start_run("run", "m1", 20))

    with Chat.spawn(database) as second:
        assert second.greeting["interruptedSessions"] == []
        second.events("m1", 20, messages=[{"id": "r1", "content": "from here"}])

    assert first.transcript(BRANCH) == ["m1", "r1"]
    assert first.summary()["status"] == "running"


def test_a_session_that_waits_without_a_run_goes_on_waiting(database: Path) -> None:
    with Chat.begin(database) as chat:
        chat.applied(append("m1"), start_run("run", "m1", 20))
        chat.settle("m1", 20, "waiting", waitingFor="permission")
    with Chat.spawn(database) as chat:
        assert chat.greeting["interruptedSessions"] == []
        assert chat.summary()["status"] == "waiting-permission"


def test_the_greeting_comes_before_any_notification(database: Path) -> None:
    with Chat.begin(database) as chat:
        chat.applied(append("m1"), start_run("run", "m1", 20))
    with Chat.spawn(database) as chat:
        assert "result" in chat.client.received[0]
