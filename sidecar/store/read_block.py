"""The block that a read runs in.  Every request enters one: a generator would take twice as long."""

from types import TracebackType

import apsw

from sidecar.store.handle import Handle


class ReadBlock:
    """One unchanging view of the file; inside a write, that write."""

    __slots__ = ("_handle", "_own")

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._own = False

    def __enter__(self) -> apsw.Connection:
        handle = self._handle
        connection = handle.connection
        if connection is not None and connection.in_transaction:
            return connection
        connection = handle.ready()
        self._own = True
        try:
            with handle.translated():
                connection.execute("BEGIN")
                handle.check_version(connection)
        except BaseException:
            handle.rollback()
            raise
        return connection

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._handle.translated().__exit__(kind, error, trace)
        finally:
            if self._own:
                self._handle.rollback()
