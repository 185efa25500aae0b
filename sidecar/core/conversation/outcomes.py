"""What a caller is told about a refusal: status, stable code, whether a retry can help, details.

Whether an id is unknown is decided only here, where a rule has refused already, so that the order
of the checks stays as the format has it.
"""

import enum
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from attrs import evolve, frozen

from sidecar.core import json_pointer
from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import (
    ConversationDeferredError,
    ConversationError,
    ConversationMaterializationError,
    ConversationSchemaError,
    Issue,
)
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.values import Command, JsonObject


class Status(enum.StrEnum):
    """How a batch of commands was answered, other than applied."""

    DEFERRED = "deferred"
    CONFLICT = "conflict"
    REJECTED = "rejected"


@frozen
class Outcome:
    """The answer to a refused batch; `details` has `index` and `commandId` of the command."""

    status: Status
    code: str
    message: str
    retryable: bool
    details: Mapping[str, Any]


class Facts(Protocol):
    """What an answer tells of the session; every method may be asked for ids of any kind."""

    def has_branch(self, identity: str) -> bool: ...

    def has_activity(self, identity: str) -> bool: ...

    def role_of(self, message_id: str) -> str | None:
        """The role of a message of the session, None for an unknown one."""
        ...

    def branch_state(self) -> JsonObject:
        """`activeBranchId` and `headMessageId` (null where empty) of the root frame."""
        ...

    def active_run(self) -> JsonObject | None: ...

    def last_run(self) -> JsonObject | None: ...


class SessionFacts:
    """The facts of a session in memory, as a refused batch met them.

    The refusal has taken the batch back, so the commands before the refused one are given as well:
    what they had brought is known.
    """

    def __init__(self, session: SessionGraph, commands: Iterable[Command] = ()) -> None:
        self._session = session
        self._branches: set[str] = set()
        self._messages: set[str] = set()
        for command in commands:
            if command["kind"] in {"fork-message", "fork-activity"}:
                self._branches.add(command["branchId"])
            elif command["kind"] == "append-user":
                self._messages.add(command["message"]["id"])

    def has_branch(self, identity: str) -> bool:
        return identity in self._branches or self._session.index.branch(identity) is not None

    def has_activity(self, identity: str) -> bool:
        return self._session.index.activity(identity) is not None

    def role_of(self, message_id: str) -> str | None:
        message = self._session.index.message(message_id)
        if message is None:
            return "user" if message_id in self._messages else None
        role: str = message["role"]
        return role

    def branch_state(self) -> JsonObject:
        branch = self._session.root_branch
        return {
            "activeBranchId": branch["id"],
            "headMessageId": branch.get("headMessageId") or None,
        }

    def active_run(self) -> JsonObject | None:
        return self._session.active_run

    def last_run(self) -> JsonObject | None:
        return self._session.last_run


class NoFacts:
    """Where a session could not be read, or was not needed."""

    def has_branch(self, _identity: str) -> bool:
        return True

    def has_activity(self, _identity: str) -> bool:
        return True

    def role_of(self, _message_id: str) -> str | None:
        return "user"

    def branch_state(self) -> JsonObject:
        return {"activeBranchId": None, "headMessageId": None}

    def active_run(self) -> JsonObject | None:
        return None

    def last_run(self) -> JsonObject | None:
        return None


def outcome_of(error: ConversationError, facts: Facts) -> Outcome:
    """How a batch that a rule refused is answered."""
    if isinstance(error, ConversationSchemaError):
        issues = _issues(error, "/commands")
        return _told(error, Status.REJECTED, "invalid-command", issues=issues)
    if isinstance(error, ConversationMaterializationError):
        details = {"phase": error.phase, "check": error.cause.check.value}
        return _told(error, Status.REJECTED, "session-damaged", **details)
    if error.check in _REJECTED:
        return _told(error, Status.REJECTED, _REJECTED[error.check])
    if isinstance(error, ConversationDeferredError):
        return _run_active(error, facts, Status.DEFERRED)
    return _by_facts(error, facts)


def import_refusal(error: ConversationError) -> tuple[str, JsonObject]:
    """Code and details of a session that cannot be created or imported.

    `details` has `phase` (`shape`, `create`, `messages` or `activities`) and `check`; the paths
    of issues lead into the session.
    """
    if isinstance(error, ConversationSchemaError):
        return "invalid-session", {
            "phase": "shape",
            "check": error.check.value,
            "issues": _issues(error),
        }
    if isinstance(error, ConversationMaterializationError):
        return "invalid-session", {"phase": error.phase, "check": error.cause.check.value}
    return "invalid-session", {"phase": "graph", "check": error.check.value}


def events_refusal(error: ConversationError) -> tuple[str, JsonObject]:
    """Code and details of a runtime's call that was not written."""
    if error.check is Check.RUN_UNKNOWN:
        return "session-state", dict(error.details)
    details: JsonObject = {"check": error.check.value, **error.details}
    if isinstance(error, ConversationSchemaError):
        details["issues"] = _issues(error)
    return "invalid-events", details


def _by_facts(error: ConversationError, facts: Facts) -> Outcome:
    match error.check:
        case Check.BRANCH_MOVED | Check.FORK_NOT_POSSIBLE:
            return _unknown_id(error, facts) or _moved(error, facts)
        case Check.SELECT_NOT_POSSIBLE if facts.active_run():
            return _run_active(error, facts, Status.CONFLICT)
        case Check.SELECT_NOT_POSSIBLE:
            return _moved(error, facts)
        case Check.RUN_ACTIVE:
            return _run_active(error, facts, Status.CONFLICT)
        case Check.RUN_SETTLED:
            return _told(error, Status.CONFLICT, "run-settled", lastRun=facts.last_run())
        case Check.RECOVERY_GONE:
            return _told(error, Status.CONFLICT, "recovery-gone")
        case Check.VIEW_NOT_ROOT:
            return _told(error, Status.CONFLICT, "view-not-root")
        case Check.PROMPT_NOT_ACTIVE | Check.RUN_PROMPT_OFF_BRANCH:
            return _unknown_id(error, facts) or _no_prompt(error, facts) or _hidden(error)
        case Check.FORK_MESSAGE_NOT_ACTIVE | Check.FORK_ACTIVITY_NOT_ACTIVE:
            return _unknown_id(error, facts) or _hidden(error)
        case _:
            return _told(error, Status.REJECTED, "invalid-message", check=error.check.value)


def _run_active(error: ConversationError, facts: Facts, status: Status) -> Outcome:
    told = _told(error, status, "run-active", activeRun=facts.active_run())
    return evolve(told, retryable=True)


def _moved(error: ConversationError, facts: Facts) -> Outcome:
    return _told(error, Status.CONFLICT, "branch-moved", **facts.branch_state())


def _hidden(error: ConversationError) -> Outcome:
    return _told(error, Status.CONFLICT, "not-on-branch", **error.details)


def _no_prompt(error: ConversationError, facts: Facts) -> Outcome | None:
    for message_id in _named_messages(error.command or {}):
        if facts.role_of(message_id) != "user":
            return _told(error, Status.REJECTED, "not-a-prompt", messageId=message_id)
    return None


def _unknown_id(error: ConversationError, facts: Facts) -> Outcome | None:
    """The rejection of a command that names something the session does not have."""
    command = error.command or {}
    branch_key = "branchId" if command.get("kind") == "append-user" else "parentBranchId"
    branch_id = command.get(branch_key)
    if isinstance(branch_id, str) and not facts.has_branch(branch_id):
        return _told(error, Status.REJECTED, "unknown-branch", branchId=branch_id)
    for message_id in _named_messages(command):
        if facts.role_of(message_id) is None:
            return _told(error, Status.REJECTED, "unknown-message", messageId=message_id)
    activity_id = command.get("activityId")
    if isinstance(activity_id, str) and not facts.has_activity(activity_id):
        return _told(error, Status.REJECTED, "unknown-activity", activityId=activity_id)
    return None


def _named_messages(command: JsonObject) -> list[str]:
    run = command.get("run") or {}
    named = (
        command.get("parentMessageId"),
        command.get("messageId"),
        run.get("promptMessageId"),
    )
    return [one for one in named if isinstance(one, str)]


def _told(error: ConversationError, status: Status, code: str, **details: Any) -> Outcome:
    about = {"index": error.index, "commandId": error.command_id}
    message = _SENTENCES.get(code, error.message)
    return Outcome(status, code, message, retryable=False, details={**about, **details})


def _issues(error: ConversationSchemaError, at: str = "") -> list[JsonObject]:
    return [
        {"path": at + pointer_of(one), "message": one.message or "none of the values it can have"}
        for one in error.issues
    ]


def pointer_of(issue: Issue) -> str:
    """Return a fault's place as a JSON Pointer."""
    return "".join(f"/{json_pointer.escaped(str(step))}" for step in issue.path)


_SENTENCES: Final[Mapping[str, str]] = {
    "run-active": "The assistant is at work in this chat; wait until its run has ended, or end it.",
    "branch-moved": "The chat has moved on since this was written.",
    "not-on-branch": "This is not on the branch that is shown.",
    "not-a-prompt": "Only a person's message can be edited or answered.",
    "unknown-branch": "There is no such branch in this session.",
    "unknown-message": "There is no such message in this session.",
    "unknown-activity": "There is no such activity in this session.",
}
"""What is told of codes that several checks lead to, each with a sentence that fits it alone."""
_REJECTED: Final[Mapping[Check, str]] = {
    Check.COMMAND_UNKNOWN: "invalid-command",
    Check.COMMAND_IDENTITY: "invalid-command",
    Check.NOT_A_USER_MESSAGE: "invalid-command",
    Check.MESSAGE_ABSENT: "message-missing",
    Check.COMMAND_ID_USED: "command-id-reused",
    Check.MESSAGE_ID_USED: "message-id-reused",
    Check.BRANCH_ID_USED: "branch-id-reused",
    Check.BRANCH_EXISTS: "branch-id-reused",
    Check.SEGMENT_ID_USED: "segment-id-reused",
    Check.SELECTED_BRANCH_FOREIGN: "unknown-branch",
    Check.FORK_ACTIVITY_OFF_PATH: "fork-before-prompt",
    Check.ROOT_FRAME_DAMAGED: "session-damaged",
    Check.ROOT_BRANCH_DAMAGED: "session-damaged",
    Check.WALK_CYCLE: "session-damaged",
}
