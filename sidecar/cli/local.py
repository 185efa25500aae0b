"""The handlers on a file, in this very process: what the commands for people read by.

A file that another process serves is read all the same: SQLite's locks keep both apart, every
read is one unchanging view, and nothing is repaired, closed or pruned on the way.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import uuid_utils
from attrs import define

from protocol.commands import Content
from protocol.converter import decode, make_strict_converter
from protocol.json_text import loads
from protocol.methods import METHODS
from sidecar.cli.errors import CliError
from sidecar.core.edit import Reading
from sidecar.handlers.context import Context
from sidecar.handlers.routes import ROUTES
from sidecar.handlers.unit import Failed, Job, run_jobs
from sidecar.handlers.watch import Watch
from sidecar.store.cache import GraphCache
from sidecar.store.codec import Codec
from sidecar.store.database import Database
from sidecar.store.faults import StorageError
from sidecar.store.paths import InvalidPathError

MEMORY: Final = ":memory:"


@contextmanager
def opened(path: Path) -> Iterator["Local"]:
    """Open a database that exists. Raises CliError."""
    if not path.exists():
        raise CliError(f"{path}: there is no such file.")
    absolute = os.path.abspath(path)  # noqa: PTH100 -- a symlink is the store's to judge
    try:
        database = Database.open(absolute)
    except (StorageError, InvalidPathError) as error:
        raise CliError(f"{path}: {error.message} ({error.code})") from error
    with _served(database) as local:
        yield local


@contextmanager
def in_memory() -> Iterator["Local"]:
    """Open a database that goes with the block."""
    with _served(Database.open(MEMORY, allow_memory=True)) as local:
        yield local


@contextmanager
def _served(database: Database) -> Iterator["Local"]:
    try:
        yield Local(database, _context(database))
    finally:
        database.close()


@define
class Local:
    """An open database and its handlers."""

    database: Database
    context: Context

    def call(self, method: str, **params: Any) -> Any:
        """Serve one request and return its result; failures come as the handler raises them."""
        route = ROUTES[method]
        given = self._params(method, params)
        if not route.writes:
            with self.database.read() as tx:
                return loads(route.handler(self.context, tx, given))
        job = Job(lambda unit: route.handler(self.context, unit, given))
        outcome = run_jobs(self.database, [job])[0]
        if isinstance(outcome, Failed):
            raise outcome.error
        return loads(outcome.answer)

    def work(self, method: str, progress: Callable[[int], None], **params: Any) -> Any:
        """Serve one long request; ``progress`` is told percentages."""
        work = ROUTES[method].handler(self.context, self._params(method, params))
        return loads(work(_Task(progress)))

    def pages(self, method: str, **params: Any) -> Iterator[dict[str, Any]]:
        """Return all items of a list."""
        before = None
        while True:
            page = self.call(method, before=before, limit=500, **params)
            yield from page["items"]
            before = page["before"]
            if before is None:
                return

    def _params(self, method: str, params: dict[str, Any]) -> Any:
        if METHODS[method].answering != "request":
            return params
        return decode(self.context.converter, params, METHODS[method].params)


@define
class _Task:
    report: Callable[[int], None]
    cancelled: bool = False

    def progress(self, _: str, percentage: int | None = None) -> None:
        self.report(percentage or 0)


class _NoOwners:
    """A command for people never starts a run, and ends none."""

    def current(self) -> dict[str, Any]:
        return {"pid": os.getpid()}

    def is_gone(self, _: dict[str, Any]) -> bool:
        return False


def _context(database: Database) -> Context:
    codec = Codec()
    return Context(
        database=database,
        cache=GraphCache(codec),
        codec=codec,
        converter=make_strict_converter(),
        notify=_tell_nobody,
        now=_now,
        new_id=lambda: str(uuid_utils.uuid7()),
        read=_read,
        owners=_NoOwners(),
        started_at=_now(),
        watch=Watch(_tell_nobody),
    )


def _tell_nobody(_: str, __: bytes) -> None:
    """Let a notification go: there is no host."""


def _now() -> int:
    return time.time_ns() // 1_000_000


def _read(content: Content, name: str) -> Reading:
    from sidecar.formats.reader import read  # noqa: PLC0415 -- start-up time

    return read(content, name)
