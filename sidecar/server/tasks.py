"""Long operations beside the engine: one thread each, cancellable, with progress.

What such a thread may not do itself it has the engine's thread do, in short errands between two
batches of requests.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import msgspec

from protocol.errors import ErrorCode
from sidecar.server.engine_port import Errand, Work
from sidecar.server.error_map import RpcFailure, internal_failure
from sidecar.server.logs import Log
from sidecar.server.requests import Request

MAX_RUNNING = 4
"""More wait their turn."""
MOST_WAITING: Final = 4096
"""From here on no request is served: more would grow without end."""
_TURN: Final = 0.0005
"""Seconds for which a task computes before the engine's thread gets its turn."""

Report = Callable[[Request, bytes, bool], None]
"""Sends the params of one ``$/progress``. The flag: it may be dropped while the last is unsent."""


class _Sent:
    """An errand on its way: to the engine's thread, and back with what became of it."""

    def __init__(self, request: Request, errand: Errand, *, answers: bool) -> None:
        self._request = request
        self._errand = errand
        self._answers = answers
        self._done = threading.Event()
        self._result: Any = None
        self._error: Exception | None = None

    def run(self, before_answer: Callable[[], None]) -> None:
        """Do it. In the engine's thread."""
        try:
            self._result = self._errand()
            if self._answers:
                before_answer()
                self._request.answer(self._result)
        except Exception as error:  # noqa: BLE001 -- it is raised where the errand came from
            self._error = error
        self._done.set()

    def give_up(self) -> None:
        self._error = RpcFailure(ErrorCode.REQUEST_CANCELLED, "The process ends.")
        self._done.set()

    def result(self) -> Any:
        """Wait for it. In the task's thread."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._result


class RunningTask:
    """The Task that a Work is given."""

    def __init__(
        self, request: Request, report: Report, send: Callable[[RunningTask, _Sent], None]
    ) -> None:
        self._request = request
        self._report = report
        self._send_errand = send
        self._token = _work_done_token(request.params)
        self._begun = False
        self.stopped = False

    @property
    def cancelled(self) -> bool:
        return self.stopped or self._request.cancel_requested

    def progress(self, message: str, percentage: int | None = None) -> None:
        if self._token is None:
            return
        share = {} if percentage is None else {"percentage": percentage}
        if not self._begun:
            self._begun = True
            self._send({"kind": "begin", "title": message, "cancellable": True, **share})
        else:
            self._send({"kind": "report", "message": message, **share}, lossy=True)

    def in_engine(self, errand: Errand, *, answers: bool = False) -> Any:
        sent = _Sent(self._request, errand, answers=answers)
        self._send_errand(self, sent)
        return sent.result()

    def end(self) -> None:
        if self._begun:
            self._begun = False
            self._send({"kind": "end"})

    def _send(self, value: dict[str, Any], *, lossy: bool = False) -> None:
        params = msgspec.json.encode({"token": self._token, "value": value})
        self._report(self._request, params, lossy)


class Tasks:
    """Starts works and keeps count of them. Used from the engine's thread."""

    def __init__(self, report: Report, wake: Callable[[], None], log: Log) -> None:
        self._report = report
        self._wake = wake
        self._log = log
        self._lock = threading.Lock()
        self._errands: deque[tuple[RunningTask, _Sent]] = deque()
        self._ended = False
        self._usual_turn = sys.getswitchinterval()
        self._running: dict[RunningTask, threading.Thread] = {}
        self._waiting: deque[tuple[RunningTask, Request, Work]] = deque()

    def spawn(self, request: Request, work: Work) -> None:
        task = RunningTask(request, self._report, self._take_errand)
        with self._lock:
            if len(self._running) >= MAX_RUNNING:
                self._waiting.append((task, request, work))
            else:
                self._start(task, request, work)

    @property
    def crowded(self) -> bool:
        return len(self._waiting) >= MOST_WAITING

    @property
    def has_errands(self) -> bool:
        return bool(self._errands)

    def run_errand(self) -> None:
        """Do the next errand of a task."""
        task, errand = self._errands.popleft()
        errand.run(task.end)

    def stop(self, patience: float) -> bool:
        """Cancel all, wait up to ``patience`` seconds; return whether all have ended."""
        with self._lock:
            self._ended = True
            threads = list(self._running.values())
            for task in self._running:
                task.stopped = True
            waiting = [request for _, request, _ in self._waiting]
            self._waiting.clear()
        # Here, not in threads: the box for what they say has room for so many only.
        for request in waiting:
            request.fail_cancelled()
        while self._errands:
            self._errands.popleft()[1].give_up()
        deadline = time.monotonic() + patience
        while threads and time.monotonic() < deadline:
            for thread in threads:
                thread.join(max(0.0, deadline - time.monotonic()))
            with self._lock:
                threads = list(self._running.values())
        return not threads

    def _take_errand(self, task: RunningTask, errand: _Sent) -> None:
        """Have the engine's thread do an errand at its next turn. From a task's thread."""
        with self._lock:
            ended = self._ended
            if not ended:
                self._errands.append((task, errand))
        if ended:
            errand.give_up()
        else:
            self._wake()

    def _start(self, task: RunningTask, request: Request, work: Work) -> None:
        """Needs the lock."""
        if not self._running:
            self._usual_turn = sys.getswitchinterval()
            sys.setswitchinterval(_TURN)
        thread = threading.Thread(target=self._run, args=(task, request, work), daemon=True)
        self._running[task] = thread
        thread.start()

    def _run(self, task: RunningTask, request: Request, work: Work) -> None:
        try:
            self._finish(task, request, work)
        finally:
            with self._lock:
                del self._running[task]
                if not self._running:
                    sys.setswitchinterval(self._usual_turn)
                if self._waiting:
                    self._start(*self._waiting.popleft())

    def _finish(self, task: RunningTask, request: Request, work: Work) -> None:
        if task.cancelled:
            request.fail_cancelled()
            return
        try:
            result = work(task)
        except RpcFailure as failure:
            self._fail(task, request, failure)
        except Exception as error:  # noqa: BLE001 -- the boundary of the thread
            self._fail(task, request, internal_failure(error, self._log))
        else:
            if not request.answered:
                task.end()
                request.answer(result)

    def _fail(self, task: RunningTask, request: Request, failure: RpcFailure) -> None:
        if request.answered:
            return
        task.end()
        if task.cancelled and failure.code != ErrorCode.INTERNAL_ERROR:
            request.fail_cancelled()
        else:
            request.fail(failure.code, failure.message, failure.data)


def _work_done_token(params: Any) -> int | str | None:
    token = params.get("workDoneToken") if isinstance(params, dict) else None
    return token if type(token) in (int, str) else None
