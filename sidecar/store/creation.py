"""Making a new database: complete, synced and private before it gets its name.

So a file under the database's name is never half made, and an empty one is never ours.
"""

import os
from pathlib import Path

import apsw

from sidecar.store import paths, schema
from sidecar.store.connection import PAGE_SIZE, connect, errno_of
from sidecar.store.faults import fault_of


def create_file(path: str, *, vfs: str | None = None) -> bool:
    """Make a database under ``path``; False where another process was faster.

    Raises :class:`~sidecar.store.faults.StorageError`; leaves nothing behind then.
    """
    folder, name = os.path.split(path)
    temporary = str(Path(folder) / f".{name}.{os.urandom(8).hex()}.new")
    paths.create_private(temporary)
    try:
        _fill(temporary, vfs)
        return paths.publish(temporary, path)
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            paths.remove_quietly(temporary + suffix)


def _fill(path: str, vfs: str | None) -> None:
    connection: apsw.Connection | None = None
    try:
        connection = connect(path, busy_timeout_ms=0, vfs=vfs)
        connection.pragma("page_size", PAGE_SIZE)
        connection.execute("BEGIN IMMEDIATE")
        schema.install(connection)
        connection.execute("COMMIT")
        connection.pragma("journal_mode", "wal")
        connection.close()
    except apsw.Error as error:
        fault = fault_of(error, errno_of(connection))
        raise fault or error from error
    finally:
        if connection is not None:
            connection.close(force=True)
