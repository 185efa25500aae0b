"""When the process ends although nobody said so: signals, and a host that is no more."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from sidecar.server.logs import Log
from sidecar.server.pipe import Pipe

_TICK = 1.0
_LAST_RESORT = 2.0


def end_on_signals(end: Callable[[], None]) -> None:
    """Call ``end`` (which must be quick and safe anywhere) on each signal that asks for the end.

    SIGBREAK is Windows' own: Ctrl+Break, and the only one that one process can send another there.
    """

    def handle(_number: int, _frame: FrameType | None) -> None:
        end()

    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handle)


class ParentWatch:
    """Ends the process after the end of the processes that it serves.

    Linux' pidfds wake the pipe's poll at once and cannot mean another process that got the same
    number. Elsewhere a thread looks each second, and tells such a one by its start.
    """

    def __init__(self, pipe: Pipe, end: Callable[[], None], log: Log, *, parent: int) -> None:
        self._pipe = pipe
        self._end = end
        self._log = log
        self._watched: set[int] = set()
        self._starts: dict[int, int] = {}
        self._thread: threading.Thread | None = None
        self._parent = parent

    def watch_parent(self) -> None:
        """Watch the process that started this one, gone as it may be. Init needs no watching."""
        if self._parent > 1:
            self.watch(self._parent)
            if os.getppid() != self._parent:
                self._end()

    def watch(self, pid: int) -> None:
        if pid in self._watched or pid == os.getpid():
            return
        self._watched.add(pid)
        if self._open_descriptor(pid):
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._look, name="parent", daemon=True)
            self._thread.start()

    def _open_descriptor(self, pid: int) -> bool:
        if sys.platform != "linux":
            return False
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            self._end()
            return True
        except OSError:
            return False
        if self._pipe.watch(descriptor):
            return True
        os.close(descriptor)
        return False

    def _look(self) -> None:
        if sys.platform == "win32":
            # To look is to load psutil, which would be in the way of the first answer.
            time.sleep(_TICK)
        while not any(self._is_gone(pid) for pid in tuple(self._watched)):
            time.sleep(_TICK)
        self._end()
        # The engine's thread may be inside a write that nobody reads; the database is safe as it
        # is, since what was acknowledged is on the disk.
        time.sleep(_LAST_RESORT)
        self._log.close()
        os._exit(1)

    def _is_gone(self, pid: int) -> bool:
        if pid == self._parent and sys.platform != "win32":
            return os.getppid() != pid
        # Imported here: no pid needs to be looked at before the first answer.
        from sidecar.server.processes import start_of  # noqa: PLC0415 -- start-up time

        try:
            start = start_of(pid)
        except PermissionError:
            return False
        if start is None or start != self._starts.setdefault(pid, start):
            return True
        # Windows keeps the number of a parent that is gone, and gives it to a younger process.
        own = start_of(os.getpid()) if pid == self._parent else None
        return own is not None and start > own
