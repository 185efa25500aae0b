"""exportSession: a session as the JSON that other programs read, as an answer or into a file."""

from msgspec import Raw

from protocol.errors import InvalidParamsError, Issue
from protocol.json_text import dumps
from protocol.sessions import ExportSessionParams
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.access import opened
from sidecar.handlers.sessions.limits import too_large
from sidecar.store.database import Transaction
from sidecar.store.sessions.exports import json_of
from sidecar.store.sessions.files import FileRefusedError, write_file


def export_session(ctx: Context, tx: Transaction, params: ExportSessionParams) -> bytes:
    """Give a session, or write it to a new file; ``too-large`` where an answer cannot hold it."""
    pieces = json_of(tx, opened(ctx, tx, params.session_id))
    if params.path is None:
        text = bytearray()
        for piece in pieces:
            text += piece
            if len(text) > ctx.max_answer:
                raise too_large(ctx, len(text))
        return dumps({"session": Raw(text)})
    try:
        size = write_file(params.path, pieces)
    except FileRefusedError as error:
        raise InvalidParamsError([Issue("/path", error.message)]) from error
    return dumps({"path": params.path, "bytes": size})
