"""Where in the WAL the next commit of another process goes: the size of the file does not tell.

It may have been given room ahead, or have been moved into the database and be written from its
start again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

HEADER: Final = 32
FRAME: Final = 24 + 4_096


@contextmanager
def appended(database: Path) -> Iterator[Callable[[], int]]:
    """Let every commit be written behind the one before, whatever a quiet moment is used for.

    A reader of the oldest state keeps the WAL from being written from its start again.  Yields
    what tells where the next commit begins, in bytes.
    """
    reader, looker = _connection(database), _connection(database)
    try:
        reader.execute("BEGIN; SELECT * FROM meta").fetchall()
        yield lambda: _end(looker)
        reader.execute("ROLLBACK")
    finally:
        reader.close(force=True)
        looker.close(force=True)


def _connection(database: Path) -> apsw.Connection:
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(5_000)
    return connection


def _end(looker: apsw.Connection) -> int:
    # The file must be known to have a WAL before it is asked for.
    looker.execute("SELECT * FROM meta").fetchall()
    frames, _ = looker.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    assert frames > 0
    return HEADER + frames * FRAME
