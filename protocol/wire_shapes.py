"""What the wire types alone do not say: unions by kind, free JSON with known keys, refined fields.

The code reads some JSON step by step, so its declared type is an object; a host still has to know
what may stand in it.
"""

from typing import Any, Final, Literal, Union

from protocol.commands import KIND_OF, PAYLOAD_KINDS, InnerPayload, Payload
from protocol.conversation import (
    COMMAND_KINDS,
    AgentMessage,
    ChatActivity,
    ChatMessage,
    ConversationCommand,
    RunOfPrompt,
    SegmentSeed,
)
from protocol.errors import COMMAND_CODES, CONFLICT_CODES, REQUEST_FAILED_CODES, SESSION_CODES
from protocol.graph import Component, Document, Edge, Group, Node, Subgraph
from protocol.lifecycle import ClientInfo, InitializeParams
from protocol.project_answers import CommitAnswer, Reason
from protocol.projects import CommitParams, CreateDraftParams
from protocol.session_answers import (
    RestoreAnswer,
    SessionChange,
    SessionCommandsAnswer,
    SessionGraphPage,
    SessionPage,
)
from protocol.sessions import (
    ApplySessionCommandsParams,
    CreateSessionParams,
    RecordSessionEventsParams,
    RestoreToMessageParams,
)

DRAFT_FORBIDDEN: Final = frozenset({"open-native", "restore-revision"})
DraftPayload: Any = Union[tuple(c for k, c in PAYLOAD_KINDS.items() if k not in DRAFT_FORBIDDEN)]  # noqa: UP007 -- built at run time

ConflictCode: Any = Literal[CONFLICT_CODES]
RejectionCode: Any = Literal[COMMAND_CODES]
SessionCode: Any = Literal[SESSION_CODES]
RequestFailedCode: Any = Literal[REQUEST_FAILED_CODES]

CODES: Final[dict[Any, str]] = {
    ConflictCode: "ConflictCode",
    RejectionCode: "RejectionCode",
    SessionCode: "SessionCode",
    RequestFailedCode: "RequestFailedCode",
}
"""Sets of codes that hosts may branch on, and what a schema calls them."""

UNIONS: Final[dict[Any, tuple[str, str]]] = {
    Payload: ("Payload", "Every change a graph can be asked to make, told apart by `kind`."),
    InnerPayload: ("InnerPayload", "What may run inside a definition."),
    DraftPayload: ("DraftPayload", "What a draft may hold."),
    ConversationCommand: (
        "ConversationCommand",
        "Every change a conversation can be asked to make, told apart by `kind`.",
    ),
    SessionChange: ("SessionChange", "One thing of a session as it is now."),
    CommitAnswer: (
        "CommitAnswer",
        "What became of a command, and how the project stands now, told apart by `status`.",
    ),
    RestoreAnswer: ("RestoreAnswer", "What became of chat and graph, told apart by `status`."),
    SessionCommandsAnswer: (
        "SessionCommandsAnswer",
        "What became of conversation commands, told apart by `status`.",
    ),
}
KINDS: Final[dict[Any, str]] = {
    **KIND_OF,
    **{cl: kind for kind, cl in COMMAND_KINDS.items()},
}
OPEN: Final = frozenset(
    {
        *COMMAND_KINDS.values(),
        AgentMessage,
        ChatActivity,
        ChatMessage,
        ClientInfo,
        InitializeParams,
        RunOfPrompt,
        SegmentSeed,
    }
)
"""Free JSON of which some keys are known, in either direction."""

REFINED: Final[dict[tuple[type, str], Any]] = {
    (CommitParams, "payload"): Payload,
    (CreateDraftParams, "payloads"): tuple.__class_getitem__((DraftPayload, ...)),
    (Reason, "code"): ConflictCode | RejectionCode | SessionCode,
    (ApplySessionCommandsParams, "commands"): tuple[ConversationCommand, ...],
    (RestoreToMessageParams, "commands"): tuple[ConversationCommand, ...],
    (CreateSessionParams, "messages"): tuple[ChatMessage, ...] | None,
    (RecordSessionEventsParams, "messages"): tuple[AgentMessage, ...],
    (RecordSessionEventsParams, "activities"): tuple[ChatActivity, ...],
    (SessionPage, "messages"): tuple[ChatMessage, ...],
    (SessionPage, "activities"): tuple[ChatActivity, ...],
    (SessionGraphPage, "messages"): tuple[ChatMessage, ...],
    (SessionGraphPage, "activities"): tuple[ChatActivity, ...],
}
"""Where the code reads free JSON step by step, what that JSON has to be."""

CHANGE_VALUES: Final[dict[str, Any]] = {
    "node": Node,
    "edge": Edge,
    "group": Group,
    "subgraph": Subgraph,
    "component": Component,
    "document": Document,
    "title": str,
}
