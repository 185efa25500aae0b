"""What was asked of processes and what came back, with the order of both, for checkers to judge.

Ticks are one count over all clients: of two calls, the second was sent after the first was
answered if, and only if, its ``sent`` is above the other's ``answered``.
"""

import itertools
import threading
from collections.abc import Iterator
from typing import Any, Final

from attrs import define, field, frozen

COMMANDS: Final = frozenset({"commitCommand", "undo", "redo", "renameProject", "applyDraft"})
"""The methods whose answers have a status and whose effects are recorded by action."""
LANDED: Final = frozenset({"applied", "historical"})


@frozen
class Plan:
    """A request to be. ``valid``: see Call."""

    method: str
    params: dict[str, Any]
    valid: bool = True


@define
class Call:
    """One request to one process; ``answered`` is None where no answer came.

    ``valid`` says that its author made it for a version which it fits: if the version still
    holds, nothing but the disk may refuse it.
    """

    client: str
    life: int
    method: str
    params: dict[str, Any]
    sent: int
    valid: bool = True
    answered: int | None = None
    result: Any = None
    error: dict[str, Any] | None = None

    @property
    def status(self) -> str | None:
        """The status of a command's answer, None where there is no answer with one."""
        return self.result.get("status") if isinstance(self.result, dict) else None

    @property
    def reason(self) -> dict[str, Any]:
        found = self.result.get("reason") if isinstance(self.result, dict) else None
        return found or {"code": None, "details": {}}

    @property
    def projection(self) -> dict[str, Any] | None:
        """The project as the answer shows it."""
        if not isinstance(self.result, dict):
            return None
        if self.method in ("getProject", "createProject"):
            return self.result
        found = self.result.get("projection")
        return found if isinstance(found, dict) else None


@frozen
class Note:
    """A notification, and when its receiver took it."""

    life: int
    tick: int
    method: str
    params: dict[str, Any]


@frozen
class Death:
    """The end of a process that somebody killed."""

    life: int
    tick: int


@define
class History:
    """All that happened to one database with one project; it grows from any thread."""

    calls: list[Call] = field(factory=list)
    notes: list[Note] = field(factory=list)
    deaths: list[Death] = field(factory=list)
    doubled: list[str] = field(factory=list)
    """Answers that came twice, or to a request that nobody sent."""
    _ticks: Iterator[int] = field(factory=lambda: itertools.count(1))
    _lock: threading.Lock = field(factory=threading.Lock)

    def tick(self) -> int:
        with self._lock:
            return next(self._ticks)

    def send(
        self, client: str, life: int, method: str, params: dict[str, Any], *, valid: bool = True
    ) -> Call:
        """Note a request that is about to be written."""
        call = Call(client, life, method, params, self.tick(), valid=valid)
        self.calls.append(call)
        return call

    def answer(self, call: Call, message: dict[str, Any]) -> None:
        """Note what came back."""
        call.result, call.error = message.get("result"), message.get("error")
        call.answered = self.tick()

    def die(self, life: int) -> None:
        self.deaths.append(Death(life, self.tick()))


@frozen
class Violation:
    """A promise that was not kept: which (a slug), and what shows it."""

    code: str
    what: str
    tick: int = 0
