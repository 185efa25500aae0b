"""importSession from a file, which is read and checked beside the engine and written in pieces."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, BinaryIO

from attrs import evolve, frozen

from protocol.errors import InvalidParamsError, Issue
from protocol.sessions import ImportSessionParams
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.values import Session
from sidecar.handlers.beside import Task, Work, reporter
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.creating import add, owner_of
from sidecar.handlers.sessions.importing import (
    check_source,
    graph_of,
    place_of,
    refused,
    revision_of,
    session_of,
)
from sidecar.handlers.sessions.pieces import write_in_pieces
from sidecar.handlers.unit import Unit
from sidecar.store.copies import CancelledError
from sidecar.store.sessions import bodies
from sidecar.store.sessions.files import FileRefusedError, open_file
from sidecar.store.sessions.streams import NotASessionError, read_session
from sidecar.store.sessions.writing import NewSession


def import_file(ctx: Context, params: ImportSessionParams) -> Work:
    """Bring in a session from a file, under its own id or another one."""
    check_source(params)

    def work(task: Task) -> bytes:
        report = reporter(task, "Importing the session")
        with ExitStack() as files:
            file = _opened(ctx, str(params.path), files)
            size = os.fstat(file.fileno()).st_size
            session = session_of(_read(file, lambda done: report(done, 2 * size)), params)
            task.in_engine(lambda: _check_place(ctx, session, params))
            try:
                arrival = _Arrival(ctx, params, session, _kept(graph_of(session)), size)
                return write_in_pieces(
                    ctx, task, arrival, lambda done, all_: report(all_ + done, 2 * all_)
                )
            except NotASessionError as error:
                raise refused("file", "changed") from error

    return work


@frozen
class _Arrival:
    """A session that is about to come in."""

    ctx: Context
    params: ImportSessionParams
    session: Session
    graph: SessionGraph
    size: int

    def land(self, unit: Unit, key: int) -> bytes:
        new = NewSession(
            project=place_of(unit, self.session, self.params),
            session=self.graph,
            revision=revision_of(self.session),
            owner=owner_of(self.ctx, self.graph),
            staged_key=key,
        )
        return add(self.ctx, unit, new).summary


def _opened(ctx: Context, path: str, files: ExitStack) -> BinaryIO:
    try:
        return files.enter_context(open_file(path, database=ctx.database.path))
    except FileRefusedError as error:
        raise InvalidParamsError([Issue("/path", error.message)]) from error


def _read(file: BinaryIO, goes_on: Callable[[int], bool]) -> Any:
    def on_read(done: int) -> None:
        if not goes_on(done):
            raise CancelledError

    try:
        return read_session(file, on_read=on_read)
    except NotASessionError as error:
        raise refused("file", error.check) from error
    except (ValueError, OSError) as error:
        raise refused("file", "not-json") from error


def _check_place(ctx: Context, session: Session, params: ImportSessionParams) -> None:
    """Find out early whether there is a place for the session."""
    with ctx.database.read() as tx:
        place_of(Unit(tx), session, params)


def _kept(graph: SessionGraph) -> SessionGraph:
    """Fetch what the session's own row holds, so that nobody has to wait for it later."""
    graph.head = evolve(graph.head, fields=bodies.undeferred(graph.head.fields))
    return graph
