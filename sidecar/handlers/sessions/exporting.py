"""exportSession: a session as the JSON that other programs read, as an answer or into a file."""

from collections.abc import Iterable, Iterator

from msgspec import Raw

from protocol.errors import InvalidParamsError, Issue
from protocol.json_text import dumps
from protocol.sessions import ExportSessionParams
from sidecar.handlers.beside import Progress, Task, Work, own_view, reporter
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.access import opened, unknown_session
from sidecar.handlers.sessions.limits import too_large
from sidecar.store.copies import CancelledError
from sidecar.store.database import Transaction
from sidecar.store.sessions import cache, rows
from sidecar.store.sessions.exports import json_of, size_of
from sidecar.store.sessions.files import FileRefusedError, checked_target, write_file
from sidecar.store.sessions.rows import SessionRow


def export_session(ctx: Context, tx: Transaction, params: ExportSessionParams) -> bytes:
    """Give a session; ``too-large`` where an answer cannot hold it."""
    text = bytearray()
    for piece in json_of(tx, opened(ctx, tx, params.session_id)):
        text += piece
        if len(text) > ctx.max_answer:
            raise too_large(ctx, len(text))
    return dumps({"session": Raw(text)})


def export_file(ctx: Context, params: ExportSessionParams) -> Work:
    """Write a session to a new file, as it is at one moment of the work."""
    with ctx.database.read() as tx:
        _row_of(tx, params.session_id)
    target = _target(str(params.path))

    def work(task: Task) -> bytes:
        report = reporter(task, "Exporting the session")
        with own_view(ctx.database) as database, database.read() as tx:
            session = cache.load(tx, _row_of(tx, params.session_id))
            pieces = _watched(json_of(tx, session), size_of(tx, session), report)
            try:
                size = write_file(target, pieces)
            except FileRefusedError as error:
                raise _path_issue(error) from error
        return dumps({"path": params.path, "bytes": size})

    return work


def _row_of(tx: Transaction, session_id: str) -> SessionRow:
    row = rows.find(tx, session_id)
    if row is None:
        raise unknown_session(session_id)
    return row


def _target(path: str) -> str:
    try:
        return checked_target(path)
    except FileRefusedError as error:
        raise _path_issue(error) from error


def _path_issue(error: FileRefusedError) -> InvalidParamsError:
    return InvalidParamsError([Issue("/path", error.message)])


def _watched(pieces: Iterable[bytes], total: int, report: Progress) -> Iterator[bytes]:
    """Yield the pieces as long as somebody waits for them."""
    done = 0
    for piece in pieces:
        yield piece
        done += len(piece)
        if not report(done, total):
            raise CancelledError
