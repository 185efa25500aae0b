"""A host that chats over real stdio, and its commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Self

import pytest

from tests.client import Client, RpcError

SESSION = "s1"
BRANCH = f"message-branch-{SESSION}"
PROJECT = "p"


class Chat:
    """One sidecar on one database, with a session unless it is there already."""

    def __init__(self, client: Client, greeting: dict[str, Any]) -> None:
        self.client = client
        self.greeting = greeting["capabilities"]["experimental"]

    @classmethod
    def spawn(cls, database: Path, *arguments: str, **popen: Any) -> Self:
        command = [sys.executable, "-m", "sidecar", "--database", str(database), *arguments]
        client = Client.spawn(command, **popen)
        return cls(client, client.initialize())

    @classmethod
    def begin(cls, database: Path, *arguments: str, **popen: Any) -> Self:
        """Spawn on a new database, with a project and a session."""
        chat = cls.spawn(database, *arguments, **popen)
        chat.request("createProject", projectId=PROJECT, title="Project")
        chat.create(SESSION)
        return chat

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.client.kill()

    def request(self, method: str, **params: Any) -> Any:
        return self.client.request(method, params)

    def refusal(self, method: str, **params: Any) -> tuple[str, dict[str, Any]]:
        """Return code and details of a request that has to fail with -32803."""
        with pytest.raises(RpcError) as caught:
            self.client.request(method, params)
        assert caught.value.code == -32803
        return caught.value.data["code"], caught.value.data["details"]

    def create(self, session_id: str, **params: Any) -> Any:
        return self.request("createSession", projectId=PROJECT, sessionId=session_id, **params)

    def apply(self, *commands: dict[str, Any], session: str = SESSION, **params: Any) -> Any:
        return self.request(
            "applySessionCommands", sessionId=session, commands=list(commands), **params
        )

    def applied(self, *commands: dict[str, Any], session: str = SESSION) -> Any:
        answer = self.apply(*commands, session=session)
        assert answer["status"] == "applied", answer["reason"]
        return answer

    def events(self, prompt: str, started_at: float, session: str = SESSION, **params: Any) -> Any:
        return self.request(
            "recordSessionEvents",
            sessionId=session,
            promptMessageId=prompt,
            startedAt=started_at,
            **params,
        )

    def settle(
        self, prompt: str, started_at: float, outcome: str, session: str = SESSION, **params: Any
    ) -> Any:
        return self.request(
            "settleSessionRun",
            sessionId=session,
            promptMessageId=prompt,
            startedAt=started_at,
            outcome=outcome,
            **params,
        )

    def answer(self, prompt: str, started_at: float, *, reply: str, text: str) -> None:
        """Run a prompt to its end: one reply with a text."""
        self.applied(start_run(f"run-{prompt}-{started_at}", prompt, started_at))
        message = {"id": reply, "content": text, "status": "streaming"}
        self.events(prompt, started_at, messages=[message])
        self.settle(prompt, started_at, "completed")

    def export(self, session: str = SESSION) -> dict[str, Any]:
        exported: dict[str, Any] = self.request("exportSession", sessionId=session)["session"]
        return exported

    def transcript(self, branch: str | None = None, session: str = SESSION) -> list[str]:
        """Return the ids of all messages of a branch, the one in view by default."""
        ids: list[str] = []
        before = None
        while True:
            page = self.request(
                "getSession",
                sessionId=session,
                view="active",
                branchId=branch,
                before=before,
                limit=500,
            )
            ids = [one["id"] for one in page["messages"]] + ids
            before = page["before"]
            if before is None:
                return ids

    def summary(self, session: str = SESSION) -> dict[str, Any]:
        answer = self.request("getSession", sessionId=session, view="summary")
        found: dict[str, Any] = answer["session"]
        return found


def append(
    message_id: str,
    parent: str | None = None,
    *,
    content: str = "",
    branch: str = BRANCH,
    at: float = 10,
    command_id: str | None = None,
) -> dict[str, Any]:
    message = {
        "id": message_id,
        "role": "user",
        "content": content or f"text of {message_id}",
        "status": "complete",
        "eventIds": [],
        "createdAt": at,
        "updatedAt": at,
    }
    command = {
        "id": command_id or f"append-{message_id}",
        "kind": "append-user",
        "timestamp": at,
        "branchId": branch,
        "message": message,
    }
    return command if parent is None else {**command, "parentMessageId": parent}


def fork(
    branch_id: str, message_id: str, *, parent: str = BRANCH, at: float = 20
) -> dict[str, Any]:
    return {
        "id": f"fork-{branch_id}",
        "kind": "fork-message",
        "timestamp": at,
        "branchId": branch_id,
        "parentBranchId": parent,
        "messageId": message_id,
    }


def select(command_id: str, branch_id: str, previous: str, *, at: float = 30) -> dict[str, Any]:
    return {
        "id": command_id,
        "kind": "select-branch",
        "timestamp": at,
        "branchId": branch_id,
        "previousBranchId": previous,
    }


def start_run(
    command_id: str, prompt: str, started_at: float, *, kind: str = "start-run", **params: Any
) -> dict[str, Any]:
    return {
        "id": command_id,
        "kind": kind,
        "timestamp": started_at,
        "run": {"promptMessageId": prompt, "startedAt": started_at},
        **params,
    }


def add_frame(session: dict[str, Any], origin: str) -> None:
    """Add to an exported session another agent's frame ``child``, begun at a message."""
    graph = session["conversationGraph"]
    graph["frames"].append(
        {
            "id": "child",
            "parentFrameId": graph["rootFrameId"],
            "originMessageId": origin,
            "originBindingState": "validated",
            "kind": "delegate",
            "status": "completed",
            "activeBranchId": "child-branch",
            "createdAt": 5,
        }
    )
    graph["branches"].append(
        {"id": "child-branch", "agentFrameId": "child", "createdAt": 5, "updatedAt": 5}
    )
