"""The engine without a pipe: real files, real handlers, a clock and owners that tests decide on."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

from attrs import define, field

from protocol.converter import decode, make_strict_converter
from protocol.json_text import loads
from protocol.methods import METHODS
from sidecar.core.invariants import check_all
from sidecar.formats.reader import read
from sidecar.handlers.context import Context
from sidecar.handlers.routes import ROUTES
from sidecar.handlers.runs import close_stale
from sidecar.handlers.unit import Done, Job, Unit, run_jobs
from sidecar.handlers.watch import Watch
from sidecar.store import checks, projects
from sidecar.store.cache import GraphCache
from sidecar.store.codec import Codec
from sidecar.store.database import Database
from sidecar.store.faults import StorageError
from sidecar.store.graphs import load_graph
from sidecar.store.pruning import prune_step

Json = dict[str, Any]


@define
class Owners:
    """Processes by number; those not alive are gone.  Engines on one file share ``alive``."""

    me: int = 1
    alive: set[int] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        self.alive.add(self.me)

    def current(self) -> Json:
        return {"pid": self.me}

    def begin_again(self) -> None:
        """A process ends and another one starts."""
        self.alive.discard(self.me)
        self.me += 1_000
        self.alive.add(self.me)

    def is_gone(self, owner: Json) -> bool:
        return owner["pid"] not in self.alive


@define
class Engine:
    """Handlers on a database; ``reopen`` is a process that ends and another that starts."""

    path: Path
    vfs: str | None = None
    busy_timeout_ms: int = 0
    owners: Owners = field(factory=Owners)
    notes: list[tuple[str, Json]] = field(factory=list)
    database: Database = field(init=False)
    context: Context = field(init=False)
    _ids: count[int] = field(factory=lambda: count(1))
    _time: count[int] = field(factory=lambda: count(1_800_000_000_000))

    def __attrs_post_init__(self) -> None:
        self._open()

    def call(self, method: str, **params: Any) -> Any:
        """Serve one request and return its result; an error is raised."""
        route = ROUTES[method]
        if not route.writes:
            with self.database.read() as tx:
                return loads(route.handler(self.context, tx, self._decoded(method, params)))
        outcome = run_jobs(self.database, [self._job(method, params)])[0]
        if isinstance(outcome, Done):
            return loads(outcome.answer)
        failed = route.on_storage_error
        if isinstance(outcome.error, StorageError) and failed is not None:
            return loads(failed(self.context, params, outcome.error))
        raise outcome.error

    def together(self, *calls: tuple[str, Json]) -> list[Any]:
        """Serve writing requests in one transaction; results, or the errors they raised."""
        outcomes = run_jobs(self.database, [self._job(*call) for call in calls])
        return [loads(one.answer) if isinstance(one, Done) else one.error for one in outcomes]

    def prune(self) -> int:
        """Remove all that is beyond the limits; return how many steps that took."""
        steps = 0
        with self.database.read() as tx:
            keys = projects.keys_with_hidden_versions(tx)
        for key in keys:
            while prune_step(self.database, key, 7):
                steps += 1
        return steps

    def reopen(self) -> list[str]:
        """End and start again; return the runs that the start closed."""
        self.database.close()
        self.owners.begin_again()
        self._open()
        outcome = run_jobs(self.database, [Job(lambda unit: close_stale(self.context, unit))])[0]
        assert isinstance(outcome, Done)
        closed: list[str] = outcome.answer
        return closed

    def close(self) -> None:
        self.database.close()

    def faults(self) -> list[Any]:
        """Return all that is wrong with the file, or with what memory has of it."""
        with self.database.read() as tx:
            found: list[Any] = list(checks.problems(tx, progress=lambda *_: True))
            for project_id, _ in list(projects.current_ids(tx)):
                row = projects.find(tx, project_id)
                cached = self.context.cache.open(tx, project_id)
                assert row is not None
                assert cached is not None
                stored = load_graph(tx, Codec(), row)
                found += check_all(stored)
                if stored.state() != cached.graph.state():
                    found.append("memory is not what the file says")
        return found

    def _open(self) -> None:
        self.database = Database.open(
            str(self.path), busy_timeout_ms=self.busy_timeout_ms, vfs=self.vfs
        )
        codec = Codec()
        self.context = Context(
            database=self.database,
            cache=GraphCache(codec),
            codec=codec,
            converter=make_strict_converter(),
            notify=lambda method, params: self.notes.append((method, loads(params))),
            now=lambda: next(self._time),
            new_id=lambda: f"id-{self.owners.me % 1_000}-{next(self._ids)}",
            read=read,
            owners=self.owners,
            started_at=0,
            watch=Watch(lambda method, params: self.notes.append((method, loads(params)))),
        )
        self.context.watch.start(self.database)

    def _job(self, method: str, params: Json) -> Job:
        def work(unit: Unit) -> Any:
            return ROUTES[method].handler(self.context, unit, self._decoded(method, params))

        return Job(work)

    def _decoded(self, method: str, params: Json) -> Any:
        if METHODS[method].answering == "commit":
            return params
        return decode(self.context.converter, params, METHODS[method].params)
