"""Where a database is at risk: told by initialize, no reason to refuse."""

import os
import sys
from pathlib import Path, PurePath

import pytest

from sidecar.store.locations import NETWORK, file_system, is_synced, linux_mounts
from tests.client import Client

MOUNTS = """\
/dev/sda1 / ext4 rw,relatime 0 0
proc /proc proc rw 0 0
server:/home /home/me/at\\040work nfs4 rw 0 0
/dev/sdb1 /home/me/at\\040work/local ext4 rw 0 0
//server/share /mnt/share cifs rw 0 0
tmpfs /mnt/share tmpfs rw 0 0
me@server: /mnt/größe FUSE.sshfs rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "synced"),
    [
        ("/home/me/graphs.db", False),
        ("/home/me/Dropbox/graphs.db", True),
        ("/home/me/Dropbox (Work)/a/graphs.db", True),
        ("/Users/me/Library/Mobile Documents/x/graphs.db", True),
        ("/home/me/onedrive.db", False),
    ],
)
def test_folders_that_are_copied_elsewhere_are_known(path: str, *, synced: bool) -> None:
    assert is_synced(PurePath(path)) == synced


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/graphs.db", "ext4"),
        ("/home/me/at work/graphs.db", "nfs4"),
        ("/home/me/at workshop/graphs.db", "ext4"),
        ("/home/me/at work/local/graphs.db", "ext4"),
        ("/mnt/share/graphs.db", "tmpfs"),
        ("/mnt/größe/a/graphs.db", "fuse.sshfs"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX")
def test_the_file_system_of_a_path_is_the_innermost_one(path: str, kind: str) -> None:
    assert file_system(path, linux_mounts(MOUNTS.encode())) == kind
    assert (kind in NETWORK) == (kind in {"nfs4", "fuse.sshfs"})


def greeting(database: Path) -> tuple[list[str], Client]:
    command = [sys.executable, "-m", "sidecar", "--database", str(database)]
    with Client.spawn(command) as client:
        experimental = client.initialize()["capabilities"]["experimental"]
        assert client.close() == 0
    told = experimental.get("warnings", [])
    assert all(set(one) == {"code", "message", "path"} and one["message"] for one in told)
    return [one["code"] for one in told], client


@pytest.mark.spec("L3")
@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
@pytest.mark.parametrize(
    ("folder", "mode", "codes"),
    [
        ("mine", 0o700, []),
        ("mine", 0o1777, []),
        ("Dropbox", 0o700, ["synced-folder"]),
        ("mine", 0o777, ["open-folder"]),
        ("OneDrive - Home", 0o777, ["synced-folder", "open-folder"]),
    ],
)
def test_initialize_warns_of_a_place_that_may_harm_the_database(
    tmp_path: Path, folder: str, mode: int, codes: list[str]
) -> None:
    place = tmp_path / folder
    place.mkdir()
    place.chmod(mode)

    told, client = greeting(place / "graphs.db")

    assert told == codes
    logged = [line["risks"] for line in client.log if line["event"] == "database-at-risk"]
    assert logged == ([codes] if codes else [])


@pytest.mark.spec("L3")
@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root gives folders away"
)
def test_initialize_warns_of_another_users_folder(tmp_path: Path) -> None:
    place = tmp_path / "theirs"
    place.mkdir()
    os.chown(place, 12_345, 12_345)
    place.chmod(0o770)

    assert greeting(place / "graphs.db")[0] == ["foreign-folder", "open-folder"]
