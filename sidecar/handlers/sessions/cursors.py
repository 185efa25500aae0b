"""Opaque cursors of a session's pages: they name things, so appends do not move them."""

import base64
import binascii
from typing import Any

import msgspec

from protocol.errors import InvalidParamsError, Issue


def encode(name: str, *place: str | int) -> str:
    """Return the cursor of a place in the list ``name``."""
    data = msgspec.msgpack.encode((name, *place))
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def decode(name: str, cursor: str, *types: type) -> tuple[Any, ...]:
    """Return the place of a cursor that :func:`encode` gave, its parts of these types."""
    try:
        data = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        found, *place = msgspec.msgpack.decode(data)
    except (msgspec.MsgspecError, binascii.Error, ValueError, TypeError) as error:
        raise not_a_cursor() from error
    if found != name or [type(part) for part in place] != list(types):
        raise not_a_cursor()
    return tuple(place)


def not_a_cursor() -> InvalidParamsError:
    """Return the error for a cursor that leads nowhere."""
    return InvalidParamsError([Issue("/before", "not a cursor that an answer of this method gave")])
