"""Starts on files of which only a look inside shows that they cannot be served."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from protocol.json_text import loads
from sidecar.server.engine import SidecarEngine
from sidecar.server.logs import Log
from sidecar.server.requests import Chunks, Request
from sidecar.server.settings import ServeSettings
from tests.client import RpcError
from tests.handlers.desk import Desk
from tests.server.processes import spawn_sidecar
from tests.server.serving import NoPeer

PAGE = 4096


@pytest.mark.spec("L4")
@pytest.mark.parametrize("table", ["projects", "runs", "drafts", "explanations", "sessions"])
def test_a_file_damaged_where_a_start_looks_is_refused_and_left_as_it_is(
    database: Path, table: str
) -> None:
    with Desk.begin(database) as desk:
        desk.run()
        assert desk.client.close() == 0
    _damage(database, table)
    damaged = database.read_bytes()

    with spawn_sidecar("--database", str(database)) as client:
        with pytest.raises(RpcError) as caught:
            client.initialize()
        assert client.wait() == 3

    assert (caught.value.code, caught.value.data["code"]) == (-32803, "storage-corrupt")
    assert database.read_bytes() == damaged


@pytest.mark.spec("L4")
@pytest.mark.parametrize("owner", ["nobody", "[]", "{}", '{"pid":"1","start":1}'])
@pytest.mark.parametrize("table", ["runs", "sessions"])
def test_a_file_whose_owners_are_none_is_refused(database: Path, table: str, owner: str) -> None:
    with Desk.begin(database) as desk:
        desk.run()
        desk.request("createSession", projectId=desk.project)
        assert desk.client.close() == 0
    _plant(database, f"UPDATE {table} SET owner = '{owner}'")

    with spawn_sidecar("--database", str(database)) as client:
        with pytest.raises(RpcError) as caught:
            client.initialize()
        assert client.wait() == 3

    assert (caught.value.code, caught.value.data["code"]) == (-32803, "storage-corrupt")


@pytest.mark.spec("L2", "W13")
@pytest.mark.parametrize(
    ("options", "places"),
    [
        ({"protocolVersion": 1, "databse": "/a.db"}, ["/databse"]),
        ({"protocolVersion": 1, "a/b": 1, "Database": "/a.db"}, ["/Database", "/a~1b"]),
        ([], [""]),
        ("", [""]),
        (False, [""]),
    ],
)
def test_options_that_nobody_knows_open_nothing_and_may_be_put_right(
    database: Path, options: object, places: list[str]
) -> None:
    """A misspelt path must not lead to the file of the command line, or of all."""
    params: dict[str, Any] = {"processId": None, "capabilities": {}, "somebody's": 1}
    with spawn_sidecar("--database", str(database)) as client:
        with pytest.raises(RpcError) as caught:
            client.request("initialize", {**params, "initializationOptions": options})
        assert not database.exists()
        client.request("initialize", {**params, "initializationOptions": None})
        assert client.close() == 0

    told = [issue["path"] for issue in caught.value.data["issues"]]
    assert caught.value.code == -32602
    assert told == [f"/initializationOptions{place}" for place in places]


def test_after_a_start_that_failed_half_way_another_database_is_served(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Desk.begin(database) as desk:
        desk.run()
        assert desk.client.close() == 0

    def fail(*_: object) -> bool:
        raise RuntimeError("what nobody foresees")

    # The run that was left is closed by then, so that all that serves is there.
    engine = SidecarEngine(ServeSettings(), NoPeer(), Log("error", []))
    monkeypatch.setattr("sidecar.server.engine.has_stale_sessions", fail)
    with pytest.raises(RuntimeError):
        engine.initialize({"initializationOptions": {"database": str(database)}})
    monkeypatch.undo()
    other = tmp_path / "other.db"
    engine.initialize({"initializationOptions": {"database": str(other)}})
    answers = Answers()
    engine.serve([Request(answers, 1, "getStatus", None, 0)])
    engine.close()

    assert loads(answers.texts[0])["database"]["path"] == str(other)


class Answers:
    def __init__(self) -> None:
        self.texts: list[bytes] = []

    def answer(self, _: Request, result: Chunks) -> None:
        assert isinstance(result, bytes)
        self.texts.append(result)

    def refuse(self, _: Request, code: int, message: str, data: Any) -> None:
        raise AssertionError((code, message, data))

    def glance(self) -> None: ...


def _damage(database: Path, table: str) -> None:
    """Overwrite the table's root page."""
    file = sqlite3.connect(database)
    (root,) = file.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    file.close()
    with database.open("r+b") as content:
        content.seek((root - 1) * PAGE)
        content.write(b"\xff" * PAGE)


def _plant(database: Path, statement: str) -> None:
    file = sqlite3.connect(database)
    with file:
        file.execute(statement)
    file.close()
