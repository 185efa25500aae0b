"""What the sidecar answers and tells about chat sessions.

No request is read with these types: they are the contract, checked in tests.
"""

from typing import Literal

from attrs import frozen

from protocol.changes import WireChange
from protocol.commands import MISSING, Missing
from protocol.conversation import ChatActivity, ChatMessage
from protocol.graph import JsonObject
from protocol.project_answers import LandedAnswer, Projection, Reason
from protocol.sessions import RunOutcome, SessionStatus


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
class MessageChange:
    """A message as it is now."""

    kind: Literal["message"]
    id: str
    value: ChatMessage | None
    omitted: tuple[Omitted, ...] | Missing = MISSING


@frozen(kw_only=True)
class ActivityChange:
    """An activity as it is now."""

    kind: Literal["activity"]
    id: str
    value: ChatActivity | None
    omitted: tuple[Omitted, ...] | Missing = MISSING


@frozen(kw_only=True)
class SessionThingChange:
    """Any other thing of a session as it is now."""

    kind: Literal["session", "frame", "branch", "group", "segment"]
    id: str
    value: JsonObject | None
    omitted: tuple[Omitted, ...] | Missing = MISSING


SessionChange = MessageChange | ActivityChange | SessionThingChange


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
class SessionList:
    items: tuple[SessionSummary, ...]
    before: str | None


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
class AppliedCommands:
    """Commands that are in the file; ``page`` is the newest one where it was asked for.

    ``page``, then ``changes``, are null where a message could not hold them: fetch.
    """

    status: Literal["applied"]
    revision: int
    acknowledged: tuple[str, ...]
    reason: None
    session: SessionSummary
    changes: tuple[SessionChange, ...] | None
    page: SessionPage | None


@frozen(kw_only=True)
class RefusedCommands:
    """Commands of which none was done, and why; ``deferred`` may succeed once the run ended.

    ``acknowledged`` names those that were applied before.
    """

    status: Literal["deferred", "conflict", "rejected"]
    revision: int | None
    acknowledged: tuple[str, ...]
    reason: Reason
    session: SessionSummary | None
    changes: tuple[SessionChange, ...] | None
    page: SessionPage | None


SessionCommandsAnswer = AppliedCommands | RefusedCommands


@frozen(kw_only=True)
class EventsAnswer:
    """What became of a call; ``changes`` is null where a message could not hold them: fetch."""

    revision: int
    changed: bool
    ignored: Literal["run-ended", "repeated"] | None
    changes: tuple[SessionChange, ...] | None


@frozen(kw_only=True)
class SettleAnswer:
    """``outcome`` is the first one; ``interrupted`` where a start found the run's process gone."""

    revision: int
    changed: bool
    outcome: RunOutcome | Literal["interrupted"]
    session: SessionSummary


@frozen(kw_only=True)
class SessionExport:
    """Either the session, or where it was written."""

    session: JsonObject | Missing = MISSING
    path: str | Missing = MISSING
    bytes: int | Missing = MISSING


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
class SessionHalf:
    """The chat's side of restoreToMessage."""

    revision: int
    acknowledged: tuple[str, ...]
    changes: tuple[SessionChange, ...] | None


@frozen(kw_only=True)
class RestoredAnswer(LandedAnswer):
    """A :class:`~protocol.project_answers.LandedAnswer` with the chat's half."""

    session: SessionHalf | None


@frozen(kw_only=True)
class RefusedRestoreAnswer:
    """A :class:`~protocol.project_answers.RefusedAnswer` for both halves; ``deferred`` is possible too."""

    status: Literal["conflict", "rejected", "deferred"]
    action_id: str | None
    revision_id: None
    changed: Literal[False]
    effects: None
    reason: Reason
    projection: Projection | None
    changes: tuple[WireChange, ...] | None
    session: SessionHalf | None


RestoreAnswer = RestoredAnswer | RefusedRestoreAnswer


@frozen(kw_only=True)
class SessionChanged:
    session_id: str
    project_id: str
    revision: int
    cause: Literal["created", "commands", "events", "settled", "meta", "restored", "deleted"]
    changes: tuple[SessionChange, ...] | None
    origin: Literal["self", "other"]
