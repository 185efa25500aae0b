"""LSP's lifecycle: what may be asked when, and initialize, shutdown and exit themselves."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from protocol.errors import ErrorCode
from sidecar.server.engine_port import Engine
from sidecar.server.error_map import RpcFailure, internal_failure
from sidecar.server.logs import Log
from sidecar.server.requests import Request

CANCEL_REQUEST = "$/cancelRequest"
EXIT = "exit"
SWALLOWED = frozenset({"initialized", "$/setTrace"})
"""Notifications that mean nothing here."""


class Phase(Enum):
    NEW = "new"
    READY = "ready"
    DOWN = "down"


class Lifecycle:
    """The state machine.

    ``watch`` gets initialize's processId; ``wind_down`` ends what runs beside; ``stop`` ends the
    process once the answer is written.
    """

    def __init__(
        self,
        engine: Engine,
        log: Log,
        *,
        watch: Callable[[int], None],
        wind_down: Callable[[], None],
        stop: Callable[[int], None],
    ) -> None:
        self._engine = engine
        self._log = log
        self._watch = watch
        self._wind_down = wind_down
        self._stop = stop
        self.phase = Phase.NEW

    @property
    def exit_code(self) -> int:
        """What ``exit`` ends the process with."""
        return 0 if self.phase is Phase.DOWN else 1

    def admit(self, method: str) -> RpcFailure | None:
        """Return why a request may not be served now; None where it may."""
        if self.phase is Phase.READY:
            return _TWICE if method == "initialize" else None
        if self.phase is Phase.DOWN:
            return _DOWN
        return None if method == "initialize" else _NOT_YET

    def takes_notifications(self) -> bool:
        return self.phase is Phase.READY

    def initialize(self, request: Request) -> None:
        try:
            result = self._open(request.params)
        except RpcFailure as failure:
            request.fail(failure.code, failure.message, failure.data)
            if failure.exit_code is not None:
                self._stop(failure.exit_code)
        else:
            self.phase = Phase.READY
            request.answer(result)
            self._watch_host(request.params)

    def shutdown(self, request: Request) -> None:
        self.phase = Phase.DOWN
        self._wind_down()
        request.answer(b"null")

    def _open(self, params: Any) -> bytes:
        if params is None:
            params = {}
        if not isinstance(params, dict):
            issue = {"path": "", "message": "initialize takes an object"}
            raise RpcFailure(ErrorCode.INVALID_PARAMS, "params is no object", {"issues": [issue]})
        try:
            return self._engine.initialize(params)
        except RpcFailure:
            raise
        except Exception as error:
            raise internal_failure(error, self._log, method="initialize") from error

    def _watch_host(self, params: Any) -> None:
        process_id = params.get("processId") if params else None
        if type(process_id) is int and 0 < process_id <= _LARGEST_PID:
            self._watch(process_id)


_LARGEST_PID = 2**31 - 1

_NOT_YET = RpcFailure(ErrorCode.SERVER_NOT_INITIALIZED, "initialize comes first")
_TWICE = RpcFailure(ErrorCode.INVALID_REQUEST, "initialize was answered before")
_DOWN = RpcFailure(ErrorCode.INVALID_REQUEST, "after shutdown, exit alone may follow")
