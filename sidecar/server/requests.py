"""A request on its way through the process: answered once, by whichever thread has the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from protocol.errors import ErrorCode
from sidecar.server.envelope import Id

Chunks = bytes | Sequence[bytes]
"""JSON text, in one piece or in pieces that are written one after the other, uncopied."""


class Answering(Protocol):
    """Where answers go, and where news of cancellation come from."""

    def answer(self, request: Request, result: Chunks) -> None: ...

    def refuse(self, request: Request, code: int, message: str, data: Any) -> None: ...

    def glance(self) -> None: ...


class Request:
    """One request of the peer.

    ``params`` is the decoded JSON value, None where the member is absent or null; it is filled
    right before the engine gets the request. ``raw_size`` is the bytes of its whole body.
    """

    __slots__ = (
        "_answering",
        "answered",
        "beside",
        "cancel_requested",
        "id",
        "method",
        "params",
        "raw_params",
        "raw_size",
    )

    def __init__(
        self, answering: Answering, id_: Id, method: str, raw_params: bytes | None, raw_size: int
    ) -> None:
        self._answering = answering
        self.id = id_
        self.method = method
        self.params: Any = None
        self.raw_params = raw_params
        self.raw_size = raw_size
        self.answered = False
        self.beside = False
        """Whether a task of its own answers it, out of the order of the queue."""
        self.cancel_requested = False

    @property
    def cancelled(self) -> bool:
        """Whether the peer asked to cancel it; looks at what has arrived meanwhile."""
        if not self.cancel_requested:
            self._answering.glance()
        return self.cancel_requested

    def answer(self, result: Chunks) -> None:
        """Send the result, which is JSON text. Raises RuntimeError when it was answered before."""
        self._claim()
        self._answering.answer(self, result)

    def fail(self, code: int, message: str, data: Any = None) -> None:
        """Send an error; ``data`` None leaves the member out. Raises RuntimeError as answer does."""
        self._claim()
        self._answering.refuse(self, code, message, data)

    def fail_cancelled(self) -> None:
        self.fail(ErrorCode.REQUEST_CANCELLED, "The request was cancelled.")

    def _claim(self) -> None:
        if self.answered:
            raise RuntimeError("a request is answered exactly once")
        self.answered = True
