"""Opaque cursors of paged lists: where the next page begins."""

import base64
import binascii

import msgspec


class CursorError(ValueError):
    """A cursor that no answer of this list gave."""


def encode_cursor(name: str, *place: int) -> str:
    """Return the cursor of a place in the list ``name``."""
    data = msgspec.msgpack.encode((name, *place))
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def decode_cursor(name: str, cursor: str, *, length: int = 1) -> tuple[int, ...]:
    """Return the place of a cursor of the list ``name``, or raise :class:`CursorError`."""
    try:
        data = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        found, *place = msgspec.msgpack.decode(data)
    except (msgspec.MsgspecError, binascii.Error, ValueError, TypeError) as error:
        raise CursorError from error
    if found != name or len(place) != length or any(type(part) is not int for part in place):
        raise CursorError
    if encode_cursor(name, *place) != cursor or any(abs(part) >= 1 << 62 for part in place):
        raise CursorError
    return tuple(place)
