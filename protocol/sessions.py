"""What a host asks about chat sessions.

A message, an activity or a whole session is an open JSON object: the engine reads the keys it
knows and keeps all others.  Times inside those objects are numbers, fractions allowed.
"""

from typing import Literal

from attrs import frozen

from protocol.graph import Json, JsonObject
from protocol.projects import ProjectionMode

SessionStatus = Literal[
    "idle",
    "running",
    "waiting-for-user",
    "waiting-permission",
    "waiting-plan-approval",
    "error",
]
RunOutcome = Literal["completed", "cancelled", "connection-lost", "error", "waiting"]


@frozen(kw_only=True)
class CreateSessionParams:
    session_id: str | None = None
    project_id: str
    title: str | None = None
    cwd: str | None = None
    framework_id: str | None = None
    provider_id: str | None = None
    backend_id: str | None = None
    model: str | None = None
    messages: tuple[JsonObject, ...] | None = None


@frozen(kw_only=True)
class GetSessionParams:
    session_id: str
    view: Literal["active", "graph", "summary"]
    branch_id: str | None = None
    before: str | None = None
    limit: int = 50


@frozen(kw_only=True)
class ListSessionsParams:
    project_id: str | None = None
    archived: bool = False
    query: str | None = None
    before: str | None = None
    limit: int = 50


@frozen(kw_only=True)
class SearchSessionsParams:
    query: str
    project_id: str | None = None
    before: str | None = None
    limit: int = 50


@frozen(kw_only=True)
class Submitted:
    messages: tuple[JsonObject, ...] | None = None
    conversation_graph: JsonObject | None = None


@frozen(kw_only=True)
class ApplySessionCommandsParams:
    session_id: str
    commands: tuple[JsonObject, ...]
    submitted: Submitted | None = None
    answer: Literal["changes", "full", "none"] = "changes"


@frozen(kw_only=True)
class AppendText:
    message_id: str
    text: str


@frozen(kw_only=True)
class RecordSessionEventsParams:
    session_id: str
    prompt_message_id: str
    started_at: float
    event_seq: int | None = None
    runtime_segment_id: str | None = None
    admitted: bool = False
    history_accepted: bool = False
    status: SessionStatus | None = None
    messages: tuple[JsonObject, ...] = ()
    append_text: tuple[AppendText, ...] = ()
    activities: tuple[JsonObject, ...] = ()
    activity_groups: tuple[JsonObject, ...] = ()


@frozen(kw_only=True)
class SettleSessionRunParams:
    session_id: str
    prompt_message_id: str
    started_at: float
    outcome: RunOutcome
    waiting_for: Literal["user", "permission", "plan-approval"] | None = None
    error: str | None = None


@frozen(kw_only=True)
class SessionParams:
    session_id: str


@frozen(kw_only=True)
class RenameSessionParams:
    session_id: str
    title: str


@frozen(kw_only=True)
class PinSessionParams:
    session_id: str
    pinned: bool


@frozen(kw_only=True)
class ArchiveSessionParams:
    session_id: str
    archived: bool


@frozen(kw_only=True)
class UpdateSessionParams:
    session_id: str
    set: JsonObject | None = None
    unset: tuple[str, ...] = ()


@frozen(kw_only=True)
class SelectFrameParams:
    session_id: str
    frame_id: str


@frozen(kw_only=True)
class ExportSessionParams:
    """``path``: a new file, written beside; ``work_done_token`` is of use with it alone."""

    session_id: str
    path: str | None = None
    work_done_token: Json = None


@frozen(kw_only=True)
class ImportSessionParams:
    """Exactly one of ``session`` and ``path``; ``work_done_token`` is of use with a path alone."""

    session: JsonObject | None = None
    path: str | None = None
    session_id: str | None = None
    project_id: str | None = None
    work_done_token: Json = None


@frozen(kw_only=True)
class ExecutionContextParams:
    session_id: str
    prompt_message_id: str


@frozen(kw_only=True)
class GetActivityParams:
    session_id: str
    activity_id: str
    path: str | None = None
    offset: int = 0


@frozen(kw_only=True)
class RestoreToMessageParams:
    session_id: str
    message_id: str
    action_id: str
    expected_revision_id: str
    commands: tuple[JsonObject, ...]
    submitted: Submitted | None = None
    answer: Literal["changes", "full", "none"] = "changes"
    projection: ProjectionMode = "full"
