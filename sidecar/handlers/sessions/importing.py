"""importSession: the public program's JSON, checked as a whole; here by value."""

from typing import Any

from protocol.errors import InvalidParamsError, Issue, RequestFailedError
from protocol.sessions import ImportSessionParams
from sidecar.core.conversation.errors import ConversationError
from sidecar.core.conversation.linear import rebind
from sidecar.core.conversation.materialize import materialize
from sidecar.core.conversation.records import ACTIVITIES
from sidecar.core.conversation.session_graph import GRAPH, SessionGraph
from sidecar.core.conversation.session_shape import check_session_shape
from sidecar.core.conversation.values import Session, utf16_length
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.creating import (
    MAX_ID,
    add,
    check_session_id,
    id_in_use,
    invalid_session,
    known_project,
    owner_of,
)
from sidecar.handlers.unit import Unit
from sidecar.store.projects import ProjectRow
from sidecar.store.sessions import rows
from sidecar.store.sessions.writing import NewSession

ENVELOPES = (1, 2)
"""Versions of the envelope around a session file that are read."""


def import_session(ctx: Context, unit: Unit, params: ImportSessionParams) -> bytes:
    """Bring in a session that came by value, under its own id or another one."""
    check_source(params)
    session = session_of(params.session, params)
    project = place_of(unit, session, params)
    new = NewSession(
        project=project,
        session=(graph := graph_of(session)),
        revision=revision_of(session),
        owner=owner_of(ctx, graph),
    )
    return add(ctx, unit, new).summary


def check_source(params: ImportSessionParams) -> None:
    """Raise for params that cannot be of any session."""
    if (params.session is None) == (params.path is None):
        raise InvalidParamsError([Issue("", "expected either session or path")])
    if params.session_id is not None:
        check_session_id(params.session_id)


def session_of(found: Any, params: ImportSessionParams) -> Session:
    """Return what was found as a session under the id and in the project that were asked for."""
    try:
        session = _settled(check_session_shape(_unwrapped(found)), params)
    except ConversationError as error:
        raise invalid_session(error) from error
    if utf16_length(session["id"]) > MAX_ID:
        raise refused("shape", "session-id")
    return session


def place_of(unit: Unit, session: Session, params: ImportSessionParams) -> ProjectRow:
    """Return the project that a session comes into; its id has to be free."""
    if rows.find(unit.tx, session["id"]) is not None:
        raise id_in_use(session["id"])
    return known_project(unit, params.project_id or _project_in(session))


def graph_of(session: Session) -> SessionGraph:
    """Return a session as it is kept, or raise ``invalid-session``."""
    try:
        return SessionGraph.from_session(_materialized(session))
    except ConversationError as error:
        raise invalid_session(error) from error


def revision_of(session: Session) -> int:
    """Return the revision that a session comes with."""
    revision = session.get("revision")
    if revision is None:
        return 0
    whole = isinstance(revision, int) or (isinstance(revision, float) and revision.is_integer())
    if not whole or not 0 <= revision < 1 << 53:
        raise refused("shape", "revision")
    return int(revision)


def refused(phase: str, check: str) -> RequestFailedError:
    """Return the error for what is no session."""
    return RequestFailedError(
        "invalid-session", "This is no session that can be read.", {"phase": phase, "check": check}
    )


def _unwrapped(found: Any) -> Any:
    """Return the session inside an envelope, or what stands without one."""
    if not isinstance(found, dict) or "session" not in found or "version" not in found:
        return found
    version = found["version"]
    if isinstance(version, bool) or version not in ENVELOPES:
        raise refused("envelope", "version")
    return found["session"]


def _settled(session: Session, params: ImportSessionParams) -> Session:
    """Return the session under the id and in the project that were asked for."""
    own_id = session["id"]
    session_id = params.session_id or own_id
    settled = {**session, "id": session_id}
    if params.project_id is not None and "projectId" in session:
        settled["projectId"] = params.project_id
    graph = session.get(GRAPH)
    if graph is not None:
        settled[GRAPH] = rebind(graph, own_id, session_id)
    return settled


def _materialized(session: Session) -> Session:
    materialized = materialize(session)
    if ACTIVITIES not in session and not materialized[ACTIVITIES]:
        del materialized[ACTIVITIES]
    return materialized


def _project_in(session: Session) -> str:
    project_id = session.get("projectId")
    if not isinstance(project_id, str):
        raise InvalidParamsError([Issue("/projectId", "the session names no project")])
    return project_id
