"""A connection that can be lost and opened again, and the file it belongs to."""

import contextlib
from collections.abc import Callable
from types import TracebackType
from typing import Final

import apsw
from attrs import evolve

from sidecar.store import opening
from sidecar.store.connection import errno_of
from sidecar.store.faults import StorageError, damaged, fault_of, storage_error
from sidecar.store.opening import Opened
from sidecar.store.schema import SCHEMA_VERSION

MAX_WAL_PAGES: Final = 16_000
"""From here on a commit moves the WAL into the file, idle moment or not: 64 MiB."""


class Translating:
    """A block whose failures of the file leave as StorageErrors.

    Every command enters several: a generator would take five times as long.
    """

    __slots__ = ("_fault",)

    def __init__(self, fault: Callable[[apsw.Error], StorageError | None]) -> None:
        self._fault = fault

    def __enter__(self) -> None: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, apsw.Error):
            fault = self._fault(error)
            if fault is not None:
                raise fault from error
        elif isinstance(error, UnicodeDecodeError):
            # SQLite does not check that a text is UTF-8, and we write no other.
            raise damaged("text") from error


class Handle:
    """The open file.

    Attributes: ``path``, ``connection`` (None while it cannot be opened), ``degraded`` (no shared
    memory, since the disk is full), ``broken`` (to be opened again before its next use),
    ``wal_pages`` (of the last commit since the last checkpoint), ``unmoved_pages`` (those of them
    that came since then), ``unsettled`` (what was found in the WAL may not be synced yet),
    ``openings`` (how often it was opened).
    """

    def __init__(self, opened: Opened, busy_timeout_ms: int, vfs: str | None) -> None:
        self.path = opened.path
        self.connection: apsw.Connection | None = None
        self.degraded = False
        self.broken = False
        self.wal_pages = 0
        self._tried_pages = 0
        self.unsettled = False
        self.openings = 0
        self._busy_timeout_ms = busy_timeout_ms
        self._vfs = vfs
        self._moved = False
        self._own_version: int | None = None
        self._place = opened.place
        self._adopt(opened)

    def opened_again(self) -> Opened:
        """Return another connection to the same file."""
        return opening.open_file(
            self.path, busy_timeout_ms=self._busy_timeout_ms, vfs=self._vfs, must_exist=True
        )

    def ready(self) -> apsw.Connection:
        """Return the connection, opened again where it was lost."""
        if self._moved:
            raise storage_error("storage-moved")
        if self.connection is None or self.broken:
            self.reopen()
        assert self.connection is not None
        return self.connection

    def inside(self) -> apsw.Connection:
        """Return the connection that a transaction is open on."""
        assert self.connection is not None, "no transaction"
        return self.connection

    def reopen(self) -> None:
        """Close and open the file again, so that SQLite's recovery decides what is in it."""
        self.check_place()
        failed = self.broken
        self.close()
        if self._place is not None:
            # Whoever closes last removes the WAL; the next one is another file.
            self._place = evolve(self._place, wal_identity=None)
        self._adopt(self.opened_again())
        if failed:
            self._rewrite()

    def close(self) -> None:
        connection, self.connection = self.connection, None
        opening.close_quietly(connection)

    @property
    def unmoved_pages(self) -> int:
        return self.wal_pages - min(self._tried_pages, self.wal_pages)

    def note_checkpoint(self) -> None:
        """Remember that all pages of the WAL were tried to be moved.

        Where a reader or the disk keeps them there, trying again costs as much as there are: that
        waits until as many have come again.
        """
        self._tried_pages = self.wal_pages or self._tried_pages
        self.wal_pages = 0

    def rollback(self) -> None:
        """End the transaction and take it back.  Never raises: SQLite may have done so already."""
        connection = self.connection
        if connection is None or not connection.in_transaction:
            return
        try:
            connection.execute("ROLLBACK")
        except apsw.Error:
            self.broken = connection.in_transaction

    def check_version(self, connection: apsw.Connection) -> None:
        """Refuse a file that a newer process changed while it was open."""
        found = connection.execute("PRAGMA user_version").get
        if found != SCHEMA_VERSION:
            raise storage_error("storage-newer", found=found, supported=SCHEMA_VERSION)

    def wait_for_locks(self, milliseconds: int) -> None:
        """Wait so long from now on for what others have locked; a file opened anew does as before."""
        if self.connection is not None:
            self.connection.set_busy_timeout(milliseconds)

    def note_commit(self, connection: apsw.Connection) -> None:
        """Remember that what is in the file now is our own last commit."""
        self._own_version = connection.data_version()

    def is_own(self, connection: apsw.Connection) -> bool:
        """Whether nobody committed since our own last commit, as the transaction sees it.

        Says so of a write alone: a read sees nothing yet when it begins.
        """
        return bool(connection.data_version() == self._own_version)

    def check_place(self) -> None:
        """Refuse to go on where the name leads to another file than the one that is open.

        Closing is safe then: SQLite leaves the WAL of a moved file alone, and moves one that lost
        its name into the file.
        """
        if self._place is None or self._place.is_held():
            return
        self._moved = True
        raise storage_error("storage-moved")

    def translated(self) -> "Translating":
        """Turn failures of the file inside the block into StorageErrors."""
        return Translating(self.fault)

    def fault(self, error: apsw.Error) -> StorageError | None:
        """Return what an exception means, None where it is a bug of ours."""
        return fault_of(error, errno_of(self.connection))

    def _adopt(self, opened: Opened) -> None:
        self.connection = opened.connection
        self.degraded = opened.degraded
        self.broken = False
        self.wal_pages = self._tried_pages = 0
        self.unsettled = opened.unsettled
        self.openings += 1
        self._own_version = None
        self._place = opened.place
        if opened.place is not None and not opened.degraded:
            opened.connection.set_wal_hook(self._after_commit)

    def _rewrite(self) -> None:
        """Write what the WAL holds once more, into the file.

        Where an fsync failed, the system may hold pages for written that are not, and no later
        fsync tells (https://lwn.net/Articles/752063/).
        """
        assert self.connection is not None
        with contextlib.suppress(apsw.Error):
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def _after_commit(self, connection: apsw.Connection, _: str, pages: int) -> int:
        self.wal_pages = pages
        if pages < self._tried_pages:
            # All was moved: the WAL is written from its start again.
            self._tried_pages = 0
        if self.unmoved_pages >= MAX_WAL_PAGES:
            self._tried_pages = pages
            # The commit is durable: what fails here must not look like its failure.
            with contextlib.suppress(apsw.Error):
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        return int(apsw.SQLITE_OK)
