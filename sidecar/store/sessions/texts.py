"""The search index over finished messages: trigrams alone, since the texts are in the bodies.

FTS5 finds candidates (https://www.sqlite.org/fts5.html, contentless tables), the text itself
decides.  Everything here can be made again from the bodies, so damage of it refuses nothing: the
index is emptied and marked incomplete, searches read the texts, and the next write makes it anew.
Every function runs inside a transaction its caller opened.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import apsw
from attrs import frozen

from protocol.json_text import loads
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.values import JsonObject
from sidecar.store.database import Transaction
from sidecar.store.sessions import bodies
from sidecar.store.sessions.tables import TEXT_INDEX, TEXT_INDEX_TABLE, keys_of_kind

_DAMAGED: Final = (apsw.CorruptError, apsw.SQLError)
"""How FTS5 tells that its own tables do not hold together."""
GRAM: Final = 3
"""Characters of a trigram; shorter words are only found by reading."""
MOST_GRAMS: Final = 40
"""Trigrams asked for at once: more do not narrow the search any further."""

_FINAL_SIGMA: Final = "\N{GREEK SMALL LETTER FINAL SIGMA}"
_SIGMA: Final = "\N{GREEK SMALL LETTER SIGMA}"


@frozen
class Entry:
    """A message that may hold what is searched: its place in the order of writes, and its rows."""

    text_key: int
    thing_key: int


def text_of(message: JsonObject | None) -> str:
    """Return what is searched of a message: nothing while it is being written."""
    if message is None or message.get("status") == "streaming":
        return ""
    content = message.get("content")
    return content if isinstance(content, str) else ""


def folded(text: str) -> str:
    """Return a text in which upper and lower case are one, each character in its place."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(one if len(one) == 1 else char for char in text for one in (char.lower(),))
    # Lower case gives a sigma at the end of a word another form, which a part of a word has not.
    return low.replace("\0", " ").replace(_FINAL_SIGMA, _SIGMA)


def update(tx: Transaction, key: int, before: JsonObject | None, after: JsonObject) -> None:
    """Bring the index to what a message says now."""
    old, new = text_of(before), text_of(after)
    if old == new:
        return
    if old:
        text_key = _key_of(tx, key)
        remove(tx, text_key)
    else:
        text_key = None
    if not new:
        _set_key(tx, key, None)
        return
    if text_key is None:
        text_key = _next_key(tx)
        _set_key(tx, key, text_key)
    _guarded(tx, "INSERT INTO session_texts (rowid, text) VALUES (?, ?)", (text_key, folded(new)))


def add_all(tx: Transaction, messages: Iterable[tuple[int, str]]) -> None:
    """Index messages of a new session, oldest first: pairs of thing key and text."""
    text_key = _next_key(tx)
    for key, text in messages:
        _set_key(tx, key, text_key)
        _guarded(
            tx, "INSERT INTO session_texts (rowid, text) VALUES (?, ?)", (text_key, folded(text))
        )
        text_key += 1


def remove_session(tx: Transaction, session_key: int) -> None:
    """Take the messages of a session out of the index; call it before they are deleted."""
    found: list[tuple[Any, ...]] = tx.execute(
        "SELECT text_key FROM session_things WHERE thing_key BETWEEN ? AND ?"
        " AND text_key IS NOT NULL",
        keys_of_kind(session_key, Kind.MESSAGE),
    ).fetchall()
    for (text_key,) in found:
        remove(tx, text_key)


def remove(tx: Transaction, text_key: int | None) -> None:
    """Take a message out of the index by its key there; None where it is not in it."""
    if text_key is not None:
        _guarded(tx, "DELETE FROM session_texts WHERE rowid = ?", (text_key,))


def candidates(
    tx: Transaction, words: Iterable[str], *, before: int | None, on_damage: Callable[[], None]
) -> Iterator[Entry]:
    """Yield messages that may hold all words (folded), those written last first.

    Words shorter than a trigram narrow nothing; where the index is damaged nothing does, and
    ``on_damage`` is called.
    """
    start = 1 << 62 if before is None else before
    grams = dict.fromkeys(gram for word in words for gram in _grams(word))
    if grams and is_complete(tx):
        query = " AND ".join('"' + gram.replace('"', '""') + '"' for gram in [*grams][:MOST_GRAMS])
        try:
            for entry in _matching(tx, query, start):
                yield entry
                start = entry.text_key
        except _DAMAGED:
            # What was found is right; the rest is found by reading.
            on_damage()
        else:
            return
    yield from _all(tx, start)


def is_complete(tx: Transaction) -> bool:
    """Whether every finished message is in the index."""
    return bool(tx.execute("SELECT texts_complete FROM session_clock WHERE clock_key = 1").get)


def mark_damaged(tx: Transaction) -> None:
    """Note that the index is to be made anew; searches read the texts until then."""
    tx.execute("UPDATE session_clock SET texts_complete = 0 WHERE clock_key = 1")


def repair(tx: Transaction) -> None:
    """Make the index anew where it is not complete."""
    if not is_complete(tx):
        rebuild(tx)


def rebuild(tx: Transaction) -> bool:
    """Make the index anew from the texts; False where its own tables cannot even be emptied."""
    try:
        _empty(tx)
        for entry in list(_all(tx, 1 << 62)):
            text = read_text(tx, entry.thing_key)
            if text:
                tx.execute(
                    "INSERT INTO session_texts (rowid, text) VALUES (?, ?)",
                    (entry.text_key, folded(text)),
                )
    except _DAMAGED:
        mark_damaged(tx)
        return False
    tx.execute("UPDATE session_clock SET texts_complete = 1 WHERE clock_key = 1")
    return True


def read_message(tx: Transaction, key: int) -> JsonObject | None:
    """Return the whole message of a thing key; None where it is damaged."""
    found = bodies.read(tx, key)
    if found is None:
        return None
    try:
        value: Any = loads(found[0])
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def read_text(tx: Transaction, key: int) -> str:
    """Return the searched text of a message."""
    return text_of(read_message(tx, key))


def _matching(tx: Transaction, query: str, start: int) -> Iterator[Entry]:
    found = tx.execute(
        "SELECT rowid FROM session_texts WHERE session_texts MATCH ? AND rowid < ?"
        " ORDER BY rowid DESC",
        (query, start),
    )
    for (text_key,) in found:
        key = tx.execute("SELECT thing_key FROM session_things WHERE text_key = ?", (text_key,)).get
        if key is not None:
            yield Entry(text_key, key)


def _all(tx: Transaction, start: int) -> Iterator[Entry]:
    found = tx.execute(
        "SELECT text_key, thing_key FROM session_things"
        " WHERE text_key IS NOT NULL AND text_key < ? ORDER BY text_key DESC",
        (start,),
    )
    return (Entry(*row) for row in found)


def _empty(tx: Transaction) -> None:
    """Have an index without entries: FTS5 empties it, or it is dropped and made."""
    try:
        tx.execute("INSERT INTO session_texts (session_texts) VALUES ('delete-all')")
        tx.execute("INSERT INTO session_texts (session_texts) VALUES ('integrity-check')")
    except _DAMAGED:
        tx.execute(f"DROP TABLE {TEXT_INDEX}")
        tx.execute(TEXT_INDEX_TABLE)


def _guarded(tx: Transaction, statement: str, values: tuple[Any, ...]) -> None:
    """Change the index, where it is one."""
    if not is_complete(tx):
        return
    try:
        tx.execute(statement, values)
    except _DAMAGED:
        mark_damaged(tx)


def _grams(word: str) -> Iterator[str]:
    for place in range(len(word) - GRAM + 1):
        yield word[place : place + GRAM]


def _key_of(tx: Transaction, key: int) -> int | None:
    found: int | None = tx.execute(
        "SELECT text_key FROM session_things WHERE thing_key = ?", (key,)
    ).get
    return found


def _set_key(tx: Transaction, key: int, text_key: int | None) -> None:
    tx.execute("UPDATE session_things SET text_key = ? WHERE thing_key = ?", (text_key, key))


def _next_key(tx: Transaction) -> int:
    newest = tx.execute(
        "SELECT text_key FROM session_things WHERE text_key IS NOT NULL"
        " ORDER BY text_key DESC LIMIT 1"
    ).get
    return int(newest or 0) + 1
