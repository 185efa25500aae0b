"""restoreToMessage: chat and graph back to a prompt in one transaction, both or neither."""

from contextlib import suppress
from typing import Any

from attrs import define

from protocol.converter import decode
from protocol.errors import InvalidParamsError, RequestFailedError
from protocol.json_text import dumps
from protocol.sessions import RestoreToMessageParams
from sidecar.handlers import restoring
from sidecar.handlers.answers import Command, Landed, RefusedError, bare_answer, refused_answer
from sidecar.handlers.commands import land, serve, storage_answer
from sidecar.handlers.commit import content_hash, invalid, require_action_id, salvaged
from sidecar.handlers.context import Context
from sidecar.handlers.scene import Scene
from sidecar.handlers.sessions.access import Edited, Write, editing, finish, project_of
from sidecar.handlers.sessions.batches import (
    Batch,
    RefusedBatchError,
    acknowledged_of,
    apply_batch,
    read_batch,
    refusal_of_request,
)
from sidecar.handlers.sessions.commands import answer_mode
from sidecar.handlers.unit import Unit
from sidecar.store.database import Transaction
from sidecar.store.faults import StorageError
from sidecar.store.sessions import prompts, rows

METHOD = "restoreToMessage"


@define
class _Half:
    """The chat's side of an answer, as far as it is known when it is given."""

    session_id: str | None
    mode: str
    batch: Batch | None = None
    acknowledged: list[str] | None = None
    changes: bytes = b"[]"


def restore_to_message(ctx: Context, unit: Unit, raw: dict[str, Any]) -> bytes:
    """Apply conversation commands and bring the graph to the version of a prompt's first run."""
    half = _Half(_session_id(raw), answer_mode(raw))
    try:
        params = decode(ctx.converter, raw, RestoreToMessageParams)
        require_action_id(params.action_id)
    except InvalidParamsError as error:
        command = _salvaged(unit.tx, raw)
        return _with_half(ctx, unit.tx, half, refused_answer(ctx, unit.tx, command, invalid(error)))
    command = _command(unit.tx, params)
    if command.project_id is None:
        missing = RefusedError(
            "rejected",
            "unknown-session",
            "There is no such session.",
            {"sessionId": params.session_id},
        )
        return _with_half(ctx, unit.tx, half, bare_answer(command, missing))
    with suppress(RefusedBatchError):
        # Of an action that landed before, only this tells what its commands were.
        half.batch = read_batch(params.commands, params.submitted)
    answer = serve(
        ctx,
        unit,
        command,
        lambda scene: _carry(scene, params, half),
        admit=_check_no_run,
    )
    return _with_half(ctx, unit.tx, half, answer)


def restore_failed(ctx: Context, raw: dict[str, Any], error: StorageError) -> bytes:
    """Answer restoreToMessage where the file refused the transaction."""
    half = _Half(_session_id(raw), answer_mode(raw))
    try:
        with ctx.database.read() as tx:
            answer = storage_answer(ctx, _salvaged(tx, raw), error)
            return _with_half(ctx, tx, half, answer)
    except StorageError:
        answer = storage_answer(ctx, salvaged(METHOD, raw), error)
        return _spliced(answer, b"null")


def _carry(scene: Scene, params: RestoreToMessageParams, half: _Half) -> Landed:
    try:
        edited, start = _prepared(scene, params, half)
        assert half.batch is not None
        applied = apply_batch(scene.tx, edited, half.batch)
    except RefusedBatchError as error:
        reason = error.reason
        raise RefusedError(error.status, error.code, error.message, reason["details"]) from error
    # Everything that can be refused comes before the first row is written.
    # Always an edit: what went with the chat comes back by undo, which a redo would not tell.
    landed = land(scene, restoring.carry(scene, start, steps=False))
    half.acknowledged = list(applied.acknowledged)
    if applied.new:
        now = Edited(edited.opened, edited.edit, scene.project.row)
        write = Write("restored", new=applied.new)
        half.changes = finish(scene.ctx, scene.unit, now, write).changes
    return landed


def _prepared(scene: Scene, params: RestoreToMessageParams, half: _Half) -> tuple[Edited, str]:
    """Return the session under edit, and the version to go back to."""
    try:
        edited = editing(scene.ctx, scene.unit, params.session_id)
    except RequestFailedError as error:
        raise refusal_of_request(error) from error
    start = _start_of(scene.tx, edited, params.message_id)
    if half.batch is None:
        half.batch = read_batch(params.commands, params.submitted)
    return edited, start


def _start_of(tx: Transaction, edited: Edited, message_id: str) -> str:
    message = edited.opened.graph.index.message(message_id)
    details = {"messageId": message_id}
    if message is None:
        raise RefusedBatchError(
            "rejected", "unknown-message", "There is no such message in this session.", details
        )
    if message["role"] != "user":
        raise RefusedBatchError(
            "rejected", "not-a-prompt", "Only a person's message can be gone back to.", details
        )
    found = prompts.find(tx, edited.key, message_id)
    if found is None or found.start is None:
        raise RefusedBatchError(
            "rejected",
            "no-recorded-revision",
            "No answer to this message was begun here, so no version of the graph belongs to it.",
            details,
        )
    return found.start


def _check_no_run(scene: Scene) -> None:
    if scene.run is not None and scene.run.status == "running":
        raise RefusedError(
            "conflict",
            "run-open",
            "The assistant is at work; pause, cancel or close its run first.",
            {"runId": scene.run.run_id},
        )


def _command(tx: Transaction, params: RestoreToMessageParams) -> Command:
    return Command(
        method=METHOD,
        project_id=_project_id(tx, params.session_id),
        action_id=params.action_id,
        expected_revision_id=params.expected_revision_id,
        projection=params.projection,
        content_hash=content_hash(
            {"messageId": params.message_id, "commands": list(params.commands)}
        ),
    )


def _salvaged(tx: Transaction, raw: dict[str, Any]) -> Command:
    session_id = _session_id(raw)
    project_id = None if session_id is None else _project_id(tx, session_id)
    return salvaged(METHOD, {**raw, "projectId": project_id})


def _project_id(tx: Transaction, session_id: str) -> str | None:
    row = rows.find(tx, session_id)
    return None if row is None else project_of(tx, row).project_id


def _session_id(raw: dict[str, Any]) -> str | None:
    session_id = raw.get("sessionId")
    return session_id if isinstance(session_id, str) else None


def _with_half(ctx: Context, tx: Transaction, half: _Half, answer: bytes) -> bytes:
    row = None if half.session_id is None else rows.find(tx, half.session_id)
    if row is None:
        return _spliced(answer, b"null")
    acknowledged = half.acknowledged
    if acknowledged is None:
        acknowledged = _on_record(ctx, tx, half)
    head = dumps({"revision": row.revision, "acknowledged": acknowledged})
    # A host that is not told what changed asks for it.
    is_told = half.mode != "none" and len(answer) + len(half.changes) <= ctx.max_answer
    changes = half.changes if is_told else b"null"
    return _spliced(answer, b'%b,"changes":%b}' % (head[:-1], changes))


def _on_record(ctx: Context, tx: Transaction, half: _Half) -> list[str]:
    if half.batch is None or half.session_id is None:
        return []
    try:
        opened = ctx.sessions.open(tx, half.session_id)
    except RequestFailedError:
        return []
    return [] if opened is None else acknowledged_of(tx, opened, half.batch)


def _spliced(answer: bytes, half: bytes) -> bytes:
    return b'%b,"session":%b}' % (answer[:-1], half)
