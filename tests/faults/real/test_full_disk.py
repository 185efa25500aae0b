"""A disk that is full to the brim, and has room again: told, nothing lost, no restart."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.store.database import Database, touch
from sidecar.store.disk import disk_facts
from sidecar.store.wal_growth import grow_wal
from tests.client import RpcError
from tests.faults.real.host import Disk, fill, refused, refused_start, small_disk
from tests.handlers.desk import Desk, add
from tests.handlers.sessions.chat import append

FULL = "storage-full"
SESSION = "s1"
BRANCH = f"message-branch-{SESSION}"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with small_disk(tmp_path / "disk", 6) as disk:
        yield disk


def batch() -> dict[str, Any]:
    return {"sessionId": SESSION, "commands": [append("m1", content="text " * 4_000)]}


def test_all_that_changes_something_is_refused_and_lands_once_there_is_room(disk: Disk) -> None:
    with Desk.begin(disk.database) as desk:
        fill(desk, 6)
        desk.request("createSession", projectId="p", sessionId=SESSION)
        before, session = desk.look(), desk.request("exportSession", sessionId=SESSION)
        large = add("large", annotation="text " * 10_000)
        disk.fill()

        first = desk.commit(large, actionId="large")
        chat = desk.request("applySessionCommands", **batch())
        codes = {
            refused(first),
            refused(desk.undo(actionId="undo")),
            chat["reason"]["code"],
            desk.refusal("createProject", projectId="q", title="Q" * 200)[0],
            desk.refusal("startRun", projectId="p", runId="r")[0],
        }
        while_full = desk.look(), desk.request("exportSession", sessionId=SESSION)
        disk.make_room()
        again = [desk.commit(large, actionId="large", expectedRevisionId=before["revisionId"])]
        again.append(desk.commit(large, actionId="large"))
        landed = desk.request("applySessionCommands", **batch())

        assert codes == {FULL}
        assert first["projection"]["revisionId"] == before["revisionId"]
        assert while_full == (before, session)
        assert [one["status"] for one in again] == ["applied", "historical"]
        assert (chat["status"], landed["status"]) == ("rejected", "applied")
        assert desk.request("checkDatabase")["ok"]
        assert desk.client.close() == 0
    with Desk.spawn(disk.database) as desk:
        assert set(desk.nodes()) == {"large", *(f"n{number}" for number in range(6))}


def test_a_start_on_a_full_disk_shows_all_and_refuses_changes_until_there_is_room(
    disk: Disk,
) -> None:
    with Desk.begin(disk.database) as desk:
        fill(desk, 3)
        before = desk.look()
        assert desk.client.close() == 0
    disk.fill()

    with Desk.spawn(disk.database) as desk:
        shown = desk.look()
        answer = desk.commit(add("more"), actionId="more")
        disk.make_room()
        again = desk.commit(add("more"), actionId="more")

        assert shown == before
        assert refused(answer) == FULL
        assert again["status"] == "applied"
        assert desk.client.close() == 0


def test_a_disk_with_little_room_is_not_taken_ahead_of_the_need(disk: Disk) -> None:
    with Desk.begin(disk.database) as desk:
        fill(desk, 2)
        assert desk.client.close() == 0
    database = Database.open(str(disk.database))
    with database.write() as tx:
        touch(tx)
    before = disk_facts(database.path)
    assert database.growth_due

    assert grow_wal(database) is None

    assert disk_facts(database.path) == before
    assert not database.growth_due
    database.close()


def test_no_room_for_a_new_database_leaves_nothing(disk: Disk) -> None:
    disk.fill()

    ended = refused_start(disk.database)

    assert (ended.code, ended.data["code"], ended.exit_code) == (-32803, FULL, 3)
    assert [found.name for found in disk.folder.iterdir()] == ["ballast"]


def test_no_room_for_a_backup_leaves_nothing_of_it(disk: Disk, tmp_path: Path) -> None:
    with Desk.begin(tmp_path / "graphs.db") as desk:
        fill(desk, 3)
        disk.fill(leave=20_000)
        before = {found.name for found in disk.folder.iterdir()}

        with pytest.raises(RpcError) as caught:
            desk.request("backupDatabase", path=str(disk.folder / "copy.db"))

        assert (caught.value.code, caught.value.data["code"]) == (-32803, FULL)
        assert {found.name for found in disk.folder.iterdir()} == before
        disk.make_room()
        desk.request("backupDatabase", path=str(disk.folder / "copy.db"))
        assert desk.request("checkDatabase")["ok"]


@pytest.mark.parametrize("leave", range(0, 60_000, 6_000))
def test_a_disk_that_fills_at_any_moment_takes_a_change_whole_or_not_at_all(
    disk: Disk, leave: int
) -> None:
    with Desk.begin(disk.database) as desk:
        fill(desk, 2)
        disk.fill(leave=leave)
        for number in range(40):
            before = desk.look()
            node = add(f"x{number}", annotation="text " * 500)
            answer = desk.commit(node, actionId=f"x{number}")
            if answer["status"] != "applied":
                break

        assert refused(answer) == FULL
        assert desk.look() == before
        disk.make_room()
        assert desk.commit(node, actionId=f"x{number}")["status"] == "applied"
        assert len(desk.nodes()) == number + 3
        assert desk.request("checkDatabase")["ok"]
