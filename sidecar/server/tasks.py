"""Long operations beside the engine: one thread each, cancellable, with progress."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from protocol.errors import ErrorCode
from sidecar.server.engine_port import Work
from sidecar.server.error_map import RpcFailure, internal_failure
from sidecar.server.logs import Log
from sidecar.server.requests import Request

MAX_RUNNING = 4
"""More wait their turn."""

Report = Callable[[Request, bytes, bool], None]
"""Sends the params of one ``$/progress``. The flag: it may be dropped while the last is unsent."""


class RunningTask:
    """The Task that a Work is given."""

    def __init__(self, request: Request, report: Report) -> None:
        self._request = request
        self._report = report
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

    def end(self) -> None:
        if self._begun:
            self._send({"kind": "end"})

    def _send(self, value: dict[str, Any], *, lossy: bool = False) -> None:
        params = msgspec.json.encode({"token": self._token, "value": value})
        self._report(self._request, params, lossy)


class Tasks:
    """Starts works and keeps count of them. Used from the engine's thread."""

    def __init__(self, report: Report, log: Log) -> None:
        self._report = report
        self._log = log
        self._lock = threading.Lock()
        self._running: dict[RunningTask, threading.Thread] = {}
        self._waiting: deque[tuple[RunningTask, Request, Work]] = deque()

    def spawn(self, request: Request, work: Work) -> None:
        task = RunningTask(request, self._report)
        with self._lock:
            if len(self._running) >= MAX_RUNNING:
                self._waiting.append((task, request, work))
            else:
                self._start(task, request, work)

    def stop(self, patience: float) -> bool:
        """Cancel all, wait up to ``patience`` seconds; return whether all have ended."""
        with self._lock:
            tasks = [*self._running, *(waiting[0] for waiting in self._waiting)]
            threads = list(self._running.values())
        for task in tasks:
            task.stopped = True
        deadline = time.monotonic() + patience
        while threads and time.monotonic() < deadline:
            for thread in threads:
                thread.join(max(0.0, deadline - time.monotonic()))
            with self._lock:
                threads = list(self._running.values())
        return not threads

    def _start(self, task: RunningTask, request: Request, work: Work) -> None:
        """Needs the lock."""
        thread = threading.Thread(target=self._run, args=(task, request, work), daemon=True)
        self._running[task] = thread
        thread.start()

    def _run(self, task: RunningTask, request: Request, work: Work) -> None:
        try:
            self._finish(task, request, work)
        finally:
            with self._lock:
                del self._running[task]
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
            task.end()
            request.answer(result)

    def _fail(self, task: RunningTask, request: Request, failure: RpcFailure) -> None:
        task.end()
        if task.cancelled and failure.code != ErrorCode.INTERNAL_ERROR:
            request.fail_cancelled()
        else:
            request.fail(failure.code, failure.message, failure.data)


def _work_done_token(params: Any) -> int | str | None:
    token = params.get("workDoneToken") if isinstance(params, dict) else None
    return token if type(token) in (int, str) else None
