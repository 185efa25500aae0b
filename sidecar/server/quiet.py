"""When the engine works in the background: while nobody asks, and each second whatever is asked."""

from __future__ import annotations

import time
from typing import Final

from sidecar.server.engine_port import Engine
from sidecar.server.error_map import internal_failure
from sidecar.server.logs import Log

_QUIET: Final = 0.005
"""Seconds without a request after which background work may run."""
_LONGEST_UNQUIET: Final = 1.0


class Quiet:
    """The engine's background work, and the time of its next piece."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._due: float | None = None
        self._last = 0.0

    def begins_anew(self) -> None:
        """Something was served: the next piece waits, but not for ever."""
        self._due = min(time.monotonic() + _QUIET, self._last + _LONGEST_UNQUIET)

    @property
    def left(self) -> float | None:
        """Seconds until the next piece is due, None where there is none."""
        return None if self._due is None else max(0.0, self._due - time.monotonic())

    def work(self, engine: Engine) -> None:
        """Let the engine do a piece, and take down when it wants to do the next."""
        try:
            delay = engine.idle()
        except Exception as error:  # noqa: BLE001 -- the process boundary
            internal_failure(error, self._log)
            delay = _LONGEST_UNQUIET
        self._last = time.monotonic()
        self._due = None if delay is None else self._last + delay
