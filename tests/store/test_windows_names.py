"""Paths as Windows means them, judged on any system; those of mapped drives and the like."""

import os
import stat
import sys
import threading
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from sidecar.store import windows_names
from sidecar.store.paths import InvalidPathError, make_folder, missing_folders


@pytest.mark.parametrize(
    "path",
    [
        r"C:\Users\me\AppData\Local\graph-sidecar\graphs.db",
        "C:/Users/Jörg Müller/größe 图.db",
        r"d:\a.b\..\graphs.db",
        r"C:\graphs",
        r"C:\console\auxiliary\com10\null.db",
        r"C:\.hidden\a b.db",
    ],
)
def test_a_file_of_a_disk_is_left_alone(path: str) -> None:
    assert windows_names.fault_of(path) is None


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        (r"\\server\share\graphs.db", "network"),
        ("//server/share/graphs.db", "network"),
        (r"\\wsl.localhost\Ubuntu\home\me\graphs.db", "network"),
        (r"\\?\UNC\server\share\graphs.db", "device"),
        (r"\\?\GLOBALROOT\Device\HarddiskVolume1\graphs.db", "device"),
        (r"\\.\PhysicalDrive0", "device"),
        (r"\\.\pipe\a", "device"),
        ("//./pipe/a", "device"),
        (r"\??\C:\graphs.db", "device"),
        (r"C:\graphs.db:stream", "stream"),
        (r"C:\graphs.db::$DATA", "stream"),
        (r"C:\a:b\graphs.db", "stream"),
        (r"C:\NUL", "device"),
        (r"C:\con.db", "device"),
        (r"C:\aux .tar.gz", "device"),
        (r"C:\COM1\graphs.db", "device"),
        (r"C:\lpt³.db", "device"),
        (r"C:\CONOUT$", "device"),
        (r"C:\graphs.db.", "reserved"),
        (r"C:\graphs.db ", "reserved"),
        (r"C:\folder.\graphs.db", "reserved"),
        (r"C:\what?.db", "reserved"),
        ("C:\\a\tb.db", "reserved"),
        ("C:\\\ud800.db", "not-text"),
    ],
)
def test_what_opens_as_something_else_is_told(path: str, fault: str) -> None:
    assert windows_names.fault_of(path) == fault


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        (r"\\?\C:\Users\me\graphs.db", r"C:\Users\me\graphs.db"),
        (r"\\?\UNC\server\share\a.db", r"\\?\UNC\server\share\a.db"),
        (r"\\?\C:graphs.db", r"\\?\C:graphs.db"),
        (r"C:\graphs.db", r"C:\graphs.db"),
        (r"\\server\share\a.db", r"\\server\share\a.db"),
    ],
)
def test_a_path_of_a_drive_needs_no_prefix(path: str, plain: str) -> None:
    assert windows_names.plain(path) == plain


def test_a_mapped_drive_is_known_by_its_server() -> None:
    # What os.path.realpath makes of Z:\graphs.db there.
    assert windows_names.is_remote(r"\\server\share\graphs.db")
    assert not windows_names.is_remote(r"C:\graphs.db")
    assert not windows_names.is_remote(r"\\?\Volume{4c1b02c1-d990-11dc-99ae-806e6f6e6963}\a.db")


@pytest.mark.timeout(10)
def test_a_drive_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidPathError) as caught:
        missing_folders(PureWindowsPath("Q:\\a\\b"), exists=lambda _: False)

    assert caught.value.code == "no-folder"


def test_missing_folders_come_from_the_outermost_in() -> None:
    there = PurePosixPath("/a")
    missing = missing_folders(there / "b" / "c", exists=lambda path: path == there)

    assert missing == [there / "b", there / "b" / "c"]
    assert missing_folders(there, exists=lambda path: path == there) == []


@pytest.mark.skipif(sys.platform == "win32", reason="the modes of POSIX tell what was asked for")
@pytest.mark.parametrize(("system", "mode"), [("win32", 0o755), (sys.platform, 0o700)])
def test_what_is_made_on_windows_inherits_who_may_enter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, mode: int
) -> None:
    before = os.umask(0o022)
    monkeypatch.setattr(sys, "platform", system)
    try:
        make_folder(tmp_path / "a" / "b")
    finally:
        os.umask(before)

    made = (tmp_path / "a", tmp_path / "a" / "b")
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in made] == [mode, mode]


def test_folders_that_several_make_at_once_are_made(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) / "a" / "b" / "c" for number in range(200)]
    together = threading.Barrier(4)
    failures: list[Exception] = []

    def make_all() -> None:
        try:
            for folder in folders:
                together.wait(10)
                make_folder(folder)
        except (InvalidPathError, threading.BrokenBarrierError) as failure:
            together.abort()
            failures.append(failure)

    threads = [threading.Thread(target=make_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert all(folder.is_dir() for folder in folders)
