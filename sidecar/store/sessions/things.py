"""The things of a session as rows: what opening one reads, and whole messages and activities.

Every function runs inside a transaction its caller opened.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from attrs import frozen

from protocol.json_text import dumps, loads
from sidecar.core.conversation.kinds import LISTS, Kind
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.things import STUB_KEYS, Change, Thing, stub
from sidecar.core.conversation.values import JsonObject
from sidecar.store.database import Transaction
from sidecar.store.sessions import bodies, texts
from sidecar.store.sessions.bodies import Body
from sidecar.store.sessions.damage import checksum_of, damaged_session
from sidecar.store.sessions.tables import (
    KINDS,
    MAX_RANK,
    RANK_BITS,
    keys_of,
    keys_of_kind,
    thing_key,
)

_KIND_MASK: Final = 7
Place: TypeAlias = tuple[Kind, int]
"""A thing's kind and its rank in its list."""


def write(tx: Transaction, session_key: int, change: Change) -> None:
    """Write one thing as it is after an edit, and what is searched of it."""
    key = thing_key(session_key, change.kind, change.rank)
    new = change.before is None
    value = dumps(stub(change.kind, change.after))
    tx.execute(
        "INSERT INTO session_things VALUES (?, NULL, ?, ?) ON CONFLICT (thing_key) DO UPDATE"
        " SET checksum = excluded.checksum, value = excluded.value",
        (key, checksum_of(value), value),
    )
    if change.kind in STUB_KEYS:
        bodies.write(tx, key, bodies.body_of(change.kind, change.after), new=new)
    if change.kind is Kind.MESSAGE:
        texts.update(tx, key, change.before, change.after)


@frozen
class ThingRows:
    """A thing of a new session, ready to be written."""

    key: int
    stub: bytes
    body: Body | None
    text: str
    """What is searched of it."""

    @property
    def size(self) -> int:
        """How many bytes there are to be written, roughly."""
        own = len(self.stub) + len(self.text)
        if self.body is None:
            return own
        return own + len(self.body.text) + sum(map(len, self.body.large.values()))


def rows_of(session_key: int, session: SessionGraph) -> Iterator[ThingRows]:
    """Yield the rows of all things of a session, in list order.  Needs no transaction."""
    for kind in LISTS:
        for thing in session.index.things(kind):
            yield ThingRows(
                thing_key(session_key, kind, thing.rank),
                dumps(stub(kind, thing.value)),
                bodies.body_of(kind, thing.value) if kind in STUB_KEYS else None,
                texts.text_of(thing.value) if kind is Kind.MESSAGE else "",
            )


def insert(tx: Transaction, things: Iterable[ThingRows]) -> None:
    """Write things of a new session."""
    found: list[tuple[int, str]] = []
    for thing in things:
        tx.execute(
            "INSERT INTO session_things VALUES (?, NULL, ?, ?)",
            (thing.key, checksum_of(thing.stub), thing.stub),
        )
        if thing.body is not None:
            bodies.write(tx, thing.key, thing.body, new=True)
        if thing.text:
            found.append((thing.key, thing.text))
    texts.add_all(tx, found)


def load(tx: Transaction, session_key: int, session_id: str) -> Iterator[tuple[Kind, Thing]]:
    """Yield all things, kind by kind in list order; messages and activities as stubs.

    A row that is not what was written, or is missing, is ``session-damaged``.
    """
    rows = tx.execute(
        "SELECT thing_key, checksum, value FROM session_things WHERE thing_key BETWEEN ? AND ?"
        " ORDER BY thing_key",
        keys_of(session_key),
    )
    expected = [0] * len(KINDS)
    whole = [kind not in STUB_KEYS for kind in KINDS]
    for key, checksum, value in rows:
        number, rank = (key >> RANK_BITS) & _KIND_MASK, key & MAX_RANK
        if checksum_of(value) != checksum or rank != expected[number]:
            raise damaged_session(session_id, KINDS[number].value)
        expected[number] += 1
        yield KINDS[number], Thing(rank, loads(value), whole[number])


def load_whole(tx: Transaction, session_key: int, session_id: str, place: Place) -> JsonObject:
    """Return the whole value of a message or an activity."""
    kind, rank = place
    text = bodies.read_whole(tx, thing_key(session_key, kind, rank))
    if text is None:
        raise damaged_session(session_id, kind.value)
    value: JsonObject = loads(text)
    return value


def delete_all(tx: Transaction, session_key: int) -> None:
    """Remove all things of a session."""
    texts.remove_session(tx, session_key)
    keys = keys_of(session_key)
    for table in ("session_values", "session_bodies", "session_things"):
        tx.execute(f"DELETE FROM {table} WHERE thing_key BETWEEN ? AND ?", keys)


def texts_of(
    tx: Transaction, session_key: int, session_id: str, kind: Kind
) -> Iterator[tuple[int, bytes]]:
    """Yield the whole JSON texts of a kind in list order, each with its rank."""
    keys = keys_of_kind(session_key, kind)
    for key, text in _stored(tx, kind, keys):
        if text is None:
            raise damaged_session(session_id, kind.value)
        yield key & MAX_RANK, text


def _stored(
    tx: Transaction, kind: Kind, keys: tuple[int, int]
) -> Iterable[tuple[int, bytes | None]]:
    if kind in STUB_KEYS:
        return bodies.read_all(tx, keys)
    rows: Iterable[tuple[Any, ...]] = tx.execute(
        "SELECT thing_key, checksum, value FROM session_things WHERE thing_key BETWEEN ? AND ?"
        " ORDER BY thing_key",
        keys,
    )
    return (
        (key, value if checksum_of(value) == checksum else None) for key, checksum, value in rows
    )
