"""The database: its transactions, and what a COMMIT that failed left behind.

Every failure of the file leaves here as a :class:`~sidecar.store.faults.StorageError`.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Final, TypeAlias

import apsw

from sidecar.store import opening, paths
from sidecar.store.faults import StorageError, cannot_have_committed, storage_error
from sidecar.store.handle import Handle
from sidecar.store.opening import Opened
from sidecar.store.read_block import ReadBlock

Transaction: TypeAlias = apsw.Connection
"""What row functions get: the connection inside a transaction its caller opened."""
IsRecorded: TypeAlias = Callable[[Transaction], bool]

CHECKPOINT_PAGES: Final = 1_000
"""From here on an idle moment is used to move the WAL into the file: 4 MiB."""
OVERDUE_PAGES: Final = 2_000
"""From here on it is moved between two requests: a sync is dearer while the WAL still grows."""


class Database:
    """An open database.

    Attributes: ``path``, ``created`` (made by this open), ``migrated_from`` (the schema version
    it had, or None), ``grown`` (whether the WAL was given its working size).
    """

    def __init__(self, opened: Opened, busy_timeout_ms: int, vfs: str | None) -> None:
        self.path = opened.path
        self.created = opened.created
        self.migrated_from = opened.migrated_from
        self.grown = False
        self._settings = (busy_timeout_ms, vfs)
        self._handle = Handle(opened, busy_timeout_ms, vfs)

    @classmethod
    def open(
        cls,
        path: object,
        *,
        busy_timeout_ms: int = 5_000,
        vfs: str | None = None,
        allow_memory: bool = False,
    ) -> "Database":
        """Open the database, made where there is none, brought to this version where it is older.

        Raises :class:`~sidecar.store.paths.InvalidPathError` or
        :class:`~sidecar.store.faults.StorageError`.
        """
        real = paths.checked_path(path, allow_memory=allow_memory)
        opened = opening.open_file(real, busy_timeout_ms=busy_timeout_ms, vfs=vfs)
        return cls(opened, busy_timeout_ms, vfs)

    def sibling(self) -> "Database":
        """Return another connection to the same file, for work that runs beside."""
        return Database(self._handle.opened_again(), *self._settings)

    def close(self) -> None:
        """Close the file.  The last one to do so moves the WAL into it."""
        self._handle.close()

    @property
    def degraded(self) -> bool:
        """Whether it works without shared memory, the disk being full.

        Reads work then; each write tries to open the file normally first.
        """
        return self._handle.degraded

    @property
    def is_alone(self) -> bool:
        """Whether no other connection can see what this one does."""
        return self.degraded or self.path == paths.MEMORY

    @property
    def in_transaction(self) -> bool:
        connection = self._handle.connection
        return connection is not None and connection.in_transaction

    @property
    def read_only(self) -> bool:
        """Whether the file itself may not be written."""
        connection = self._handle.connection
        return connection is not None and connection.readonly("main")

    @contextmanager
    def write(self, is_recorded: IsRecorded | None = None) -> Generator[Transaction]:
        """Run the block in one write transaction: all of it, or none of it.  Not re-entrant."""
        tx = self.begin()
        try:
            with self.translated():
                yield tx
        except BaseException:
            self.rollback()
            raise
        self.commit(is_recorded)

    def read(self) -> AbstractContextManager[Transaction]:
        """Run the block on one unchanging view of the file; inside a write, on that write."""
        return ReadBlock(self._handle)

    @contextmanager
    def without_waiting(self) -> Generator[None]:
        """Let what finds the file locked inside the block fail at once, as ``storage-busy``."""
        self._handle.wait_for_locks(0)
        try:
            yield
        finally:
            self._handle.wait_for_locks(self._settings[0])

    def begin(self) -> Transaction:
        """Begin a write transaction; the first piece of a :meth:`write` made of pieces."""
        connection = self._writable()
        assert not connection.in_transaction, "a write inside a transaction"
        self._handle.check_place()
        try:
            with self.translated():
                connection.execute("BEGIN IMMEDIATE")
                if not self._handle.is_own(connection):
                    self._handle.check_version(connection)
        except BaseException:
            self.rollback()
            raise
        return connection

    @contextmanager
    def command(self) -> Generator[Transaction]:
        """Run one of several commands of a transaction in its own savepoint.

        Whatever leaves the block takes back what the block did, and no more.  A failure of the
        file may have ended the whole transaction: ask :attr:`in_transaction`.
        """
        tx = self.savepoint()
        try:
            with self.translated():
                yield tx
        except BaseException:
            self.rollback_to()
            raise
        self.release()

    def savepoint(self) -> Transaction:
        """Mark a place in the write transaction; marks do not nest."""
        connection = self._handle.inside()
        with self.translated():
            connection.execute("SAVEPOINT command")
        return connection

    def release(self) -> None:
        """Keep what was done since the mark."""
        with self.translated():
            self._handle.inside().execute("RELEASE command")

    def rollback_to(self) -> None:
        """Take back what was done since the mark, where the transaction is still there."""
        if not self.in_transaction:
            return
        try:
            self._handle.inside().execute("ROLLBACK TO command")
            self._handle.inside().execute("RELEASE command")
        except apsw.Error:
            self.rollback()

    def commit(self, is_recorded: IsRecorded | None = None) -> None:
        """Make the transaction durable; on return it survives a power cut.

        ``is_recorded`` tells, in a transaction of its own, whether this transaction's work is in
        the file: it is asked where COMMIT failed, since a COMMIT may fail and still be there.
        """
        connection = self._handle.inside()
        try:
            if self._handle.unsettled:
                # An answer may rest on what recovery found: a commit that writes syncs that too.
                touch(connection)
            connection.execute("COMMIT")
        except apsw.Error as error:
            self._settle(error, is_recorded)
        self._handle.unsettled = False
        self._handle.note_commit(connection)
        self._handle.check_place()

    def rollback(self) -> None:
        """End the transaction and take it back.  Never raises: SQLite may have done so already."""
        self._handle.rollback()

    def translated(self) -> AbstractContextManager[None]:
        """Turn failures of the file inside a block into StorageErrors."""
        return self._handle.translated()

    def data_version(self) -> int:
        """Return a number that changes when another process committed to the file."""
        with self.translated():
            version = int(self._handle.ready().pragma("data_version"))
        # SQLite counts anew on each connection, and recovery may have found more than was there.
        return (self._handle.openings << 32) + version

    @property
    def checkpoint_due(self) -> bool:
        return self._handle.wal_pages >= CHECKPOINT_PAGES

    @property
    def checkpoint_overdue(self) -> bool:
        return self._handle.unmoved_pages >= OVERDUE_PAGES

    def checkpoint(self) -> StorageError | None:
        """Move the WAL into the file as far as readers let us; return what went wrong, if anything.

        A commit is durable without it, so its failure is nothing to refuse a request for.
        """
        self._handle.note_checkpoint()
        try:
            with self.translated():
                self._handle.ready().wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except StorageError as fault:
            return fault
        return None

    @property
    def growth_due(self) -> bool:
        """Whether the WAL was written by us and has not got its working size yet."""
        return self._handle.wal_pages > 0 and not self.grown and not self.degraded

    def _writable(self) -> apsw.Connection:
        connection = self._reopened() if self._handle.broken else self._handle.ready()
        if self.degraded or (self.read_only and paths.is_writable(self.path)):
            self._handle.reopen()
            connection = self._handle.ready()
            if self.degraded:
                raise storage_error("storage-full", what="shared memory")
        return connection

    def _settle(self, error: apsw.Error, is_recorded: IsRecorded | None) -> None:
        """Find out whether a failed COMMIT is in the file, and make sure that it stays so.

        Returns where it is there; else raises what made it fail, or ``storage-indeterminate``.
        """
        fault = self._handle.fault(error)
        connection = self._handle.inside()
        undecided = connection.in_transaction
        self.rollback()
        if fault is None or fault.code == "storage-busy":
            # Nothing was written: the transaction was still open.
            raise fault or error from error
        if self._handle.broken or self._handle.unsettled:
            raise self._indeterminate(fault) from error
        try:
            if not undecided and is_recorded is not None and self._recorded(is_recorded):
                return
            overwrite_ghost(connection)
        except (apsw.Error, StorageError) as again:
            self.rollback()
            if not cannot_have_committed(fault):
                raise self._indeterminate(fault) from again
        raise fault from error

    def _reopened(self) -> apsw.Connection:
        """Open the file again after a COMMIT whose fate is open; where that fails, it stays so."""
        try:
            return self._handle.ready()
        except StorageError as fault:
            if fault.code == "storage-moved":
                raise
            raise self._indeterminate(fault) from fault

    def _recorded(self, is_recorded: IsRecorded) -> bool:
        with self.read() as tx:
            return is_recorded(tx)

    def _indeterminate(self, fault: StorageError) -> StorageError:
        self._handle.broken = True
        return storage_error("storage-indeterminate", cause=fault.code, **fault.details)


def overwrite_ghost(connection: apsw.Connection) -> None:
    """Commit a row over the frames of a failed COMMIT, so that no recovery replays them."""
    connection.execute("BEGIN IMMEDIATE")
    touch(connection)
    connection.execute("COMMIT")


def touch(connection: apsw.Connection) -> None:
    """Let the transaction write something, so that its COMMIT syncs the WAL.

    It has to change bytes: SQLite leaves out pages that are rewritten as they were.
    """
    connection.execute("UPDATE meta SET settles = settles + 1 WHERE meta_key = 1")
