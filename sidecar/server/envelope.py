"""From the bytes of one body to a request, a notification, a response or a refusal.

Never raises for what a peer sends: every fault of a body is a :class:`Refusal` with the code and
the id which protocol.md gives it. Params stay undecoded text until :func:`decode_params`, so that
what waits in the queue costs its bytes alone.
"""

import re
from typing import Any, Final

import msgspec

from protocol.errors import ErrorCode
from sidecar.server.limits import MAX_DEPTH, MAX_VALUES, has_too_many_values, is_too_deep

Id = int | str


class Call(msgspec.Struct, frozen=True, gc=False):
    """A request. ``params`` is JSON text; None where the member is absent."""

    id: Id
    method: str
    params: bytes | None


class Note(msgspec.Struct, frozen=True, gc=False):
    """A notification."""

    method: str
    params: bytes | None


class Reply(msgspec.Struct, frozen=True, gc=False):
    """A response to a request of ours; ``result`` or ``error`` is JSON text."""

    id: Id
    result: bytes | None
    error: bytes | None


class Refusal(msgspec.Struct, frozen=True, gc=False):
    """A body that is no readable message, and what its sender is told."""

    id: Id | None
    code: ErrorCode
    message: str
    data: dict[str, Any] | None = None


Message = Call | Note | Reply | Refusal


class RefusedParamsError(Exception):
    """Params that are no JSON, or over a limit."""

    def __init__(self, code: ErrorCode, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class _Envelope(msgspec.Struct, gc=False):
    jsonrpc: Any = None
    id: Any = msgspec.UNSET
    method: Any = msgspec.UNSET
    params: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


_ABSENT: Final = msgspec.UNSET
_decode_envelope = msgspec.json.Decoder(_Envelope).decode
_decode_value = msgspec.json.Decoder().decode
_check_syntax = msgspec.json.Decoder(msgspec.Raw).decode

_NOT_JSON = Refusal(None, ErrorCode.PARSE_ERROR, "the body is not valid JSON in UTF-8")
_NOT_UTF8 = Refusal(None, ErrorCode.PARSE_ERROR, "the body is not valid UTF-8")


def read_message(body: bytes | bytearray) -> Message:
    """Sort one body. Params are checked as far as their syntax goes, and no further."""
    if not body.isascii():
        try:
            body.decode()
        except UnicodeDecodeError:
            return _NOT_UTF8
    try:
        envelope = _decode_envelope(body)
    except RecursionError:
        return _refuse_deep(bytes(body))
    except msgspec.ValidationError:
        return _refuse_root(body)
    except msgspec.DecodeError:
        return _NOT_JSON
    return _sort(envelope)


def decode_params(text: bytes | None) -> Any:
    """Return the value of params; None where the member is absent or null.

    Raises RefusedParamsError: ``-32602`` over a limit, ``-32700`` for lone surrogates and
    numbers that JSON allows but nobody can hold (over 4,300 digits, beyond a double).
    """
    if text is None:
        return None
    if has_too_many_values(text):
        raise RefusedParamsError(*_TOO_MANY)
    if is_too_deep(text):
        raise RefusedParamsError(*_TOO_DEEP)
    try:
        return _decode_value(text)
    except msgspec.DecodeError as error:
        raise RefusedParamsError(_NOT_JSON.code, _NOT_JSON.message) from error


_TOO_DEEP = (
    ErrorCode.INVALID_PARAMS,
    f"params nest deeper than {MAX_DEPTH} levels",
    {"issues": [{"path": "", "message": f"deeper than {MAX_DEPTH} levels"}]},
)
_TOO_MANY = (
    ErrorCode.INVALID_PARAMS,
    f"params hold more than {MAX_VALUES} values",
    {"issues": [{"path": "", "message": f"more than {MAX_VALUES} values"}]},
)


def _sort(envelope: _Envelope) -> Message:
    id_, method = envelope.id, envelope.method
    if envelope.jsonrpc != "2.0":
        return _invalid(None, 'the member jsonrpc is not "2.0"')
    if id_ is not _ABSENT and type(id_) is not int and type(id_) is not str:
        return _invalid(None, "the id is neither a string nor an integer")
    if type(method) is str:
        params = bytes(envelope.params) or None
        return Note(method, params) if id_ is _ABSENT else Call(id_, method, params)
    known_id = None if id_ is _ABSENT else id_
    if method is not _ABSENT:
        return _invalid(known_id, "the method is not a string")
    result, error = bytes(envelope.result) or None, bytes(envelope.error) or None
    if known_id is None or (result is None and error is None):
        return _invalid(known_id, "neither a request, nor a notification, nor a response")
    return Reply(known_id, result, error)


def _invalid(id_: Id | None, message: str) -> Refusal:
    return Refusal(id_, ErrorCode.INVALID_REQUEST, message)


def _refuse_root(body: bytes | bytearray) -> Refusal:
    """The body is no object, or one of its own members is a number that nobody can hold."""
    if body.lstrip(b" \t\r\n").startswith(b"{"):
        return _NOT_JSON
    try:
        _check_syntax(body)
    except RecursionError:
        pass
    except msgspec.DecodeError:
        return _NOT_JSON
    return _invalid(None, "the message is not an object; batches are not part of LSP")


# Everything before the first bracket inside the outer object, strings taken whole.
_HEAD = re.compile(rb'\s*\{(?:[^"\[\]{}]|"[^"\\]*(?:\\.[^"\\]*)*")*+', re.DOTALL)


def _refuse_deep(body: bytes) -> Refusal:
    """Name the request whose params are too deep to walk.

    What stands before its first bracket and behind its last but one holds the other members.
    """
    head = _HEAD.match(body)
    tail = max(body.rfind(b"]"), body.rfind(b"}", 0, body.rfind(b"}"))) + 1
    if head is None or tail <= head.end():
        return _invalid(None, "the message nests too deep to be read")
    message = read_message(head.group() + b"null" + body[tail:])
    if isinstance(message, Call):
        return Refusal(message.id, *_TOO_DEEP)
    return _invalid(None, "the message nests too deep to be read")
