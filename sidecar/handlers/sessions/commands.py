"""applySessionCommands: a batch of conversation commands, all or none, each at most once."""

from typing import Any

from attrs import define, frozen
from msgspec import Raw

from protocol.converter import decode
from protocol.errors import InvalidParamsError, RequestFailedError
from protocol.json_text import dumps
from protocol.sessions import ApplySessionCommandsParams
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.access import Edited, Write, editing, finish, opened
from sidecar.handlers.sessions.batches import (
    Batch,
    RefusedBatchError,
    acknowledged_of,
    apply_batch,
    read_batch,
    refusal_of_request,
)
from sidecar.handlers.sessions.limits import room_for, unless_too_large
from sidecar.handlers.sessions.pages import newest_page_json
from sidecar.handlers.unit import Unit
from sidecar.store.database import Transaction
from sidecar.store.faults import StorageError
from sidecar.store.sessions.cache import OpenSession

NEWEST = 50
"""Messages of the page that ``answer: full`` adds."""
MAX_PAGE = 16 * 1024 * 1024
"""Bytes of such a page; a larger one is left out, since the answer itself has to be given."""


@define
class _Request:
    """What is known of a request when it is answered."""

    answer: str
    batch: Batch | None = None
    session: OpenSession | None = None


@frozen(kw_only=True)
class _Told:
    """The parts of an answer that differ between what landed and what did not."""

    status: str
    acknowledged: list[str]
    reason: dict[str, Any] | None
    changes: bytes


def apply_session_commands(ctx: Context, unit: Unit, raw: dict[str, Any]) -> bytes:
    """Serve one batch; a refusal is an answer too and writes nothing."""
    request = _Request(answer_mode(raw))
    try:
        return _apply(ctx, unit, raw, request)
    except RefusedBatchError as error:
        refusal = error
    unit.take_back()
    return _refused(ctx, unit.tx, request, refusal)


def storage_failed(ctx: Context, raw: dict[str, Any], error: StorageError) -> bytes:
    """Answer applySessionCommands where the file refused the transaction."""
    refusal = storage_refusal(error)
    request = _Request(answer_mode(raw))
    session_id = raw.get("sessionId")
    try:
        with ctx.database.read() as tx:
            if isinstance(session_id, str):
                request.session = ctx.sessions.open(tx, session_id)
            return _refused(ctx, tx, request, refusal)
    except (StorageError, RequestFailedError):
        # What cannot be written may not be readable either; the reason still is the answer.
        return dumps(_bare(refusal))


def storage_refusal(error: StorageError) -> RefusedBatchError:
    """Return how a batch is answered that the file refused."""
    return RefusedBatchError("rejected", error.code, error.message, error.details, error.retryable)


def invalid_batch(error: InvalidParamsError) -> RefusedBatchError:
    """Return how a request is answered that does not fit the schema."""
    issues = [{"path": issue.path, "message": issue.message} for issue in error.issues]
    return RefusedBatchError(
        "rejected", "invalid-command", "The request does not fit its schema.", {"issues": issues}
    )


def answer_mode(raw: dict[str, Any]) -> str:
    """Return how much a request wants to be told, as far as that can be read."""
    mode = raw.get("answer")
    return mode if isinstance(mode, str) and mode in ("full", "none") else "changes"


def _apply(ctx: Context, unit: Unit, raw: dict[str, Any], request: _Request) -> bytes:
    edited, batch = _read(ctx, unit, raw, request)
    applied = apply_batch(unit.tx, edited, batch)
    changes = b"[]"
    if applied.new:
        changes = finish(ctx, unit, edited, Write("commands", new=applied.new)).changes
    told = _Told(
        status="applied", acknowledged=list(applied.acknowledged), reason=None, changes=changes
    )
    return _answer(ctx, unit.tx, request, told)


def _read(ctx: Context, unit: Unit, raw: dict[str, Any], request: _Request) -> tuple[Edited, Batch]:
    session_id = raw.get("sessionId")
    try:
        params = decode(ctx.converter, raw, ApplySessionCommandsParams)
    except InvalidParamsError as error:
        if isinstance(session_id, str):
            request.session = _maybe(ctx, unit.tx, session_id)
        raise invalid_batch(error) from error
    try:
        edited = editing(ctx, unit, params.session_id)
    except RequestFailedError as error:
        raise refusal_of_request(error) from error
    request.session = edited.opened
    request.batch = read_batch(params.commands, params.submitted)
    return edited, request.batch


def _maybe(ctx: Context, tx: Transaction, session_id: str) -> OpenSession | None:
    try:
        return opened(ctx, tx, session_id)
    except RequestFailedError:
        return None


def _refused(ctx: Context, tx: Transaction, request: _Request, refusal: RefusedBatchError) -> bytes:
    if request.session is None:
        return dumps(_bare(refusal))
    acknowledged = []
    if request.batch is not None:
        acknowledged = acknowledged_of(tx, request.session, request.batch)
    told = _Told(
        status=refusal.status, acknowledged=acknowledged, reason=refusal.reason, changes=b"[]"
    )
    return _answer(ctx, tx, request, told)


def _answer(ctx: Context, tx: Transaction, request: _Request, told: _Told) -> bytes:
    assert request.session is not None
    row, mode = request.session.row, request.answer
    room = room_for(ctx, row)
    changes = None if mode == "none" else unless_too_large(told.changes, room)
    page = newest_page_json(tx, request.session, NEWEST) if mode == "full" else b""
    left = min(MAX_PAGE, room - (0 if changes is None else len(told.changes)))
    return dumps(
        {
            "status": told.status,
            "revision": row.revision,
            "acknowledged": told.acknowledged,
            "reason": told.reason,
            "session": Raw(row.summary),
            "changes": changes,
            "page": unless_too_large(page, left) if page else None,
        }
    )


def _bare(refusal: RefusedBatchError) -> dict[str, Any]:
    return {
        "status": refusal.status,
        "revision": None,
        "acknowledged": [],
        "reason": refusal.reason,
        "session": None,
        "changes": None,
        "page": None,
    }
