"""The loop between the pipe and the engine: requests in order in, answers in order out.

Each request is answered exactly once, whatever the engine does, and nothing that the peer does
makes the process grow. All of it runs in the engine's thread; what other threads may call says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import get_ident
from typing import Any, Final

from protocol.errors import ErrorCode
from sidecar.server.batches import MOST_AT_ONCE, Builtins, next_batch
from sidecar.server.engine_port import Engine, Work
from sidecar.server.envelope import Call, Note, Refusal, RefusedParamsError, Reply, decode_params
from sidecar.server.error_map import RpcFailure, internal_failure
from sidecar.server.framing import FrameParser
from sidecar.server.inbox import End, Inbox
from sidecar.server.lifecycle import EXIT, SWALLOWED, Lifecycle
from sidecar.server.logs import Log
from sidecar.server.outbox import Outbox, error_body, notification_body, result_body
from sidecar.server.pipe import HostGoneError, Pipe
from sidecar.server.quiet import Quiet
from sidecar.server.requests import Chunks, Request
from sidecar.server.tasks import Tasks

_PATIENCE: Final = 0.5
"""Seconds that the end of the process waits for tasks, and for a host that does not read."""
_SLOW_MESSAGE: Final = 30.0
_GLANCE_EVERY: Final = 0.001
_HELD_UP: Final = 0.01
"""Seconds between two looks whether a task has ended, while too many wait."""


class Connection:
    """A Peer of the engine, and the loop that serves it."""

    def __init__(
        self, pipe: Pipe, parser: FrameParser, log: Log, *, reply: Callable[[Reply], None]
    ) -> None:
        self._pipe = pipe
        self._log = log
        self._reply = reply
        self._inbox = Inbox(
            parser, self._new_request, log, on_end=lambda: pipe.give_up_after(_PATIENCE)
        )
        self._outbox = Outbox(pipe, self._inbox)
        self._tasks = Tasks(self._report, pipe.wake, log)
        self._thread = get_ident()
        self._unanswered = 0
        self._exit_code: int | None = None
        self._end_requested: int | None = None
        self._quiet = Quiet(log)
        self._last_glance = 0.0

    # The Peer.

    def notify(self, method: str, params: Chunks) -> None:
        """See Peer. From any thread."""
        body = notification_body(method, params)
        if get_ident() != self._thread:
            self._outbox.post(body)
        elif self._unanswered > 0:
            self._outbox.hold(body)
        else:
            self._outbox.put(body)

    def spawn(self, request: Request, work: Work) -> None:
        request.beside = True
        self._count_off()
        self._tasks.spawn(request, work)

    def flush(self) -> None:
        self._outbox.flush()

    def stop(self, exit_code: int) -> None:
        """End after the current batch. From any thread, and from signal handlers."""
        if self._end_requested is None:
            self._end_requested = exit_code
        self._pipe.give_up_after(_PATIENCE)
        self._pipe.wake()

    # What requests need.

    def answer(self, request: Request, result: Chunks) -> None:
        self._send(request, result_body(request.id, result))

    def refuse(self, request: Request, code: int, message: str, data: Any) -> None:
        self._send(request, error_body(request.id, code, message, data))

    def glance(self) -> None:
        """Read what has come while the engine is at work, so that cancellations are seen."""
        now = time.monotonic()
        if now - self._last_glance < _GLANCE_EVERY or get_ident() != self._thread:
            return
        self._last_glance = now
        if self._inbox.has_room and self._outbox.gone is None:
            try:
                self._receive(0.0)
            except HostGoneError as error:
                self._outbox.gone = error

    # The loop.

    def run(self, engine: Engine, lifecycle: Lifecycle, builtins: Builtins) -> int:
        """Serve until the end; return the process's exit code. The engine stays open."""
        while self._exit_code is None:
            try:
                self._step(engine, lifecycle, builtins)
            except HostGoneError as error:
                self._outbox.gone = error
            if self._outbox.gone is not None:
                self._lose_host(self._outbox.gone)
            elif self._end_requested is not None and self._exit_code is None:
                self._exit_code = self._end_requested
        self.wind_down()
        return self._exit_code

    def wind_down(self) -> None:
        """Cancel the tasks, give them a moment, and send what they have to say."""
        if not self._tasks.stop(_PATIENCE):
            self._log.warning("tasks-left-running")
        self._outbox.deliver(self._inbox.in_flight)
        self._outbox.flush()

    def send(self, body: bytes) -> None:
        """Send a whole message."""
        self._outbox.put([body])
        self._outbox.flush()

    def _step(self, engine: Engine, lifecycle: Lifecycle, builtins: Builtins) -> None:
        # While one flush waits for room, more may come, and the wake that told of them is spent.
        while self._outbox.has_letters:
            self._outbox.deliver(self._inbox.in_flight)
            self._outbox.flush()
        if self._is_ending():
            return
        if self._tasks.has_errands:
            self._run_errand(engine)
        elif self._tasks.crowded and self._inbox.is_open:
            self._hold_up()
            return
        elif not self._inbox:
            self._rest(engine, lifecycle)
        if self._inbox.starts_with_request:
            self._serve(engine, lifecycle, builtins)
        elif self._inbox:
            self._take_other(engine, lifecycle)
        if self._inbox:
            self._outbox.flush()

    def _serve(self, engine: Engine, lifecycle: Lifecycle, builtins: Builtins) -> None:
        batch, other = next_batch(self._inbox, lifecycle, builtins)
        if batch:
            self._serve_batch(engine, batch)
        if other is not None:
            request, failure = other
            if failure is not None:
                self._refuse(request, failure)
            else:
                builtins[request.method](request)
        self._quiet.begins_anew()

    def _refuse(self, request: Request, failure: RpcFailure) -> None:
        if failure.code == ErrorCode.PARSE_ERROR:
            # What is no JSON has no id, although one could be read here.
            self._inbox.in_flight.pop(request.id, None)
            self._outbox.put(error_body(None, failure.code, failure.message, failure.data))
        else:
            request.fail(failure.code, failure.message, failure.data)

    def _serve_batch(self, engine: Engine, batch: list[Request]) -> None:
        self._unanswered = len(batch)
        try:
            engine.serve(batch)
        except Exception as error:  # noqa: BLE001 -- the process boundary
            self._fail_rest(batch, error)
        else:
            if self._unanswered > 0:
                self._fail_rest(batch, RuntimeError("the engine forgot a request"))
        self._end_turn(engine)

    def _run_errand(self, engine: Engine) -> None:
        """Do a little of what a task asks for; where that answers, its news follow the answer."""
        self._unanswered = 1
        self._tasks.run_errand()
        self._end_turn(engine)
        self._outbox.flush()
        if not self._inbox:
            self._receive(0.0)

    def _end_turn(self, engine: Engine) -> None:
        """Let the news go that waited for the answers, and do what must not wait for quiet."""
        self._unanswered = 0
        self._outbox.release()
        if engine.pressing:
            # What was done is answered first: nobody waits for this but who asks next.
            self._outbox.flush()
            self._quiet.work(engine)

    def _fail_rest(self, batch: list[Request], error: Exception) -> None:
        failure = internal_failure(error, self._log)
        for request in batch:
            if not request.answered and not request.beside:
                request.fail(failure.code, failure.message, failure.data)

    def _take_other(self, engine: Engine, lifecycle: Lifecycle) -> None:
        match self._inbox.pop():
            case Refusal() as refusal:
                self._outbox.put(
                    error_body(refusal.id, refusal.code, refusal.message, refusal.data)
                )
            case Note(method=method) if method == EXIT:
                self._exit_code = lifecycle.exit_code
            case Note() as note:
                self._take_notification(engine, lifecycle, note)
            case Reply() as reply:
                self._reply(reply)
            case End(exit_code=exit_code):
                self._exit_code = exit_code
            case Request():
                raise AssertionError("requests are taken in batches")

    def _take_notification(self, engine: Engine, lifecycle: Lifecycle, note: Note) -> None:
        unknown = note.method in SWALLOWED or note.method.startswith("$/")
        if unknown or not lifecycle.takes_notifications():
            return
        try:
            engine.notification(note.method, decode_params(note.params))
        except RefusedParamsError as refused:
            self._log.warning("notification-refused", code=int(refused.code))
        except Exception as error:  # noqa: BLE001 -- the process boundary
            internal_failure(error, self._log)

    def _rest(self, engine: Engine, lifecycle: Lifecycle) -> None:
        """Nothing is queued: wait for something, or let the engine work in the background."""
        may_work = lifecycle.takes_notifications()
        timeout = self._quiet.left if may_work else None
        if self._inbox.inside_message:
            timeout = _SLOW_MESSAGE if timeout is None else min(timeout, _SLOW_MESSAGE)
            self._inbox.wait_for_rest()
        # Writing is the last thing before waiting: a host that is woken by it while this thread
        # still works is moved to another core, which costs more than the whole round trip.
        self._outbox.flush()
        received = self._has_news() or self._receive(timeout)
        self._inbox.complain_when_slow(_SLOW_MESSAGE)
        if may_work and not received and self._quiet.left == 0:
            self._quiet.work(engine)

    def _hold_up(self) -> None:
        """Serve nothing until a task has ended; read on as far as there is room."""
        self._outbox.flush()
        if not self._has_news_of_tasks() and not self._receive(_HELD_UP):
            time.sleep(_HELD_UP)

    def _has_news_of_tasks(self) -> bool:
        return self._outbox.has_letters or self._tasks.has_errands

    def _has_news(self) -> bool:
        """Whether something came while the flush waited for room."""
        return bool(self._inbox) or self._has_news_of_tasks() or self._is_ending()

    def _is_ending(self) -> bool:
        return self._outbox.gone is not None or self._end_requested is not None

    def _receive(self, timeout: float | None) -> bool:
        """Read what has come, as long as there is more; return whether anything had."""
        received = False
        while self._inbox.has_room:
            wanted = self._inbox.wanted
            chunk = self._pipe.receive(timeout, wanted)
            if chunk is None:
                break
            received = True
            self._inbox.take(chunk)
            if len(chunk) < wanted or len(self._inbox) >= MOST_AT_ONCE:
                break
            timeout = 0.0
        return received

    # Sending.

    def _new_request(self, call: Call, size: int) -> Request:
        return Request(self, call.id, call.method, call.params, size)

    def _send(self, request: Request, body: Chunks) -> None:
        if get_ident() != self._thread:
            self._outbox.post(body, request=request)
            return
        self._inbox.in_flight.pop(request.id, None)
        self._outbox.put(body)
        if not request.beside:
            self._count_off()

    def _count_off(self) -> None:
        """One request less is waited for; the last one lets the notifications go."""
        self._unanswered -= 1
        if self._unanswered <= 0:
            self._outbox.release()
        self._outbox.flush_if_due()

    def _report(self, request: Request, params: bytes, lossy: bool) -> None:  # noqa: FBT001 -- Report's shape
        """Send a task's progress. From any thread."""
        body = notification_body("$/progress", params)
        if get_ident() == self._thread:
            self._outbox.put(body)
        else:
            self._outbox.post(body, lossy=request if lossy else None)

    def _lose_host(self, error: HostGoneError) -> None:
        """Writing is over. A host that closed stdin first went away in good order."""
        self._log.warning("host-gone", reason=error.reason)
        if self._exit_code is None:
            codes = (self._inbox.exit_code, self._end_requested, 1)
            self._exit_code = next(code for code in codes if code is not None)
