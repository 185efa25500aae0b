"""Processes that tests kill, and the pipe to each of them, all written into one history."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from attrs import define, field

from tests.client import Client, ProcessGoneError
from tests.faults.history import Call, History, Plan

TIMEOUT: Final = 30.0


@define
class Life:
    """One process on the database."""

    number: int
    client: Client
    history: History
    waiting: dict[int, Call] = field(factory=dict)
    """Calls by the id of their request, in the order of their sending."""
    greeted: bool = False
    dead: bool = False
    _noted: int = 0

    def send(self, client: str, plans: Sequence[Plan]) -> list[Call]:
        """Send requests in one go."""
        calls = [
            self.history.send(client, self.number, one.method, one.params, valid=one.valid)
            for one in plans
        ]
        self.resend(calls)
        return calls

    def resend(self, calls: Sequence[Call]) -> None:
        messages: list[dict[str, Any]] = []
        for call in calls:
            id_ = len(self.waiting) + 1
            self.waiting[id_] = call
            messages.append(
                {"jsonrpc": "2.0", "id": id_, "method": call.method, "params": call.params}
            )
        try:
            self.client.send(*messages)
        except OSError:
            # It is dead already, so nobody will answer.
            self.dead = True

    def take(self, call: Call) -> bool:
        """Wait for the answer to a call; False where none comes."""
        id_ = next(number for number, one in self.waiting.items() if one is call)
        try:
            message = self.client.answer_message(id_, TIMEOUT)
        except (ProcessGoneError, TimeoutError):
            return False
        self.history.answer(call, message)
        return True

    def kill(self) -> None:
        """Kill -9, and note which answers had left the process before."""
        self.history.die(self.number)
        self.dead = True
        self.client.kill()
        self.finish()

    def finish(self) -> None:
        """Take what is left in the pipe, and look for answers that came twice."""
        for call in self.waiting.values():
            if call.answered is None:
                self.take(call)
        answers = [one.get("id") for one in self.client.received if "method" not in one]
        for id_ in {one for one in answers if answers.count(one) > 1}:
            self.history.doubled.append(f"request {id_} of life {self.number}")

    def close(self) -> int:
        """End the process as a host does that goes away."""
        code = self.client.close()
        self.finish()
        self.client.kill()
        return code


@define
class Births:
    """Starts processes on one database."""

    database: Path
    history: History
    program: tuple[str, ...] = ("-m", "sidecar")
    """What Python is to run."""
    _count: int = 0

    def start(self) -> Life:
        """Start a process and ask it to initialize; the answer is not waited for."""
        self._count += 1
        command = [sys.executable, *self.program, "--database", str(self.database)]
        life = Life(self._count, Client.spawn(command), self.history)
        params = {
            "processId": None,
            "capabilities": {},
            "initializationOptions": {"protocolVersion": 1},
        }
        life.client.start("initialize", params, id_="start")
        return life

    def greet(self, life: Life) -> dict[str, Any]:
        """Wait until a process is open; return its greeting."""
        greeting: dict[str, Any] = life.client.answer("start", TIMEOUT)
        life.client.notify("initialized", {})
        life.greeted = True
        return greeting


def pause(seconds: float) -> None:
    """Wait to the microsecond: a kill has to come at a moment of its own."""
    end = time.perf_counter() + seconds
    if seconds > 0.005:
        time.sleep(seconds - 0.002)
    while time.perf_counter() < end:
        pass
