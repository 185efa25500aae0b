"""What goes to the host: gathered into few writes, notifications behind the answers they follow.

Written by the engine's thread alone, so that frames cannot interleave; other threads put letters
into a bounded box that it empties.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any, Final, NamedTuple

import msgspec

from sidecar.server.envelope import Id
from sidecar.server.framing import header
from sidecar.server.pipe import HostGoneError, Intake, Pipe
from sidecar.server.requests import Chunks, Request

_GATHERED_BYTES: Final = 1 << 16
_GATHERED_SECONDS: Final = 0.002
_MOST_LETTERS: Final = 256


class Letter(NamedTuple):
    """One message from another thread; ``request`` is what it answers."""

    body: Chunks
    request: Request | None
    lossy: Request | None


class Outbox:
    """Messages on their way out."""

    def __init__(self, pipe: Pipe, intake: Intake) -> None:
        self._pipe = pipe
        self._intake = intake
        self._gathered: list[bytes] = []
        self._size = 0
        self._since = 0.0
        self._held: list[Chunks] = []
        self._letters: deque[Letter] = deque()
        self._box_room = threading.BoundedSemaphore(_MOST_LETTERS)
        self._unsent_reports: set[Request] = set()
        self.gone: HostGoneError | None = None
        """Why nothing can be written any more. Set instead of raised: who answers is not at fault."""

    def put(self, body: Chunks) -> None:
        """Add one message, whose body may come in pieces that are not copied."""
        if not self._gathered:
            self._since = time.monotonic()
        if isinstance(body, bytes):
            message = header(len(body)) + body
            self._gathered.append(message)
            self._size += len(message)
        else:
            length = sum(map(len, body))
            self._gathered.append(header(length))
            self._gathered.extend(body)
            self._size += length

    def hold(self, body: Chunks) -> None:
        """Keep a notification until :meth:`release`."""
        self._held.append(body)

    def release(self) -> None:
        """Let the notifications follow the answers that they waited for."""
        for body in self._held:
            self.put(body)
        self._held.clear()

    def flush_if_due(self) -> None:
        """Write when enough has been gathered, or when it has waited long enough."""
        if self._size >= _GATHERED_BYTES or time.monotonic() - self._since > _GATHERED_SECONDS:
            self.flush()

    def flush(self) -> None:
        if not self._gathered:
            return
        parts, self._gathered, self._size = self._gathered, [], 0
        if self.gone is None:
            try:
                self._pipe.send(parts, self._intake)
            except HostGoneError as error:
                self.gone = error

    def post(
        self, body: Chunks, *, request: Request | None = None, lossy: Request | None = None
    ) -> None:
        """Leave a message from another thread. Waits while the box is full."""
        if lossy is not None:
            if lossy in self._unsent_reports:
                return
            self._unsent_reports.add(lossy)
        self._box_room.acquire()
        self._letters.append(Letter(body, request, lossy))
        self._pipe.wake()

    @property
    def has_letters(self) -> bool:
        return bool(self._letters)

    def deliver(self, in_flight: dict[Id, Request]) -> None:
        """Put the letters of other threads; what they answer is in flight no more."""
        while self._letters:
            letter = self._letters.popleft()
            self._box_room.release()
            if letter.lossy is not None:
                self._unsent_reports.discard(letter.lossy)
            self.put(letter.body)
            if letter.request is not None:
                in_flight.pop(letter.request.id, None)


def result_body(id_: Id, result: Chunks) -> Chunks:
    id_text = b"%d" % id_ if type(id_) is int else msgspec.json.encode(id_)
    return _close(b'{"jsonrpc":"2.0","id":%b,"result":' % id_text, result)


def error_body(id_: Id | None, code: int, message: str, data: Any) -> bytes:
    error: dict[str, Any] = {"code": int(code), "message": message}
    if data is not None:
        error["data"] = data
    return msgspec.json.encode({"jsonrpc": "2.0", "id": id_, "error": error})


def notification_body(method: str, params: Chunks) -> Chunks:
    return _close(b'{"jsonrpc":"2.0","method":%b,"params":' % msgspec.json.encode(method), params)


def _close(head: bytes, value: Chunks) -> Chunks:
    """Put a value into its message; a long one is not copied."""
    if isinstance(value, bytes):
        if len(value) < _GATHERED_BYTES:
            return b"%b%b}" % (head, value)
        return [head, value, b"}"]
    return [head, *value, b"}"]
