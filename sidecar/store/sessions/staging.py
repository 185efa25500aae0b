"""Large sessions that come in pieces: written under a key that no session has until the last piece.

Until then nobody sees them: their rows are reached by the key alone.  What is left of one whose
process is gone, or that was given up, is removed in pieces too.  Every function runs inside a
transaction its caller opened.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from sidecar.store.database import Transaction
from sidecar.store.sessions import bodies, rows, texts
from sidecar.store.sessions.tables import keys_of
from sidecar.store.sessions.things import ThingRows

PIECE_BYTES: Final = 512 * 1024
PIECE_THINGS: Final = 100
"""What a transaction of a piece holds at most, unless one thing alone is more."""


def begin(tx: Transaction, owner: str) -> int:
    """Take a key for a session that comes in pieces from a process, and return it."""
    key = rows.next_key(tx)
    bodies.write_value(tx, -key, "owner", owner.encode())
    return key


def end(tx: Transaction, session_key: int) -> None:
    """Let the things under a key be no process's any more: they are a session's, or removed."""
    tx.execute("DELETE FROM session_values WHERE thing_key = ?", (-session_key,))
    assert tx.changes() == 1, "the things of a session that comes in pieces are kept until it lands"


def pieces(things: Iterable[ThingRows]) -> Iterator[list[ThingRows]]:
    """Yield things in pieces that are written one by one."""
    piece: list[ThingRows] = []
    size = 0
    for thing in things:
        if piece and (size + thing.size > PIECE_BYTES or len(piece) == PIECE_THINGS):
            yield piece
            piece, size = [], 0
        piece.append(thing)
        size += thing.size
    if piece:
        yield piece


def remove_piece(tx: Transaction, session_key: int) -> bool:
    """Remove a little of what a session left that never came whole; False once nothing is left."""
    low, high = keys_of(session_key)
    if session_key not in dict(rows.staged(tx)):
        return False
    found: list[tuple[Any, ...]] = tx.execute(
        "SELECT thing_key, text_key FROM session_things WHERE thing_key BETWEEN ? AND ?"
        " ORDER BY thing_key LIMIT ?",
        (low, high, PIECE_THINGS),
    ).fetchall()
    if not found:
        end(tx, session_key)
        return False
    removed = 0
    for key, text_key in found:
        removed += _remove(tx, key, text_key)
        if removed > PIECE_BYTES:
            break
    return True


def _remove(tx: Transaction, key: int, text_key: int | None) -> int:
    """Remove the rows of a thing; return how many bytes of large values they had."""
    size = tx.execute("SELECT sum(size) FROM session_values WHERE thing_key = ?", (key,)).get
    texts.remove(tx, text_key)
    for table in ("session_values", "session_bodies", "session_things"):
        tx.execute(f"DELETE FROM {table} WHERE thing_key = ?", (key,))
    return int(size or 0)
