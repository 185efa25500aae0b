"""The least that a transaction can be: SQLite's own cost and one sync."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw

PAGES: Final = 6
"""Pages that a set-parameter of ours writes: the thing, the version and its id, the action, the
project, and now and then one more."""


class BareTransactions:
    """A database as ours is set up: WAL, a sync per commit, pages of the same size."""

    def __init__(self, path: Path, *, page_size: int) -> None:
        self._connection = apsw.Connection(str(path))
        for pragma in (f"page_size = {page_size}", "journal_mode = WAL", "synchronous = FULL"):
            self._connection.execute(f"PRAGMA {pragma}").fetchall()
        for number in range(PAGES):
            self._connection.execute(f"CREATE TABLE t{number} (number INTEGER PRIMARY KEY, b BLOB)")
        # Both sides write over a WAL that was written before: growing a file is dearer.
        self._connection.execute("INSERT INTO t0 (b) VALUES (zeroblob(8000000))")
        self._connection.execute("DELETE FROM t0")
        self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def commit_row(self, count: int) -> list[float]:
        """Commit one row of 250 bytes, so many times."""
        return [self._timed(lambda: self._insert(0, 250)) for _ in range(count)]

    def commit_pages(self, count: int) -> list[float]:
        """Commit the same bytes in as many pages as ours touches, so many times."""
        return [self._timed(self._insert_everywhere) for _ in range(count)]

    def _insert_everywhere(self) -> None:
        for number in range(PAGES):
            self._insert(number, 60)

    def _insert(self, table: int, size: int) -> None:
        self._connection.execute(f"INSERT INTO t{table} (b) VALUES (zeroblob({size}))")

    def _timed(self, work: Callable[[], None]) -> float:
        started = time.perf_counter()
        self._connection.execute("BEGIN IMMEDIATE")
        work()
        self._connection.execute("COMMIT")
        return time.perf_counter() - started

    def close(self) -> None:
        self._connection.close()
