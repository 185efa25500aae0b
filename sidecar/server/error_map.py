"""What a request that fails is answered with, and how a fault becomes an error id.

Nothing of an unexpected exception's text reaches the peer or the log: it may hold user data.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any

from protocol.errors import ErrorCode
from sidecar.server.logs import Log


class RpcFailure(Exception):  # noqa: N818 -- it is an answer, and no fault of ours
    """A request's error answer. ``data`` is any JSON value; None leaves the member out.

    ``exit_code``: the process ends with it once the answer is written.
    """

    def __init__(
        self, code: int, message: str, data: Any = None, *, exit_code: int | None = None
    ) -> None:
        super().__init__(message)
        self.code = int(code)
        self.message = message
        self.data = data
        self.exit_code = exit_code


def internal_failure(error: BaseException, log: Log, **facts: Any) -> RpcFailure:
    """Log an unexpected exception under a new error id and return what the peer is told."""
    error_id = os.urandom(8).hex()
    log.error("internal-error", errorId=error_id, **describe(error), **facts)
    return RpcFailure(
        ErrorCode.INTERNAL_ERROR,
        "The sidecar met an unexpected error; its log has the details under the errorId.",
        {"errorId": error_id},
    )


def describe(error: BaseException) -> dict[str, Any]:
    """The types and places of an exception and of what it came from, without any text of it."""
    chain: list[dict[str, Any]] = []
    current: BaseException | None = error
    while current is not None and len(chain) < _LONGEST_CHAIN:
        chain.append({"type": type(current).__qualname__, "frames": _frames(current.__traceback__)})
        current = current.__cause__ or current.__context__
    return {"exceptions": chain}


_LONGEST_CHAIN = 5
_MOST_FRAMES = 30


def _frames(traceback: TracebackType | None) -> list[str]:
    """``module:line:function`` from the outermost to the innermost; a module, since it is no path."""
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        module = traceback.tb_frame.f_globals.get("__name__", "?")
        frames.append(f"{module}:{traceback.tb_lineno}:{code.co_name}")
        traceback = traceback.tb_next
    return frames[-_MOST_FRAMES:]
