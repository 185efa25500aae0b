"""The one connection that writes: transactions, what a failed COMMIT left behind, whose file it is.

Every failure of the file leaves here as a :class:`~sidecar.store.faults.StorageError`.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, TypeAlias

import apsw

from sidecar.store import opening, paths
from sidecar.store.connection import errno_of
from sidecar.store.faults import (
    StorageError,
    cannot_have_committed,
    damaged,
    fault_of,
    storage_error,
)
from sidecar.store.opening import Opened
from sidecar.store.schema import SCHEMA_VERSION

Transaction: TypeAlias = apsw.Connection
"""What row functions get: the connection inside a transaction its caller opened."""
IsRecorded: TypeAlias = Callable[[Transaction], bool]

CHECKPOINT_PAGES: Final = 1_000
"""From here on an idle moment is used to move the WAL into the file."""
MAX_WAL_PAGES: Final = 16_000
"""From here on a commit does it, idle or not: 64 MiB."""


class Database:
    """An open database.

    Attributes: ``path``, ``created`` (made by this open), ``migrated_from`` (the schema version
    it had, or None), ``degraded`` (opened without shared memory since the disk is full: reads
    work, each write tries to open it normally first).
    """

    def __init__(self, opened: Opened, busy_timeout_ms: int, vfs: str | None) -> None:
        self.path = opened.path
        self.created = opened.created
        self.migrated_from = opened.migrated_from
        self._busy_timeout_ms = busy_timeout_ms
        self._vfs = vfs
        self._moved = False
        self._broken = False
        self._connection: apsw.Connection | None = None
        self._adopt(opened)

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
        opened = opening.open_file(self.path, busy_timeout_ms=self._busy_timeout_ms, vfs=self._vfs)
        return Database(opened, self._busy_timeout_ms, self._vfs)

    def close(self) -> None:
        """Close the file.  The last one to do so moves the WAL into it."""
        connection, self._connection = self._connection, None
        opening.close_quietly(connection)

    @property
    def in_transaction(self) -> bool:
        return self._connection is not None and self._connection.in_transaction

    @property
    def read_only(self) -> bool:
        """Whether the file itself may not be written."""
        return self._connection is not None and self._connection.readonly("main")

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

    @contextmanager
    def read(self) -> Generator[Transaction]:
        """Run the block on one unchanging view of the file; inside a write, on that write."""
        if self._connection is not None and self._connection.in_transaction:
            with self.translated():
                yield self._connection
            return
        connection = self._ready()
        try:
            with self.translated():
                connection.execute("BEGIN")
                self._check_version(connection)
                yield connection
        finally:
            self.rollback()

    def begin(self) -> Transaction:
        """Begin a write transaction; the first piece of a :meth:`write` made of pieces."""
        if self.degraded:
            self._reopen()
            self._refuse_degraded()
        connection = self._ready()
        assert not connection.in_transaction, "a write inside a transaction"
        self._check_place()
        try:
            with self.translated():
                connection.execute("BEGIN IMMEDIATE")
                self._check_version(connection)
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
        connection = self._inside()
        with self.translated():
            connection.execute("SAVEPOINT command")
        return connection

    def release(self) -> None:
        """Keep what was done since the mark."""
        with self.translated():
            self._inside().execute("RELEASE command")

    def rollback_to(self) -> None:
        """Take back what was done since the mark, where the transaction is still there."""
        if not self.in_transaction:
            return
        try:
            self._inside().execute("ROLLBACK TO command")
            self._inside().execute("RELEASE command")
        except apsw.Error:
            self.rollback()

    def commit(self, is_recorded: IsRecorded | None = None) -> None:
        """Make the transaction durable; on return it survives a power cut.

        ``is_recorded`` tells, in a transaction of its own, whether this transaction's work is in
        the file: it is asked where COMMIT failed, since a COMMIT may fail and still be there.
        """
        connection = self._inside()
        try:
            connection.execute("COMMIT")
        except apsw.Error as error:
            self._settle(error, is_recorded)
        self._check_place()

    def rollback(self) -> None:
        """End the transaction and take it back.  Never raises: SQLite may have done so already."""
        connection = self._connection
        if connection is None or not connection.in_transaction:
            return
        try:
            connection.execute("ROLLBACK")
        except apsw.Error:
            self._broken = connection.in_transaction

    @contextmanager
    def translated(self) -> Generator[None]:
        """Turn failures of the file inside the block into StorageErrors."""
        try:
            yield
        except apsw.Error as error:
            raise self._fault(error) or error from error
        except UnicodeDecodeError as error:
            # SQLite does not check that a text is UTF-8, and we write no other.
            raise damaged("text") from error

    def data_version(self) -> int:
        """Return a number that changes when another process committed to the file."""
        with self.translated():
            return int(self._ready().pragma("data_version"))

    @property
    def checkpoint_due(self) -> bool:
        return self._wal_pages >= CHECKPOINT_PAGES

    def checkpoint(self) -> StorageError | None:
        """Move the WAL into the file as far as readers let us; return what went wrong, if anything.

        A commit is durable without it, so its failure is nothing to refuse a request for.
        """
        self._wal_pages = 0
        try:
            with self.translated():
                self._ready().wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except StorageError as fault:
            return fault
        return None

    def _adopt(self, opened: Opened) -> None:
        self._connection = opened.connection
        self.degraded = opened.degraded
        self._identity = opened.identity
        self._wal_identity = opened.wal_identity
        self._broken = False
        self._wal_pages = 0
        if self._identity is not None and not self.degraded:
            opened.connection.set_wal_hook(self._after_commit)

    def _after_commit(self, connection: apsw.Connection, _: str, pages: int) -> int:
        self._wal_pages = pages
        if pages >= MAX_WAL_PAGES:
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        return int(apsw.SQLITE_OK)

    def _ready(self) -> apsw.Connection:
        if self._moved:
            raise storage_error("storage-moved")
        if self._connection is None or self._broken:
            self._reopen()
        assert self._connection is not None
        return self._connection

    def _inside(self) -> apsw.Connection:
        connection = self._connection
        assert connection is not None, "no transaction"
        return connection

    def _reopen(self) -> None:
        """Close and open the file again, so that SQLite's recovery decides what is in it."""
        self._check_place()
        self.close()
        opened = opening.open_file(
            self.path, busy_timeout_ms=self._busy_timeout_ms, vfs=self._vfs, must_exist=True
        )
        self._adopt(opened)

    def _refuse_degraded(self) -> None:
        if self.degraded:
            raise storage_error("storage-full", what="shared memory")

    def _check_version(self, connection: apsw.Connection) -> None:
        found = connection.execute("PRAGMA user_version").get
        if found != SCHEMA_VERSION:
            raise storage_error("storage-newer", found=found, supported=SCHEMA_VERSION)

    def _check_place(self) -> None:
        """Refuse to go on where the name leads to another file than the one that is open."""
        if self._identity is None:
            return
        moved = paths.identity_of(self.path) != self._identity or (
            self._wal_identity is not None
            and paths.identity_of(self.path + "-wal") != self._wal_identity
        )
        if moved:
            self._moved = True
            raise storage_error("storage-moved")

    def _fault(self, error: apsw.Error) -> StorageError | None:
        return fault_of(error, errno_of(self._connection))

    def _settle(self, error: apsw.Error, is_recorded: IsRecorded | None) -> None:
        """Find out whether a failed COMMIT is in the file, and make sure that it stays so.

        Returns where it is there; else raises what made it fail, or ``storage-indeterminate``.
        """
        fault = self._fault(error)
        connection = self._inside()
        undecided = connection.in_transaction
        self.rollback()
        if fault is None or fault.code == "storage-busy":
            # Nothing was written: the transaction was still open.
            raise fault or error from error
        if self._broken:
            raise self._indeterminate(fault) from error
        try:
            if not undecided and is_recorded is not None and self._recorded(is_recorded):
                return
            self._overwrite_ghost(connection)
        except (apsw.Error, StorageError) as again:
            self.rollback()
            if not cannot_have_committed(fault):
                raise self._indeterminate(fault) from again
        raise fault from error

    def _recorded(self, is_recorded: IsRecorded) -> bool:
        with self.read() as tx:
            return is_recorded(tx)

    def _overwrite_ghost(self, connection: apsw.Connection) -> None:
        """Commit a row over the frames of the failed COMMIT, so that no recovery replays them.

        It has to change bytes: SQLite leaves out pages that are rewritten as they were.
        """
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE meta SET settles = settles + 1 WHERE meta_key = 1")
        connection.execute("COMMIT")

    def _indeterminate(self, fault: StorageError) -> StorageError:
        self._broken = True
        return storage_error("storage-indeterminate", cause=fault.code, **fault.details)
