"""getActivity: a tool call with all it gave, large values in parts."""

from typing import Final

from msgspec import Raw

from protocol.errors import InvalidParamsError, Issue, RequestFailedError
from protocol.json_text import dumps, loads
from protocol.sessions import GetActivityParams
from sidecar.core import json_pointer
from sidecar.core.conversation.kinds import Kind
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.access import opened
from sidecar.handlers.sessions.changes import omitted_of, pointer
from sidecar.handlers.sessions.limits import within_limit
from sidecar.handlers.sessions.pages import body
from sidecar.store.database import Transaction
from sidecar.store.sessions import bodies
from sidecar.store.sessions.cache import OpenSession
from sidecar.store.sessions.tables import thing_key

PART: Final = 1024 * 1024
"""Bytes of JSON text that one answer has at most."""
_LONGEST_CHARACTER: Final = 4


def get_activity(ctx: Context, tx: Transaction, params: GetActivityParams) -> bytes:
    """Show an activity, or, of a value of it, the JSON text from ``offset`` on.

    ``offset``, ``nextOffset`` and ``total`` count bytes of UTF-8; the parts put together are the
    value's JSON text.
    """
    session = opened(ctx, tx, params.session_id)
    if session.graph.index.activity(params.activity_id) is None:
        raise RequestFailedError(
            "unknown-activity",
            "There is no such activity in this session.",
            {"activityId": params.activity_id},
        )
    if params.path is None:
        return within_limit(ctx, _whole(tx, session, params.activity_id))
    if params.offset < 0:
        raise InvalidParamsError([Issue("/offset", "expected 0 or more")])
    return _part(tx, session, params.activity_id, params.path, params.offset)


def _whole(tx: Transaction, session: OpenSession, activity_id: str) -> bytes:
    text, large = body(tx, session, Kind.ACTIVITY, activity_id)
    return dumps({"activity": Raw(text), "omitted": omitted_of(activity_id, large)})


def _part(tx: Transaction, session: OpenSession, activity_id: str, path: str, offset: int) -> bytes:
    place = session.place_of(Kind.ACTIVITY, activity_id)
    assert place is not None
    key = thing_key(session.key, *place)
    text, large = body(tx, session, Kind.ACTIVITY, activity_id)
    for one in large:
        if pointer(one.name) == path:
            piece = bodies.piece(tx, key, one.name, offset=offset, size=PART + _LONGEST_CHARACTER)
            return _answer(path, piece, offset, one.size)
    value = _value_at(tx, key, text, path)
    return _answer(path, value[offset : offset + PART + _LONGEST_CHARACTER], offset, len(value))


def _answer(path: str, piece: bytes, offset: int, total: int) -> bytes:
    if offset > total or (piece and _continues(piece[0])):
        raise InvalidParamsError([Issue("/offset", "expected the start of a part")])
    end = len(piece)
    if end > PART:
        end = PART
        while _continues(piece[end]):
            end -= 1
    after = offset + end
    return dumps(
        {
            "path": path,
            "text": piece[:end].decode(),
            "nextOffset": after if after < total else None,
            "total": total,
        }
    )


def _continues(byte: int) -> bool:
    """Whether a byte of UTF-8 is inside a character."""
    return byte & 0xC0 == 0x80  # noqa: PLR2004 -- the two high bits are 10


def _value_at(tx: Transaction, key: int, text: bytes, path: str) -> bytes:
    """Return the JSON text of any value inside an activity."""
    try:
        first, *rest = json_pointer.parse(path)
        large = bodies.large_value(tx, key, first)
        whole = loads(text)[first] if large is None else loads(large)
        return dumps(json_pointer.value_at(whole, rest))
    except (LookupError, ValueError) as error:
        raise _no_value() from error


def _no_value() -> InvalidParamsError:
    return InvalidParamsError([Issue("/path", "leads to no value of this activity")])
