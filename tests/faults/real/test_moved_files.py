"""A database moved away, deleted or replaced under the process: nothing goes to a ghost."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.real.host import EXIT_STORAGE, files_of, fill, refused
from tests.handlers.desk import Desk, add
from tests.moving import rename, replace, unlink, unlink_wal

Move = Callable[[Path], None]


def replace_by_text(database: Path) -> None:
    text = database.with_name("text")
    text.write_text("Dear diary\n" * 100)
    text.replace(database)


def replace_by_a_folder(database: Path) -> None:
    database.unlink()
    database.mkdir()


def rename_folder(database: Path) -> None:
    database.parent.rename(database.parent.with_name("elsewhere"))


MOVES = [unlink, rename, replace, replace_by_text, replace_by_a_folder, rename_folder, unlink_wal]


@pytest.mark.parametrize("move", MOVES, ids=lambda move: move.__name__)
def test_a_change_after_it_is_refused_and_the_process_ends(tmp_path: Path, move: Move) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    database = folder / "graphs.db"
    with Desk.begin(database) as desk:
        fill(desk, 2)
        move(database)
        there = files_of(folder) if folder.exists() else {}

        answer = desk.commit(add("x"))

        assert refused(answer) == "storage-moved"
        assert desk.client.wait() == EXIT_STORAGE
    if move in (replace, replace_by_text):
        assert files_of(folder)[database.name] == there[database.name]


@pytest.mark.parametrize("move", [rename, rename_folder], ids=lambda move: move.__name__)
def test_a_file_that_is_put_back_has_all_that_was_acknowledged(tmp_path: Path, move: Move) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    database = folder / "graphs.db"
    with Desk.begin(database) as desk:
        fill(desk, 3)
        desk.request("createSession", projectId="p", sessionId="s1")
        move(database)
        refused(desk.commit(add("x"), actionId="x"))
        desk.client.wait()

    if move is rename:
        database.with_name("elsewhere.db").rename(database)
    else:
        folder.with_name("elsewhere").rename(folder)
    with Desk.spawn(database) as desk:
        assert set(desk.nodes()) == {"n0", "n1", "n2"}
        assert desk.commit(add("x"), actionId="x")["status"] == "applied"
        assert desk.request("checkDatabase")["ok"]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_new_process_beside_a_ghost_makes_its_own_file_and_neither_harms_the_other(
    tmp_path: Path, end: signal.Signals
) -> None:
    database = tmp_path / "graphs.db"
    with Desk.begin(database) as ghost:
        fill(ghost, 2)
        for suffix in ("", "-wal", "-shm"):
            database.with_name(f"graphs.db{suffix}").rename(tmp_path / f"old.db{suffix}")
        with Desk.begin(database) as desk:
            desk.do(**add("mine"))
            refused(ghost.commit(add("x")))
            ghost.client.wait()
            desk.do(**add("mine-too"))
            assert set(desk.nodes()) == {"mine", "mine-too"}
            desk.client.signal(end)
            desk.client.wait()
    with Desk.spawn(database) as desk:
        assert set(desk.nodes()) == {"mine", "mine-too"}
    with Desk.spawn(tmp_path / "old.db") as desk:
        assert set(desk.nodes()) == {"n0", "n1"}
