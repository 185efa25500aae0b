"""What a person's message must have to be read again: types that fit, and defaults for the rest."""

from collections.abc import Iterable

from sidecar.core.conversation.errors import ConversationSchemaError
from sidecar.core.conversation.session_shape import message_issues
from sidecar.core.conversation.values import Command, JsonObject


def completed(commands: Iterable[Command]) -> list[Command]:
    """Sanitized commands whose messages have every key that a stored message has.

    Raises ConversationSchemaError for the first command whose message has a key of a wrong type.
    """
    return [_completed(place, command) for place, command in enumerate(commands)]


def complete_message(message: JsonObject, *, at: float) -> JsonObject:
    """The message with defaults for missing keys; `at` is when it was written."""
    created_at = message.get("createdAt", at)
    defaults: JsonObject = {
        "content": "",
        "status": "complete",
        "eventIds": [],
        "createdAt": created_at,
        "updatedAt": created_at,
    }
    missing = {key: value for key, value in defaults.items() if key not in message}
    return {**message, **missing} if missing else message


def _completed(place: int, command: Command) -> Command:
    if command["kind"] != "append-user":
        return command
    issues = [issue.below(place, "message") for issue in message_issues(command["message"])]
    if issues:
        error = ConversationSchemaError(issues)
        error.concerning(place, command)
        raise error
    return {**command, "message": complete_message(command["message"], at=command["timestamp"])}
