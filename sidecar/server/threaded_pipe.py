"""A pipe for systems that cannot poll one (Windows): one thread reads, another one writes.

The reader holds a few chunks at most and then stops reading, so that back-pressure reaches the
host as it does through PollPipe.
Before Python 3.14 nothing of Python's runs in a thread of Windows that waits for a lock, a signal's
handler neither: so no wait is long.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Sequence

from sidecar.server.pipe import HostGoneError, Intake
from sidecar.server.stdio import Stdio

_MOST_CHUNKS = 16
_CHUNK = 1 << 16
_LONGEST_WAIT = 0.5


class ThreadedPipe:
    """A Pipe over two threads, of which either may be held up by the host without an end."""

    def __init__(self, stdio: Stdio) -> None:
        self._stdio = stdio
        lock = threading.RLock()
        self._news = threading.Condition(lock)
        """For the engine's thread: something was read or written, or somebody woke it."""
        self._room = threading.Condition(lock)
        self._work = threading.Condition(lock)
        self._chunks: deque[bytes] = deque()
        self._woken = False
        self._unwritten = memoryview(b"")
        self._progress = 0.0
        self._patience: float | None = None
        self._failure: OSError | None = None
        for name, target in (("stdin", self._read), ("stdout", self._write)):
            threading.Thread(target=target, name=name, daemon=True).start()

    def receive(self, timeout: float | None, size: int) -> bytes | None:
        wait = _LONGEST_WAIT if timeout is None else min(timeout, _LONGEST_WAIT)
        with self._news:
            self._news.wait_for(lambda: self._chunks or self._woken, wait)
            self._woken = False
            return self._take(size) if self._chunks else None

    def _take(self, size: int) -> bytes:
        """Join what the reader has, as one read would have; the end of the stream stays apart."""
        chunks = [self._chunks.popleft()]
        length = len(chunks[0])
        while length and self._chunks and 0 < len(self._chunks[0]) <= size - length:
            chunks.append(self._chunks.popleft())
            length += len(chunks[-1])
        self._room.notify()
        return b"".join(chunks)

    def send(self, parts: Sequence[bytes], intake: Intake) -> None:
        with self._news:
            if self._unwritten:
                # An earlier message was given up halfway.
                raise HostGoneError("stdout-unread")
            self._unwritten = memoryview(b"".join(parts))
            self._progress = time.monotonic()
            self._work.notify()
            while self._unwritten:
                if self._chunks and intake.has_room:
                    intake.take(self._take(_CHUNK))
                else:
                    self._news.wait(self._longest_wait())
                self._raise_if_stuck()

    def _raise_if_stuck(self) -> None:
        if self._failure is not None:
            raise HostGoneError("stdout-closed") from self._failure
        if self._unwritten and self._longest_wait() <= 0:
            raise HostGoneError("stdout-unread")

    def _longest_wait(self) -> float:
        if self._patience is None:
            return _LONGEST_WAIT
        return min(self._progress + self._patience - time.monotonic(), _LONGEST_WAIT)

    def wake(self) -> None:
        with self._news:
            self._woken = True
            self._news.notify()

    def watch(self, descriptor: int) -> bool:  # noqa: ARG002 -- it cannot be waited for here
        return False

    def give_up_after(self, patience: float) -> None:
        with self._news:
            self._patience = patience
            self._progress = time.monotonic()
            self._news.notify()

    def _read(self) -> None:
        stdin = self._stdio.stdin
        while True:
            try:
                # A write of nothing is read as nothing on Windows: the end is nothing twice.
                chunk = os.read(stdin, _CHUNK) or os.read(stdin, _CHUNK)
            except OSError:
                chunk = b""
            with self._news:
                self._room.wait_for(lambda: len(self._chunks) < _MOST_CHUNKS)
                self._chunks.append(chunk)
                self._news.notify()
            if not chunk:
                return

    def _write(self) -> None:
        while True:
            with self._news:
                self._work.wait_for(lambda: self._unwritten)
                piece = self._unwritten[:_CHUNK]
            try:
                written = os.write(self._stdio.stdout, piece)
            except OSError as error:
                with self._news:
                    self._failure = error
                    self._news.notify()
                return
            with self._news:
                self._unwritten = self._unwritten[written:]
                self._progress = time.monotonic()
                if not self._unwritten:
                    self._news.notify()
