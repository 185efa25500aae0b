"""Giving the WAL its working size in a quiet moment, so that later commits write over it.

Where a commit makes the file longer, its sync has to write the file system's own journal too, and
takes several times as long.
"""

from typing import Final

from sidecar.store.database import Database, Transaction
from sidecar.store.disk import disk_facts
from sidecar.store.faults import StorageError, storage_error

GROWN_BYTES: Final = 4 * 1024 * 1024
SPARE_BYTES: Final = 4 * GROWN_BYTES
"""What must be free: the last room of a disk is not taken ahead of its need."""


def grow_wal(database: Database) -> StorageError | None:
    """Make the WAL as long as a quiet moment's checkpoint finds it; return what went wrong, if so.

    Pages that were written ahead of a COMMIT stay in the file when their transaction is taken
    back, and count for nothing.  A failure refuses nobody: commits go on as before.  Only where
    somebody else is writing it stays due.
    """
    database.grown = True
    facts = disk_facts(database.path)
    scarce = facts.free_bytes is not None and facts.free_bytes < SPARE_BYTES
    if scarce or facts.wal_bytes >= GROWN_BYTES:
        return None
    try:
        _write_ahead(database)
    except StorageError as fault:
        database.grown = fault.code != "storage-busy"
        return fault
    # It syncs what was written.
    return database.checkpoint()


def check_room(database: Database, size: int) -> None:
    """Raise ``storage-full`` where so many bytes more would take the last room of the disk.

    They stand in the WAL before they are in the file.  Who is told has to be able to remove them.
    """
    free = disk_facts(database.path).free_bytes
    if free is not None and free < SPARE_BYTES + 2 * size:
        raise storage_error("storage-full", what="spare room")


def _write_ahead(database: Database) -> None:
    tx = database.begin()
    try:
        with database.translated():
            _fill(tx)
    finally:
        database.rollback()


def _fill(tx: Transaction) -> None:
    """Write more than memory has room for: what does not fit is written ahead of the COMMIT."""
    room = tx.pragma("cache_size")
    tx.pragma("cache_size", 10)
    try:
        tx.execute("INSERT INTO graph_records VALUES (-1, NULL, zeroblob(?))", (GROWN_BYTES,))
    finally:
        tx.pragma("cache_size", room)
