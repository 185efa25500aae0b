"""From requests to handlers and back: groups writes into transactions, maps every failure once.

Every path answers each request exactly once.
"""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define
from cattrs import Converter

from protocol.converter import decode
from protocol.errors import ErrorCode, InvalidParamsError, Issue, RequestFailedError
from protocol.methods import METHODS
from protocol.names import json_name
from sidecar.core.errors import RejectedError
from sidecar.handlers.beside import AtOnce
from sidecar.handlers.context import Context
from sidecar.handlers.routes import ROUTES, Route
from sidecar.handlers.unit import Done, Failed, Job, Outcome, Unit, run_jobs
from sidecar.server.engine_port import Peer, Task, Work
from sidecar.server.error_map import RpcFailure, internal_failure
from sidecar.server.logs import Log
from sidecar.server.requests import Chunks, Request
from sidecar.store.copies import CancelledError
from sidecar.store.faults import StorageError

EXIT_STORAGE = 3
DISCOVER = "rpc.discover"


@define
class Dispatcher:
    """Serves batches of requests on one thread."""

    context: Context
    converter: Converter
    peer: Peer
    log: Log

    def serve(self, requests: Sequence[Request]) -> None:
        """Answer a batch in order; neighbouring writes share one transaction and one fsync."""
        writes: list[tuple[Request, Route]] = []
        for request in requests:
            route = _route_of(request)
            if route is not None and route.writes:
                writes.append((request, route))
                continue
            self._serve_writes(writes)
            writes = []
            if request.cancelled:
                request.fail_cancelled()
            elif request.method == DISCOVER:
                request.answer(openrpc_document())
            elif route is None:
                request.fail(ErrorCode.METHOD_NOT_FOUND, "There is no such method.")
            else:
                self._serve_alone(request, route)
        self._serve_writes(writes)

    def _serve_writes(self, writes: Sequence[tuple[Request, Route]]) -> None:
        wanted = [not request.cancelled for request, _ in writes]
        jobs = [
            Job(self._work(request, route))
            for (request, route), is_wanted in zip(writes, wanted, strict=True)
            if is_wanted
        ]
        outcomes = iter(self._outcomes(jobs))
        for (request, route), is_wanted in zip(writes, wanted, strict=True):
            if is_wanted:
                self._finish(request, route, next(outcomes))
            else:
                request.fail_cancelled()

    def _outcomes(self, jobs: Sequence[Job]) -> list[Outcome]:
        if not jobs:
            return []
        try:
            return run_jobs(self.context.database, jobs)
        except Exception as error:  # noqa: BLE001 -- the process boundary
            return [Failed(error) for _ in jobs]

    def _work(self, request: Request, route: Route) -> Callable[[Unit], Any]:
        # Here, not in there: what a handler needs is not loaded inside a transaction.
        handler = route.handler

        def work(unit: Unit) -> Any:
            return handler(self.context, unit, self._params(request))

        return work

    def _finish(self, request: Request, route: Route, outcome: Outcome) -> None:
        if isinstance(outcome, Done):
            request.answer(outcome.answer)
            return
        error = outcome.error
        if isinstance(error, StorageError) and route.on_storage_error is not None:
            try:
                request.answer(route.on_storage_error(self.context, request.params, error))
            except Exception as second:  # noqa: BLE001 -- the process boundary
                self._fail(request, second)
            self._leave_if_moved(error)
            return
        self._fail(request, error)

    def _serve_alone(self, request: Request, route: Route) -> None:
        try:
            handler, params = route.handler, self._params(request)
            if route.beside:
                self._serve_beside(request, self._beside(handler(self.context, params)))
            else:
                with self.context.database.read() as tx:
                    answer = handler(self.context, tx, params)
                request.answer(answer)
        except Exception as error:  # noqa: BLE001 -- the process boundary
            self._fail(request, error)

    def _serve_beside(self, request: Request, work: Work) -> None:
        if self.context.database.is_alone:
            request.answer(work(AtOnce()))
        else:
            self.peer.spawn(request, work)

    def _beside(self, work: Work) -> Work:
        def mapped(task: Task) -> Chunks:
            try:
                return work(task)
            except Exception as error:
                raise self.failure_of(error) from error

        return mapped

    def _params(self, request: Request) -> Any:
        method = METHODS[request.method]
        params = {} if request.params is None else request.params
        if method.answering == "request":
            return decode(self.converter, params, method.params)
        if not isinstance(params, dict):
            raise InvalidParamsError([Issue("", f"expected an object, got {json_name(params)}")])
        return params

    def _fail(self, request: Request, error: Exception) -> None:
        failure = self.failure_of(error)
        request.fail(failure.code, failure.message, failure.data)
        if isinstance(error, StorageError):
            self._leave_if_moved(error)

    def failure_of(self, error: Exception) -> RpcFailure:
        """Return what the peer is told about an exception; the unexpected is logged, once."""
        match error:
            case RpcFailure():
                return error
            case InvalidParamsError():
                issues = [{"path": issue.path, "message": issue.message} for issue in error.issues]
                return RpcFailure(
                    ErrorCode.INVALID_PARAMS, "The params do not fit.", {"issues": issues}
                )
            case RequestFailedError():
                return _request_failed(error.code, error.message, error.details, error.retryable)
            case StorageError():
                return _request_failed(error.code, error.message, error.details, error.retryable)
            case CancelledError():
                return RpcFailure(ErrorCode.REQUEST_CANCELLED, "The request was cancelled.")
            case RejectedError():
                return _request_failed(error.code, error.message, error.details, False)
            case _:
                return internal_failure(error, self.log)

    def _leave_if_moved(self, error: StorageError) -> None:
        if error.code == "storage-moved":
            self.peer.stop(EXIT_STORAGE)


def _request_failed(code: str, message: str, details: Any, retryable: bool) -> RpcFailure:  # noqa: FBT001 -- internal
    data = {"code": code, "retryable": retryable, "details": details or {}}
    return RpcFailure(ErrorCode.REQUEST_FAILED, message, data)


def _route_of(request: Request) -> Route | None:
    route = ROUTES.get(request.method)
    return None if route is None else route.for_params(request.params)


def openrpc_document() -> bytes:
    """Return the OpenRPC document, as it is packaged with the protocol."""
    from importlib import resources  # noqa: PLC0415 -- a start need not pay for it

    return resources.files("protocol").joinpath("openrpc.json").read_bytes()
