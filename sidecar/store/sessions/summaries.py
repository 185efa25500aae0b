"""What a session says of itself without its transcript, as lists show it and answers carry it."""

from typing import Any

from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.values import JsonObject


def summary_of(session: SessionGraph, project_id: str, revision: int) -> dict[str, Any]:
    """Return the wire form of a session's summary; what is absent is None."""
    fields, branch = session.fields, session.active_branch
    return {
        "sessionId": session.id,
        "projectId": project_id,
        "title": _text(fields, "title"),
        "cwd": _text(fields, "cwd"),
        "revision": revision,
        "status": fields["status"],
        "activeRun": _active_run(session),
        "lastRun": session.last_run,
        "recovery": fields.get("resumeRecovery"),
        "pendingHistoryReplay": fields.get("pendingHistoryReplay"),
        "branchContextResetRequired": _flag(fields, "branchContextResetRequired"),
        "activeFrameId": session.active_frame_id,
        "activeBranchId": branch["id"],
        "headMessageId": branch.get("headMessageId") or None,
        "messageCount": session.index.count(Kind.MESSAGE),
        "branchCount": session.index.count(Kind.BRANCH),
        "pinned": fields.get("pinned") is True,
        "archived": is_archived(fields),
        "error": _text(fields, "error"),
        "createdAt": fields["createdAt"],
        "updatedAt": fields["updatedAt"],
    }


def title_of(fields: JsonObject) -> str | None:
    return _text(fields, "title")


def is_archived(fields: JsonObject) -> bool:
    """Whether a session was put away: the public format keeps the time of it."""
    return fields.get("archivedAt") is not None or fields.get("archived") is True


def _active_run(session: SessionGraph) -> dict[str, Any] | None:
    run = session.active_run
    if run is None:
        return None
    return {
        "promptMessageId": run["promptMessageId"],
        "startedAt": run["startedAt"],
        "branchId": session.run_branch()["id"],
        "graphRunId": session.head.runs.graph_run_id,
    }


def _text(fields: JsonObject, key: str) -> str | None:
    value = fields.get(key)
    return value if isinstance(value, str) else None


def _flag(fields: JsonObject, key: str) -> bool | None:
    value = fields.get(key)
    return value if isinstance(value, bool) else None
