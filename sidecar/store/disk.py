"""What the operating system says of the database's files, asked by name alone."""

import os
import sys

from attrs import define, frozen

from sidecar.store.paths import size_of

FRESH_MS = 100


@frozen
class DiskFacts:
    """Sizes in bytes; 0 where there is no such file, None where it cannot be known."""

    database_bytes: int
    wal_bytes: int
    free_bytes: int | None


@define
class Disk:
    """The facts of one database, asked anew when the last answer is older than 100 ms."""

    path: str
    _facts: DiskFacts | None = None
    _asked_at: int = 0

    def facts(self, now: int) -> DiskFacts:
        """Return the facts; ``now`` in milliseconds."""
        if self._facts is None or not 0 <= now - self._asked_at < FRESH_MS:
            self._facts, self._asked_at = disk_facts(self.path), now
        return self._facts


def disk_facts(path: str) -> DiskFacts:
    """Return how large the database is, and how much room there is for it.

    A host may ask often: pathlib would take most of the time.
    """
    return DiskFacts(size_of(path), size_of(path + "-wal"), _free(path))


def _free(path: str) -> int | None:
    if sys.platform == "win32":
        import shutil  # noqa: PLC0415 -- there alone

        try:
            return shutil.disk_usage(os.path.dirname(path)).free  # noqa: PTH120 -- see above
        except OSError:
            return None
    try:
        found = os.statvfs(os.path.dirname(path))  # noqa: PTH120 -- see above
    except OSError:
        return None
    return found.f_bavail * found.f_frsize
