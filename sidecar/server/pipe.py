"""The two pipes of the host as one thing to wait on, in the words of who waits.

:class:`~sidecar.server.poll_pipe.PollPipe` is for POSIX,
:class:`~sidecar.server.threaded_pipe.ThreadedPipe` for Windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class HostGoneError(Exception):
    """The host closed stdout, went away, or does not read while the process has to end."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Intake(Protocol):
    """Where bytes go that come while something else is waited for."""

    @property
    def has_room(self) -> bool: ...

    def take(self, chunk: bytes) -> None:
        """Take a chunk; an empty one is the end of the stream."""
        ...


class Pipe(Protocol):
    """What the connection needs of its two pipes."""

    def receive(self, timeout: float | None, size: int) -> bytes | None:
        """Wait for input and return up to ``size`` bytes, none at the end of the stream.

        None after ``timeout`` seconds at most, or after a wake. Raises HostGoneError.
        """
        ...

    def send(self, parts: Sequence[bytes], intake: Intake) -> None:
        """Write all, while input goes to ``intake`` as far as it has room. Raises HostGoneError."""
        ...

    def wake(self) -> None:
        """Make a receive that waits return None. For any thread, and for signal handlers."""
        ...

    def watch(self, descriptor: int) -> bool:
        """Raise HostGoneError from now on when ``descriptor`` becomes readable (a pidfd).

        Return whether this pipe can do so.
        """
        ...

    def give_up_after(self, patience: float) -> None:
        """From now on wait no longer than ``patience`` seconds for room in stdout."""
        ...
