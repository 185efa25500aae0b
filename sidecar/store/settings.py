"""The person's settings: whole numbers by name.  Runs in its caller's transaction."""

from collections.abc import Mapping
from typing import Final

from sidecar.store.database import Transaction
from sidecar.store.history import DEFAULT_LIMITS, HistoryLimits

DEFAULTS: Final[Mapping[str, int]] = {
    "stepsPerAnswer": 25,
    "maxRevisions": DEFAULT_LIMITS.max_revisions,
    "maxRevisionBytes": DEFAULT_LIMITS.max_bytes,
    "minRevisions": DEFAULT_LIMITS.min_revisions,
}
"""By their names on the wire; a file keeps only those that were set."""


def read(tx: Transaction) -> dict[str, int]:
    """Return all settings, those never set at their defaults."""
    found = dict(tx.execute("SELECT name, value FROM settings"))
    return {name: found.get(name, default) for name, default in DEFAULTS.items()}


def write(tx: Transaction, values: Mapping[str, int]) -> None:
    """Set some settings."""
    for name, value in values.items():
        if name not in DEFAULTS:
            raise KeyError(name)
        tx.execute(
            "INSERT INTO settings VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (name, value),
        )


def history_limits(values: Mapping[str, int]) -> HistoryLimits:
    """Return how much history to keep, from all settings."""
    return HistoryLimits(
        max_revisions=values["maxRevisions"],
        max_bytes=values["maxRevisionBytes"],
        min_revisions=values["minRevisions"],
    )
