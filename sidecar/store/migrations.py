"""Bringing an older file to this version: one transaction, after a backup beside the file."""

from typing import Final

import apsw

from sidecar.store import schema
from sidecar.store.copies import TargetExistsError, copy_to

MAX_BACKUPS: Final = 100


def migrate(
    connection: apsw.Connection, path: str, version: int, *, vfs: str | None = None
) -> None:
    """Run the steps above ``version``; the file is as it was where that fails.

    Raises apsw.Error or :class:`~sidecar.store.faults.StorageError`.
    """
    _back_up(connection, path, version, vfs)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if schema.check_identity(connection) == version:
            schema.install(connection, since=version)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _back_up(connection: apsw.Connection, path: str, version: int, vfs: str | None) -> None:
    for attempt in range(MAX_BACKUPS):
        suffix = f".{attempt}" if attempt else ""
        try:
            copy_to(connection, f"{path}.version-{version}{suffix}.backup", vfs=vfs)
        except TargetExistsError:
            continue
        return
    raise TargetExistsError
