"""Commands from outside, checked and reduced to what they mean (5).

A command's message is replaced by the submitted session's own, so a command cannot smuggle graph
keys in.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import (
    ConversationRefusedError,
    ConversationSchemaError,
    Issue,
)
from sidecar.core.conversation.records import project
from sidecar.core.conversation.shapes import (
    Fields,
    Optional,
    identity,
    list_of,
    model,
    one_of,
    record,
    time,
    union,
)
from sidecar.core.conversation.values import ABSENT, Command, JsonObject

MOST_COMMANDS: Final = 256
FRAMEWORKS: Final = ("claude-code", "opencode", "codex", "codebuddy")

_COMMAND: Final[Fields] = {"id": identity, "timestamp": time}
_SEGMENT: Final[Fields] = {
    "id": identity,
    "frameworkId": one_of(*FRAMEWORKS),
    "providerId": Optional(identity),
    "backendId": Optional(identity),
    "model": Optional(model),
    "startedAt": time,
}
_RUN: Final[Fields] = {"promptMessageId": identity, "startedAt": time}
_MESSAGE: Final[Fields] = {"id": identity, "role": one_of("user")}
_FORK: Final[Fields] = {"branchId": identity, "parentBranchId": identity, "messageId": identity}
_NESTED: Final[dict[str, Fields]] = {"segment": _SEGMENT, "run": _RUN}

KINDS: Final[dict[str, Fields]] = {
    "append-user": {
        "branchId": identity,
        "parentMessageId": Optional(identity),
        "message": record(_MESSAGE),
    },
    "fork-message": _FORK,
    "fork-activity": {**_FORK, "activityId": identity},
    "select-branch": {"branchId": identity, "previousBranchId": identity},
    "open-segment": {"segment": record(_SEGMENT)},
    # The graph run that works beside it is ours: the public program knows no such key.
    "start-run": {"run": record(_RUN), "graphRunId": Optional(identity)},
    "resume-run": {"run": record(_RUN)},
}

_COMMANDS: Final = list_of(
    union("kind", {kind: record({**_COMMAND, **fields}) for kind, fields in KINDS.items()}),
    most=MOST_COMMANDS,
)


def sanitize(value: object, submitted: object = None) -> list[Command]:
    """The commands of a request; ABSENT stands for a request without any.

    `submitted` is a session, or the part of one with `messages` or `conversationGraph`. Raises
    ConversationSchemaError with every fault, or refuses with MESSAGE_ABSENT.
    """
    if value is ABSENT:
        return []
    issues = list(_COMMANDS(value))
    if issues:
        raise _faulty(value, issues)
    assert isinstance(value, list)
    return [_sanitized(place, command, submitted) for place, command in enumerate(value)]


def own_messages(value: object) -> JsonObject:
    """A submitted session for callers that send none: the messages of the commands themselves."""
    commands = value if isinstance(value, list) else []
    messages = (one.get("message") for one in commands if isinstance(one, dict))
    return {"messages": [message for message in messages if isinstance(message, dict)]}


def _faulty(value: object, issues: Sequence[Issue]) -> ConversationSchemaError:
    """The refusal of a batch, which concerns the first faulty command."""
    error = ConversationSchemaError(issues)
    place = issues[0].path[0] if issues[0].path else None
    if isinstance(value, list) and isinstance(place, int):
        command = value[place]
        error.concerning(place, command if isinstance(command, dict) else {})
    return error


def _sanitized(place: int, command: Command, submitted: object) -> Command:
    kind = command["kind"]
    reduced = _taken(command, {**_COMMAND, **KINDS[kind]})
    reduced["kind"] = kind
    for key in _NESTED.keys() & reduced.keys():
        reduced[key] = _taken(reduced[key], _NESTED[key])
    if kind == "append-user":
        message = _submitted_message(submitted, command["message"]["id"])
        if message is None:
            error = ConversationRefusedError(
                Check.MESSAGE_ABSENT, messageId=command["message"]["id"]
            )
            error.concerning(place, command)
            raise error
        reduced["message"] = project(message)
    return reduced


def _taken(value: JsonObject, fields: Fields) -> JsonObject:
    return {key: value[key] for key in fields if key in value}


def _submitted_message(submitted: object, message_id: str) -> JsonObject | None:
    for message in _submitted_messages(submitted):
        if message.get("id") == message_id and message.get("role") == "user":
            return message
    return None


def _submitted_messages(submitted: Any) -> Iterator[JsonObject]:
    """The messages of the submitted graph, then those of its flat list; other values are skipped."""
    session = submitted if isinstance(submitted, dict) else {}
    graph = session.get("conversationGraph")
    for holder in (graph, session):
        messages = holder.get("messages") if isinstance(holder, dict) else None
        if isinstance(messages, list):
            yield from (message for message in messages if isinstance(message, dict))
