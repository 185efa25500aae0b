"""What processes that are gone left open, looked for at every start with nothing else loaded."""

from collections.abc import Callable
from typing import Any

from sidecar.store import runs
from sidecar.store.database import Database
from sidecar.store.owners import owner_of
from sidecar.store.sessions import rows

IsGone = Callable[[dict[str, Any]], bool]


def has_stale_runs(database: Database, is_gone: IsGone) -> bool:
    """Whether there is an open run whose process is gone."""
    with database.read() as tx:
        return any(is_gone(run.owner) for run in runs.all_open(tx))


def has_stale_sessions(database: Database, is_gone: IsGone) -> bool:
    """Whether a session waits for a process that is gone."""
    with database.read() as tx:
        return any(
            row.owner is not None and is_gone(owner_of(row.owner)) for row in rows.at_work(tx)
        )
