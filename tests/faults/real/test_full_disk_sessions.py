"""Large sessions on a disk that is full: refused as a whole, and nothing keeps the room they took."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client import RpcError
from tests.faults.real.host import Disk, small_disk
from tests.handlers.sessions.chat import Chat, append
from tests.handlers.sessions.large import (
    LARGE,
    comes_in,
    nothing_left,
    start,
    wait_for_share,
    wait_until,
    write_large,
)

MIB = 8


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_large(tmp_path_factory.mktemp("large") / "large.json", mib=MIB)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with small_disk(tmp_path / "disk", 48) as disk:
        yield disk


def code_of(chat: Chat, work: int | str) -> str:
    with pytest.raises(RpcError) as caught:
        chat.client.answer(work)
    assert caught.value.code == -32803
    assert caught.value.data["retryable"]
    code: str = caught.value.data["code"]
    return code


@pytest.mark.parametrize("leave", [200_000, 3_000_000, 18_000_000])
def test_a_disk_that_fills_while_a_session_comes_in_gets_its_room_back(
    disk: Disk, file: Path, leave: int
) -> None:
    with Chat.begin(disk.database) as chat:
        disk.fill(leave=leave)
        work = chat.client.start("importSession", {"path": str(file)})

        assert code_of(chat, work) == "storage-full"
        assert chat.refusal("getSession", sessionId=LARGE, view="summary")[0] == "unknown-session"
        wait_until(lambda: nothing_left(disk.database))
        chat.applied(append("m0"))
        disk.make_room()
        comes_in(chat, file)
        assert chat.transcript() == ["m0"]
        assert chat.client.close() == 0


def test_no_room_for_a_session_file_leaves_nothing_of_it(
    disk: Disk, file: Path, tmp_path: Path
) -> None:
    with Chat.begin(tmp_path / "graphs.db") as chat:
        comes_in(chat, file)
        disk.fill(leave=1_000_000)
        before = {found.name for found in disk.folder.iterdir()}
        target = disk.folder / "out.json"
        work = chat.client.start("exportSession", {"sessionId": LARGE, "path": str(target)})

        assert code_of(chat, work) == "storage-full"
        assert {found.name for found in disk.folder.iterdir()} == before
        disk.make_room()
        done = chat.request("exportSession", sessionId=LARGE, path=str(target))
        assert done["bytes"] == target.stat().st_size
        assert chat.client.close() == 0


def test_a_session_goes_out_of_a_database_on_a_full_disk(
    disk: Disk, file: Path, tmp_path: Path
) -> None:
    with Chat.begin(disk.database) as chat:
        comes_in(chat, file)
        assert chat.client.close() == 0
    disk.fill()
    target = tmp_path / "out.json"
    with Chat.spawn(disk.database) as chat:
        done = chat.request("exportSession", sessionId=LARGE, path=str(target))
        backup = chat.request("backupDatabase", path=str(tmp_path / "copy.db"))

        assert done["bytes"] == target.stat().st_size
        assert backup["bytes"] == (tmp_path / "copy.db").stat().st_size
        assert chat.client.close() == 0
    with Chat.spawn(tmp_path / "copy.db") as chat:
        assert chat.request("checkDatabase")["ok"]


def test_the_disk_is_full_in_the_middle_of_an_import_and_has_room_again(
    disk: Disk, file: Path
) -> None:
    with Chat.begin(disk.database) as chat:
        work = start(chat, "importSession", path=str(file))
        wait_for_share(chat, 60)
        disk.fill()
        message = chat.client.answer_message(work)
        disk.make_room()

        if "error" in message:
            assert message["error"]["data"]["code"] == "storage-full"
            comes_in(chat, file)
        assert chat.request("checkDatabase")["ok"]
        assert chat.client.close() == 0
