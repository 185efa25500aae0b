"""The engine without a pipe: requests served in this process, alone or several to a COMMIT."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import uuid_utils
from attrs import define, field

from protocol.converter import decode, make_strict_converter
from protocol.json_text import loads
from protocol.methods import METHODS
from sidecar.core.edit import Reading
from sidecar.handlers.context import Context
from sidecar.handlers.routes import ROUTES
from sidecar.handlers.unit import Done, Job, Outcome, Unit, run_jobs
from sidecar.handlers.watch import Watch
from sidecar.store.cache import GraphCache
from sidecar.store.codec import Codec
from sidecar.store.database import Database
from sidecar.store.faults import StorageError
from tests.handlers.sessions.chat import PROJECT, SESSION

Call = tuple[str, dict[str, Any]]


class Owners:
    """Nobody else is there, and nobody is gone."""

    def current(self) -> dict[str, Any]:
        return {"pid": 1}

    def is_gone(self, owner: dict[str, Any]) -> bool:
        return bool(owner["pid"] != 1)


@define
class Engine:
    """A database with the handlers on it; time stands at 1000."""

    database: Database
    notes: list[tuple[str, dict[str, Any]]] = field(factory=list)
    context: Context = field(init=False)

    def __attrs_post_init__(self) -> None:
        codec = Codec()

        def read(*_: Any) -> Reading:
            raise NotImplementedError

        self.context = Context(
            database=self.database,
            cache=GraphCache(codec),
            codec=codec,
            converter=make_strict_converter(),
            notify=self._note,
            now=lambda: 1000,
            new_id=lambda: str(uuid_utils.uuid7()),
            read=read,
            owners=Owners(),
            started_at=0,
            watch=Watch(self._note),
        )
        self.context.watch.start(self.database)

    @classmethod
    def at(cls, path: Path, *, vfs: str | None = None) -> Engine:
        return cls(Database.open(str(path), busy_timeout_ms=0, vfs=vfs))

    def begin(self) -> None:
        self.call("createProject", projectId=PROJECT, title="Project")
        self.call("createSession", projectId=PROJECT, sessionId=SESSION)

    def call(self, method: str, **params: Any) -> Any:
        """Serve one request; what it is answered with, or what it raised."""
        return self.together((method, params))[0]

    def together(self, *calls: Call) -> list[Any]:
        """Serve writing requests in one transaction, reading ones alone."""
        if not ROUTES[calls[0][0]].writes:
            return [self._read(*call) for call in calls]
        outcomes = run_jobs(self.database, [self._job(*call) for call in calls])
        return [self._told(*call, outcome) for call, outcome in zip(calls, outcomes, strict=True)]

    def export(self, session: str = SESSION) -> dict[str, Any]:
        exported: dict[str, Any] = self.call("exportSession", sessionId=session)["session"]
        return exported

    def from_the_file(self, session: str = SESSION) -> dict[str, Any]:
        """The session as a process that knows nothing yet would see it."""
        self.context.sessions.clear()
        return self.export(session)

    def _job(self, method: str, params: dict[str, Any]) -> Job:
        def work(unit: Unit) -> Any:
            return ROUTES[method].handler(self.context, unit, self._decoded(method, params))

        return Job(work)

    def _decoded(self, method: str, params: dict[str, Any]) -> Any:
        if METHODS[method].answering == "request":
            return decode(self.context.converter, params, METHODS[method].params)
        return params

    def _read(self, method: str, params: dict[str, Any]) -> Any:
        with self.database.read() as tx:
            return loads(ROUTES[method].handler(self.context, tx, self._decoded(method, params)))

    def _told(self, method: str, params: dict[str, Any], outcome: Outcome) -> Any:
        if isinstance(outcome, Done):
            return loads(outcome.answer)
        failed = ROUTES[method].on_storage_error
        if isinstance(outcome.error, StorageError) and failed is not None:
            try:
                return loads(failed(self.context, params, outcome.error))
            except StorageError as second:
                return second
        return outcome.error

    def _note(self, method: str, params: bytes) -> None:
        self.notes.append((method, loads(params)))
