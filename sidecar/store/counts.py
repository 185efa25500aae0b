"""How much a file holds.  Runs inside a transaction its caller opened."""

from typing import Final

from sidecar.store.database import Transaction

_COUNTS: Final = (
    "SELECT (SELECT count(*) FROM projects),"
    " (SELECT count(*) FROM runs WHERE status IN ('running', 'paused'))"
)


def read(tx: Transaction) -> dict[str, int]:
    """Return counts by name.  Nothing that grows without bound is counted by walking it."""
    projects, open_runs = tx.execute(_COUNTS).get
    return {"projects": projects, "openRuns": open_runs}
