"""Reading a session's JSON from a file of any size: large values stay in the file.

In memory is at any time one value of one thing beside what the rules have to see.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, Final

from attrs import field, frozen

from protocol.json_text import dumps, loads
from sidecar.core.conversation.records import ACTIVITIES, MESSAGES
from sidecar.core.conversation.session_graph import GRAPH
from sidecar.store.digests import hash_of
from sidecar.store.sessions.bodies import KEPT_IN_BODY, LARGE, Deferred

CHUNK: Final = 1024 * 1024
MOST_DEEP: Final = 256
"""Levels of one value: far more than a message of the wire has, far fewer than a stack holds."""
MOST_BYTES: Final = 900_000_000
"""Bytes of one value: a row has at most 1,000,000,000 (https://www.sqlite.org/limits.html)."""
_SPACE: Final = re.compile(rb"[ \t\r\n]*+")
_PLAIN: Final = re.compile(rb'[^"{}\[\]]*+')
_STRING: Final = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_BACKSLASH: Final = ord("\\")
_SCALAR: Final = re.compile(rb"[^,\]} \t\r\n]*+")

Read = Callable[["Stream"], Any]
OnRead = Callable[[int], None]
"""Told how many bytes of the file were read; what it raises ends the reading."""


class NotASessionError(ValueError):
    """The file is no JSON object; ``check`` says of what kind of file it is."""

    check = "not-json"


class TooDeepError(NotASessionError):
    """A value of the file is nested deeper than it could be read again anywhere."""

    check = "too-deep"


class TooLargeError(NotASessionError):
    """A single value of the file is larger than a row can be."""

    check = "too-large"


def _ignore(_: int) -> None: ...


@frozen(eq=False)
class LargeValue(Deferred):
    """A value that is still in the file: equal to another one of the same content."""

    file: BinaryIO = field(repr=False)
    offset: int
    length: int
    digest: bytes

    def text(self) -> bytes:
        """Return its JSON text, written as everything else is."""
        self.file.seek(self.offset)
        text = _normal(self.file.read(self.length))
        if hash_of(text) != self.digest:
            raise NotASessionError("the file was changed while it was read")
        return text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LargeValue) and self.digest == other.digest

    __hash__ = None  # type: ignore[assignment]


def read_session(file: BinaryIO, *, on_read: OnRead = _ignore) -> dict[str, Any]:
    """Return the JSON object of a file, large values of activities as :class:`LargeValue`.

    Raises :class:`NotASessionError`, and what ``on_read`` does, which is told how far it is.  The
    file has to stay open as long as the values are used.
    """
    stream = Stream(file, on_read)
    session = stream.members(_SESSION)
    if not stream.at_end():
        raise NotASessionError("something follows the session")
    return session


class Stream:
    """JSON text read piece by piece; what was taken is forgotten."""

    def __init__(self, file: BinaryIO, on_read: OnRead) -> None:
        self._file = file
        self._on_read = on_read
        self._buffer = bytearray()
        self._start = 0
        """Where the buffer stands in the file."""
        self._at = 0

    def members(self, readers: Mapping[str, Read]) -> dict[str, Any]:
        """Take an object; its members are read as their names say, others whole."""
        found: dict[str, Any] = {}
        for _ in self._separated(b"{", b"}"):
            name = loads(self.take())
            self._expect(b":")
            found[name] = readers.get(name, _whole)(self)
        return found

    def items(self, read: Read) -> Any:
        """Take an array whose items are read one by one; another value is taken whole."""
        if self._peek() != b"[":
            return _whole(self)
        return [read(self) for _ in self._separated(b"[", b"]")]

    def activity(self) -> Any:
        """Take an activity, its large values left in the file."""
        if self._peek() != b"{":
            return _whole(self)
        found: dict[str, Any] = {}
        for _ in self._separated(b"{", b"}"):
            name = loads(self.take())
            self._expect(b":")
            found[name] = self._member(name)
        return found

    def graph(self) -> Any:
        """Take a conversation's graph."""
        return self.members(_GRAPH) if self._peek() == b"{" else _whole(self)

    def take(self) -> bytes:
        """Take the text of the next value, whatever it is."""
        self._peek()
        self._forget()
        begin = self._at
        self._at = end = self._end_of_value(begin)
        return bytes(self._buffer[begin:end])

    def at_end(self) -> bool:
        """Whether nothing but white space follows."""
        return self._peek() == b""

    def _member(self, name: str) -> Any:
        text = self.take()
        if len(text) <= LARGE or name in KEPT_IN_BODY:
            return loads(text)
        normal = _normal(text)
        offset = self._start + self._at - len(text)
        return LargeValue(self._file, offset, len(text), hash_of(normal))

    def _separated(self, opening: bytes, closing: bytes) -> Iterator[None]:
        """Yield before each member or item; the caller takes it."""
        self._expect(opening)
        if self._peek() == closing:
            self._at += 1
            return
        while True:
            yield
            if self._peek() == closing:
                self._at += 1
                return
            self._expect(b",")

    def _expect(self, byte: bytes) -> None:
        if self._peek() != byte:
            raise NotASessionError("not JSON")
        self._at += 1

    def _peek(self) -> bytes:
        """Return the next byte that is no white space; nothing at the end."""
        while True:
            self._at = self._match(_SPACE, self._at)
            if self._at < len(self._buffer):
                return bytes(self._buffer[self._at : self._at + 1])
            if not self._more():
                return b""

    def _end_of_value(self, begin: int) -> int:
        first = bytes(self._buffer[begin : begin + 1])
        if first == b'"':
            return self._end_of_string(begin + 1)
        if first in (b"{", b"["):
            return self._end_of_nested(begin)
        end = self._match(_SCALAR, begin)
        while end == len(self._buffer) and self._more():
            end = self._match(_SCALAR, end)
        return end

    def _end_of_nested(self, at: int) -> int:
        depth = 0
        while True:
            at = self._match(_PLAIN, at)
            if at == len(self._buffer):
                self._must_have_more()
                continue
            byte = bytes(self._buffer[at : at + 1])
            at += 1
            if byte == b'"':
                at = self._end_of_string(at)
            elif byte in (b"{", b"["):
                depth += 1
                if depth > MOST_DEEP:
                    raise TooDeepError("nested too deep")
            else:
                depth -= 1
                if depth == 0:
                    return at

    def _end_of_string(self, at: int) -> int:
        quote = self._buffer.find(b'"', at)
        if quote >= 0 and self._buffer[quote - 1] != _BACKSLASH:
            return quote + 1
        while True:
            at = self._match(_STRING, at)
            if self._buffer[at : at + 1] == b'"':
                return at + 1
            self._must_have_more()

    def _must_have_more(self) -> None:
        if not self._more():
            raise NotASessionError("the file ends inside a value")

    def _match(self, pattern: re.Pattern[bytes], at: int) -> int:
        found = pattern.match(self._buffer, at)
        assert found is not None
        return found.end()

    def _more(self) -> bool:
        self._file.seek(self._start + len(self._buffer))
        chunk = self._file.read(CHUNK)
        self._buffer += chunk
        self._on_read(self._start + len(self._buffer))
        if len(self._buffer) - self._at > MOST_BYTES:
            raise TooLargeError("a value is too large")
        return bool(chunk)

    def _forget(self) -> None:
        if self._at >= CHUNK:
            del self._buffer[: self._at]
            self._start += self._at
            self._at = 0


def _whole(stream: Stream) -> Any:
    return loads(stream.take())


def _normal(text: bytes) -> bytes:
    return dumps(loads(text))


_LISTS: Final[Mapping[str, Read]] = {
    ACTIVITIES: lambda stream: stream.items(Stream.activity),
    MESSAGES: lambda stream: stream.items(_whole),
}
_GRAPH: Final[Mapping[str, Read]] = _LISTS
_SESSION: Final[dict[str, Read]] = {**_LISTS, GRAPH: Stream.graph}
_SESSION["session"] = lambda stream: (
    stream.members(_SESSION) if stream._peek() == b"{" else _whole(stream)  # noqa: SLF001 -- of this module
)
