"""Hosts of processes whose disk is really full, read-only, swapped or damaged."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from attrs import frozen

from tests.client import Client, RpcError
from tests.handlers.desk import Desk, Json, add

SIDECAR: Final = (sys.executable, "-m", "sidecar")
EXIT_STORAGE: Final = 3


@frozen
class Refusal:
    """How a start ended that the file did not allow."""

    code: int
    data: Json
    exit_code: int


def refused_start(database: Path, *, command: Sequence[str] = SIDECAR) -> Refusal:
    """Start on a file that has to be refused; it is told in a sentence and by the exit code."""
    with Client.spawn([*command, "--database", str(database)]) as client:
        with pytest.raises(RpcError) as caught:
            client.initialize()
        _is_sentence(str(caught.value.message))
        data: Json = caught.value.data
        assert str(database) not in str(data)
        return Refusal(caught.value.code, data, client.wait())


def refused(answer: Json) -> str:
    """Return the code of a command that the file refused; a person is told, nothing landed."""
    assert answer["status"] == "rejected"
    assert (answer["revisionId"], answer["changed"], answer["effects"]) == (None, False, None)
    _is_sentence(answer["reason"]["message"])
    code: str = answer["reason"]["code"]
    return code


def _is_sentence(text: str) -> None:
    assert text.endswith(".")
    assert " " in text


def fill(desk: Desk, count: int, *, size: int = 40) -> None:
    """Add nodes that take a few pages each."""
    for number in range(count):
        desk.do(**add(f"n{number}", annotation="text " * size))


def files_of(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, to tell whether anything was touched."""
    return {found.name: found.read_bytes() for found in folder.iterdir() if found.is_file()}


# A disk of its own, which can be full.


@frozen
class Disk:
    """A small file system."""

    folder: Path

    @property
    def database(self) -> Path:
        return self.folder / "graphs.db"

    def fill(self, *, leave: int = 0) -> None:
        """Take all room but ``leave`` bytes."""
        with (
            (self.folder / "ballast").open("ab", buffering=0) as ballast,
            contextlib.suppress(OSError),
        ):
            while True:
                ballast.write(bytes(1 << 12))
        if leave:
            size = (self.folder / "ballast").stat().st_size
            os.truncate(self.folder / "ballast", max(0, size - leave))

    def make_room(self) -> None:
        (self.folder / "ballast").unlink(missing_ok=True)

    def remount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.folder)], check=True)


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Disk]:
    """Mount a file system in memory; skips where that is not allowed."""
    folder.mkdir()
    mount = shutil.which("mount")
    if sys.platform != "linux" or mount is None:
        pytest.skip("needs a file system of its own")
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "none", str(folder)]
    done = subprocess.run([mount, *options], check=False, capture_output=True)
    if done.returncode != 0:
        pytest.skip("needs to be allowed to mount")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def for_whom_permissions_hold() -> tuple[str, ...]:
    """Return the command of a sidecar that may not pass over permissions; skips without one."""
    if sys.platform == "win32":
        pytest.skip("POSIX permissions")
    if os.geteuid() != 0:
        return SIDECAR
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("the superuser may do anything")
    return (setpriv, "--bounding-set=-dac_override,-dac_read_search", *SIDECAR)


def desk_on(database: Path, command: Sequence[str]) -> Desk:
    """Return a desk on a sidecar started with another command."""
    client = Client.spawn([*command, "--database", str(database)])
    client.initialize()
    return Desk(client, "p")
