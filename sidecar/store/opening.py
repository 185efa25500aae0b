"""Opening a file that claims to be ours: checked before anything in it is used or changed."""

import contextlib
from pathlib import Path
from typing import Final

import apsw
from attrs import frozen

from sidecar.store import paths, schema
from sidecar.store.connection import connect, connect_memory, errno_of, use_wal
from sidecar.store.creation import create_file
from sidecar.store.faults import StorageError, fault_of, storage_error
from sidecar.store.paths import MEMORY
from sidecar.store.places import Place, identity_of, is_same

_CANNOT_OPEN: Final = "SQLITE_CANTOPEN"


@frozen(kw_only=True)
class Opened:
    """A checked connection and which files it reads and writes."""

    path: str
    connection: apsw.Connection
    created: bool = False
    migrated_from: int | None = None
    degraded: bool = False
    unsettled: bool = False
    """Whether there was a WAL already: a process that was killed may have left it unsynced."""
    place: Place | None = None
    """Where the file is; None in memory."""


def open_file(
    path: str, *, busy_timeout_ms: int, vfs: str | None = None, must_exist: bool = False
) -> Opened:
    """Open a database under a checked path, made where there is none.

    Raises :class:`~sidecar.store.faults.StorageError`.
    """
    if path == MEMORY:
        return _open_memory()
    created = False
    if not paths.exists(path):
        if must_exist:
            raise storage_error("storage-moved")
        created = create_file(path, vfs=vfs)
    if paths.size_of(path) == 0:
        # Never ours, since a new file gets its name when it is complete: lost content.
        raise storage_error("storage-corrupt", what="empty file")
    try:
        return _open(path, busy_timeout_ms, vfs, created=created)
    except StorageError as fault:
        if fault.details.get("sqlite") == _CANNOT_OPEN and not paths.is_writable(_folder(path)):
            # The errno was that of SQLite's second try, to open the WAL for reading alone.
            raise storage_error("storage-readonly", sqlite=_CANNOT_OPEN) from fault
        if fault.code != "storage-full":
            raise
        return _open(path, busy_timeout_ms, vfs, created=created, degraded=True)


def close_quietly(connection: apsw.Connection | None) -> None:
    """Close a connection whatever state it is in."""
    if connection is not None:
        with contextlib.suppress(apsw.Error):
            connection.close(force=True)


def _folder(path: str) -> str:
    return str(Path(path).parent)


def _open_memory() -> Opened:
    connection = connect_memory()
    schema.install(connection)
    return Opened(path=MEMORY, connection=connection, created=True)


def _open(
    path: str,
    busy_timeout_ms: int,
    vfs: str | None,
    *,
    created: bool,
    degraded: bool = False,
) -> Opened:
    """Open an existing file; ``degraded`` keeps the WAL's index in memory, for a full disk.

    Without shared memory the file is locked for this process alone, so that no other one can
    write what our private index would not see.
    """
    paths.free_companions(path)
    identity = identity_of(path)
    unsettled = paths.size_of(path + "-wal") > 0
    connection: apsw.Connection | None = None
    try:
        connection = connect(path, busy_timeout_ms=busy_timeout_ms, vfs=vfs, exclusive=degraded)
        version = schema.check_identity(connection)
        schema.check_objects(connection, version)
        migrated_from = None
        if version < schema.SCHEMA_VERSION:
            from sidecar.store.migrations import migrate  # noqa: PLC0415 -- start-up time

            migrate(connection, path, version, vfs=vfs)
            migrated_from = version
        if not degraded:
            use_wal(connection)
    except apsw.Error as error:
        fault = fault_of(error, errno_of(connection))
        close_quietly(connection)
        raise fault or error from error
    except BaseException:
        close_quietly(connection)
        raise
    if not is_same(identity_of(path), identity):
        close_quietly(connection)
        raise storage_error("storage-moved")
    return Opened(
        path=path,
        connection=connection,
        created=created,
        migrated_from=migrated_from,
        degraded=degraded,
        unsettled=unsettled,
        place=Place(path, identity, identity_of(path + "-wal")),
    )
