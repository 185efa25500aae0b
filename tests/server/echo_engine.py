"""A process with the real transport and an engine that does what tests ask for.

``python -m tests.server.echo_engine [flags of the sidecar] [--pipe threads] [--closed-mark PATH]``
``--slow-message`` are the seconds after which a message that is not whole is told of.
Methods: those that begin with ``do_``.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sidecar.server import light_imports  # noqa: F401 -- first, as in the real process
from sidecar.server.engine_port import Peer, Task
from sidecar.server.error_map import RpcFailure
from sidecar.server.logs import Log
from sidecar.server.requests import Request
from sidecar.server.settings import ServeSettings, UsageError, parse
from sidecar.server.stdio import take

import msgspec  # isort: skip

encode = msgspec.json.encode


class EchoEngine:
    """Answers ``echo`` with its params and misbehaves on demand."""

    def __init__(self, peer: Peer, log: Log, closed_mark: str | None) -> None:
        self.peer = peer
        self.log = log
        self.closed_mark = closed_mark
        self.thread = threading.get_ident()
        self.idle_calls = 0
        self.pressed = 0.0
        self.tells_idle = False
        self.batches: list[int] = []
        self.notified: list[Any] = []

    def initialize(self, params: dict[str, Any]) -> bytes:
        options = params.get("initializationOptions") or {}
        self.tells_idle = "tellIdle" in options
        if "fail" in options:
            raise RpcFailure(-32803, "refused", options["fail"], exit_code=options.get("exit"))
        if "crash" in options:
            raise ValueError(options["crash"])
        return encode({"capabilities": {}, "serverInfo": {"name": "echo"}})

    def serve(self, requests: Sequence[Request]) -> None:
        self.batches.append(len(requests))
        for request in requests:
            method = getattr(self, f"do_{request.method}", None)
            if request.cancelled:
                request.fail_cancelled()
            elif method is None:
                request.fail(-32601, "unknown method")
            else:
                method(request)

    @property
    def pressing(self) -> bool:
        return self.pressed > 0

    def notification(self, method: str, params: Any) -> None:
        if method == "crash":
            raise ValueError("crash")
        self.notified.append([method, params])

    def idle(self) -> float | None:
        self.idle_calls += 1
        pressed, self.pressed = self.pressed, 0.0
        time.sleep(pressed)
        if self.tells_idle:
            self.peer.notify("idled", b"null")
        return 0.05 if self.idle_calls < 3 else None

    def close(self) -> None:
        if self.closed_mark:
            Path(self.closed_mark).write_text("closed", encoding="utf-8")

    # Methods.

    def do_echo(self, request: Request) -> None:
        request.answer(encode(request.params))

    def do_state(self, request: Request) -> None:
        state = {
            "idle": self.idle_calls,
            "notified": self.notified,
            "largestBatch": max(self.batches),
            "modules": sorted(sys.modules),
            "path": sys.path,
            "cwd": str(Path.cwd()),
        }
        request.answer(encode(state))

    def do_size(self, request: Request) -> None:
        request.answer(encode(len(request.params)))

    def do_big(self, request: Request) -> None:
        piece = b"x" * request.params["piece"]
        request.answer([b'"', *[piece] * request.params["pieces"], b'"'])

    def do_press(self, request: Request) -> None:
        """Leaves work that must be done before anything else is."""
        self.pressed = request.params["seconds"]
        request.answer(b"null")

    def do_nap(self, request: Request) -> None:
        """Blocks the engine's thread; sees its own cancellation when asked to look."""
        if request.params.get("announce"):
            os.write(2, b"napping\n")
        until = time.monotonic() + request.params["seconds"]
        while time.monotonic() < until:
            if request.params.get("look") and request.cancelled:
                request.fail_cancelled()
                return
            time.sleep(0.005)
        request.answer(b"true")

    def do_task(self, request: Request) -> None:
        def work(task: Task) -> bytes:
            for step in range(request.params["steps"]):
                task.progress(f"step {step}", step)
                if task.cancelled:
                    raise RpcFailure(-32803, "stopped")
                time.sleep(0.01)
            return b'"done"'

        self.peer.spawn(request, work)

    def do_stuckTask(self, request: Request) -> None:  # noqa: N802 -- a method's name
        def work(_task: Task) -> bytes:
            time.sleep(60)
            return b"null"

        self.peer.spawn(request, work)

    def do_failingTask(self, request: Request) -> None:  # noqa: N802 -- likewise
        def work(task: Task) -> bytes:
            while request.params == "when cancelled" and not task.cancelled:
                time.sleep(0.01)
            raise ValueError(request.params)

        self.peer.spawn(request, work)

    def do_errands(self, request: Request) -> None:
        """Has the engine's thread count, and at last tell and answer."""
        counted: list[int] = []

        def count() -> int:
            time.sleep(request.params.get("seconds", 0.0))
            counted.append(threading.get_ident())
            return len(counted)

        def land() -> bytes:
            self.peer.notify("landed", encode(request.id))
            self.pressed = request.params.get("press", 0.0)
            if "fail" in request.params:
                raise RpcFailure(-32803, request.params["fail"])
            return encode([len(counted), set(counted) == {self.thread}])

        def work(task: Task) -> bytes:
            task.progress("counting")
            while task.in_engine(count) < request.params["count"]:
                pass
            task.in_engine(land, answers=True)
            return b'"nobody hears this"'

        self.peer.spawn(request, work)

    def do_failing(self, request: Request) -> None:
        raise ValueError(f"user text {request.params}")

    def do_refusing(self, request: Request) -> None:
        request.fail(-32803, "refused", {"code": "unknown-project"})

    def do_forgotten(self, request: Request) -> None:
        """Is never answered by the engine."""

    def do_twice(self, request: Request) -> None:
        request.answer(b"1")
        request.answer(b"2")

    def do_noisy(self, request: Request) -> None:
        """Notifies before it answers and after."""
        self.peer.notify("before", encode(request.id))
        request.answer(b"null")
        self.peer.notify("after", encode(request.id))

    def do_print(self, request: Request) -> None:
        print("stray text of a library")
        sys.stdout.flush()
        os.write(1, b"stray bytes of a library\n")
        request.answer(b"null")

    def do_log(self, request: Request) -> None:
        for number in range(request.params["lines"]):
            self.log.error("filler", number=number, filler="x" * 200)
        request.answer(b"null")

    def do_stop(self, request: Request) -> None:
        self.peer.stop(request.params["code"])
        self.peer.stop(0)
        request.answer(b"null")

    def do_thread(self, request: Request) -> None:
        """Notifies from threads of its own."""

        def shout(number: int) -> None:
            for count in range(request.params["each"]):
                self.peer.notify("shout", encode([number, count, "x" * 3000]))

        for number in range(4):
            threading.Thread(target=shout, args=(number,), daemon=True).start()
        request.answer(b"null")


def main() -> None:
    words = sys.argv[1:]
    options = {"--pipe": "", "--closed-mark": "", "--parent": "", "--slow-message": ""}
    for flag in options:
        if flag in words:
            at = words.index(flag)
            options[flag] = words[at + 1]
            del words[at : at + 2]
    settings = parse(words)
    assert isinstance(settings, ServeSettings)
    stdio = take()
    from sidecar.server import connection  # noqa: PLC0415 -- as the real entry does it
    from sidecar.server.hosting import host  # noqa: PLC0415 -- likewise

    if options["--slow-message"]:
        connection._SLOW_MESSAGE = float(options["--slow-message"])  # type: ignore[misc]  # noqa: SLF001 -- nobody waits for half a minute
    mark = options["--closed-mark"]
    try:
        code = host(
            lambda peer, log: EchoEngine(peer, log, mark),
            settings,
            stdio,
            parent=int(options["--parent"] or os.getppid()),
            pipe=options["--pipe"],
        )
    except UsageError:
        code = 2
    os._exit(code)


if __name__ == "__main__":
    main()
