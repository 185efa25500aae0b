"""Looking at all sessions for damage.  Runs inside a read transaction its caller opened."""

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from protocol.errors import RequestFailedError
from protocol.json_text import loads
from sidecar.core.conversation.errors import ConversationError
from sidecar.core.conversation.kinds import LISTS, Kind
from sidecar.core.conversation.session_graph import GRAPH
from sidecar.core.conversation.things import STUB_KEYS, stub
from sidecar.core.conversation.validation import validate
from sidecar.store.copies import CancelledError, Progress, always
from sidecar.store.database import Transaction
from sidecar.store.sessions import bodies, cache, rows
from sidecar.store.sessions.cache import OpenSession
from sidecar.store.sessions.tables import KIND_BITS, MAX_RANK, RANK_BITS, keys_of_kind


@frozen
class SessionProblem:
    """Something of a session that is not as it was written.

    ``code`` is ``orphans`` (rows of sessions that are not there), ``session`` (it cannot be opened), ``session-graph`` (its graph does not hold
    together) or ``session-body`` (a message or activity is not what was written).
    """

    code: str
    details: dict[str, Any]


def session_problems(tx: Transaction, *, progress: Progress = always) -> Iterator[SessionProblem]:
    """Yield what is wrong with the sessions; each is validated as a whole."""
    yield from _orphans(tx)
    found = list(rows.page(tx))
    for done, row in enumerate(found):
        if not progress(done, len(found)):
            raise CancelledError
        details = {"sessionId": row.session_id}
        try:
            opened = cache.load(tx, row)
        except RequestFailedError:
            yield SessionProblem("session", details)
            continue
        check = _broken_rule(opened)
        if check is not None:
            yield SessionProblem("session-graph", {**details, "check": check})
        damaged = sum(_damaged_bodies(tx, opened, kind) for kind in STUB_KEYS)
        if damaged:
            yield SessionProblem("session-body", {**details, "count": damaged})


def _orphans(tx: Transaction) -> Iterator[SessionProblem]:
    for table in ("session_things", "session_bodies", "session_values"):
        count = tx.execute(
            f"SELECT count(*) FROM {table} WHERE thing_key >= 0 AND thing_key >> ? NOT IN"
            " (SELECT session_key FROM sessions UNION ALL"
            " SELECT -thing_key FROM session_values WHERE thing_key < 0)",
            (KIND_BITS + RANK_BITS,),
        ).get
        if count:
            yield SessionProblem("orphans", {"table": table, "count": count})


def _broken_rule(opened: OpenSession) -> str | None:
    index = opened.graph.index
    lists = {name: [thing.value for thing in index.things(kind)] for kind, name in LISTS.items()}
    try:
        validate({**opened.graph.fields[GRAPH], **lists})
    except ConversationError as error:
        return error.check.value
    return None


def _damaged_bodies(tx: Transaction, opened: OpenSession, kind: Kind) -> int:
    """Return how many bodies are missing, damaged, or say something else than their stubs."""
    stubs = {thing.rank: thing.value for thing in opened.graph.index.things(kind)}
    sound = 0
    for key, text in bodies.read_all(tx, keys_of_kind(opened.key, kind)):
        if text is not None and stub(kind, loads(text)) == stubs.get(key & MAX_RANK):
            sound += 1
    return len(stubs) - sound
