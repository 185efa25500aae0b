"""The file's schema: whose it is, which version it has, what must be in it and nothing else."""

from functools import lru_cache
from typing import Final

import apsw

from sidecar.store.faults import storage_error
from sidecar.store.sessions.tables import SESSION_TABLES, TEXT_INDEX, TEXT_INDEX_TABLE
from sidecar.store.tables import ENGINE_TABLES

APPLICATION_ID: Final = 0x67736463
"""``gsdc``; stands at offset 68 of the file (https://www.sqlite.org/fileformat.html 1.3.14)."""

STEPS: Final[tuple[tuple[str, ...], ...]] = ((ENGINE_TABLES, SESSION_TABLES, TEXT_INDEX_TABLE),)
"""The migration ladder: step n takes a file from version n - 1 to n, in one transaction.

A released step is never edited.
"""
SCHEMA_VERSION: Final = len(STEPS)

SchemaRow = tuple[str, str, str, str | None]


def install(tx: apsw.Connection, *, since: int = 0) -> None:
    """Run the steps from version ``since`` on; the caller opened the transaction."""
    for version, scripts in enumerate(STEPS[since:], start=since + 1):
        for script in scripts:
            run_script(tx, script)
        tx.pragma("user_version", version)
    if not since:
        tx.pragma("application_id", APPLICATION_ID)


def run_script(tx: apsw.Connection, script: str) -> None:
    """Run several statements and read each to its end."""
    for _ in tx.execute(script):
        pass


def check_identity(tx: apsw.Connection) -> int:
    """Return the file's schema version; ``storage-foreign`` or ``storage-newer``."""
    if tx.pragma("application_id") != APPLICATION_ID:
        raise storage_error("storage-foreign", what="application_id")
    version = int(tx.pragma("user_version"))
    if version > SCHEMA_VERSION:
        raise storage_error("storage-newer", found=version, supported=SCHEMA_VERSION)
    if version < 1:
        raise storage_error("storage-foreign", what="user_version")
    return version


def check_objects(tx: apsw.Connection, version: int) -> None:
    """Compare tables and indexes with what a file of this version has, word for word.

    Anything more (a planted trigger or view would run inside our transactions) or less is
    ``storage-foreign``.
    """
    found = _objects(tx)
    expected = expected_objects(version)
    if found != expected:
        names = sorted({row[1] for row in found ^ expected})
        raise storage_error("storage-foreign", what="schema", objects=len(names))


@lru_cache
def expected_objects(version: int) -> frozenset[SchemaRow]:
    """Return the rows of ``sqlite_schema`` that a file of this version has."""
    pristine = apsw.Connection(":memory:")
    try:
        for scripts in STEPS[:version]:
            for script in scripts:
                run_script(pristine, script)
        return _objects(pristine)
    finally:
        pristine.close()


def _objects(tx: apsw.Connection) -> frozenset[SchemaRow]:
    # What FTS5 writes for its own tables is its affair, and differs between versions of SQLite.
    return frozenset(
        (type_, name, table, None if name.startswith(f"{TEXT_INDEX}_") else sql)
        for type_, name, table, sql in tx.execute(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema"
        )
    )
