"""Error codes a host may branch on.

JSON-RPC reserves -32768..-32000; -32803..-32800 are LSP's, used with LSP's meaning.
The text codes are closed sets: a released code never changes its meaning.
"""

from enum import IntEnum
from typing import Any, Final

from attrs import define, frozen


class ErrorCode(IntEnum):
    """The ``code`` member of a JSON-RPC error."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_NOT_INITIALIZED = -32002
    REQUEST_CANCELLED = -32800
    REQUEST_FAILED = -32803


STORAGE_CODES: Final = (
    "storage-full",
    "storage-readonly",
    "storage-io",
    "storage-busy",
    "storage-corrupt",
    "storage-newer",
    "storage-foreign",
    "storage-moved",
    "storage-indeterminate",
)
"""What can go wrong with the file itself."""

REQUEST_FAILED_CODES: Final = (
    "unknown-project",
    "unknown-run",
    "unknown-session",
    "unknown-revision",
    "pruned-revision",
    "unknown-draft",
    "unknown-subject",
    "run-state",
    "session-state",
    "id-in-use",
    *STORAGE_CODES,
    "draft-state",
    "invalid-session",
    "invalid-events",
    "session-damaged",
    "unknown-message",
    "unknown-branch",
    "unknown-activity",
    "unknown-frame",
    "no-recorded-revision",
    "not-a-prompt",
    "too-large",
    "invalid-path",
)
"""``data.code`` of a ``-32803`` answer."""

CONFLICT_CODES: Final = (
    "run-not-allowed",
    "run-not-running",
    "revision-moved",
    "run-behind",
    "run-open",
)
"""``reason.code`` of a commit-like answer with the status ``conflict``."""

REJECTION_CODES: Final = (
    "unknown-node",
    "unknown-edge",
    "unknown-port",
    "unknown-group",
    "unknown-subgraph",
    "unknown-component",
    "unknown-parameter",
    "unknown-io",
    "unknown-revision",
    "unknown-kind",
    "pruned-revision",
    "id-in-use",
    "id-retired",
    "invalid-name",
    "name-taken",
    "invalid-position",
    "wrong-direction",
    "self-connection",
    "duplicate-edge",
    "type-mismatch",
    "value-not-allowed",
    "would-create-cycle",
    "port-occupied",
    "cross-scope",
    "not-a-subgraph",
    "subgraph-recursion",
    "depth-limit",
    "size-limit",
    "node-in-other-group",
    "forbidden-in-subgraph",
    "invalid-component",
    "component-in-use",
    "invalid-process",
    "unreadable-content",
    "unknown-format",
    "unsupported-version",
    "empty-workflow",
    "invalid-command",
)
"""``reason.code`` of a payload that the rules refuse."""

COMMAND_CODES: Final = (
    *REJECTION_CODES,
    "unknown-project",
    "action-id-reused",
    "nothing-to-undo",
    "nothing-to-redo",
    "draft-state",
    "unknown-draft",
    *STORAGE_CODES,
)
"""``reason.code`` of a commit-like answer with the status ``rejected``."""

SESSION_CODES: Final = (
    "run-active",
    "branch-moved",
    "not-on-branch",
    "run-not-running",
    "run-settled",
    "recovery-gone",
    "view-not-root",
    "unknown-session",
    "unknown-branch",
    "unknown-message",
    "unknown-activity",
    "not-a-prompt",
    "no-recorded-revision",
    "fork-before-prompt",
    "invalid-command",
    "invalid-message",
    "message-missing",
    "command-id-reused",
    "message-id-reused",
    "branch-id-reused",
    "segment-id-reused",
    "session-damaged",
    *STORAGE_CODES,
)
"""``reason.code`` where conversation commands are refused.

``restoreToMessage`` has these beside those of a commit-like answer.
"""


@frozen
class Issue:
    """One fault of a value: where (a JSON Pointer) and what."""

    path: str
    message: str


@define
class InvalidParamsError(Exception):
    """A value does not have the declared shape; every fault found is listed."""

    issues: list[Issue]

    def __str__(self) -> str:
        return "; ".join(f"{issue.path or '/'}: {issue.message}" for issue in self.issues)


@define
class RequestFailedError(Exception):
    """A well-formed request that cannot be served: answered with ``-32803``.

    ``code`` is one of :data:`REQUEST_FAILED_CODES`; ``message`` is a sentence for the person.
    """

    code: str
    message: str
    details: dict[str, Any] | None = None
    retryable: bool = False

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"
