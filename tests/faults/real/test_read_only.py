"""Files, folders and disks that may not be written: shown where they can be, never touched."""

import signal
from pathlib import Path

import pytest

from tests.faults.real.host import (
    EXIT_STORAGE,
    Disk,
    desk_on,
    files_of,
    fill,
    for_whom_permissions_hold,
    refused,
    refused_start,
    small_disk,
)
from tests.handlers.desk import Desk, add

READONLY = "storage-readonly"


def prepared(database: Path) -> None:
    with Desk.begin(database) as desk:
        fill(desk, 2)
        assert desk.client.close() == 0


def test_a_read_only_file_shows_and_refuses_and_serves_again_when_it_may(database: Path) -> None:
    command = for_whom_permissions_hold()
    prepared(database)
    database.chmod(0o444)

    with desk_on(database, command) as desk:
        before = desk.look()
        answers = [desk.commit(add("x"), actionId="x"), desk.undo(actionId="u")]
        code, _ = desk.refusal("startRun", projectId="p")
        shown = desk.look()
        status = desk.request("getStatus")["database"]
        database.chmod(0o600)
        again = desk.commit(add("x"), actionId="x")
        assert desk.client.close() == 0
    with desk_on(database, command) as desk:
        assert "x" in desk.nodes()
        assert desk.commit(add("y"))["status"] == "applied"

    assert [refused(answer) for answer in answers] == [READONLY] * 2
    assert (code, shown, status["readOnly"]) == (READONLY, before, True)
    assert again["status"] == "applied"


def test_what_a_read_only_process_left_does_not_keep_the_file_so(database: Path) -> None:
    command = for_whom_permissions_hold()
    prepared(database)
    database.chmod(0o444)
    with desk_on(database, command) as desk:
        desk.look()
        desk.client.signal(signal.SIGKILL)
        desk.client.wait()
    database.chmod(0o600)

    with desk_on(database, command) as desk:
        desk.look()
        assert desk.commit(add("x"))["status"] == "applied"


def test_a_file_that_becomes_read_only_meanwhile_is_served_as_it_was_opened(database: Path) -> None:
    command = for_whom_permissions_hold()
    prepared(database)
    with desk_on(database, command) as desk:
        desk.look()
        database.chmod(0o444)
        answer = desk.commit(add("x"))
        database.chmod(0o600)

        assert answer["status"] == "applied"
        assert "x" in desk.nodes()
        assert desk.client.close() == 0


@pytest.mark.parametrize("exists", [True, False])
def test_a_read_only_folder_ends_the_start(tmp_path: Path, *, exists: bool) -> None:
    command = for_whom_permissions_hold()
    folder = tmp_path / "folder"
    database = folder / "graphs.db"
    folder.mkdir()
    if exists:
        prepared(database)
    before = files_of(folder)
    folder.chmod(0o555)
    try:
        ended = refused_start(database, command=command)
    finally:
        folder.chmod(0o755)

    assert (ended.code, ended.data["code"], ended.exit_code) == (-32803, READONLY, EXIT_STORAGE)
    assert files_of(folder) == before


def test_a_disk_mounted_read_only_is_told_apart(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 6) as disk:
        prepared(disk.database)
        before = files_of(disk.folder)
        disk.remount("ro")

        _check_start_on(disk)

        disk.remount("rw")
        assert files_of(disk.folder) == before
        with Desk.spawn(disk.database) as desk:
            assert len(desk.nodes()) == 2


def _check_start_on(disk: Disk) -> None:
    ended = refused_start(disk.database)
    assert (ended.code, ended.data["code"], ended.exit_code) == (-32803, READONLY, EXIT_STORAGE)
