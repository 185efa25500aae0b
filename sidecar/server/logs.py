"""Structured log lines on stderr (and in a file), written so that they can never hold anyone up.

One JSON object a line. Fields are event slugs, ids, codes and lengths, never user text and never
the text of an exception. A full queue drops lines and says later how many.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Final

import msgspec

LEVELS: Final = ("debug", "info", "warning", "error")
_QUEUED = 1000
_CLOSING = 0.2


class Log:
    """Hands lines to a writing thread. Every method may be called from any thread."""

    def __init__(self, level: str = "warning", sinks: Sequence[int] = (2,)) -> None:
        self._threshold = LEVELS.index(level)
        self._sinks = sinks
        self._lines: deque[bytes] = deque()
        self._dropped = 0
        self._change = threading.Condition()
        self._writer: threading.Thread | None = None
        self._writing = False

    def debug(self, event: str, **fields: Any) -> None:
        self._put(0, event, fields)

    def info(self, event: str, **fields: Any) -> None:
        self._put(1, event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        self._put(2, event, fields)

    def error(self, event: str, **fields: Any) -> None:
        self._put(3, event, fields)

    def close(self) -> None:
        """Give the lines that wait a moment to be written; a blocked stderr loses them."""
        deadline = time.monotonic() + _CLOSING
        with self._change:
            while (self._lines or self._writing) and (left := deadline - time.monotonic()) > 0:
                self._change.wait(left)

    def _put(self, level: int, event: str, fields: dict[str, Any]) -> None:
        if level < self._threshold:
            return
        line = _encode(level, event, fields)
        with self._change:
            if len(self._lines) >= _QUEUED:
                self._dropped += 1
                return
            self._lines.append(line)
            self._change.notify_all()
            if self._writer is None:
                self._writer = threading.Thread(target=self._write, name="log", daemon=True)
                self._writer.start()

    def _write(self) -> None:
        while True:
            line = self._next()
            for sink in self._sinks:
                _write_all(sink, line)
            with self._change:
                self._writing = False
                self._change.notify_all()

    def _next(self) -> bytes:
        with self._change:
            while not self._lines:
                self._change.wait()
            self._writing = True
            line = self._lines.popleft()
            if self._dropped:
                line += _encode(2, "log-lines-dropped", {"count": self._dropped})
                self._dropped = 0
            return line


def open_log_file(path: str) -> int:
    """Open a log file for appending, readable by its owner alone. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, name, 0)
    descriptor = os.open(path, flags, 0o600)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, 0o600)
    return descriptor


def _encode(level: int, event: str, fields: dict[str, Any]) -> bytes:
    line = {"time": _now(), "level": LEVELS[level], "event": event, **fields}
    return msgspec.json.encode(line) + b"\n"


def _now() -> str:
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}Z"


def _write_all(descriptor: int, line: bytes) -> None:
    """A sink that is gone or full loses the line: logs are never worth the process."""
    try:
        while line:
            line = line[os.write(descriptor, line) :]
    except OSError:
        return
