"""What has come and waits to be served: bounded, in order, cancellable.

A message is sorted when it arrives, so that ``$/cancelRequest`` reaches a request that waits;
its params stay undecoded until its turn, so that the queue costs the bytes that came.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec

from protocol.errors import ErrorCode
from sidecar.server.envelope import Call, Id, Note, Refusal, Reply, read_message
from sidecar.server.framing import Frame, FrameParser, FramingError, Oversized
from sidecar.server.lifecycle import CANCEL_REQUEST
from sidecar.server.logs import Log
from sidecar.server.requests import Request

MOST_MESSAGES: Final = 4096
MOST_BYTES: Final = 16 << 20
"""Where the queue counts as full. One message may exceed what is left of it."""

_EMPTY_COST = 64


class End(NamedTuple):
    """Nothing comes any more."""

    exit_code: int


Item = Request | Note | Reply | Refusal | End


class Inbox:
    """The queue between the pipe and the engine."""

    def __init__(
        self,
        parser: FrameParser,
        new_request: Callable[[Call, int], Request],
        log: Log,
        *,
        on_end: Callable[[], None],
    ) -> None:
        self._parser = parser
        self._new_request = new_request
        self._log = log
        self._on_end = on_end
        self._items: deque[tuple[int, Item]] = deque()
        self._bytes = 0
        self.in_flight: dict[Id, Request] = {}
        """Requests that were not answered yet, those of tasks included."""
        self._waiting_since: float | None = None
        self.is_open = True
        """False once the stream ended or cannot be followed."""
        self.exit_code: int | None = None
        """What the process ends with by the way the stream ended."""

    def __len__(self) -> int:
        return len(self._items)

    @property
    def has_room(self) -> bool:
        return self.is_open and len(self._items) < MOST_MESSAGES and self._bytes < MOST_BYTES

    @property
    def wanted(self) -> int:
        """Bytes that the next read should ask for."""
        return self._parser.wanted

    @property
    def inside_message(self) -> bool:
        return self._parser.inside_message

    @property
    def starts_with_request(self) -> bool:
        return bool(self._items) and type(self._items[0][1]) is Request

    def pop_request(self) -> Request | None:
        """Take the first item if it is a request."""
        if not self._items:
            return None
        size, item = self._items[0]
        if type(item) is not Request:
            return None
        self._items.popleft()
        self._bytes -= size
        return item

    def pop(self) -> Item:
        size, item = self._items.popleft()
        self._bytes -= size
        return item

    def take(self, chunk: bytes) -> None:
        """Take bytes as they came; none are the end of the stream."""
        if not chunk:
            self._end(1 if self._parser.inside_message else 0)
            return
        frames: list[Frame] = []
        try:
            self._parser.feed_into(frames, chunk)
        except FramingError as error:
            self._put_all(frames)
            self._log.error("framing-fault", reason=error.reason)
            self._end(1)
        else:
            self._put_all(frames)
        if frames:
            self._waiting_since = None

    def wait_for_rest(self) -> None:
        """Note that the rest of a message is all that is waited for."""
        if self._waiting_since is None:
            self._waiting_since = time.monotonic()

    def complain_when_slow(self, seconds: float) -> None:
        """Log, once, that a message has not come whole for so long, be it silent or byte by byte."""
        since = self._waiting_since
        if since is None or not self.inside_message or time.monotonic() - since < seconds:
            return
        self._waiting_since = math.inf
        self._log.warning("message-stalled", seconds=seconds)

    def _end(self, exit_code: int) -> None:
        self.is_open = False
        self.exit_code = exit_code
        self._items.append((0, End(exit_code)))
        self._on_end()

    def _put_all(self, frames: list[Frame]) -> None:
        for frame in frames:
            item = self._sort(frame)
            if item is not None:
                size = _EMPTY_COST if isinstance(frame, Oversized) else len(frame) + _EMPTY_COST
                self._items.append((size, item))
                self._bytes += size

    def _sort(self, frame: Frame) -> Item | None:
        if isinstance(frame, Oversized):
            return self._refuse_oversized(frame)
        message = read_message(frame)
        if type(message) is Call:
            return self._admit(message, len(frame))
        if type(message) is Note and message.method == CANCEL_REQUEST:
            self._cancel(message.params)
            return None
        assert not isinstance(message, Call)
        if isinstance(message, Refusal):
            self._log.warning("message-refused", code=int(message.code), size=len(frame))
        return message

    def _admit(self, call: Call, size: int) -> Item:
        if call.id in self.in_flight:
            message = "a request with this id is still in work"
            return Refusal(call.id, ErrorCode.INVALID_REQUEST, message)
        request = self._new_request(call, size)
        self.in_flight[call.id] = request
        return request

    def _cancel(self, params: bytes | None) -> None:
        try:
            value: Any = msgspec.json.decode(params or b"null")
        except (msgspec.DecodeError, RecursionError):
            return
        id_ = value.get("id") if isinstance(value, dict) else None
        # True is no 1, although it is found where 1 is.
        if type(id_) in (int, str) and id_ in self.in_flight:
            self.in_flight[id_].cancel_requested = True

    def _refuse_oversized(self, frame: Oversized) -> Refusal:
        limit = self._parser.max_message
        self._log.warning("message-too-long", size=frame.size, limit=limit)
        return Refusal(
            None,
            ErrorCode.INVALID_REQUEST,
            f"a message of {frame.size} bytes is over the limit of {limit}",
            {"size": frame.size, "limit": limit},
        )
