"""Chat sessions on the wire.

A message, an activity or a whole session is an open JSON object: the engine reads the keys it
knows and keeps all others.  Times inside those objects are numbers, fractions allowed.
"""

from typing import Literal

from attrs import frozen

from protocol.commands import MISSING, Missing
from protocol.graph import JsonObject
from protocol.projects import Projection, ProjectionMode, Reason

SessionStatus = Literal[
    "idle",
    "running",
    "waiting-for-user",
    "waiting-permission",
    "waiting-plan-approval",
    "error",
]


@frozen(kw_only=True)
class ActiveRun:
    """The agent at work on a prompt; ``graph_run_id`` names the run that edits the graph."""

    prompt_message_id: str
    started_at: float
    branch_id: str | None
    graph_run_id: str | None


@frozen(kw_only=True)
class SessionSummary:
    """A session without its transcript."""

    session_id: str
    project_id: str
    title: str | None
    cwd: str | None
    revision: int
    status: SessionStatus
    active_run: ActiveRun | None
    last_run: JsonObject | None
    recovery: JsonObject | None
    pending_history_replay: JsonObject | None
    branch_context_reset_required: bool | None
    active_frame_id: str | None
    active_branch_id: str | None
    head_message_id: str | None
    message_count: int
    branch_count: int
    pinned: bool
    archived: bool
    error: str | None
    created_at: float
    updated_at: float


@frozen(kw_only=True)
class Omitted:
    """A value of an activity over 64 KiB: null stands in its place, getActivity reads it.

    ``bytes`` is the length of its JSON text.
    """

    activity_id: str
    path: str
    bytes: int


@frozen(kw_only=True)
class SessionChange:
    """One thing of a session as it is now."""

    kind: Literal["session", "frame", "branch", "message", "activity", "group", "segment"]
    id: str
    value: JsonObject | None
    omitted: tuple[Omitted, ...] | Missing = MISSING


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
class MessageVersion:
    """One version of a prompt: the message and the branch that introduced it."""

    message_id: str
    branch_id: str


@frozen(kw_only=True)
class PageNode:
    """Where a message of the page stands, and which graph versions it is tied to."""

    message_id: str
    parent_message_id: str | None
    introduced_on_branch_id: str
    versions: tuple[MessageVersion, ...]
    start_revision_id: str | None
    end_revision_id: str | None
    restorable: bool


@frozen(kw_only=True)
class SessionPage:
    """A page of a branch, oldest first; ``before`` leads to the older one."""

    session: SessionSummary
    branch_id: str | None
    messages: tuple[JsonObject, ...]
    nodes: tuple[PageNode, ...]
    activities: tuple[JsonObject, ...]
    activity_groups: tuple[JsonObject, ...]
    omitted: tuple[Omitted, ...] = ()
    before: str | None


@frozen(kw_only=True)
class SessionGraphPage:
    """A page of the graph's lists, in list order."""

    session: SessionSummary
    frames: tuple[JsonObject, ...]
    branches: tuple[JsonObject, ...]
    messages: tuple[JsonObject, ...]
    activities: tuple[JsonObject, ...]
    activity_groups: tuple[JsonObject, ...]
    runtime_segments: tuple[JsonObject, ...]
    omitted: tuple[Omitted, ...] = ()
    before: str | None


@frozen(kw_only=True)
class SummaryAnswer:
    session: SessionSummary


@frozen(kw_only=True)
class ListSessionsParams:
    project_id: str | None = None
    archived: bool = False
    query: str | None = None
    before: str | None = None
    limit: int = 50


@frozen(kw_only=True)
class SessionList:
    items: tuple[SessionSummary, ...]
    before: str | None


@frozen(kw_only=True)
class SearchSessionsParams:
    query: str
    project_id: str | None = None
    before: str | None = None
    limit: int = 50


@frozen(kw_only=True)
class SearchHit:
    """``ranges`` are pairs of offsets (start, end; UTF-16 units) into ``excerpt``."""

    session_id: str
    message_id: str
    branch_id: str
    on_active_branch: bool
    role: Literal["user", "agent"]
    excerpt: str
    ranges: tuple[tuple[int, int], ...]


@frozen(kw_only=True)
class SearchAnswer:
    items: tuple[SearchHit, ...]
    before: str | None


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
class SessionCommandsAnswer:
    status: Literal["applied", "deferred", "conflict", "rejected"]
    revision: int | None
    acknowledged: tuple[str, ...]
    reason: Reason | None
    session: SessionSummary | None
    changes: tuple[SessionChange, ...] | None
    page: SessionPage | None


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
class EventsAnswer:
    revision: int
    changed: bool
    ignored: Literal["run-ended", "repeated"] | None
    changes: tuple[SessionChange, ...]


RunOutcome = Literal["completed", "cancelled", "connection-lost", "error", "waiting"]


@frozen(kw_only=True)
class SettleSessionRunParams:
    session_id: str
    prompt_message_id: str
    started_at: float
    outcome: RunOutcome
    waiting_for: Literal["user", "permission", "plan-approval"] | None = None
    error: str | None = None


@frozen(kw_only=True)
class SettleAnswer:
    """``outcome`` is the first one; ``interrupted`` where a start found the run's process gone."""

    revision: int
    changed: bool
    outcome: RunOutcome | Literal["interrupted"]
    session: SessionSummary


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
    session_id: str
    path: str | None = None


@frozen(kw_only=True)
class SessionExport:
    """Either the session, or where it was written."""

    session: JsonObject | Missing = MISSING
    path: str | Missing = MISSING
    bytes: int | Missing = MISSING


@frozen(kw_only=True)
class ImportSessionParams:
    """Exactly one of ``session`` and ``path``."""

    session: JsonObject | None = None
    path: str | None = None
    session_id: str | None = None
    project_id: str | None = None


@frozen(kw_only=True)
class TreeBranch:
    branch_id: str
    frame_id: str
    parent_branch_id: str | None
    fork_message_id: str | None
    superseded_message_id: str | None
    fork_activity_id: str | None
    head_message_id: str | None
    message_count: int
    own_message_count: int
    active: bool
    running: bool
    created_at: float
    updated_at: float


@frozen(kw_only=True)
class ConversationTree:
    session: SessionSummary
    branches: tuple[TreeBranch, ...]


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
class ActivityAnswer:
    """A whole activity, or a part of one value of it: ``text`` of its JSON text from ``offset``.

    Offsets and ``total`` count bytes of UTF-8; the parts in order are the value's JSON text.
    """

    activity: JsonObject | Missing = MISSING
    omitted: tuple[Omitted, ...] | Missing = MISSING
    path: str | Missing = MISSING
    text: str | Missing = MISSING
    next_offset: int | Missing | None = MISSING
    total: int | Missing = MISSING


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


@frozen(kw_only=True)
class SessionHalf:
    """The chat's side of restoreToMessage."""

    revision: int
    acknowledged: tuple[str, ...]
    changes: tuple[SessionChange, ...] | None


@frozen(kw_only=True)
class RestoreAnswer:
    """A :class:`~protocol.projects.CommitAnswer` for both halves; ``deferred`` is possible too."""

    status: Literal["applied", "historical", "conflict", "rejected", "deferred"]
    action_id: str | None
    revision_id: str | None
    changed: bool
    effects: JsonObject | None
    reason: Reason | None
    projection: Projection | None
    changes: tuple[JsonObject, ...] | None
    session: SessionHalf | None


@frozen(kw_only=True)
class SessionChanged:
    session_id: str
    project_id: str
    revision: int
    cause: Literal["created", "commands", "events", "settled", "meta", "restored", "deleted"]
    changes: tuple[SessionChange, ...] | None
    origin: Literal["self", "other"]
