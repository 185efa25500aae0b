"""The part of a client that chats: messages, the assistant's runs and what they say."""

import random
from typing import Any

from attrs import define

from tests.faults.history import Call, Plan


@define
class Talker:
    """Chats in one session."""

    name: str
    rng: random.Random
    session_id: str
    head: str | None = None
    """The last message."""
    turn: dict[str, Any] | None = None
    """The assistant's run: its prompt, when it began, the last event's number."""
    count: int = 0

    def learn(self, call: Call) -> None:
        """Take in an answer."""
        if call.method == "exportSession" and call.result is not None:
            messages = call.result["session"]["messages"]
            self.head = messages[-1]["id"] if messages else None
            if "activeRun" not in call.result["session"]:
                self.turn = None

    def talk(self) -> list[Plan]:
        if self.turn is not None:
            return self._reply()
        starts = self.rng.random() < 0.3
        commands = [self._append() for _ in range(1 if starts else self.rng.randint(1, 3))]
        if starts:
            self.count += 1
            self.turn = {"promptMessageId": self.head, "startedAt": self.count, "eventSeq": 0}
            commands.append(
                {
                    "id": self._id("c"),
                    "kind": "start-run",
                    "timestamp": self.count,
                    "run": {"promptMessageId": self.head, "startedAt": self.turn["startedAt"]},
                }
            )
        params: dict[str, Any] = {"sessionId": self.session_id, "commands": commands}
        return [Plan("applySessionCommands", params)]

    def _append(self) -> dict[str, Any]:
        message_id, parent = self._id("m"), self.head
        message = {
            "id": message_id,
            "role": "user",
            "content": f"text of {message_id} " * self.rng.randint(1, 60),
            "status": "complete",
            "eventIds": [],
            "createdAt": self.count,
            "updatedAt": self.count,
        }
        self.head = message_id
        command = {
            "id": self._id("c"),
            "kind": "append-user",
            "timestamp": self.count,
            "branchId": f"message-branch-{self.session_id}",
            "message": message,
        }
        return command if parent is None else {**command, "parentMessageId": parent}

    def _reply(self) -> list[Plan]:
        assert self.turn is not None
        turn = {name: self.turn[name] for name in ("promptMessageId", "startedAt")}
        params: dict[str, Any] = {"sessionId": self.session_id, **turn}
        if self.rng.random() < 0.4:
            self.turn = None
            outcome = self.rng.choice(("completed", "cancelled", "error"))
            return [Plan("settleSessionRun", {**params, "outcome": outcome})]
        self.turn["eventSeq"] += 1
        self.head = self._id("m")
        message = {"id": self.head, "content": f"reply {self.head}", "status": "streaming"}
        params |= {"eventSeq": self.turn["eventSeq"], "messages": [message]}
        return [Plan("recordSessionEvents", params)]

    def _id(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}-{self.name}-{self.count}"
