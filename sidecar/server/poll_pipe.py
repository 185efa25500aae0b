"""The two pipes of the host where the system can wait for both at once (POSIX).

No thread is needed: the engine's thread waits for input, for the parent's end and for other
threads in one ``poll``, and while it waits for room in stdout it goes on reading stdin into the
bounded queue.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import stat
import sys
import time
from collections.abc import Sequence
from typing import Final

from sidecar.server.pipe import HostGoneError, Intake
from sidecar.server.stdio import Stdio

assert sys.platform != "win32"

_IOV_MAX: Final = 512
_JOINED: Final = 1 << 16
_PROMPT: Final = 0.0003
"""Seconds within which a host that waits for each answer sends its next request."""
_CLOSED: Final = frozenset(
    {errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN, errno.ESHUTDOWN, errno.EPROTOTYPE}
)
"""What a write to a host that is gone ends with; the last one is macOS', of a socket just closing."""


class PollPipe:
    """A Pipe over ``select.poll``. Only :meth:`wake` may be called from other threads."""

    def __init__(self, stdio: Stdio) -> None:
        self._stdin = stdio.stdin
        self._stdout = _without_blocking(stdio.stdout)
        self._write_at_most = 0 if not os.get_blocking(self._stdout) else select.PIPE_BUF
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._waker, False)
        self._patience: float | None = None
        self._waiting_since = 0.0
        self._is_prompt = False
        self._has_spare_processor = _processors() > 1
        self._poll = select.poll()
        self._poll.register(self._stdin, select.POLLIN)
        # That the host closed stdout shows even while nothing is sent.
        self._at_rest = select.POLLHUP if _is_pipe(self._stdout) else 0
        self._poll.register(self._stdout, self._at_rest)
        self._poll.register(self._woken, select.POLLIN)

    def receive(self, timeout: float | None, size: int) -> bytes | None:
        events = self._look(timeout)
        if len(events) == 1 and events[0][0] == self._stdin:
            return self._read(size)
        ready = dict(events)
        if self._stdin in ready:
            return self._read(size)
        self._look_at_others(ready)
        return None

    def send(self, parts: Sequence[bytes], intake: Intake) -> None:
        try:
            self._send(parts, intake)
        except OSError as error:
            if error.errno not in _CLOSED:
                raise
            raise HostGoneError("stdout-closed") from error

    def wake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._waker, b"\0")

    def watch(self, descriptor: int) -> bool:
        self._poll.register(descriptor, select.POLLIN)
        return True

    def give_up_after(self, patience: float) -> None:
        self._patience = patience
        self._waiting_since = time.monotonic()

    def _look(self, timeout: float | None) -> list[tuple[int, int]]:
        """Wait for any of the descriptors, at first without sleeping where the host is prompt.

        Being woken takes as long as a small request does. So after one that came at once the next
        is looked for awake, for as long as it may take to come; in vain no more than once.
        """
        if timeout is not None and timeout < _PROMPT:
            return self._poll.poll(_milliseconds(timeout))
        started = time.perf_counter()
        if self._is_prompt:
            while time.perf_counter() - started < _PROMPT:
                if events := self._poll.poll(0):
                    return events
        events = self._poll.poll(_milliseconds(timeout))
        soon = time.perf_counter() - started < _PROMPT
        self._is_prompt = soon and self._has_spare_processor
        return events

    def _read(self, size: int) -> bytes:
        try:
            chunk = os.read(self._stdin, size)
        except ConnectionResetError:
            chunk = b""
        if not chunk:
            self._poll.unregister(self._stdin)
        return chunk

    def _look_at_others(self, ready: dict[int, int]) -> None:
        if ready.pop(self._woken, 0):
            os.read(self._woken, 1 << 12)
        if self._stdout in ready:
            raise HostGoneError("stdout-closed")
        if ready:
            raise HostGoneError("parent-gone")

    def _send(self, parts: Sequence[bytes], intake: Intake) -> None:
        views = _gather(parts)
        while views:
            try:
                written = self._write(views)
            except BlockingIOError:
                self._wait_for_room(intake)
            else:
                _drop(views, written)

    def _write(self, views: list[memoryview]) -> int:
        if not self._write_at_most:
            return os.writev(self._stdout, views[:_IOV_MAX])
        # A descriptor that must stay blocking takes this much at once when poll says it is ready.
        if not select.select([], [self._stdout], [], 0)[1]:
            raise BlockingIOError
        return os.write(self._stdout, views[0][: self._write_at_most])

    def _wait_for_room(self, intake: Intake) -> None:
        """Wait until stdout takes something, reading stdin meanwhile."""
        self._waiting_since = time.monotonic()
        self._poll.modify(self._stdout, select.POLLOUT)
        try:
            while not self._step_towards_room(intake):
                pass
        finally:
            self._poll.modify(self._stdout, self._at_rest)

    def _step_towards_room(self, intake: Intake) -> bool:
        reading = intake.has_room
        ready = dict(self._wait(reading=reading))
        if ready.pop(self._stdin, 0) and reading:
            intake.take(self._read(_JOINED))
        state = ready.pop(self._stdout, 0)
        if state & (select.POLLERR | select.POLLHUP):
            raise HostGoneError("stdout-closed")
        self._look_at_others(ready)
        return bool(state)

    def _wait(self, *, reading: bool) -> list[tuple[int, int]]:
        left = None
        if self._patience is not None:
            left = self._waiting_since + self._patience - time.monotonic()
            if left <= 0:
                raise HostGoneError("stdout-unread")
        if reading:
            return self._poll.poll(_milliseconds(left))
        try:
            self._poll.unregister(self._stdin)
        except KeyError:
            return self._poll.poll(_milliseconds(left))
        try:
            return self._poll.poll(_milliseconds(left))
        finally:
            self._poll.register(self._stdin, select.POLLIN)


def _gather(parts: Sequence[bytes]) -> list[memoryview]:
    """Small parts become one buffer, so that one message is one write; large ones stay apart."""
    if sum(map(len, parts)) <= _JOINED:
        return [memoryview(b"".join(parts))]
    return [memoryview(part) for part in parts if part]


def _drop(views: list[memoryview], written: int) -> None:
    """Take ``written`` bytes away from the front."""
    done = 0
    while done < len(views) and written >= len(views[done]):
        written -= len(views[done])
        done += 1
    del views[:done]
    if written:
        views[0] = views[0][written:]


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else max(0.0, seconds * 1000)


def _without_blocking(descriptor: int) -> int:
    """Return a descriptor of the same pipe that never blocks, where that harms nobody.

    O_NONBLOCK belongs to the open file description, which others may share: stderr of this
    process, or a terminal's other users. A pipe opened anew has a description of its own.
    """
    if not _is_pipe(descriptor):
        return descriptor
    if sys.platform == "linux" and stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        with contextlib.suppress(OSError):
            flags = os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC
            own = os.open(f"/proc/self/fd/{descriptor}", flags)
            os.close(descriptor)
            return own
    if not shares_flags(descriptor, 2):
        os.set_blocking(descriptor, False)
    return descriptor


def shares_flags(one: int, other: int) -> bool:
    """Whether what is set for one descriptor is set for the other.

    Tried out: by device and inode all pipes of macOS are one.
    """
    before = os.get_blocking(one)
    untouched = os.get_blocking(other)
    os.set_blocking(one, not before)
    shared = os.get_blocking(other) != untouched
    os.set_blocking(one, before)
    return shared


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _processors() -> int:
    """Return how many processors this process may run on."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
