"""The shape of a session's JSON, checked before any rule looks at a session from outside.

Only what the rules read is looked at: every other key passes through as it is. References may be
missing, null or empty, which all mean none.
"""

from collections.abc import Iterator
from typing import Final

from sidecar.core.conversation.errors import ConversationSchemaError, Issue
from sidecar.core.conversation.records import (
    ACTIVITIES,
    BRANCHES,
    FRAMES,
    GROUPS,
    MESSAGES,
    SEGMENTS,
)
from sidecar.core.conversation.shapes import (
    Fields,
    Optional,
    Shape,
    anything,
    identity,
    list_of,
    nullable,
    number,
    one_of,
    record,
    text,
    text_between,
)
from sidecar.core.conversation.values import Session

STATUSES: Final = (
    "idle",
    "running",
    "waiting-for-user",
    "waiting-permission",
    "waiting-plan-approval",
    "error",
)
# Derived ids contain a session's id, so they may be longer than an id of a command.
_LONGEST_ID: Final = 1024

_id: Final = text_between(1, _LONGEST_ID)
_reference: Final = Optional(nullable(text))
_time: Final = Optional(nullable(number))
_role: Final = one_of("user", "agent")

_RUN: Final = record({"promptMessageId": text, "startedAt": number})
_MESSAGE: Final[Fields] = {
    "id": _id,
    "role": _role,
    "content": Optional(text),
    "createdAt": number,
    "updatedAt": number,
    "responseToMessageId": _reference,
}
_ACTIVITY: Final[Fields] = {
    "id": _id,
    "createdAt": number,
    "updatedAt": Optional(number),
    "sortIndex": number,
    "promptMessageId": _reference,
    "activityGroupId": _reference,
    "providerToolName": Optional(anything),
}
_GROUP: Final[Fields] = {
    "id": _id,
    "createdAt": number,
    "updatedAt": Optional(number),
    "sortIndex": Optional(number),
    "activityIds": list_of(text),
    "promptMessageId": _reference,
}
_PLACED: Final[Fields] = {"agentFrameId": text, "messageBranchId": text, "promptMessageId": text}
_GRAPH: Final[Fields] = {
    "schemaVersion": number,
    "rootFrameId": text,
    "activeFrameId": text,
    FRAMES: list_of(
        record(
            {
                "id": _id,
                "kind": text,
                "originBindingState": text,
                "activeBranchId": text,
                "parentFrameId": _reference,
                "originMessageId": _reference,
            }
        )
    ),
    BRANCHES: list_of(
        record(
            {
                "id": _id,
                "agentFrameId": text,
                "parentBranchId": _reference,
                "headMessageId": _reference,
                "forkMessageId": _reference,
                "forkActivityId": _reference,
                "supersededMessageId": _reference,
                "createdAt": number,
                "updatedAt": number,
            }
        )
    ),
    MESSAGES: list_of(
        record(
            {
                **_MESSAGE,
                "agentFrameId": text,
                "introducedOnBranchId": text,
                "parentMessageId": _reference,
                "revisionRootMessageId": _reference,
                "supersedesMessageId": _reference,
                "runtimeSegmentId": _reference,
            }
        )
    ),
    ACTIVITIES: list_of(record({**_ACTIVITY, **_PLACED, "runtimeSegmentId": _reference})),
    GROUPS: list_of(record({**_GROUP, **_PLACED})),
    SEGMENTS: list_of(
        record({"id": _id, "agentFrameId": text, "startedAt": _time, "endedAt": _time})
    ),
}
_SESSION: Final[Fields] = {
    "id": _id,
    "status": one_of(*STATUSES),
    "createdAt": number,
    "updatedAt": number,
    "revision": _time,
    MESSAGES: list_of(record(_MESSAGE)),
    ACTIVITIES: Optional(nullable(list_of(record(_ACTIVITY)))),
    GROUPS: Optional(nullable(list_of(record(_GROUP)))),
    "activeRun": Optional(nullable(_RUN)),
    "runtimeTranscriptLastRun": Optional(nullable(_RUN)),
    "runtimeConversationCommandIds": Optional(nullable(list_of(text))),
    "resumeRecovery": Optional(nullable(record({"promptMessageId": _reference}))),
    "pendingHistoryReplay": Optional(nullable(record({"messageId": _reference}))),
    "agentConfiguration": Optional(nullable(record({"providerId": _reference}))),
    "conversationGraph": Optional(nullable(record(_GRAPH))),
}


def check_session_shape(session: object) -> Session:
    """The session, if every rule can read it; else ConversationSchemaError with every fault."""
    issues = list(session_issues(session))
    if issues:
        raise ConversationSchemaError(issues)
    assert isinstance(session, dict)
    return session


def session_issues(session: object) -> Iterator[Issue]:
    yield from _session(session)


def message_issues(message: object) -> Iterator[Issue]:
    """Faults of a flat message; of its keys only the id is required."""
    yield from _flat_message(message)


def activity_issues(activity: object) -> Iterator[Issue]:
    """Faults of a flat activity; of its keys only the id is required."""
    yield from _flat_activity(activity)


def group_issues(group: object) -> Iterator[Issue]:
    """Faults of a flat group; of its keys only the id is required."""
    yield from _flat_group(group)


_any_list: Final = list_of(anything)
_session: Final[Shape] = record(_SESSION)
_flat_message: Final[Shape] = record(
    {
        "id": identity,
        "role": Optional(_role),
        "content": Optional(text),
        "status": Optional(one_of("complete", "streaming", "error")),
        "createdAt": Optional(number),
        "updatedAt": Optional(number),
        "responseToMessageId": _reference,
        "eventIds": Optional(_any_list),
        "parts": Optional(_any_list),
        "uploads": Optional(_any_list),
    }
)
_flat_activity: Final[Shape] = record(
    {
        "id": identity,
        "kind": Optional(text),
        "title": Optional(text),
        "status": Optional(one_of("pending", "in_progress", "completed", "failed")),
        "sortIndex": Optional(number),
        "createdAt": Optional(number),
        "updatedAt": Optional(number),
        "promptMessageId": _reference,
        "activityGroupId": _reference,
        "eventIds": Optional(_any_list),
    }
)
_flat_group: Final[Shape] = record(
    {
        "id": identity,
        "title": Optional(text),
        "sortIndex": Optional(number),
        "createdAt": Optional(number),
        "updatedAt": Optional(number),
        "completedAt": _time,
        "promptMessageId": _reference,
        "activityIds": Optional(list_of(text)),
    }
)
