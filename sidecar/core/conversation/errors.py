"""What session rules raise: a closed family, each with a stable check and what it is about."""

from collections.abc import Sequence
from typing import Any

from attrs import field, frozen

from sidecar.core.conversation.checks import MESSAGES, Check
from sidecar.core.conversation.values import Path


@frozen
class Issue:
    """One fault of a value's shape; `path` leads from the value to the fault.

    `message` says what was expected; two faults are the same whatever is said of them.
    """

    code: str
    path: Path
    message: str = field(default="", eq=False)

    def below(self, *prefix: str | int) -> "Issue":
        return Issue(self.code, (*prefix, *self.path), self.message)


class ConversationError(Exception):
    """A refusal; `index`, `command_id` and `command` name the command of a batch at fault."""

    def __init__(self, check: Check, **details: Any) -> None:
        super().__init__(MESSAGES[check])
        self.check = check
        self.details = details
        self.index: int | None = None
        self.command_id: str | None = None
        self.command: dict[str, Any] | None = None

    @property
    def message(self) -> str:
        return MESSAGES[self.check]

    def concerning(self, index: int, command: dict[str, Any]) -> None:
        """Remember which command of a batch was refused."""
        identity = command.get("id")
        self.index = index
        self.command_id = identity if isinstance(identity, str) else None
        self.command = command


class ConversationRefusedError(ConversationError):
    """A rule of the graph or of a command does not hold."""


class ConversationDeferredError(ConversationError):
    """Refused because a run is at work; the same may succeed once it has ended."""


class ConversationSchemaError(ConversationError):
    """A value that does not have the expected shape; `issues` names every fault."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        super().__init__(Check.SCHEMA)
        self.issues = tuple(issues)


class ConversationMaterializationError(ConversationError):
    """A session whose graph and lists do not fit together.

    `phase` is `create`, `messages` or `activities`; `cause` the check that failed in it.
    """

    def __init__(self, phase: str, cause: ConversationError) -> None:
        super().__init__(Check.MATERIALIZATION, phase=phase, cause=cause.check)
        self.phase = phase
        self.cause = cause


class ConversationRunError(ConversationError):
    """A call that names a run which is neither at work nor the one that ended last."""
