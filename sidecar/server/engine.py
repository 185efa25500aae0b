"""The engine behind the pipe: opens the database in initialize, then serves batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from protocol.errors import ErrorCode
from protocol.json_text import dumps
from protocol.methods import METHODS, PROTOCOL_VERSION
from protocol.names import escape_pointer
from sidecar import __version__
from sidecar.handlers.stale import has_stale_runs, has_stale_sessions
from sidecar.handlers.unit import Done, Job, Unit, run_jobs
from sidecar.handlers.watch import Watch
from sidecar.server import processes
from sidecar.server.engine_port import Peer
from sidecar.server.error_map import RpcFailure
from sidecar.server.logs import Log
from sidecar.server.requests import Request
from sidecar.server.settings import MEMORY, ServeSettings
from sidecar.store.database import Database
from sidecar.store.faults import StorageError
from sidecar.store.locations import SENTENCES, risks_of
from sidecar.store.paths import InvalidPathError, default_path
from sidecar.store.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from sidecar.handlers.context import Context
    from sidecar.server.assembly import Serving
    from sidecar.server.preloading import Preloader

EXIT_STORAGE = 3
_OPTIONS = "/initializationOptions"


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
        self._assemble: Callable[[], Serving] | None = None
        self._serving: Serving | None = None
        self._preloader: Preloader | None = None
        self._served_at = 0.0
        self._greeted = False

    def initialize(self, params: dict[str, Any]) -> bytes:
        """Open the database and say what is served; LSP's params are open, ours are checked."""
        options = _checked_options(params.get("initializationOptions"))
        _check_version(options.get("protocolVersion", PROTOCOL_VERSION))
        database = self._open(options.get("database"))
        try:
            left = self._begin(database)
        except BaseException as error:
            self._give_up(database)
            if isinstance(error, StorageError):
                raise _refused(error) from error
            raise
        self._greeted = True
        return self._greeting(database, left)

    def serve(self, requests: Sequence[Request]) -> None:
        serving = self._served()
        serving.dispatcher.serve(requests)
        serving.background.was_busy()
        self._served_at = time.monotonic()

    @property
    def pressing(self) -> bool:
        return self._serving is not None and self._serving.background.pressing

    def notification(self, method: str, params: Any) -> None:
        """Nothing: the host has nothing to tell that a request does not."""

    def idle(self) -> float | None:
        if self._assemble is None:
            return None
        loading = self._preload()
        delay = self._served().background.work()
        return delay if loading is None else min(loading, delay)

    def close(self) -> None:
        if self._database is not None:
            self._database.close()

    def _notify(self, method: str, params: bytes) -> None:
        """Tell the host; what happens before the greeting is told by the greeting."""
        if self._greeted:
            self._peer.notify(method, params)

    def _begin(self, database: Database) -> _Left:
        """Make ready to serve the database; return what was left open in it."""
        self._database = database
        watch = Watch(self._notify)
        owners = Owners()
        self._assemble = partial(self._assembled, database, watch, owners, _now())
        # Before anything is written: a file that cannot be read stays as it is.
        watch.start(database)
        left = self._recover(database, owners)
        self._served_at = time.monotonic()
        return left

    def _give_up(self, database: Database) -> None:
        """Keep nothing of a database: the host may ask for another one."""
        self._database = self._assemble = self._serving = None
        database.close()

    def _open(self, wanted: object) -> Database:
        path: object = wanted
        if wanted is None:
            path = self._settings.database or default_path()
        in_memory = wanted is None and self._settings.database == MEMORY
        try:
            return Database.open(path, allow_memory=in_memory)
        except InvalidPathError as error:
            failure = _invalid((f"{_OPTIONS}/database", error.message))
            failure.data["code"] = error.code
            failure.exit_code = EXIT_STORAGE
            raise failure from error
        except StorageError as error:
            raise _refused(error) from error

    def _served(self) -> Serving:
        if self._serving is None:
            assert self._assemble is not None
            self._serving = self._assemble()
        return self._serving

    def _preload(self) -> float | None:
        if self._preloader is None:
            from sidecar.server.preloading import Preloader  # noqa: PLC0415 -- start-up time

            self._preloader = Preloader(self._served())
        return self._preloader.work(time.monotonic() - self._served_at)

    def _assembled(
        self, database: Database, watch: Watch, owners: Owners, started_at: int
    ) -> Serving:
        from sidecar.server.assembly import Opened, assemble  # noqa: PLC0415 -- start-up time

        opened = Opened(
            database=database,
            watch=watch,
            owners=owners,
            notify=self._notify,
            started_at=started_at,
            max_answer=self._settings.max_message,
        )
        return assemble(opened, self._peer, self._log)

    def _recover(self, database: Database, owners: Owners) -> _Left:
        """Close what dead processes left open; a file that cannot be written is left as it is."""
        left = _Left()
        if has_stale_runs(database, owners.is_gone):
            from sidecar.handlers.runs import close_stale  # noqa: PLC0415 -- rarely wanted

            left = evolve(left, runs=self._recovered(close_stale))
        if has_stale_sessions(database, owners.is_gone):
            from sidecar.handlers.sessions.recovery import (  # noqa: PLC0415 -- rarely wanted
                interrupt_stale,
            )

            left = evolve(left, sessions=self._recovered(interrupt_stale))
        return left

    def _recovered(self, recover: Callable[[Context, Unit], list[str]]) -> list[str]:
        context = self._served().context
        outcome = run_jobs(context.database, [Job(partial(recover, context))])[0]
        if isinstance(outcome, Done):
            found: list[str] = outcome.answer
            return found
        self._log.warning("recovery-failed", error=type(outcome.error).__name__)
        return []

    def _greeting(self, database: Database, left: _Left) -> bytes:
        experimental: dict[str, Any] = {
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
        risks = risks_of(database.path) if database.path != MEMORY else []
        if risks:
            self._log.warning("database-at-risk", risks=risks)
            experimental["warnings"] = [
                {"code": risk, "message": SENTENCES[risk], "path": None} for risk in risks
            ]
        return dumps(
            {
                "capabilities": {"experimental": experimental},
                "serverInfo": {"name": "graph-sidecar", "version": __version__},
            }
        )


def _now() -> int:
    return time.time_ns() // 1_000_000


def _refused(error: StorageError) -> RpcFailure:
    """Return the answer for a database that cannot be served."""
    data = {"code": error.code, "retryable": error.retryable, "details": error.details}
    return RpcFailure(ErrorCode.REQUEST_FAILED, error.message, data, exit_code=EXIT_STORAGE)


def _checked_options(options: object) -> dict[str, Any]:
    """Return what is ours among initialize's params; a misspelt key must not go unnoticed."""
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise _invalid((_OPTIONS, "expected an object"))
    unknown = sorted(options.keys() - {"protocolVersion", "database"})
    if unknown:
        raise _invalid(*((f"{_OPTIONS}/{escape_pointer(key)}", "unknown key") for key in unknown))
    return options


def _check_version(wanted: object) -> None:
    if wanted != PROTOCOL_VERSION or isinstance(wanted, bool):
        data = {"requested": wanted, "supported": [PROTOCOL_VERSION]}
        asked = f"Protocol version {wanted}" if type(wanted) is int else "This protocol version"
        message = f"{asked} is not spoken here; version {PROTOCOL_VERSION} is."
        raise RpcFailure(ErrorCode.INVALID_PARAMS, message, data)


def _invalid(*issues: tuple[str, str]) -> RpcFailure:
    told = [{"path": path, "message": message} for path, message in issues]
    return RpcFailure(ErrorCode.INVALID_PARAMS, "The params do not fit.", {"issues": told})
