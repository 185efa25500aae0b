"""Session rows and the clock that orders them.  Runs inside a transaction its caller opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from protocol.json_text import dumps, loads
from sidecar.store.database import Transaction

if TYPE_CHECKING:
    from sidecar.core.conversation.things import RunRecord

_COLUMNS: Final = (
    "session_key, session_id, project_key, revision, transcript_time, change_time, token, cause,"
    " title, archived, listed_commands, created_hash, owner, summary"
)
_SELECT: Final = f"SELECT {_COLUMNS} FROM sessions"


@frozen(kw_only=True)
class SessionRow:
    """A session as its row has it, its own JSON left out.

    ``transcript_time`` and ``change_time`` are the clock's at the last write of the transcript
    and at the last write of all; ``token`` is another one after every write; ``owner`` the JSON
    text that tells the process of the active run; ``summary`` what a list shows.
    """

    session_key: int
    session_id: str
    project_key: int
    revision: int
    transcript_time: int
    change_time: int
    token: int
    cause: str
    title: str | None
    archived: bool
    listed_commands: int
    created_hash: bytes | None
    owner: str | None
    summary: bytes


@frozen
class Written:
    """What goes into a row besides: the session's own JSON and what is known of its runs."""

    head: bytes
    checksum: int
    runs: RunRecord


def tick(tx: Transaction) -> int:
    """Advance the clock of the file and return its time: no two writes have the same one."""
    tx.execute("UPDATE session_clock SET time = time + 1 WHERE clock_key = 1")
    return now(tx)


def now(tx: Transaction) -> int:
    """Return the time of the last write of all."""
    return int(tx.execute("SELECT time FROM session_clock WHERE clock_key = 1").get)


def find(tx: Transaction, session_id: str) -> SessionRow | None:
    """Return a session's row, or None."""
    return _maybe(tx.execute(f"{_SELECT} WHERE session_id = ?", (session_id,)).get)


def find_by_key(tx: Transaction, session_key: int) -> SessionRow | None:
    """Return the row of a session's key, or None."""
    return _maybe(tx.execute(f"{_SELECT} WHERE session_key = ?", (session_key,)).get)


def content(tx: Transaction, session_key: int) -> tuple[bytes, int, RunRecord]:
    """Return a session's own JSON, its checksum, and what is known of its runs."""
    head, checksum, runs = tx.execute(
        "SELECT head, head_checksum, runs FROM sessions WHERE session_key = ?", (session_key,)
    ).get
    from sidecar.core.conversation.things import RunRecord  # noqa: PLC0415 -- start-up time

    return head, checksum, RunRecord(*loads(runs))


def insert(tx: Transaction, row: SessionRow, written: Written) -> SessionRow:
    """Add a session under the key of its row, a new one where that is 0; return its row."""
    tx.execute(
        f"INSERT INTO sessions ({_COLUMNS}, runs, head, head_checksum)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.session_key or next_key(tx),
            row.session_id,
            row.project_key,
            *_variable(row),
            row.created_hash,
            *_values(row, written),
        ),
    )
    found = find_by_key(tx, tx.last_insert_rowid())
    assert found is not None
    return found


def next_key(tx: Transaction) -> int:
    """Return a key that no session has, nor one that comes in pieces."""
    highest = tx.execute("SELECT max(session_key) FROM sessions").get
    lowest_staged = tx.execute("SELECT min(thing_key) FROM session_values WHERE thing_key < 0").get
    return max(int(highest or 0), -int(lowest_staged or 0)) + 1


def update(tx: Transaction, row: SessionRow, written: Written) -> None:
    """Write all that may change of a session's row."""
    tx.execute(
        "UPDATE sessions SET revision = ?, transcript_time = ?, change_time = ?, token = ?,"
        " cause = ?, title = ?, archived = ?, listed_commands = ?, owner = ?, summary = ?,"
        " runs = ?, head = ?, head_checksum = ? WHERE session_key = ?",
        (*_variable(row), *_values(row, written), row.session_key),
    )


def page(
    tx: Transaction, *, project_key: int | None = None, before: int | None = None
) -> Iterator[SessionRow]:
    """Yield sessions, the newest transcript write first, from below ``before``."""
    start = 1 << 62 if before is None else before
    if project_key is None:
        found = tx.execute(
            f"{_SELECT} WHERE transcript_time < ? ORDER BY transcript_time DESC", (start,)
        )
    else:
        found = tx.execute(
            f"{_SELECT} WHERE project_key = ? AND transcript_time < ?"
            " ORDER BY transcript_time DESC",
            (project_key, start),
        )
    return (_row(row) for row in found)


def at_work(tx: Transaction) -> list[SessionRow]:
    """Return the sessions whose run is at work, each with its owner."""
    found = tx.execute(f"{_SELECT} WHERE owner IS NOT NULL ORDER BY session_key")
    return [_row(row) for row in found]


def of_project(tx: Transaction, project_key: int) -> list[SessionRow]:
    """Return all sessions of a project."""
    found = tx.execute(f"{_SELECT} WHERE project_key = ? ORDER BY session_key", (project_key,))
    return [_row(row) for row in found]


def changed_since(tx: Transaction, time: int) -> list[SessionRow]:
    """Return the sessions written after a time of the clock, in the order of their last writes."""
    found = tx.execute(f"{_SELECT} WHERE change_time > ? ORDER BY change_time", (time,))
    return [_row(row) for row in found]


def marks(tx: Transaction) -> Iterator[tuple[str, int, int, str]]:
    """Yield of every session its id, the time of its last write, its revision, its project."""
    yield from tx.execute(
        "SELECT session_id, change_time, revision, project_id FROM sessions"
        " JOIN projects USING (project_key)"
    )


def ids(tx: Transaction) -> set[str]:
    """Return the ids of all sessions."""
    return {session_id for (session_id,) in tx.execute("SELECT session_id FROM sessions")}


def staged(tx: Transaction) -> list[tuple[int, str]]:
    """Return the keys of sessions that come in pieces, each with the process that brings it."""
    found = tx.execute("SELECT thing_key, value FROM session_values WHERE thing_key < 0")
    return [(-key, owner.decode()) for key, owner in found]


def count(tx: Transaction) -> int:
    """Return how many sessions there are."""
    return int(tx.execute("SELECT count(*) FROM sessions").get)


def has_token(tx: Transaction, session_key: int, token: int) -> bool:
    """Whether the session's last write is the one with this token."""
    found = tx.execute("SELECT token FROM sessions WHERE session_key = ?", (session_key,)).get
    return bool(found == token)


def _variable(row: SessionRow) -> tuple[Any, ...]:
    return (
        row.revision,
        row.transcript_time,
        row.change_time,
        row.token,
        row.cause,
        row.title,
        int(row.archived),
        row.listed_commands,
    )


def _values(row: SessionRow, written: Written) -> tuple[Any, ...]:
    runs = written.runs
    record = dumps([runs.branch_id, runs.event_seq, runs.outcome, runs.graph_run_id])
    return row.owner, row.summary, record, written.head, written.checksum


def _maybe(row: tuple[Any, ...] | None) -> SessionRow | None:
    return None if row is None else _row(row)


def _row(row: tuple[Any, ...]) -> SessionRow:
    names = (name.strip() for name in _COLUMNS.split(","))
    members = dict(zip(names, row, strict=True))
    return SessionRow(**{**members, "archived": bool(members["archived"])})
