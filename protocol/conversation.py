"""The open JSON inside chat sessions, as far as a host has to know it.

These types describe: the engine reads the keys it knows, keeps a message's other keys and drops
a command's.  Times are numbers, milliseconds since 1970 UTC, fractions allowed; ids are 1 to 256
UTF-16 units.
"""

from typing import Final, Literal

from attrs import frozen

from protocol.commands import MISSING, Missing

MessageRole = Literal["user", "agent"]
MessageStatus = Literal["complete", "streaming", "error"]
Framework = Literal["claude-code", "opencode", "codex", "codebuddy"]
ActivityStatus = Literal["pending", "in_progress", "completed", "failed"]


@frozen(kw_only=True)
class ChatMessage:
    """A prompt (``user``) or a reply (``agent``).  Other keys are kept as sent."""

    id: str
    role: MessageRole
    content: str | Missing = MISSING
    status: MessageStatus | Missing = MISSING
    created_at: float | Missing = MISSING
    updated_at: float | Missing = MISSING
    response_to_message_id: str | Missing = MISSING


@frozen(kw_only=True)
class AgentMessage:
    """A message as the agent's run writes it: a new reply, or keys of a message that is there.

    Only ``id`` is needed; the run knows the rest.  The prompt may be written to as well, and
    nobody's role changes.  Other keys are kept as sent.
    """

    id: str
    role: MessageRole | Missing = MISSING
    content: str | Missing = MISSING
    status: MessageStatus | Missing = MISSING
    created_at: float | Missing = MISSING
    updated_at: float | Missing = MISSING
    response_to_message_id: str | Missing = MISSING


@frozen(kw_only=True)
class ChatActivity:
    """A tool call of the agent.  Other keys are kept as sent."""

    id: str
    kind: Literal["tool"] | Missing = MISSING
    title: str | Missing = MISSING
    status: ActivityStatus | Missing = MISSING
    sort_index: float | Missing = MISSING
    prompt_message_id: str | Missing = MISSING
    activity_group_id: str | Missing = MISSING
    created_at: float | Missing = MISSING
    updated_at: float | Missing = MISSING


@frozen(kw_only=True)
class RunOfPrompt:
    """Which prompt the agent works on, and since when."""

    prompt_message_id: str
    started_at: float


@frozen(kw_only=True)
class SegmentSeed:
    """A stretch of the conversation that one provider context serves."""

    id: str
    framework_id: Framework
    provider_id: str | Missing = MISSING
    backend_id: str | Missing = MISSING
    model: str | Missing = MISSING
    started_at: float


@frozen(kw_only=True)
class AppendUser:
    """Add a prompt at the end of a branch; ``parent_message_id`` is the head the host saw."""

    id: str
    timestamp: float
    branch_id: str
    parent_message_id: str | Missing = MISSING
    message: ChatMessage


@frozen(kw_only=True)
class ForkMessage:
    """Edit a prompt: the new branch ``branch_id`` begins right before ``message_id``."""

    id: str
    timestamp: float
    branch_id: str
    parent_branch_id: str
    message_id: str


@frozen(kw_only=True)
class ForkActivity:
    """Continue on a new branch after ``message_id`` and before ``activity_id``."""

    id: str
    timestamp: float
    branch_id: str
    parent_branch_id: str
    message_id: str
    activity_id: str


@frozen(kw_only=True)
class SelectBranch:
    """Show another branch; ``previous_branch_id`` is the one the host shows now."""

    id: str
    timestamp: float
    branch_id: str
    previous_branch_id: str


@frozen(kw_only=True)
class OpenSegment:
    """A new provider context begins."""

    id: str
    timestamp: float
    segment: SegmentSeed


@frozen(kw_only=True)
class StartAgentRun:
    """The agent begins to work on a prompt; ``graph_run_id`` names the run that edits the graph."""

    id: str
    timestamp: float
    run: RunOfPrompt
    graph_run_id: str | Missing = MISSING


@frozen(kw_only=True)
class ResumeAgentRun:
    """The agent takes an interrupted prompt up again."""

    id: str
    timestamp: float
    run: RunOfPrompt


ConversationCommand = (
    AppendUser
    | ForkMessage
    | ForkActivity
    | SelectBranch
    | OpenSegment
    | StartAgentRun
    | ResumeAgentRun
)

COMMAND_KINDS: Final[dict[str, type[ConversationCommand]]] = {
    "append-user": AppendUser,
    "fork-message": ForkMessage,
    "fork-activity": ForkActivity,
    "select-branch": SelectBranch,
    "open-segment": OpenSegment,
    "start-run": StartAgentRun,
    "resume-run": ResumeAgentRun,
}
