"""Which of the waiting requests go to the engine together.

A request that is refused, or that the transport answers itself, ends a batch: so answers keep the
order of requests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from protocol.errors import ErrorCode
from sidecar.server.envelope import RefusedParamsError, decode_params
from sidecar.server.error_map import RpcFailure
from sidecar.server.inbox import Inbox
from sidecar.server.lifecycle import Lifecycle
from sidecar.server.requests import Request

MOST_AT_ONCE: Final = 256
"""Requests that the engine is given together."""

_MOST_BYTES_AT_ONCE: Final = 4 << 20

Builtins = Mapping[str, Callable[[Request], None]]
"""Requests that the transport answers itself, by method."""


class Stop(NamedTuple):
    """The request that ended a batch: refused, or (``failure`` None) a built-in one."""

    request: Request
    failure: RpcFailure | None


def next_batch(
    inbox: Inbox, lifecycle: Lifecycle, builtins: Builtins
) -> tuple[list[Request], Stop | None]:
    """Take the next requests from the inbox, their params decoded."""
    batch: list[Request] = []
    size = 0
    while len(batch) < MOST_AT_ONCE and size < _MOST_BYTES_AT_ONCE:
        request = inbox.pop_request()
        if request is None:
            break
        failure = _prepare(request, lifecycle)
        if failure is not None or request.method in builtins:
            return batch, Stop(request, failure)
        batch.append(request)
        size += request.raw_size
    return batch, None


def _prepare(request: Request, lifecycle: Lifecycle) -> RpcFailure | None:
    """Decode a request's params at its turn; return why it cannot be served, if so."""
    if request.cancel_requested:
        return RpcFailure(ErrorCode.REQUEST_CANCELLED, "The request was cancelled.")
    failure = lifecycle.admit(request.method)
    if failure is not None:
        return failure
    try:
        request.params = decode_params(request.raw_params)
    except RefusedParamsError as refused:
        return RpcFailure(refused.code, refused.message, refused.data)
    request.raw_params = None
    return None
