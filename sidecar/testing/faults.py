"""Faults of the outside world, for tests of what a host does then."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidecar.testing.process import SidecarProcess


@contextmanager
def full_disk(sidecar: "SidecarProcess", *, room: int = 0) -> Iterator[None]:
    """Let the disk be full for one process: no file of it grows past ``room`` bytes.

    Commands are answered ``rejected`` with ``storage-full`` inside the block, and the same
    commands are applied after it.  What the process started is limited too: a launcher, or the
    single file, serves from a child.  Linux only (RLIMIT_FSIZE of a running process): elsewhere
    the test is skipped.
    """
    if sys.platform != "linux":
        import pytest  # noqa: PLC0415 -- needed here alone

        pytest.skip("the limits of a running process can be set on Linux alone")
    import resource  # noqa: PLC0415 -- there on Unix alone

    before = {
        pid: resource.prlimit(pid, resource.RLIMIT_FSIZE) for pid in _family(sidecar.process.pid)
    }
    for pid, (_, hard) in before.items():
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        for pid, limits in before.items():
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Let another process keep the database locked for writing: ``storage-busy`` after 5 s."""
    import apsw  # noqa: PLC0415 -- only this fault needs it

    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READWRITE)
    # The sidecar may write just now: for a host, or in a quiet moment for itself.
    connection.set_busy_timeout(5_000)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")
    finally:
        connection.close()


def _family(pid: int) -> Iterator[int]:
    """A process and all that it started, as Linux tells."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text(encoding="ascii").split():
            yield from _family(int(child))
