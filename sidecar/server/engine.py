"""The engine behind the pipe: opens the database in initialize, then serves batches."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import uuid_utils
from attrs import evolve, field, frozen

from protocol.commands import Content
from protocol.converter import make_strict_converter
from protocol.errors import ErrorCode
from protocol.json_text import dumps
from protocol.methods import METHODS, PROTOCOL_VERSION
from sidecar import __version__
from sidecar.core.edit import Reading
from sidecar.handlers.background import Background
from sidecar.handlers.context import Context
from sidecar.handlers.runs import close_stale, has_stale_runs
from sidecar.handlers.sessions.recovery import has_stale_sessions, interrupt_stale
from sidecar.handlers.unit import Done, Job, Unit, run_jobs
from sidecar.handlers.watch import Watch
from sidecar.server import processes
from sidecar.server.dispatcher import EXIT_STORAGE, Dispatcher
from sidecar.server.engine_port import Peer
from sidecar.server.error_map import RpcFailure
from sidecar.server.logs import Log
from sidecar.server.requests import Request
from sidecar.server.settings import MEMORY, ServeSettings
from sidecar.store.cache import GraphCache
from sidecar.store.codec import Codec
from sidecar.store.database import Database
from sidecar.store.faults import StorageError
from sidecar.store.paths import InvalidPathError, default_path
from sidecar.store.schema import SCHEMA_VERSION


class Owners:
    """Owners of runs, as the operating system knows them."""

    def __init__(self) -> None:
        self._current: dict[str, Any] | None = None

    def current(self) -> dict[str, Any]:
        if self._current is None:
            self._current = processes.current_owner()
        return self._current

    def is_gone(self, owner: dict[str, Any]) -> bool:
        return processes.is_gone(owner)


@frozen
class _Left:
    """What dead processes left open, by id."""

    runs: list[str] = field(factory=list)
    sessions: list[str] = field(factory=list)


class SidecarEngine:
    """Everything between the pipe and the file."""

    def __init__(self, settings: ServeSettings, peer: Peer, log: Log) -> None:
        self._settings = settings
        self._peer = peer
        self._log = log
        self._database: Database | None = None
        self._dispatcher: Dispatcher | None = None
        self._background: Background | None = None
        self._greeted = False

    def initialize(self, params: dict[str, Any]) -> bytes:
        """Open the database and say what is served; LSP's params are open, ours are checked."""
        options = params.get("initializationOptions") or {}
        if not isinstance(options, dict):
            raise _invalid("/initializationOptions", "expected an object")
        _check_version(options.get("protocolVersion", PROTOCOL_VERSION))
        database = self._open(options.get("database"))
        converter = make_strict_converter()
        codec = Codec()
        context = Context(
            database=database,
            cache=GraphCache(codec),
            codec=codec,
            converter=converter,
            notify=self._notify,
            now=_now,
            new_id=lambda: str(uuid_utils.uuid7()),
            read=_read,
            owners=Owners(),
            started_at=_now(),
            watch=Watch(self._notify),
            max_answer=self._settings.max_message,
        )
        self._database = database
        self._dispatcher = Dispatcher(context, converter, self._peer, self._log)
        self._background = Background(context, time.monotonic)
        left = self._recover(context)
        self._greeted = True
        return self._greeting(database, left)

    def serve(self, requests: Sequence[Request]) -> None:
        assert self._dispatcher is not None
        assert self._background is not None
        self._dispatcher.serve(requests)
        self._background.was_busy()

    def notification(self, method: str, params: Any) -> None:
        """Nothing: the host has nothing to tell that a request does not."""

    def idle(self) -> float | None:
        return None if self._background is None else self._background.work()

    def close(self) -> None:
        if self._database is not None:
            self._database.close()

    def _notify(self, method: str, params: bytes) -> None:
        """Tell the host; what happens before the greeting is told by the greeting."""
        if self._greeted:
            self._peer.notify(method, params)

    def _open(self, wanted: object) -> Database:
        path: object = wanted
        if wanted is None:
            path = self._settings.database or default_path()
        in_memory = wanted is None and self._settings.database == MEMORY
        try:
            return Database.open(path, allow_memory=in_memory)
        except InvalidPathError as error:
            failure = _invalid("/initializationOptions/database", error.message)
            failure.data["code"] = error.code
            failure.exit_code = EXIT_STORAGE
            raise failure from error
        except StorageError as error:
            data = {"code": error.code, "retryable": error.retryable, "details": error.details}
            raise RpcFailure(
                ErrorCode.REQUEST_FAILED, error.message, data, exit_code=EXIT_STORAGE
            ) from error

    def _recover(self, context: Context) -> _Left:
        """Close what dead processes left open; a file that cannot be written is left as it is."""
        left = _Left()
        if has_stale_runs(context):
            left = evolve(left, runs=self._recovered(context, close_stale))
        if has_stale_sessions(context):
            left = evolve(left, sessions=self._recovered(context, interrupt_stale))
        context.watch.start(context.database)
        assert self._background is not None
        self._background.start()
        return left

    def _recovered(
        self, context: Context, recover: Callable[[Context, Unit], list[str]]
    ) -> list[str]:
        outcome = run_jobs(context.database, [Job(partial(recover, context))])[0]
        if isinstance(outcome, Done):
            found: list[str] = outcome.answer
            return found
        self._log.warning("recovery-failed", error=type(outcome.error).__name__)
        return []

    def _greeting(self, database: Database, left: _Left) -> bytes:
        experimental = {
            "protocolVersion": PROTOCOL_VERSION,
            "methods": sorted(METHODS),
            "limits": {
                "maxMessageBytes": self._settings.max_message,
                "maxDepth": 64,
                "maxValues": 4_000_000,
                "maxPage": 500,
            },
            "database": {
                "path": str(database.path),
                "schemaVersion": SCHEMA_VERSION,
                "created": database.created,
                "migratedFrom": database.migrated_from,
            },
            "closedRuns": left.runs,
            "interruptedSessions": left.sessions,
        }
        return dumps(
            {
                "capabilities": {"experimental": experimental},
                "serverInfo": {"name": "graph-sidecar", "version": __version__},
            }
        )


def _now() -> int:
    return time.time_ns() // 1_000_000


def _read(content: Content, name: str) -> Reading:
    # Most processes open a file now and then at most; a start need not pay for the adapters.
    from sidecar.formats.reader import read  # noqa: PLC0415 -- start-up time

    return read(content, name)


def _check_version(wanted: object) -> None:
    if wanted != PROTOCOL_VERSION or isinstance(wanted, bool):
        data = {"requested": wanted, "supported": [PROTOCOL_VERSION]}
        raise RpcFailure(
            ErrorCode.INVALID_PARAMS, "This protocol version is not spoken here.", data
        )


def _invalid(path: str, message: str) -> RpcFailure:
    return RpcFailure(
        ErrorCode.INVALID_PARAMS,
        "The params do not fit.",
        {"issues": [{"path": path, "message": message}]},
    )
