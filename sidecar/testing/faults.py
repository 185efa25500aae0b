"""Faults of the outside world, for tests of what a host does then."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidecar.testing.process import SidecarProcess


@contextmanager
def full_disk(sidecar: "SidecarProcess", *, room: int = 0) -> Iterator[None]:
    """Let the disk be full for one process: no file of it grows past ``room`` bytes.

    Commands are answered ``rejected`` with ``storage-full`` inside the block, and the same
    commands are applied after it.  Linux only (RLIMIT_FSIZE of a running process): elsewhere the test is skipped.
    """
    if sys.platform != "linux":
        import pytest  # noqa: PLC0415 -- needed here alone

        pytest.skip("the limits of a running process can be set on Linux alone")
    import resource  # noqa: PLC0415 -- there on Unix alone

    pid = sidecar.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        if sidecar.process.poll() is None:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Let another process keep the database locked for writing: ``storage-busy`` after 5 s."""
    import apsw  # noqa: PLC0415 -- only this fault needs it

    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")
    finally:
        connection.close()
