"""The least that a transaction can be: one row of 250 bytes, SQLite's own cost and one sync."""

import time
from pathlib import Path

import apsw


class BareTransactions:
    """A database as ours is set up: WAL, a sync per commit, pages of the same size."""

    def __init__(self, path: Path, *, page_size: int) -> None:
        self._connection = apsw.Connection(str(path))
        for pragma in (f"page_size = {page_size}", "journal_mode = WAL", "synchronous = FULL"):
            self._connection.execute(f"PRAGMA {pragma}").fetchall()
        self._connection.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, text BLOB)")
        # Both sides write over a WAL that was written before: growing a file is dearer.
        self._connection.execute("INSERT INTO rows (text) VALUES (zeroblob(8000000))")
        self._connection.execute("DELETE FROM rows")
        self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def commit(self, count: int) -> list[float]:
        return [self._one() for _ in range(count)]

    def _one(self) -> float:
        started = time.perf_counter()
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO rows (text) VALUES (zeroblob(250))")
        self._connection.execute("COMMIT")
        return time.perf_counter() - started

    def close(self) -> None:
        self._connection.close()
