"""A session written in pieces, so that nobody waits for all of it; it is there with the last one."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Protocol

from sidecar.core.conversation.kinds import LISTS
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.handlers.beside import Progress, Task
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.access import owner_text
from sidecar.handlers.unit import Failed, Job, Unit, run_jobs
from sidecar.store.copies import CancelledError
from sidecar.store.sessions import staging, things
from sidecar.store.sessions.things import ThingRows
from sidecar.store.wal_growth import check_room


class Arrival(Protocol):
    """A session to be written; ``size`` in bytes, roughly."""

    @property
    def size(self) -> int: ...

    @property
    def graph(self) -> SessionGraph: ...

    def land(self, unit: Unit, key: int) -> bytes:
        """Make a session of the things under a key; return the answer."""
        ...


def write_in_pieces(ctx: Context, task: Task, arrival: Arrival, progress: Progress) -> bytes:
    """Write a session from a task's thread: as a whole in the end, or nothing of it."""
    while ctx.abandoned:
        # What an earlier attempt left makes room first.
        task.in_engine(partial(tidy, ctx))
    large = arrival.size > staging.PIECE_BYTES
    if large:
        check_room(ctx.database, staging.PIECE_BYTES)
    key: int = task.in_engine(partial(_begin, ctx))
    try:
        for piece in _watched(arrival.graph, key, progress):
            if large:
                check_room(ctx.database, sum(thing.size for thing in piece))
            task.in_engine(partial(_write, ctx, piece))
        answer: bytes = task.in_engine(partial(_land, ctx, key, arrival), answers=True)
    except BaseException:
        # Where the last piece is in the file all the same, nothing will be found to be removed.
        ctx.abandoned.append(key)
        raise
    return answer


def tidy(ctx: Context) -> None:
    """Remove a little of what the first of the sessions that never came whole left, if there is one."""
    if not ctx.abandoned:
        return
    with ctx.database.write() as tx:
        is_more = staging.remove_piece(tx, ctx.abandoned[0])
    if not is_more:
        ctx.abandoned.popleft()


def _watched(graph: SessionGraph, key: int, progress: Progress) -> Iterator[list[ThingRows]]:
    """Yield the pieces of a session as long as somebody waits for it."""
    done, total = 0, sum(graph.index.count(kind) for kind in LISTS)
    for piece in staging.pieces(things.rows_of(key, graph)):
        if not progress(done, total):
            raise CancelledError
        yield piece
        done += len(piece)


def _begin(ctx: Context) -> int:
    with ctx.database.write() as tx:
        return staging.begin(tx, owner_text(ctx))


def _write(ctx: Context, piece: Sequence[ThingRows]) -> None:
    with ctx.database.write() as tx:
        things.insert(tx, piece)


def _land(ctx: Context, key: int, arrival: Arrival) -> bytes:
    outcome = run_jobs(ctx.database, [Job(lambda unit: arrival.land(unit, key))])[0]
    if isinstance(outcome, Failed):
        raise outcome.error
    answer: bytes = outcome.answer
    return answer
