"""pygls as a framed pipe: its server class, registry and futures over a wire layer of our own.

pygls' own wire turns params into classes, answers bad JSON with silence and tells the peer its
tracebacks. Here bytes go through framing, envelope and connection instead; this module is the
only one that imports pygls.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

import msgspec

from protocol.errors import ErrorCode
from sidecar.server.connection import Connection
from sidecar.server.engine_port import Engine, Peer
from sidecar.server.envelope import Reply
from sidecar.server.error_map import describe
from sidecar.server.framing import FrameParser
from sidecar.server.lifecycle import Lifecycle
from sidecar.server.lifetime import ParentWatch, end_on_signals
from sidecar.server.light_imports import stand_ins
from sidecar.server.logs import Log
from sidecar.server.pipe import Pipe
from sidecar.server.requests import Request
from sidecar.server.stdio import Stdio

with stand_ins():
    from lsprotocol.types import ResponseError
    from pygls.protocol import JsonRPCProtocol
    from pygls.server import JsonRPCServer

_GC_THRESHOLDS = (10_000, 20, 50)

INTERNAL = 70
"""The exit code of a fault of our own."""

EngineFactory = Callable[[Peer, Log], Engine]
"""Makes the engine. Called once, in the main thread, before anything is read."""


class PipeProtocol(JsonRPCProtocol):
    """pygls' protocol object with its decoding switched off and its sending replaced."""

    structure_message = None  # type: ignore[assignment]  # no hook on every nested object
    send: Callable[[bytes], None]

    def take_reply(self, reply: Reply) -> None:
        """Settle the future of a request that was sent to the host; ignore any other reply."""
        if reply.id not in self._request_futures:
            return
        try:
            result, error = _decoded(reply.result), _decoded(reply.error)
        except (msgspec.DecodeError, RecursionError):
            result, error = None, {"code": int(ErrorCode.PARSE_ERROR)}
        if error is None:
            self._handle_response(reply.id, result)
            return
        known = isinstance(error, dict) and type(error.get("code")) is int
        facts = error if known else {}
        self._handle_response(
            reply.id,
            None,
            ResponseError(facts.get("code", 0), str(facts.get("message", "")), facts.get("data")),
        )

    def _send_data(self, data: Any) -> None:
        self.send(msgspec.json.encode(data))


def _decoded(text: bytes | None) -> Any:
    return None if text is None else msgspec.json.decode(text)


class SidecarServer(JsonRPCServer):
    """One process, one host, one pipe."""

    protocol: PipeProtocol

    def __init__(self, pipe: Pipe, log: Log, *, max_message: int, parent: int) -> None:
        super().__init__(PipeProtocol, lambda: None)  # type: ignore[arg-type, return-value]  # unused
        self._pipe = pipe
        self._log = log
        self._parent = parent
        self.connection = Connection(
            pipe, FrameParser(max_message), log, reply=self.protocol.take_reply
        )
        self.protocol.send = self.connection.send
        self.exit_code = INTERNAL

    def serve(self, make_engine: EngineFactory) -> int:
        """Serve until the end and return the exit code. Every way out closes the engine."""
        end_on_signals(lambda: self.connection.stop(0))
        engine = make_engine(self.connection, self._log)
        try:
            self._register(engine)
            self.start_io()
        except Exception as error:  # noqa: BLE001 -- the end of the process
            self._log.error("transport-fault", **describe(error))
            self.exit_code = INTERNAL
        finally:
            self._close(engine)
        self._log.info("exit", code=self.exit_code)
        return self.exit_code

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:  # noqa: ARG002 -- pygls' signature
        """Run the loop in this thread. pygls would start asyncio and a pool here."""
        self.exit_code = self.connection.run(
            self._engine, self._lifecycle, self.protocol.fm.builtin_features
        )

    def _register(self, engine: Engine) -> None:
        parent = ParentWatch(
            self._pipe, lambda: self.connection.stop(1), self._log, parent=self._parent
        )
        self._engine = engine
        self._lifecycle = Lifecycle(
            engine,
            self._log,
            watch=parent.watch,
            wind_down=self.connection.wind_down,
            stop=self.connection.stop,
        )
        self.protocol.fm.add_builtin_feature("initialize", self._initialize)
        self.protocol.fm.add_builtin_feature("shutdown", self._lifecycle.shutdown)
        parent.watch_parent()

    def _initialize(self, request: Request) -> None:
        self._lifecycle.initialize(request)
        # What is loaded now stays to the end, and large JSON makes many young objects at once.
        gc.freeze()
        gc.set_threshold(*_GC_THRESHOLDS)
        gc.enable()

    def _close(self, engine: Engine) -> None:
        try:
            engine.close()
        except Exception as error:  # noqa: BLE001 -- the end of the process
            self._log.error("close-fault", **describe(error))
            self.exit_code = self.exit_code or INTERNAL


def open_pipe(stdio: Stdio, kind: str = "") -> Pipe:
    """Return the fastest pipe that this system has; ``kind`` "threads" asks for the portable one."""
    if sys.platform != "win32" and kind != "threads":
        from sidecar.server.poll_pipe import PollPipe  # noqa: PLC0415 -- one of two

        return PollPipe(stdio)
    from sidecar.server.threaded_pipe import ThreadedPipe  # noqa: PLC0415 -- likewise

    return ThreadedPipe(stdio)
