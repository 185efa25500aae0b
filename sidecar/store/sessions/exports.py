"""A session as the JSON that other programs read, in pieces: never more than one thing in memory.

Every function runs inside a transaction its caller opened.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from protocol.json_text import dumps
from sidecar.core.conversation.kinds import LISTS, Kind
from sidecar.core.conversation.reading import newest_page, shown_on
from sidecar.core.conversation.records import (
    ACTIVITIES,
    ACTIVITY_GRAPH_KEYS,
    GROUPS,
    MESSAGE_GRAPH_KEYS,
    MESSAGES,
)
from sidecar.core.conversation.session_graph import COMMAND_IDS, GRAPH
from sidecar.store.database import Transaction
from sidecar.store.sessions import bodies, things
from sidecar.store.sessions.cache import OpenSession
from sidecar.store.sessions.damage import damaged_session
from sidecar.store.sessions.tables import keys_of_kind, thing_key

Pieces = Iterator[bytes]


def json_of(tx: Transaction, opened: OpenSession) -> Pieces:
    """Yield the pieces of a session's JSON text, every key where it was."""
    export = _Export(tx, opened)
    special: dict[str, Callable[[], Pieces]] = {
        MESSAGES: export.messages,
        GRAPH: export.graph,
        COMMAND_IDS: export.command_ids,
    }
    if opened.graph.head.projected:
        special |= {ACTIVITIES: export.activities, GROUPS: export.groups}
    elif opened.graph.head.borrowed:
        special[ACTIVITIES] = export.activities_as_they_came
    yield from _members(opened.graph.fields, special)


def size_of(tx: Transaction, opened: OpenSession) -> int:
    """Return how many bytes of JSON text a session is, roughly."""
    head = opened.graph.head
    flat = {Kind.MESSAGE: 1, Kind.ACTIVITY: int(head.projected or bool(head.borrowed))}
    return sum(
        bodies.size_of(tx, keys_of_kind(opened.key, kind)) * (1 + times)
        for kind, times in flat.items()
    )


def flat_of(kind: Kind, text: bytes) -> bytes:
    """Return a message or an activity without its graph keys."""
    members = bodies.members_of(text)
    for key in _GRAPH_KEYS[kind]:
        members.pop(key, None)
    return dumps(members)


_GRAPH_KEYS: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.MESSAGE: MESSAGE_GRAPH_KEYS,
    Kind.ACTIVITY: ACTIVITY_GRAPH_KEYS,
}


class _Export:
    """One session being written out."""

    def __init__(self, tx: Transaction, opened: OpenSession) -> None:
        self._tx = tx
        self._opened = opened
        session = opened.graph
        branch = session.active_branch
        length = max(1, session.index.length(branch))
        self._transcript = newest_page(session, limit=length).message_ids
        self._shown = shown_on(session, branch["id"], self._transcript)

    def messages(self) -> Pieces:
        return _array(self._flat(Kind.MESSAGE, self._transcript))

    def activities(self) -> Pieces:
        return _array(self._flat(Kind.ACTIVITY, self._shown.activity_ids))

    def activities_as_they_came(self) -> Pieces:
        return _array(self._completed())

    def groups(self) -> Pieces:
        return _array(dumps(group) for group in self._shown.groups)

    def command_ids(self) -> Pieces:
        yield dumps(list(self._opened.graph.command_ids))

    def graph(self) -> Pieces:
        special = {name: self._list(kind) for kind, name in LISTS.items()}
        return _members(self._opened.graph.fields[GRAPH], special)

    def _list(self, kind: Kind) -> Callable[[], Pieces]:
        row = self._opened.row
        return lambda: _array(
            text for _, text in things.texts_of(self._tx, row.session_key, row.session_id, kind)
        )

    def _completed(self) -> Pieces:
        head = self._opened.graph.head
        for place, flat in enumerate(head.fields[ACTIVITIES]):
            lender = None
            if head.borrowed[place]:
                lender = bodies.members_of(self._whole(Kind.ACTIVITY, flat["id"]))
            yield dumps(head.completed(place, lender))

    def _flat(self, kind: Kind, identities: tuple[str, ...]) -> Pieces:
        for identity in identities:
            yield flat_of(kind, self._whole(kind, identity))

    def _whole(self, kind: Kind, identity: str) -> bytes:
        row, place = self._opened.row, self._opened.place_of(kind, identity)
        assert place is not None
        text = bodies.read_whole(self._tx, thing_key(row.session_key, *place))
        if text is None:
            raise damaged_session(row.session_id, kind.value)
        return text


def _members(fields: Mapping[str, object], special: Mapping[str, Callable[[], Pieces]]) -> Pieces:
    comma = b"{"
    for key, value in fields.items():
        yield comma + dumps(key) + b":"
        comma = b","
        make = special.get(key)
        if make is None:
            yield dumps(value)
        else:
            yield from make()
    yield b"}" if comma == b"," else b"{}"


def _array(items: Pieces) -> Pieces:
    comma = b"["
    for item in items:
        yield comma
        yield item
        comma = b","
    yield b"]" if comma == b"," else b"[]"
