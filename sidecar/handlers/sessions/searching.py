"""searchSessions: words and phrases in the finished messages of all branches, newest first."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any, Final

from attrs import frozen

from protocol.errors import RequestFailedError
from protocol.json_text import dumps
from protocol.sessions import SearchSessionsParams
from sidecar.core.conversation.values import JsonObject, utf16_length
from sidecar.handlers import paging
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.limits import within_limit
from sidecar.handlers.sessions.listing import project_key_of
from sidecar.store.database import Transaction
from sidecar.store.sessions import rows, texts
from sidecar.store.sessions.tables import session_key_of

AROUND: Final = 60
"""Characters of an excerpt before its first match."""
EXCERPT: Final = 200
"""Characters that an excerpt has at most."""
_TERM: Final = re.compile(r'"([^"]*)"|(\S+)')


@frozen
class _Excerpt:
    """A piece of a text and where the words stand in it; offsets count UTF-16 units."""

    text: str
    ranges: list[tuple[int, int]]


@frozen
class _Found:
    """A message that holds all words."""

    text_key: int
    row: rows.SessionRow
    message: JsonObject


def search_sessions(ctx: Context, tx: Transaction, params: SearchSessionsParams) -> bytes:
    """Find messages that hold all words; upper and lower case are one."""
    limit = paging.limit_of(params.limit)
    place = paging.place_of("search", params.before)
    project_key = project_key_of(tx, params.project_id)
    words = words_of(params.query)
    found = _found(ctx, tx, words, place[0] if place else None) if words else iter(())
    wanted = (one for one in found if project_key in (None, one.row.project_key))
    shown, before = paging.page_of(
        "search", list(islice(wanted, limit + 1)), limit, lambda one: (one.text_key,)
    )
    hits = [_hit(ctx, tx, one.row.session_id, one.message, words) for one in shown]
    return within_limit(ctx, dumps({"items": hits, "before": before}))


def words_of(query: str) -> list[str]:
    """Return what has to be in a text: words, and quoted phrases as they are, folded."""
    found = (phrase or word for phrase, word in _TERM.findall(query))
    return [*dict.fromkeys(texts.folded(one) for one in found if one)]


def excerpt_of(text: str, words: list[str]) -> _Excerpt | None:
    """Return the piece around the first match; None where a word is missing."""
    low = texts.folded(text)
    firsts = [low.find(word) for word in words]
    if min(firsts) < 0:
        return None
    start = max(0, min(firsts) - AROUND)
    piece = text[start : start + EXCERPT]
    marks = sorted(mark for word in words for mark in _marks(low, word, start))
    return _Excerpt(
        piece,
        [(utf16_length(piece[:begin]), utf16_length(piece[:end])) for begin, end in _merged(marks)],
    )


def _found(ctx: Context, tx: Transaction, words: list[str], before: int | None) -> Iterator[_Found]:
    known: dict[int, rows.SessionRow | None] = {}
    damaged = partial(setattr, ctx.sessions, "texts_damaged", True)
    for entry in texts.candidates(tx, words, before=before, on_damage=damaged):
        message = texts.read_message(tx, entry.thing_key)
        low = texts.folded(texts.text_of(message))
        if message is None or not all(word in low for word in words):
            continue
        key = session_key_of(entry.thing_key)
        if key not in known:
            known[key] = rows.find_by_key(tx, key)
        row = known[key]
        if row is not None:
            yield _Found(entry.text_key, row, message)


def _hit(
    ctx: Context, tx: Transaction, session_id: str, message: JsonObject, words: list[str]
) -> dict[str, Any]:
    excerpt = excerpt_of(texts.text_of(message), words)
    assert excerpt is not None
    return {
        "sessionId": session_id,
        "messageId": message["id"],
        "branchId": message["introducedOnBranchId"],
        "onActiveBranch": _is_shown(ctx, tx, session_id, message["id"]),
        "role": message["role"],
        "excerpt": excerpt.text,
        "ranges": excerpt.ranges,
    }


def _is_shown(ctx: Context, tx: Transaction, session_id: str, message_id: str) -> bool:
    try:
        session = ctx.sessions.open(tx, session_id)
    except RequestFailedError:
        # The session is damaged; its text was found all the same.
        return False
    if session is None:
        return False
    graph = session.graph
    return graph.index.is_on_path(graph.active_branch, message_id)


def _marks(low: str, word: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield where a word stands in the excerpt from ``start`` on; it may go on behind its end."""
    end = start + EXCERPT
    place = low.find(word, start, end + len(word) - 1)
    while place >= 0:
        yield place - start, min(place + len(word), end) - start
        place = low.find(word, place + len(word), end + len(word) - 1)


def _merged(marks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for begin, end in marks:
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged
