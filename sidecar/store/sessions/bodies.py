"""Whole messages and activities as rows: the body as JSON text, large values of it in rows of theirs.

In a body that has large values ``null`` stands in their places.  Every function runs inside a
transaction its caller opened.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from attrs import field, frozen
from msgspec import Raw

from protocol.json_text import dumps
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.records import ACTIVITIES
from sidecar.core.conversation.things import STUB_KEYS
from sidecar.core.conversation.values import JsonObject
from sidecar.store.database import Transaction
from sidecar.store.sessions.damage import checksum_of

LARGE: Final = 64 * 1024
"""Bytes of JSON text beyond which a value of an activity has a row of its own."""
KEPT_IN_BODY: Final = frozenset({*STUB_KEYS[Kind.ACTIVITY], "kind", "title", "providerToolName"})
"""Members that rules read: they stay in the body whatever their size."""

_members = msgspec.json.Decoder(dict[str, Raw]).decode
_NULL: Final = Raw(b"null")


class Deferred:
    """A large value that is not in memory: :meth:`text` fetches its JSON text."""

    def text(self) -> bytes:
        raise NotImplementedError


@frozen
class Body:
    """A value as it is stored; ``large`` has the JSON text of each large value by name."""

    text: bytes
    large: Mapping[str, bytes] = field(factory=dict)


@frozen
class Large:
    """A large value that was left out: the member's name and the bytes of its JSON text."""

    name: str
    size: int


def body_of(kind: Kind, value: JsonObject) -> Body:
    """Return how a message or an activity is stored."""
    if kind is not Kind.ACTIVITY:
        return Body(dumps(value))
    if not any(isinstance(member, Deferred) for member in value.values()):
        text = dumps(value)
        if len(text) <= LARGE:
            return Body(text)
    large: dict[str, bytes] = {}
    kept: dict[str, Any] = {}
    for name, member in value.items():
        text = member.text() if isinstance(member, Deferred) else dumps(member)
        kept[name] = Raw(text)
        if len(text) > LARGE and name not in KEPT_IN_BODY:
            large[name], kept[name] = text, _NULL
    return Body(dumps(kept), large)


def write(tx: Transaction, key: int, body: Body, *, new: bool) -> None:
    """Write the body of a thing, and its large values in place of those it had."""
    tx.execute(
        "INSERT INTO session_bodies VALUES (?, ?, ?, ?) ON CONFLICT (thing_key) DO UPDATE"
        " SET large = excluded.large, checksum = excluded.checksum, body = excluded.body",
        (key, int(bool(body.large)), checksum_of(body.text), body.text),
    )
    if not new:
        tx.execute("DELETE FROM session_values WHERE thing_key = ?", (key,))
    for name, text in body.large.items():
        write_value(tx, key, name, text)


def write_value(tx: Transaction, key: int, name: str, text: bytes) -> None:
    """Write a value that has a row of its own."""
    tx.execute(
        "INSERT INTO session_values (thing_key, name, size, checksum, value) VALUES (?, ?, ?, ?, ?)",
        (key, name, len(text), checksum_of(text), text),
    )


def read(tx: Transaction, key: int) -> tuple[bytes, list[Large]] | None:
    """Return a body as it is stored and which large values it lacks; None where it is damaged."""
    row = tx.execute(
        "SELECT large, checksum, body FROM session_bodies WHERE thing_key = ?", (key,)
    ).get
    if row is None or checksum_of(row[2]) != row[1]:
        return None
    return row[2], large_values(tx, key) if row[0] else []


def read_all(tx: Transaction, keys: tuple[int, int]) -> Iterator[tuple[int, bytes | None]]:
    """Yield the whole bodies of a range of keys in their order, None for damaged ones."""
    rows = tx.execute(
        "SELECT thing_key, large, checksum, body FROM session_bodies"
        " WHERE thing_key BETWEEN ? AND ? ORDER BY thing_key",
        keys,
    )
    for key, large, checksum, body in rows:
        if checksum_of(body) != checksum:
            yield key, None
        elif large:
            yield key, _completed(tx, key, body)
        else:
            yield key, body


def size_of(tx: Transaction, keys: tuple[int, int]) -> int:
    """Return the bytes of the whole bodies of a range of keys, without reading them."""
    own = tx.execute(
        "SELECT sum(length(body)) FROM session_bodies WHERE thing_key BETWEEN ? AND ?", keys
    ).get
    large = tx.execute(
        "SELECT sum(size) FROM session_values WHERE thing_key BETWEEN ? AND ?", keys
    ).get
    return int(own or 0) + int(large or 0)


def read_whole(tx: Transaction, key: int) -> bytes | None:
    """Return a body with all its large values in their places; None where it is damaged."""
    found = read(tx, key)
    if found is None:
        return None
    body, large = found
    return _completed(tx, key, body) if large else body


def large_values(tx: Transaction, key: int) -> list[Large]:
    """Return the large values of a thing, without reading them."""
    rows = tx.execute(
        "SELECT name, size FROM session_values WHERE thing_key = ? ORDER BY value_key", (key,)
    )
    return [Large(name, size) for name, size in rows]


def large_value(tx: Transaction, key: int, name: str) -> bytes | None:
    """Return the JSON text of a large value; None where there is none of the name."""
    found: bytes | None = tx.execute(
        "SELECT value FROM session_values WHERE thing_key = ? AND name = ?", (key, name)
    ).get
    return found


def piece(tx: Transaction, key: int, name: str, *, offset: int, size: int) -> bytes:
    """Return a part of a large value's JSON text; offset and size are in bytes."""
    found: bytes | None = tx.execute(
        "SELECT substr(value, ?, ?) FROM session_values WHERE thing_key = ? AND name = ?",
        (offset + 1, size, key, name),
    ).get
    return found or b""


def undeferred(fields: JsonObject) -> JsonObject:
    """Return a session's own fields with large values of its flat activities in their places."""
    flat = fields.get(ACTIVITIES)
    if not flat or not any(isinstance(one, Deferred) for act in flat for one in act.values()):
        return fields
    return {**fields, ACTIVITIES: [_undeferred(activity) for activity in flat]}


def members_of(text: bytes) -> dict[str, Raw]:
    """Return the members of a JSON object, their texts as they are."""
    return _members(text)


def _undeferred(activity: JsonObject) -> JsonObject:
    return {
        name: Raw(member.text()) if isinstance(member, Deferred) else member
        for name, member in activity.items()
    }


def _completed(tx: Transaction, key: int, body: bytes) -> bytes | None:
    members = members_of(body)
    rows = tx.execute(
        "SELECT name, checksum, value FROM session_values WHERE thing_key = ?", (key,)
    )
    for name, checksum, value in rows:
        if checksum_of(value) != checksum:
            return None
        members[name] = Raw(value)
    return dumps(members)
