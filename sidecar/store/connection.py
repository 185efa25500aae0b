"""One SQLite connection with every setting this project relies on, each with its reason.

https://www.sqlite.org/security.html is the source of what is switched off and limited.
"""

from typing import Any, Final

import apsw

from sidecar.store.faults import fault_of

MAX_VALUE: Final = 512 * 1024 * 1024
"""Bytes of the largest value of a row; larger ones are refused before they get here."""

PAGE_SIZE: Final = 4096
"""Measured: commits take the same time at 1024, 2048 and 4096 (the fsync decides), but whole
graphs are read up to twice as fast at 4096."""

CONFIG: Final = (
    # No SQL may corrupt the file: no writable_schema, no writes to shadow tables.
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    # Nothing in the schema may call functions with side effects.
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    # A misspelt "column" is an error, not a text.
    (apsw.SQLITE_DBCONFIG_DQS_DML, 0),
    (apsw.SQLITE_DBCONFIG_DQS_DDL, 0),
    # We have none, so one that is there was planted.
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
)

LIMITS: Final = (
    (apsw.SQLITE_LIMIT_LENGTH, MAX_VALUE),
    (apsw.SQLITE_LIMIT_SQL_LENGTH, 100_000),
    (apsw.SQLITE_LIMIT_COLUMN, 100),
    (apsw.SQLITE_LIMIT_EXPR_DEPTH, 20),
    (apsw.SQLITE_LIMIT_COMPOUND_SELECT, 3),
    (apsw.SQLITE_LIMIT_VDBE_OP, 25_000),
    (apsw.SQLITE_LIMIT_FUNCTION_ARG, 8),
    (apsw.SQLITE_LIMIT_ATTACHED, 0),
    (apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
    (apsw.SQLITE_LIMIT_VARIABLE_NUMBER, 40),
    (apsw.SQLITE_LIMIT_TRIGGER_DEPTH, 10),
    (apsw.SQLITE_LIMIT_WORKER_THREADS, 0),
)

PRAGMAS: Final[tuple[tuple[str, Any], ...]] = (
    # A constraint the schema states is a constraint that holds.
    ("foreign_keys", 1),
    # A damaged page is noticed when it is read, not when it crashes us.
    ("cell_size_check", 1),
    # With memory-mapped pages an I/O error is a SIGBUS, and a stray write reaches the file.
    ("mmap_size", 0),
    # No temporary files that could hold user data in a shared folder.
    ("temp_store", 2),
    # FULL: an acknowledged commit survives a power cut; NORMAL loses some.
    ("synchronous", 2),
    # On macOS fsync alone does not reach the platter.
    ("fullfsync", 1),
    ("checkpoint_fullfsync", 1),
    # A WAL that once grew large gives its space back.
    ("journal_size_limit", 8 * 1024 * 1024),
)


def connect(
    path: str, *, busy_timeout_ms: int, vfs: str | None = None, exclusive: bool = False
) -> apsw.Connection:
    """Return a connection to an existing file; ``exclusive`` works without shared memory.

    Raises :class:`~sidecar.store.faults.StorageError`.  No SQLITE_OPEN_CREATE (a database is only
    made by ``creation``), no SQLITE_OPEN_URI (a name is a name), NOFOLLOW (the path was resolved
    when it was checked).
    """
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOFOLLOW
    connection: apsw.Connection | None = None
    try:
        connection = apsw.Connection(path, flags=flags, vfs=vfs)
        if exclusive:
            # Only counts before the file is read for the first time.
            connection.pragma("locking_mode", "exclusive")
        _settle_in(connection, busy_timeout_ms)
    except apsw.Error as error:
        fault = fault_of(error, errno_of(connection))
        if connection is not None:
            connection.close(force=True)
        raise fault or error from error
    return connection


def connect_memory() -> apsw.Connection:
    """Return a connection to a new database in memory."""
    connection = apsw.Connection(":memory:")
    _settle_in(connection, 0)
    return connection


def use_wal(connection: apsw.Connection) -> None:
    """Switch the file to WAL where it is not, and checkpoint at our own time, not in a COMMIT."""
    connection.pragma("journal_mode", "wal")
    connection.wal_autocheckpoint(0)


def errno_of(connection: apsw.Connection | None) -> int:
    """Return the errno of the last failed system call of a connection, 0 where there is none."""
    if connection is None:
        return 0
    try:
        return connection.system_errno
    except apsw.Error:
        return 0


def _settle_in(connection: apsw.Connection, busy_timeout_ms: int) -> None:
    for option, value in CONFIG:
        connection.config(option, value)
    for limit, value in LIMITS:
        connection.limit(limit, value)
    connection.set_busy_timeout(busy_timeout_ms)
    for name, value in PRAGMAS:
        connection.pragma(name, value)
