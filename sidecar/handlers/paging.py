"""Pages of lists: how many, from where, and where the next one begins."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from protocol.errors import InvalidParamsError, Issue
from sidecar.store.cursors import CursorError, decode_cursor, encode_cursor

T = TypeVar("T")

MAX_LIMIT = 500


def limit_of(limit: int) -> int:
    """Return a page's size, or raise for one out of range."""
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidParamsError([Issue("/limit", f"expected 1 to {MAX_LIMIT}")])
    return limit


def place_of(name: str, cursor: str | None, *, length: int = 1) -> tuple[int, ...] | None:
    """Return the place a cursor of the list ``name`` stands for, None for the first page."""
    if cursor is None:
        return None
    try:
        return decode_cursor(name, cursor, length=length)
    except CursorError as error:
        message = "not a cursor that an answer of this method gave"
        raise InvalidParamsError([Issue("/before", message)]) from error


def page_of(
    name: str, rows: Sequence[T], limit: int, place: Callable[[T], tuple[int, ...]]
) -> tuple[Sequence[T], str | None]:
    """Return a page of the list ``name`` and the cursor of the next one, None at the end.

    ``rows`` are as many as a page has and one more, where there is one; ``place`` tells where a
    row stands.
    """
    shown = rows[:limit]
    return shown, encode_cursor(name, *place(shown[-1])) if len(rows) > limit else None
