"""The LSP base framing: ``Content-Length: N``, an empty line, N bytes.

Reading is a parser that is fed with whatever bytes came; it never holds more than one message
and never allocates by what a header claims. What cannot be resynchronized is a FramingError.
"""

from typing import NamedTuple

MAX_HEADER = 4096
"""Bytes of one header block, its empty line included."""

MAX_MESSAGE = 64 << 20
"""Bytes of one body where ``--max-message`` says nothing else."""

SKIPPED_RATIO = 16
"""A body of up to this many times the cap is skipped; a longer one is no message of a host."""

_CHUNK = 1 << 16
_LARGE_CHUNK = 1 << 20
_MAX_DIGITS = 15


class FramingError(Exception):
    """The stream cannot be followed any more. ``reason`` is a stable slug."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Oversized(NamedTuple):
    """Stands for a body over the cap, which was skipped."""

    size: int


Frame = bytes | bytearray | Oversized


class FrameParser:
    """Turns chunks of a stream into bodies."""

    def __init__(self, max_message: int = MAX_MESSAGE) -> None:
        self.max_message = max_message
        self._rest = b""
        self._body: bytearray | None = None
        self._missing = 0
        self._skipped = 0

    @property
    def inside_message(self) -> bool:
        """Whether the end of the stream now would cut a message."""
        return bool(self._rest) or self._missing > 0

    @property
    def wanted(self) -> int:
        """Bytes that one read should ask for."""
        return min(max(self._missing, _CHUNK), _LARGE_CHUNK)

    def feed(self, chunk: bytes) -> list[Frame]:
        """Return the frames that ``chunk`` completes. Raises FramingError.

        Frames before the fault are lost with it only if they came in the same chunk; use
        :meth:`feed_into` to keep them.
        """
        frames: list[Frame] = []
        self.feed_into(frames, chunk)
        return frames

    def feed_into(self, frames: list[Frame], chunk: bytes) -> None:
        """Append the frames that ``chunk`` completes, up to a FramingError."""
        data = self._rest + chunk if self._rest else chunk
        self._rest = b""
        position, end = 0, len(data)
        while position < end:
            if self._missing:
                position = self._continue_body(frames, data, position)
                continue
            body = _read_plain_header(data, position)
            if body is None or body[1] > self.max_message:
                body = self._read_header(data, position)
            if body is None:
                self._rest = data[position:]
                return
            start, length = body
            stop = start + length
            if stop <= end and length <= self.max_message:
                frames.append(data[start:stop])
                position = stop
            else:
                self._begin_body(length)
                position = start

    def _begin_body(self, length: int) -> None:
        self._missing = length
        if length > self.max_message:
            self._skipped = length
        else:
            self._body = bytearray()

    def _continue_body(self, frames: list[Frame], data: bytes, position: int) -> int:
        part = data[position : position + self._missing] if position else data[: self._missing]
        self._missing -= len(part)
        if self._body is not None:
            self._body += part
        if not self._missing:
            frames.append(Oversized(self._skipped) if self._body is None else self._body)
            self._body = None
        return position + len(part)

    def _read_header(self, data: bytes, start: int) -> tuple[int, int] | None:
        """Return where the body starts and its length, or None where the header is incomplete."""
        length = None
        position = start
        while (newline := data.find(b"\n", position, start + MAX_HEADER)) >= 0:
            line = data[position:newline].rstrip(b"\r")
            position = newline + 1
            if line:
                length = self._read_line(line, length)
            elif length is None:
                raise FramingError("no-content-length")
            else:
                return position, length
        if len(data) - start >= MAX_HEADER:
            raise FramingError("header-too-long")
        if data[start] in b"{[":
            # Somebody sends JSON without frames; waiting for a colon would look like silence.
            raise FramingError("header-unreadable")
        return None

    def _read_line(self, line: bytes, length: int | None) -> int | None:
        name, colon, value = line.partition(b":")
        if not colon:
            raise FramingError("header-without-colon")
        name = name.strip().lower()
        if not name.translate(None, b"-_").isalnum():
            raise FramingError("header-unreadable")
        if name != b"content-length":
            return length
        if length is not None:
            raise FramingError("content-length-doubled")
        return self._read_length(value.strip())

    def _read_length(self, digits: bytes) -> int:
        if not digits.isdigit() or len(digits) > _MAX_DIGITS:
            raise FramingError("content-length-unreadable")
        length = int(digits)
        if length > SKIPPED_RATIO * self.max_message:
            raise FramingError("content-length-absurd")
        return length


def header(length: int) -> bytes:
    """Return the header block of a body of so many bytes."""
    return b"Content-Length: %d\r\n\r\n" % length


_PLAIN = b"Content-Length: "
_PLAIN_LENGTH = len(_PLAIN)
_PLAIN_DIGITS = 7


def _read_plain_header(data: bytes, start: int) -> tuple[int, int] | None:
    """Read what nearly every header is; None for anything else, faults included."""
    if not data.startswith(_PLAIN, start):
        return None
    digits_at = start + _PLAIN_LENGTH
    end = data.find(b"\r\n\r\n", digits_at, digits_at + _PLAIN_DIGITS + 4)
    if end < 0:
        return None
    digits = data[digits_at:end]
    return (end + 4, int(digits)) if digits.isdigit() else None
