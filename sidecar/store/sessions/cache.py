"""Sessions kept in memory, each checked against its row before it is used.

A cached session is what the file says, or what an open transaction made of it: whoever edits one
takes the edit back (and ``row``) when the transaction fails.
"""

from collections import OrderedDict
from typing import Final

import apsw
from attrs import define

from protocol.errors import RequestFailedError
from protocol.json_text import loads
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.things import Head
from sidecar.core.conversation.values import JsonObject
from sidecar.store.database import Transaction
from sidecar.store.sessions import commands, rows, things
from sidecar.store.sessions.damage import checksum_of, damaged_session
from sidecar.store.sessions.rows import SessionRow

MAX_THINGS: Final = 200_000
"""Things of all cached sessions together; the one in use is kept whatever its size."""


@define
class Loader:
    """Fetches whole messages and activities on the transaction that is open now."""

    tx: Transaction
    session_key: int
    session_id: str
    graph: SessionGraph | None = None

    def __call__(self, kind: Kind, identity: str) -> JsonObject:
        assert self.graph is not None
        thing = self.graph.index.thing(kind, identity)
        assert thing is not None
        return things.load_whole(self.tx, self.session_key, self.session_id, (kind, thing.rank))


@define
class OpenSession:
    """A session in memory: its row and its graph."""

    row: SessionRow
    graph: SessionGraph
    loader: Loader

    @property
    def key(self) -> int:
        return self.row.session_key

    def place_of(self, kind: Kind, identity: str) -> things.Place | None:
        """Return where a known thing stands."""
        thing = self.graph.index.thing(kind, identity)
        return None if thing is None else (kind, thing.rank)


class SessionCache:
    """The sessions used last."""

    def __init__(self, *, max_things: int = MAX_THINGS) -> None:
        self._max_things = max_things
        self._sessions: OrderedDict[str, OpenSession] = OrderedDict()
        self.texts_damaged = False
        """Whether a search met damage of its index: the next write makes that anew."""

    def open(self, tx: Transaction, session_id: str) -> OpenSession | None:
        """Return a session as this transaction sees it, None where there is none.

        One that another process wrote meanwhile is read again.  Raises ``session-damaged``.
        """
        row = rows.find(tx, session_id)
        if row is None:
            self.forget(session_id)
            return None
        cached = self._sessions.get(session_id)
        if cached is None or not _is_current(cached.row, row):
            cached = self._load(tx, row)
        cached.loader.tx = tx
        self._sessions.move_to_end(session_id)
        return cached

    def forget(self, session_id: str) -> None:
        """Drop a session that is not to be trusted, or not needed."""
        self._sessions.pop(session_id, None)

    def clear(self) -> None:
        self._sessions.clear()

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._sessions

    def _load(self, tx: Transaction, row: SessionRow) -> OpenSession:
        self.forget(row.session_id)
        loaded = load(tx, row)
        self._sessions[row.session_id] = loaded
        self._evict()
        return loaded

    def _evict(self) -> None:
        sizes = {name: size_of(kept.graph) for name, kept in self._sessions.items()}
        total = sum(sizes.values())
        while total > self._max_things and len(self._sessions) > 1:
            name, _ = self._sessions.popitem(last=False)
            total -= sizes[name]


def load(tx: Transaction, row: SessionRow) -> OpenSession:
    """Read a session from its rows; bodies stay where they are.

    Raises ``session-damaged`` where they are not what was written.
    """
    try:
        return _load(tx, row)
    except RequestFailedError:
        raise
    except (apsw.CorruptError, ValueError, TypeError, LookupError, AssertionError) as error:
        raise damaged_session(row.session_id, type(error).__name__) from error


def size_of(session: SessionGraph) -> int:
    """Return how many things a session has."""
    return session.index.count(Kind.MESSAGE) + session.index.count(Kind.ACTIVITY)


def _load(tx: Transaction, row: SessionRow) -> OpenSession:
    head_text, checksum, runs = rows.content(tx, row.session_key)
    if checksum_of(head_text) != checksum:
        raise damaged_session(row.session_id, Kind.SESSION.value)
    fields, projected, *others = loads(head_text)
    borrowed = tuple(tuple(names) for names in (others[0] if others else ()))
    loader = Loader(tx, row.session_key, row.session_id)
    graph = SessionGraph(
        Head(fields, projected, borrowed, runs),
        commands.listed(tx, row.session_key, row.listed_commands),
        things.load(tx, row.session_key, row.session_id),
        load=loader,
    )
    loader.graph = graph
    _check_ends(graph)
    return OpenSession(row, graph, loader)


def _check_ends(graph: SessionGraph) -> None:
    """Notice missing rows that no link inside the session leads to."""
    for thing in graph.index.things(Kind.BRANCH):
        graph.index.length(thing.value)
    for frame in graph.ids(Kind.FRAME):
        graph.shown_branch(frame)


def _is_current(cached: SessionRow, row: SessionRow) -> bool:
    return cached.session_key == row.session_key and cached.token == row.token
