"""Damage of one session concerns no other one; damage of the search index concerns nobody."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from protocol.errors import RequestFailedError
from sidecar.store.sessions.checks import session_problems
from tests.handlers.sessions.chat import PROJECT, append, start_run
from tests.handlers.sessions.inside import Engine

SESSIONS = ("one", "two", "three")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three sessions with a message, a reply and a tool call each."""
    path = tmp_path / "graphs.db"
    engine = Engine.at(path)
    engine.call("createProject", projectId=PROJECT, title="Project")
    for name in SESSIONS:
        engine.call("createSession", projectId=PROJECT, sessionId=name)
        command = append("m1", branch=f"message-branch-{name}", content=f"words of {name}")
        run = {"sessionId": name, "promptMessageId": "m1", "startedAt": 20}
        commands = [command, start_run("run", "m1", 20)]
        engine.call("applySessionCommands", sessionId=name, commands=commands)
        engine.call(
            "recordSessionEvents",
            **run,
            messages=[{"id": "r1", "content": f"reply in {name}", "status": "streaming"}],
            activities=[{"id": "a1", "rawOutput": "x" * 100_000}],
        )
        engine.call("settleSessionRun", **run, outcome="completed")
    engine.database.close()
    return path


@pytest.fixture
def damaged(path: Path) -> Iterator[Any]:
    """Run statements on the file as somebody else would, then serve it."""
    engines: list[Engine] = []

    def damage(*statements: str) -> Engine:
        connection = apsw.Connection(str(path))
        for statement in statements:
            connection.execute(statement)
        connection.close()
        engine = Engine.at(path)
        engines.append(engine)
        return engine

    yield damage
    for engine in engines:
        engine.database.close()


KEY = "(SELECT session_key FROM sessions WHERE session_id = 'two')"
OF_TWO = f"thing_key >> 35 = {KEY}"


@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE session_things SET value = x'7b7d' WHERE {OF_TWO}",
        f"DELETE FROM session_things WHERE {OF_TWO} AND thing_key & 4294967295 = 0",
        f"DELETE FROM session_things WHERE {OF_TWO} AND (thing_key >> 32) & 7 = 2",
        f"UPDATE session_things SET checksum = checksum + 1 WHERE {OF_TWO}",
        "UPDATE sessions SET head = x'7b7d' WHERE session_id = 'two'",
        "UPDATE sessions SET head_checksum = 0 WHERE session_id = 'two'",
        "UPDATE sessions SET runs = x'ff' WHERE session_id = 'two'",
    ],
)
def test_a_damaged_session_says_so_and_all_others_open(damaged: Any, statement: str) -> None:
    engine = damaged(statement)

    with pytest.raises(RequestFailedError) as caught:
        engine.call("getSession", sessionId="two", view="active")
    assert caught.value.code == "session-damaged"
    commands = [append("m2", "r1", branch="message-branch-two")]
    answer = engine.call("applySessionCommands", sessionId="two", commands=commands)
    assert (answer["status"], answer["reason"]["code"]) == ("rejected", "session-damaged")
    for name in ("one", "three"):
        assert len(engine.export(name)["messages"]) == 2
    listed = engine.call("listSessions")["items"]
    assert sorted(one["sessionId"] for one in listed) == sorted(SESSIONS)
    assert problems(engine) == [("session", "two")]
    assert engine.call("deleteSession", sessionId="two") == {"deleted": True}
    assert problems(engine) == []


@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE session_bodies SET body = x'7b7d' WHERE {OF_TWO}",
        f"DELETE FROM session_bodies WHERE {OF_TWO}",
        f"UPDATE session_values SET value = x'22' WHERE {OF_TWO}",
    ],
)
def test_a_damaged_body_is_told_where_it_is_needed(damaged: Any, statement: str) -> None:
    engine = damaged(statement)

    with pytest.raises(RequestFailedError) as caught:
        engine.export("two")

    assert caught.value.code == "session-damaged"
    assert (
        engine.call("getSession", sessionId="two", view="summary")["session"]["messageCount"] == 2
    )
    assert problems(engine) == [("session-body", "two")]
    assert len(engine.export("one")["messages"]) == 2


def problems(engine: Engine) -> list[tuple[str, Any]]:
    with engine.database.read() as tx:
        return [(one.code, one.details.get("sessionId")) for one in session_problems(tx)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE session_texts_data SET block = zeroblob(length(block)) WHERE id > 10",
        "UPDATE session_texts_data SET block = x'ffffffffffff' WHERE id = 10",
        "DELETE FROM session_texts_data WHERE id > 10",
        "DELETE FROM session_texts_idx",
        "DELETE FROM session_texts_docsize",
        "DELETE FROM session_texts_config",
    ],
)
def test_a_damaged_index_refuses_nothing_and_is_made_anew(damaged: Any, statement: str) -> None:
    engine = damaged(statement)

    first = found(engine, "words")
    commands = [append("m2", "r1", branch="message-branch-one", content="more words")]
    written = engine.call("applySessionCommands", sessionId="one", commands=commands)
    second = found(engine, "words")
    deleted = engine.call("deleteSession", sessionId="three")
    third = found(engine, "words")

    assert first in (["three", "two", "one"], [])
    assert written["status"] == "applied"
    assert set(second) <= {"one", "three", "two"}
    assert deleted == {"deleted": True}
    assert "three" not in third
    assert problems(engine) == []


def test_a_search_that_meets_damage_still_finds_everything(damaged: Any) -> None:
    engine = damaged("UPDATE session_texts_data SET block = x'ffffffffffff' WHERE id = 10")

    first = found(engine, "words")
    engine.call("applySessionCommands", sessionId="one", commands=[])
    commands = [append("m2", "r1", branch="message-branch-one", content="more words")]
    engine.call("applySessionCommands", sessionId="one", commands=commands)

    assert first == ["three", "two", "one"]
    assert found(engine, "words") == ["one", "three", "two", "one"]
    assert complete(engine)


def test_an_index_that_is_marked_incomplete_is_made_anew_by_the_next_write(damaged: Any) -> None:
    engine = damaged(
        "INSERT INTO session_texts (session_texts) VALUES ('delete-all')",
        "UPDATE session_clock SET texts_complete = 0",
    )

    before = found(engine, "words")
    engine.call("createSession", projectId=PROJECT, sessionId="four")

    assert before == ["three", "two", "one"]
    assert complete(engine)
    assert found(engine, "words") == before


def found(engine: Engine, query: str) -> list[str]:
    items = engine.call("searchSessions", query=query)["items"]
    return [one["sessionId"] for one in items]


def complete(engine: Engine) -> bool:
    with engine.database.read() as tx:
        row = tx.execute("SELECT texts_complete FROM session_clock").get
        rows = tx.execute("SELECT rowid FROM session_texts WHERE session_texts MATCH 'wor'")
        return bool(row) and bool(rows.fetchall())
