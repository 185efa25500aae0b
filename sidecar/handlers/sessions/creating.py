"""createSession: a conversation with one branch, its first messages in it."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import Raw

from protocol.errors import InvalidParamsError, Issue, RequestFailedError
from protocol.json_text import dumps
from protocol.sessions import CreateSessionParams
from sidecar.core.conversation.errors import ConversationError
from sidecar.core.conversation.materialize import materialize
from sidecar.core.conversation.outcomes import import_refusal
from sidecar.core.conversation.payloads import complete_message
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.session_shape import check_session_shape
from sidecar.core.conversation.values import JsonObject, present, utf16_length
from sidecar.handlers.announcements import announce
from sidecar.handlers.commit import content_hash
from sidecar.handlers.context import Context
from sidecar.handlers.projects import unknown_project
from sidecar.handlers.sessions.access import change_of, is_at_work, mend_texts, owner_text
from sidecar.handlers.sessions.changes import session_value
from sidecar.handlers.unit import Unit
from sidecar.store import projects
from sidecar.store.projects import ProjectRow
from sidecar.store.sessions import rows, writing
from sidecar.store.sessions.rows import SessionRow
from sidecar.store.sessions.writing import NewSession

MAX_ID = 256
MAX_TITLE = 1024


def create_session(ctx: Context, unit: Unit, params: CreateSessionParams) -> bytes:
    """Create a session; the same id and content again answers with it as it stands."""
    if params.session_id is not None:
        check_session_id(params.session_id)
    check_title(params.title)
    asked = content_hash(_content(params))
    if params.session_id is not None:
        known = rows.find(unit.tx, params.session_id)
        if known is not None:
            if known.created_hash != asked:
                raise id_in_use(params.session_id)
            return known.summary
    project = known_project(unit, params.project_id)
    session = _materialized(_session_of(ctx, params))
    new = NewSession(
        project=project,
        session=SessionGraph.from_session(session),
        revision=0,
        owner=None,
        created_hash=asked,
    )
    return add(ctx, unit, new).summary


def add(ctx: Context, unit: Unit, new: NewSession) -> SessionRow:
    """Write a new session and announce it."""
    mend_texts(ctx, unit)
    row = writing.insert(unit.tx, new)
    unit.on_rollback.append(partial(ctx.sessions.forget, row.session_id))
    ctx.watch.sessions.told(unit, row)
    unit.is_recorded = lambda tx: rows.has_token(tx, row.session_key, row.token)
    value = {"kind": "session", "id": row.session_id, "value": session_value(new.session.fields)}
    told = change_of(row, new.project, "created", Raw(dumps([value])))
    announce(ctx, unit, "sessionChanged", told)
    return row


def owner_of(ctx: Context, session: SessionGraph) -> str | None:
    """Return this process as the owner of what a session has at work, or None."""
    return owner_text(ctx) if is_at_work(session.fields) else None


def known_project(unit: Unit, project_id: str) -> ProjectRow:
    """Return a project, or raise ``unknown-project``."""
    found = projects.find(unit.tx, project_id)
    if found is None:
        raise unknown_project(project_id)
    return found


def id_in_use(session_id: str) -> RequestFailedError:
    return RequestFailedError("id-in-use", "The session id is in use.", {"sessionId": session_id})


def invalid_session(error: ConversationError) -> RequestFailedError:
    """Return the error for a session that the rules do not let in."""
    code, details = import_refusal(error)
    return RequestFailedError(code, "The session does not hold together.", details)


def check_session_id(session_id: str) -> None:
    """Raise for an id that a session cannot have."""
    if not 1 <= utf16_length(session_id) <= MAX_ID:
        raise InvalidParamsError([Issue("/sessionId", f"expected 1 to {MAX_ID} characters")])


def check_title(title: str | None, place: str = "/title") -> None:
    """Raise for a title that is too long."""
    if title is not None and utf16_length(title) > MAX_TITLE:
        raise InvalidParamsError([Issue(place, f"expected at most {MAX_TITLE} characters")])


def _session_of(ctx: Context, params: CreateSessionParams) -> JsonObject:
    now = ctx.now()
    messages = [complete_message(message, at=now) for message in params.messages or ()]
    provider = params.provider_id
    return {
        "id": params.session_id or ctx.new_id(),
        "projectId": params.project_id,
        "revision": 0,
        **present(title=params.title, cwd=params.cwd),
        "status": "idle",
        "messages": messages,
        "activities": [],
        "activityGroups": [],
        **present(
            agentFrameworkId=params.framework_id,
            agentConfiguration=None if provider is None else {"providerId": provider},
            agentBackendId=params.backend_id,
            agentModel=params.model,
        ),
        "createdAt": now,
        "updatedAt": now,
    }


def _materialized(session: JsonObject) -> JsonObject:
    try:
        return materialize(check_session_shape(session))
    except ConversationError as error:
        raise invalid_session(error) from error


def _content(params: CreateSessionParams) -> dict[str, Any]:
    messages: Sequence[JsonObject] = params.messages or ()
    return {
        "projectId": params.project_id,
        "title": params.title,
        "cwd": params.cwd,
        "frameworkId": params.framework_id,
        "providerId": params.provider_id,
        "backendId": params.backend_id,
        "model": params.model,
        "messages": list(messages),
    }
