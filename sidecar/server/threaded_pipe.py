"""A pipe for systems that cannot poll one (Windows): a thread reads, the engine's thread writes.

The reader holds a few chunks at most and then stops reading, so that back-pressure reaches the
host as it does through PollPipe.
Before Python 3.14 nothing of Python's runs in a thread of Windows that waits for a lock, a signal's
handler neither: so no wait is long.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Sequence

from sidecar.server.pipe import HostGoneError, Intake
from sidecar.server.stdio import Stdio

_MOST_CHUNKS = 16
_CHUNK = 1 << 16
_WRITTEN_AT_ONCE = 1 << 20
_LONGEST_WAIT = 0.5


class ThreadedPipe:
    """A Pipe over one reading thread."""

    def __init__(self, stdio: Stdio) -> None:
        self._stdio = stdio
        self._change = threading.Condition()
        self._chunks: deque[bytes] = deque()
        self._woken = False
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def receive(self, timeout: float | None, size: int) -> bytes | None:
        wait = _LONGEST_WAIT if timeout is None else min(timeout, _LONGEST_WAIT)
        with self._change:
            self._change.wait_for(lambda: self._chunks or self._woken, wait)
            self._woken = False
            return self._take(size) if self._chunks else None

    def _take(self, size: int) -> bytes:
        """Join what the reader has, as one read would have; the end of the stream stays apart."""
        chunks = [self._chunks.popleft()]
        length = len(chunks[0])
        while length and self._chunks and 0 < len(self._chunks[0]) <= size - length:
            chunks.append(self._chunks.popleft())
            length += len(chunks[-1])
        self._change.notify_all()
        return b"".join(chunks)

    def send(self, parts: Sequence[bytes], intake: Intake) -> None:  # noqa: ARG002 -- the reader reads on
        view = memoryview(b"".join(parts))
        try:
            while view:
                view = view[os.write(self._stdio.stdout, view[:_WRITTEN_AT_ONCE]) :]
        except OSError as error:
            raise HostGoneError("stdout-closed") from error

    def wake(self) -> None:
        with self._change:
            self._woken = True
            self._change.notify_all()

    def watch(self, descriptor: int) -> bool:  # noqa: ARG002 -- it cannot be waited for here
        return False

    def give_up_after(self, patience: float) -> None:
        """Nothing to do: a blocked write cannot be left."""

    def _read(self) -> None:
        stdin = self._stdio.stdin
        while True:
            try:
                # A write of nothing is read as nothing on Windows: the end is nothing twice.
                chunk = os.read(stdin, _CHUNK) or os.read(stdin, _CHUNK)
            except OSError:
                chunk = b""
            with self._change:
                self._change.wait_for(lambda: len(self._chunks) < _MOST_CHUNKS)
                self._chunks.append(chunk)
                self._change.notify_all()
            if not chunk:
                return
