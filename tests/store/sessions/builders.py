"""Sessions in real files, written through the same pieces the handlers use."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import define, field

from protocol.json_text import loads
from sidecar.core.conversation.session_commands import apply_commands
from sidecar.core.conversation.session_edit import SessionEdit
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.values import Command, Session
from sidecar.store import projects
from sidecar.store.codec import Codec
from sidecar.store.database import Database, Transaction
from sidecar.store.sessions import cache, rows, writing
from sidecar.store.sessions.cache import OpenSession, SessionCache
from sidecar.store.sessions.exports import json_of
from sidecar.store.sessions.writing import About, NewSession
from sidecar.store.writing import NewProject, create_project

PROJECT = "p"


class TakenBackError(Exception):
    """The caller gave a transaction up."""


@define
class Sessions:
    """A database with one project and the sessions of it."""

    database: Database
    cache: SessionCache = field(factory=SessionCache)

    @classmethod
    def at(cls, path: Path) -> "Sessions":
        made = cls(Database.open(str(path), busy_timeout_ms=100))
        new = NewProject(project_id=PROJECT, title="T", revision_id="first", created_at=1)
        with made.database.write() as tx:
            create_project(tx, Codec(), new)
        return made

    def add(self, session: Session) -> None:
        with self.database.write() as tx:
            project = projects.find(tx, PROJECT)
            assert project is not None
            graph = SessionGraph.from_session(session)
            writing.insert(tx, NewSession(project=project, session=graph, revision=0, owner=None))

    @contextmanager
    def editing(self, session_id: str) -> Iterator[tuple[Transaction, OpenSession, SessionEdit]]:
        """One write; leaving with an exception takes everything back."""
        with self.database.write() as tx:
            opened = self.cache.open(tx, session_id)
            assert opened is not None
            before = opened.row
            edit = opened.graph.edit()
            try:
                yield tx, opened, edit
            except BaseException:
                edit.rollback()
                opened.row = before
                raise
        edit.commit()

    def apply(self, session_id: str, *commands: Command) -> None:
        with self.editing(session_id) as (tx, opened, edit):
            applied = apply_commands(edit, commands)
            save(tx, opened, edit, applied.new)

    def read(self, session_id: str) -> OpenSession:
        """The session as the rows say, whatever is in memory."""
        with self.database.read() as tx:
            row = rows.find(tx, session_id)
            assert row is not None
            return cache.load(tx, row)

    def exported(self, session_id: str) -> Any:
        with self.database.read() as tx:
            row = rows.find(tx, session_id)
            assert row is not None
            return loads(b"".join(json_of(tx, cache.load(tx, row))))


def save(
    tx: Transaction, opened: OpenSession, edit: SessionEdit, new: tuple[Command, ...] = ()
) -> None:
    about = About(
        project_id=PROJECT,
        revision=opened.row.revision + 1,
        cause="commands",
        owner=None,
        new=new,
    )
    opened.row = writing.save(tx, opened, edit, edit.changes(), about)
