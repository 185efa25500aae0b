"""recordSessionEvents and settleSessionRun: what the runtime of an answer writes, and its end."""

from typing import Any

from msgspec import Raw

from protocol.errors import InvalidParamsError, Issue, RequestFailedError
from protocol.json_text import dumps
from protocol.sessions import RecordSessionEventsParams, SettleSessionRunParams
from sidecar.core.conversation.errors import ConversationError, ConversationRunError
from sidecar.core.conversation.outcomes import events_refusal
from sidecar.core.conversation.run_end import Outcome, Settlement, WaitingFor, settle
from sidecar.core.conversation.run_events import RunEvents, record_events
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.access import Edited, Finished, Write, editing, finish, note
from sidecar.handlers.sessions.limits import room_for, unless_too_large
from sidecar.handlers.unit import Unit


def record_session_events(ctx: Context, unit: Unit, params: RecordSessionEventsParams) -> bytes:
    """Write a runtime's call, all of it or, where it does not fit, nothing."""
    edited = editing(ctx, unit, params.session_id)
    try:
        ignored = record_events(edited.edit, _events(params), now=ctx.now())
    except ConversationError as error:
        raise _refused(edited, error) from error
    finished = _written(ctx, unit, edited)
    return dumps(
        {
            "revision": edited.opened.row.revision,
            "changed": finished is not None,
            "ignored": None if ignored is None else ignored.value,
            "changes": unless_too_large(
                b"[]" if finished is None else finished.changes,
                room_for(ctx, edited.opened.row),
            ),
        }
    )


def settle_session_run(ctx: Context, unit: Unit, params: SettleSessionRunParams) -> bytes:
    """End the active run; of one that ended before, the first outcome is told."""
    if params.outcome != "waiting" and params.waiting_for is not None:
        raise InvalidParamsError([Issue("/waitingFor", "only where the outcome is waiting")])
    edited = editing(ctx, unit, params.session_id)
    settlement = Settlement(
        prompt_message_id=params.prompt_message_id,
        started_at=params.started_at,
        outcome=Outcome(params.outcome),
        waiting_for=None if params.waiting_for is None else WaitingFor(params.waiting_for),
        error=params.error,
    )
    try:
        outcome = settle(edited.edit, settlement, now=ctx.now())
    except ConversationRunError as error:
        raise session_state(
            "The session has no such run at work.",
            {"sessionId": params.session_id, **_runs(edited)},
        ) from error
    changed = edited.edit.changed
    if changed:
        finish(ctx, unit, edited, Write("settled"))
    return dumps(
        {
            "revision": edited.opened.row.revision,
            "changed": changed,
            "outcome": outcome,
            "session": Raw(edited.opened.row.summary),
        }
    )


def session_state(message: str, details: dict[str, Any]) -> RequestFailedError:
    """Return the error of a call that the session's state does not allow."""
    return RequestFailedError("session-state", message, details)


def _written(ctx: Context, unit: Unit, edited: Edited) -> Finished | None:
    if edited.edit.changed:
        return finish(ctx, unit, edited, Write("events"))
    if edited.edit.head_changed:
        # The number of the call is remembered, so that a repeated one is known.
        note(ctx, unit, edited)
    return None


def _events(params: RecordSessionEventsParams) -> RunEvents:
    return RunEvents(
        prompt_message_id=params.prompt_message_id,
        started_at=params.started_at,
        event_seq=params.event_seq,
        runtime_segment_id=params.runtime_segment_id,
        admitted=params.admitted,
        history_accepted=params.history_accepted,
        status=params.status,
        messages=params.messages,
        append_text=[(one.message_id, one.text) for one in params.append_text],
        activities=params.activities,
        activity_groups=params.activity_groups,
    )


def _refused(edited: Edited, error: ConversationError) -> RequestFailedError:
    code, details = events_refusal(error)
    if isinstance(error, ConversationRunError):
        details = {**details, **_runs(edited)}
    return RequestFailedError(code, error.message, details)


def _runs(edited: Edited) -> dict[str, object]:
    session = edited.opened.graph
    return {"activeRun": session.active_run, "lastRun": session.last_run}
