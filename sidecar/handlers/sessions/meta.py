"""What a person sets on a session: title, pin, archive, preferences, the frame in view; its end."""

from collections.abc import Mapping
from typing import Any, Final

from protocol.errors import InvalidParamsError, Issue, RequestFailedError
from protocol.json_text import dumps, loads
from protocol.names import escape_pointer
from protocol.sessions import (
    ArchiveSessionParams,
    PinSessionParams,
    RenameSessionParams,
    SelectFrameParams,
    SessionParams,
    UpdateSessionParams,
)
from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationError
from sidecar.core.conversation.outcomes import pointer_of
from sidecar.core.conversation.session_shape import session_issues
from sidecar.core.conversation.session_writes import select_frame as select_frame_in
from sidecar.core.conversation.values import ABSENT
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.access import Edited, Write, editing, finish, project_of
from sidecar.handlers.sessions.creating import check_title
from sidecar.handlers.sessions.deleting import delete
from sidecar.handlers.sessions.events import session_state
from sidecar.handlers.unit import Unit
from sidecar.store.sessions import rows

PROTECTED: Final = frozenset(
    {
        "id",
        "projectId",
        "revision",
        "status",
        "messages",
        "activities",
        "activityGroups",
        "conversationGraph",
        "activeRun",
        "runtimeTranscriptOwner",
        "runtimeTranscriptLastRun",
        "runtimeConversationCommandIds",
        "resumeRecovery",
        "pendingHistoryReplay",
        "branchContextResetRequired",
        "error",
        "errorReportable",
        "createdAt",
        "updatedAt",
    }
)
"""Keys that only commands, events and the engine itself write."""


def rename_session(ctx: Context, unit: Unit, params: RenameSessionParams) -> bytes:
    """Give a session another title."""
    check_title(params.title)
    return _set(ctx, unit, params.session_id, {"title": params.title})


def pin_session(ctx: Context, unit: Unit, params: PinSessionParams) -> bytes:
    """Pin or unpin a session."""
    return _set(ctx, unit, params.session_id, {"pinned": params.pinned or ABSENT})


def archive_session(ctx: Context, unit: Unit, params: ArchiveSessionParams) -> bytes:
    """Put a session away, or bring it back."""
    edited = editing(ctx, unit, params.session_id)
    archived = edited.opened.row.archived
    if archived == params.archived:
        return edited.opened.row.summary
    at: Any = ctx.now() if params.archived else ABSENT
    return _written(ctx, unit, edited, {"archivedAt": at, "archived": ABSENT})


def update_session(ctx: Context, unit: Unit, params: UpdateSessionParams) -> bytes:
    """Set and remove keys of the session's JSON that belong to the host."""
    fields: dict[str, Any] = {**dict.fromkeys(params.unset, ABSENT), **(params.set or {})}
    places = {f"/set/{escape_pointer(key)}": key for key in params.set or {}}
    places |= {f"/unset/{number}": key for number, key in enumerate(params.unset)}
    issues = [
        Issue(place, "this is not a preference")
        for place, key in places.items()
        if key in PROTECTED
    ]
    if issues:
        raise InvalidParamsError(issues)
    _check_title(fields.get("title", ABSENT))
    return _set(ctx, unit, params.session_id, fields)


def select_frame(ctx: Context, unit: Unit, params: SelectFrameParams) -> bytes:
    """Put a frame in view."""
    edited = editing(ctx, unit, params.session_id)
    try:
        select_frame_in(edited.edit, params.frame_id)
    except ConversationError as error:
        details = {"check": error.check.value, "frameId": params.frame_id}
        if error.check is Check.FRAME_UNKNOWN:
            raise RequestFailedError(
                "unknown-frame", "There is no such frame in this session.", details
            ) from error
        raise session_state("The frames above do not show where it began.", details) from error
    if edited.edit.changed:
        return finish(ctx, unit, edited, Write("meta", transcript=False)).row.summary
    return edited.opened.row.summary


def delete_session(ctx: Context, unit: Unit, params: SessionParams) -> bytes:
    """Delete a session for good, damaged or not; one with a run at work stays."""
    row = rows.find(unit.tx, params.session_id)
    if row is None:
        return dumps({"deleted": False})
    active = loads(row.summary)["activeRun"]
    if active is not None:
        raise session_state("The session has a run at work.", {"activeRun": active})
    delete(ctx, unit, row, project_of(unit.tx, row).project_id)
    time = rows.now(unit.tx)
    # That it is not there proves nothing: it may have been made in this very transaction.
    unit.is_recorded = lambda tx: rows.find(tx, params.session_id) is None and rows.now(tx) >= time
    return dumps({"deleted": True})


def _check_title(title: Any) -> None:
    if title is ABSENT:
        return
    if not isinstance(title, str):
        raise InvalidParamsError([Issue("/set/title", "expected text")])
    check_title(title, "/set/title")


def _set(ctx: Context, unit: Unit, session_id: str, fields: Mapping[str, Any]) -> bytes:
    return _written(ctx, unit, editing(ctx, unit, session_id), fields)


def _written(ctx: Context, unit: Unit, edited: Edited, fields: Mapping[str, Any]) -> bytes:
    edited.edit.set_fields(fields)
    if not edited.edit.changed:
        return edited.opened.row.summary
    session = edited.opened.graph
    _check_shape(session.fields)
    edited.edit.set_fields({"updatedAt": max(session.fields["updatedAt"], ctx.now())})
    return finish(ctx, unit, edited, Write("meta", transcript=False)).row.summary


def _check_shape(fields: dict[str, Any]) -> None:
    """Refuse preferences that no rule could read any more."""
    issues = [
        Issue(f"/set{pointer_of(issue)}", issue.message or "not what this can be")
        for issue in session_issues(fields)
    ]
    if issues:
        raise InvalidParamsError(issues)
