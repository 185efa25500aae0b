"""Project rows.  Every function runs inside a transaction its caller opened."""

from collections.abc import Iterator
from typing import Final

from sidecar.core.values import value
from sidecar.store import records
from sidecar.store.database import Transaction
from sidecar.store.tables import NUMBER_BITS

_SELECT: Final = (
    "SELECT project_key, project_id, title, current_revision, current_revision_id, floor,"
    " created_at, updated_at FROM projects"
)
_BY_ID: Final = _SELECT + " WHERE project_id = ?"
_BY_KEY: Final = _SELECT + " WHERE project_key = ?"
_PAGE: Final = (
    _SELECT + " WHERE (updated_at, project_key) < (?, ?)"
    " ORDER BY updated_at DESC, project_key DESC LIMIT ?"
)


@value
class ProjectRow:
    """A project as it stands.

    ``floor`` is the number of the oldest version within the history's limits; those below are
    hidden unless something keeps them.  Times are in milliseconds since 1970 UTC.
    """

    project_key: int
    project_id: str
    title: str
    current_revision: int
    current_revision_id: str
    floor: int
    created_at: int
    updated_at: int


def find(tx: Transaction, project_id: str) -> ProjectRow | None:
    """Return a project's row, or None."""
    row = tx.execute(_BY_ID, (project_id,)).get
    return None if row is None else ProjectRow(*row)


def find_by_key(tx: Transaction, project_key: int) -> ProjectRow | None:
    """Return the row of a project's key, or None."""
    row = tx.execute(_BY_KEY, (project_key,)).get
    return None if row is None else ProjectRow(*row)


def created_title(tx: Transaction, project_key: int) -> str:
    """Return the title a project was created with: what a repeated creation is told by."""
    row = tx.execute("SELECT created_title FROM projects WHERE project_key = ?", (project_key,))
    return str(row.get)


def is_retired(tx: Transaction, project_id: str) -> bool:
    """Whether a project of this id was deleted."""
    found = tx.execute("SELECT 1 FROM retired_projects WHERE project_id = ?", (project_id,)).get
    return found is not None


def insert(tx: Transaction, project_id: str, title: str, revision_id: str, now: int) -> ProjectRow:
    """Add a project that stands at its version 1, which the caller writes."""
    tx.execute(
        "INSERT INTO projects (project_id, title, created_title, current_revision,"
        " current_revision_id, floor,"
        " created_at, updated_at) VALUES (?, ?, ?, 1, ?, 1, ?, ?)",
        (project_id, title, title, revision_id, now, now),
    )
    return ProjectRow(tx.last_insert_rowid(), project_id, title, 1, revision_id, 1, now, now)


def update(tx: Transaction, row: ProjectRow) -> None:
    """Write what a new version changes in a project's row."""
    tx.execute(
        "UPDATE projects SET title = ?, current_revision = ?, current_revision_id = ?, floor = ?,"
        " updated_at = ? WHERE project_key = ?",
        (
            row.title,
            row.current_revision,
            row.current_revision_id,
            row.floor,
            row.updated_at,
            row.project_key,
        ),
    )


def page(
    tx: Transaction, *, before: tuple[int, int] | None = None, limit: int = 50
) -> list[ProjectRow]:
    """Return projects, those changed last first, from below ``before`` (updated_at, key)."""
    start = (1 << 62, 0) if before is None else before
    return [ProjectRow(*row) for row in tx.execute(_PAGE, (*start, limit))]


def current_ids(tx: Transaction) -> Iterator[tuple[str, str]]:
    """Yield the id of each project and of the version it stands at."""
    yield from tx.execute("SELECT project_id, current_revision_id FROM projects")


def keys_with_hidden_versions(tx: Transaction) -> list[int]:
    """Return the keys of the projects of which versions are, or were, beyond the limits."""
    return [key for (key,) in tx.execute("SELECT project_key FROM projects WHERE floor > 1")]


def count(tx: Transaction) -> int:
    """Return how many projects there are."""
    return int(tx.execute("SELECT count(*) FROM projects").get)


def delete(tx: Transaction, row: ProjectRow, now: int) -> None:
    """Remove all of a project that the engine's tables hold; its id stays retired."""
    key = row.project_key
    records.delete_all(tx, key)
    low = key << NUMBER_BITS
    tx.execute(
        "DELETE FROM graph_revisions WHERE revision_key BETWEEN ? AND ?",
        (low, low + (1 << NUMBER_BITS) - 1),
    )
    tx.execute(
        "DELETE FROM explanation_states WHERE explanation_key IN"
        " (SELECT explanation_key FROM explanations WHERE project_key = ?)",
        (key,),
    )
    tx.execute("DELETE FROM explanations WHERE project_key = ?", (key,))
    tx.execute("DELETE FROM drafts WHERE project_key = ?", (key,))
    tx.execute(
        "DELETE FROM run_nodes WHERE run_key IN (SELECT run_key FROM runs WHERE project_key = ?)",
        (key,),
    )
    tx.execute("DELETE FROM runs WHERE project_key = ?", (key,))
    tx.execute("DELETE FROM applied_commands WHERE project_key = ?", (key,))
    tx.execute("DELETE FROM used_ids WHERE project_key = ?", (key,))
    tx.execute("DELETE FROM projects WHERE project_key = ?", (key,))
    tx.execute("INSERT INTO retired_projects VALUES (?, ?)", (row.project_id, now))
