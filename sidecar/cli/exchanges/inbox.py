"""What came and was not looked at yet: answers in their order, notifications in theirs.

Between the two the protocol promises one thing alone: a notification follows the answer that
caused it.  Requests that wait together may share a transaction, or not, so answers and
notifications of several may be interleaved either way.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from attrs import define, field, frozen


@frozen
class Arrival:
    """A message and how many came before it."""

    place: int
    message: Any


@define
class Inbox:
    """Takes messages from ``receive`` until one of the wanted sort is there."""

    receive: Callable[[], Any]
    _answers: deque[Arrival] = field(factory=deque)
    _notifications: deque[Arrival] = field(factory=deque)
    _count: int = 0

    def next(self, *, notification: bool) -> Arrival:
        """Return the next answer or the next notification; raises what ``receive`` raises."""
        waiting = self._notifications if notification else self._answers
        while not waiting:
            self._take(self.receive())
        return waiting.popleft()

    def rest(self) -> Iterator[Any]:
        """Return what nobody asked for."""
        for waiting in (self._answers, self._notifications):
            yield from (arrival.message for arrival in waiting)
            waiting.clear()

    def _take(self, message: Any) -> None:
        arrival = Arrival(self._count, message)
        self._count += 1
        (self._notifications if is_notification(message) else self._answers).append(arrival)


def is_notification(message: Any) -> bool:
    """Whether a message, or the pattern of one, is no answer."""
    return isinstance(message, dict) and "method" in message
