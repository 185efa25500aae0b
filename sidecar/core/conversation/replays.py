"""How a repeated command is told from another one with a used id (6.2, 6.3)."""

from typing import Final

from sidecar.core.conversation.records import project
from sidecar.core.conversation.values import (
    Command,
    JsonObject,
    same_key,
    same_value,
    without,
)

DIGESTED_MESSAGE_KEYS: Final = (
    "id",
    "role",
    "content",
    "parts",
    "uploads",
    "createdAt",
    "responseToMessageId",
)


def is_same_append(node: JsonObject, command: Command, *, root_frame_id: str) -> bool:
    return (
        node["agentFrameId"] == root_frame_id
        and node["introducedOnBranchId"] == command["branchId"]
        and same_key(node, command, "parentMessageId")
        and node["role"] == "user"
        and same_value(project(node), command["message"])
    )


def is_same_fork(branch: JsonObject, command: Command, *, root_frame_id: str) -> bool:
    if (
        branch["agentFrameId"] != root_frame_id
        or not same_key(branch, command, "parentBranchId")
        or not same_key(branch, command, "createdAt", "timestamp")
    ):
        return False
    if command["kind"] == "fork-message":
        return same_key(branch, command, "supersededMessageId", "messageId")
    return same_key(branch, command, "forkMessageId", "messageId") and same_key(
        branch, command, "forkActivityId", "activityId"
    )


def is_same_segment(stored: JsonObject, command: Command, *, root_frame_id: str) -> bool:
    return stored["agentFrameId"] == root_frame_id and same_value(
        without(stored, ("agentFrameId",)), command["segment"]
    )


def command_content(command: Command) -> JsonObject:
    """What a digest of a sanitized command covers.

    Of an appended message only what the person wrote counts: the rest may change while it runs.
    """
    message = command.get("message")
    if not isinstance(message, dict):
        return command
    return {
        **command,
        "message": {key: message[key] for key in DIGESTED_MESSAGE_KEYS if key in message},
    }
