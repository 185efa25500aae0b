"""Starts on files of which only a look inside shows that they cannot be served."""

import sqlite3
from pathlib import Path

import pytest

from tests.client import RpcError
from tests.handlers.desk import Desk
from tests.server.processes import spawn_sidecar

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


def test_after_a_start_that_failed_half_way_another_database_is_served(
    database: Path, tmp_path: Path
) -> None:
    with Desk.begin(database) as desk:
        desk.run()
        desk.request("createSession", projectId=desk.project)
        assert desk.client.close() == 0
    # The run is closed; then comes what this program never wrote and does not foresee.
    _plant(database, "UPDATE sessions SET owner = 'nobody'")
    other = tmp_path / "other.db"
    with spawn_sidecar() as client:
        with pytest.raises(RpcError):
            client.initialize({"database": str(database)})
        client.initialize({"database": str(other)})
        status = client.request("getStatus")

    assert status["database"]["path"] == str(other)


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
