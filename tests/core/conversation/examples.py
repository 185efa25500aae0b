"""Small sessions that the tests of this folder start from."""

from typing import Any

from sidecar.core.conversation.materialize import materialize
from sidecar.core.conversation.values import JsonObject, Session

ROOT = "message-branch-s"


def flat(identity: str, role: str = "user", *, at: float = 10, **more: Any) -> JsonObject:
    return {
        "id": identity,
        "role": role,
        "content": f"text of {identity}",
        "status": "complete",
        "eventIds": [],
        "createdAt": at,
        "updatedAt": at,
        **more,
    }


def reply(identity: str, to: str, *, at: float = 10, **more: Any) -> JsonObject:
    return flat(identity, "agent", at=at, responseToMessageId=to, **more)


def tool(identity: str, prompt: str, *, at: float = 10, **more: Any) -> JsonObject:
    return {
        "id": identity,
        "kind": "tool",
        "title": identity,
        "status": "completed",
        "sortIndex": 0,
        "eventIds": [],
        "createdAt": at,
        "updatedAt": at,
        "promptMessageId": prompt,
        **more,
    }


def session(*messages: JsonObject, **more: Any) -> Session:
    """A materialized session with id `s` and these messages in one line."""
    return materialize(
        {
            "id": "s",
            "projectId": "p",
            "title": "t",
            "status": "idle",
            "messages": list(messages),
            "createdAt": 1,
            "updatedAt": 20,
            **more,
        }
    )


def command(identity: str, kind: str, *, at: float = 30, **fields: Any) -> JsonObject:
    return {"id": identity, "kind": kind, "timestamp": at, **fields}


def append(identity: str, message: JsonObject, *, after: str | None, **more: Any) -> JsonObject:
    parent: dict[str, Any] = {} if after is None else {"parentMessageId": after}
    branch = more.pop("branch", ROOT)
    return command(identity, "append-user", branchId=branch, message=message, **parent, **more)
