"""Run rows.  Every function runs inside a transaction its caller opened."""

from collections.abc import Iterable
from typing import Any, Final

from attrs import evolve, fields, frozen

from protocol.json_text import dumps
from sidecar.store.database import Transaction
from sidecar.store.owners import owner_of

_COLUMNS: Final = (
    "run_key, run_id, project_key, status, pause_reason, start_revision, start_revision_id,"
    " expected_revision_id, steps, step_limit, session_id, prompt_message_id, owner, started_at,"
    " ended_at, end_reason, arrangement_status, arrangement_revision_id, arrangement_code"
)
_OPEN: Final = (
    f"SELECT {_COLUMNS} FROM runs WHERE project_key = ? AND status IN ('running', 'paused')"
)
_ALL_OPEN: Final = (
    f"SELECT {_COLUMNS} FROM runs WHERE status IN ('running', 'paused') ORDER BY run_key"
)
_BY_ID: Final = f"SELECT {_COLUMNS} FROM runs WHERE run_id = ?"
_PAGE: Final = (
    f"SELECT {_COLUMNS} FROM runs WHERE project_key = ? AND run_key < ?"
    " ORDER BY run_key DESC LIMIT ?"
)


@frozen(kw_only=True)
class RunRow:
    """A run; ``owner`` is the JSON object that tells its process, times are in milliseconds."""

    run_key: int = 0
    run_id: str
    project_key: int
    status: str
    pause_reason: str | None = None
    start_revision: int
    start_revision_id: str
    expected_revision_id: str
    steps: int = 0
    step_limit: int | None = None
    session_id: str | None = None
    prompt_message_id: str | None = None
    owner: dict[str, Any]
    started_at: int
    ended_at: int | None = None
    end_reason: str | None = None
    arrangement_status: str | None = None
    arrangement_revision_id: str | None = None
    arrangement_code: str | None = None

    @property
    def open(self) -> bool:
        return self.status in ("running", "paused")


def open_run(tx: Transaction, project_key: int) -> RunRow | None:
    """Return the project's open run, of which there is one at most."""
    return _maybe(tx.execute(_OPEN, (project_key,)).get)


def all_open(tx: Transaction) -> list[RunRow]:
    """Return the open runs of all projects, oldest first."""
    return [_run(row) for row in tx.execute(_ALL_OPEN)]


def find(tx: Transaction, run_id: str) -> RunRow | None:
    """Return a run, or None."""
    return _maybe(tx.execute(_BY_ID, (run_id,)).get)


def page(
    tx: Transaction, project_key: int, *, before: int | None = None, limit: int = 50
) -> list[RunRow]:
    """Return a project's runs, newest first, from below the key ``before``."""
    start = 1 << 62 if before is None else before
    return [_run(row) for row in tx.execute(_PAGE, (project_key, start, limit))]


def newest_key(tx: Transaction) -> int:
    """Return the key of the run that was started last in any project, 0 without one."""
    return int(tx.execute("SELECT coalesce(max(run_key), 0) FROM runs").get)


def since(tx: Transaction, key: int) -> list[RunRow]:
    """Return the runs of all projects that were started after one, oldest first."""
    query = f"SELECT {_COLUMNS} FROM runs WHERE run_key > ? ORDER BY run_key"
    return [_run(row) for row in tx.execute(query, (key,))]


def insert(tx: Transaction, run: RunRow) -> RunRow:
    """Add a run; return it with its key."""
    tx.execute(
        f"INSERT INTO runs ({_COLUMNS}) VALUES (NULL{', ?' * 18})",
        _values(run),
    )
    return evolve(run, run_key=tx.last_insert_rowid())


def update(tx: Transaction, run: RunRow) -> None:
    """Write what may change of a run."""
    tx.execute(
        "UPDATE runs SET status = ?, pause_reason = ?, expected_revision_id = ?, steps = ?,"
        " owner = ?, ended_at = ?, end_reason = ?, arrangement_status = ?,"
        " arrangement_revision_id = ?, arrangement_code = ? WHERE run_key = ?",
        (
            run.status,
            run.pause_reason,
            run.expected_revision_id,
            run.steps,
            dumps(run.owner).decode(),
            run.ended_at,
            run.end_reason,
            run.arrangement_status,
            run.arrangement_revision_id,
            run.arrangement_code,
            run.run_key,
        ),
    )


def add_made(tx: Transaction, run: RunRow, node_ids: Iterable[str]) -> None:
    """Remember nodes that the run made: they are arranged when it is closed."""
    for node_id in node_ids:
        tx.execute(
            "INSERT INTO run_nodes VALUES (?, ?) ON CONFLICT DO NOTHING", (run.run_key, node_id)
        )


def leave_alone(tx: Transaction, run: RunRow, node_ids: Iterable[str]) -> None:
    """Forget nodes that a person moved: they stay where the person put them."""
    for node_id in node_ids:
        tx.execute(
            "DELETE FROM run_nodes WHERE run_key = ? AND node_id = ?", (run.run_key, node_id)
        )


def made(tx: Transaction, run: RunRow) -> list[str]:
    """Return the ids of the nodes that the run made and no person moved."""
    rows = tx.execute("SELECT node_id FROM run_nodes WHERE run_key = ?", (run.run_key,))
    return [node_id for (node_id,) in rows]


def forget_made(tx: Transaction, run: RunRow) -> None:
    """Drop what only an open run needs."""
    tx.execute("DELETE FROM run_nodes WHERE run_key = ?", (run.run_key,))


def _members(run: RunRow) -> dict[str, Any]:
    return {member.name: getattr(run, member.name) for member in fields(RunRow)}


def _values(run: RunRow) -> tuple[Any, ...]:
    members = _members(run)
    members["owner"] = dumps(run.owner).decode()
    return tuple(members[name.strip()] for name in _COLUMNS.split(",")[1:])


def _maybe(row: tuple[Any, ...] | None) -> RunRow | None:
    return None if row is None else _run(row)


def _run(row: tuple[Any, ...]) -> RunRow:
    members = dict(zip((name.strip() for name in _COLUMNS.split(",")), row, strict=True))
    members["owner"] = owner_of(members["owner"])
    return RunRow(**members)
