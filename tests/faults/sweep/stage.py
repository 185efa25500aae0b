"""A living engine on a file that can fail, and three ways to look at what it holds.

Ids are counted, time stands still and both begin anew with every operation, so that whatever is
written twice is the same byte by byte.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from attrs import define, evolve, field

from protocol.commands import Content
from sidecar.core.edit import Reading
from sidecar.formats.reader import read
from sidecar.store import checks, projects
from sidecar.store.database import Database, Transaction
from sidecar.store.sessions.checks import session_problems
from tests.core.rebuild import assert_indexes_match, ranks
from tests.faults.faultvfs import Controller, FaultVFS
from tests.handlers.sessions.inside import Engine

Dump = Mapping[str, list[tuple[Any, ...]]]
FILE: Final = "graphs.db"
_SESSIONS: Final = (
    "SELECT session_id, project_key, revision, transcript_time, change_time, cause, title,"
    " archived, listed_commands, created_hash, owner, summary, runs, head, head_checksum, session_key"
    " FROM sessions ORDER BY session_key"
)

_names = itertools.count()


class Ids:
    """Mints ``minted-1``, ``minted-2`` ...; begins anew when asked to."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self) -> str:
        self._count += 1
        return f"minted-{self._count}"

    def begin(self, name: str) -> None:
        self._count = sum(name.encode()) * 1_000


@define
class Stage:
    """An engine on a copy of a prepared file; its VFS fails when the controller is armed."""

    folder: Path
    controller: Controller
    name: str
    ids: Ids = field(factory=Ids)
    engine: Engine = field(init=False)

    @property
    def path(self) -> Path:
        return self.folder / FILE

    def open(self) -> None:
        self.engine = engine_at(self.path, self.ids, vfs=self.name)

    def warm(self) -> None:
        """Have everything in memory, as a process that was used has."""
        memory(self.engine)

    def forget(self) -> None:
        """Have nothing in memory any more, as a process that has just started."""
        self.close()
        self.open()

    def close(self) -> None:
        self.engine.database.close()


@contextmanager
def staged(folder: Path, template: Path) -> Iterator[Stage]:
    """Yield a stage that is not opened yet; its VFS is gone afterwards."""
    shutil.copytree(template, folder)
    controller = Controller()
    name = f"sweep-{next(_names)}"
    vfs = FaultVFS(controller, name)
    try:
        yield Stage(folder, controller, name)
    finally:
        vfs.unregister()


def engine_at(path: Path, ids: Ids, *, vfs: str | None = None) -> Engine:
    engine = Engine.at(path, vfs=vfs)
    engine.context = evolve(engine.context, new_id=ids, read=_read)
    return engine


def _read(content: Content, name: str) -> Reading:
    return read(content, name)


# What a file holds.


def dump(tx: Transaction) -> Dump:
    """Return every row of every table, but for the counter that settling moves and for tokens."""
    tables = tx.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name != 'meta'"
        " AND name NOT GLOB 'session_texts*' AND name NOT GLOB 'sqlite_*' ORDER BY name"
    ).fetchall()
    found: dict[str, list[tuple[Any, ...]]] = {
        str(name): tx.execute(f"SELECT * FROM {name}").fetchall() for (name,) in tables
    }
    found["sessions"] = tx.execute(_SESSIONS).fetchall()
    found["session_texts"] = tx.execute(
        "SELECT rowid FROM session_texts WHERE session_texts MATCH 'tex' ORDER BY rowid"
    ).fetchall()
    return found


def dumped(path: Path) -> Dump:
    """Return what another process finds in a file; the file has to be sound."""
    database = Database.open(str(path), busy_timeout_ms=0)
    try:
        with database.read() as tx:
            assert [*checks.problems(tx), *session_problems(tx)] == []
            return dump(tx)
    finally:
        database.close()


def living(engine: Engine) -> Dump:
    """Return what the engine's own connection finds in the file."""
    with engine.database.read() as tx:
        return dump(tx)


def differences(one: Dump, other: Dump) -> list[str]:
    """Return the tables that differ, for messages."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


# What an engine holds in memory.


def memory(engine: Engine) -> dict[str, Any]:
    """Return what the engine believes of every project and session, its indexes checked."""
    ctx = engine.context
    watch = ctx.watch
    held: dict[str, Any] = {
        "told": (dict(watch.revisions), {r.run_id: r for r in watch.runs.values()})
    }
    with engine.database.read() as tx:
        for project_id, _ in list(projects.current_ids(tx)):
            opened = ctx.cache.open(tx, project_id)
            assert opened is not None
            assert_indexes_match(opened.graph)
            held[project_id] = (opened.head, opened.graph.state(), ranks(opened.graph))
        for (session_id,) in tx.execute("SELECT session_id FROM sessions").fetchall():
            session = ctx.sessions.open(tx, str(session_id))
            assert session is not None
            held[str(session_id)] = (session.row, session.graph.to_session())
    return held


def in_a_new_process(path: Path) -> dict[str, Any]:
    """Return what an engine believes that reads the file for the first time."""
    engine = engine_at(path, Ids())
    try:
        return memory(engine)
    finally:
        engine.database.close()
