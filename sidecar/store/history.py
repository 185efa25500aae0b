"""How much of its history a project keeps."""

from typing import Final

from sidecar.core.values import value
from sidecar.store.database import Transaction
from sidecar.store.projects import ProjectRow
from sidecar.store.revisions import RevisionRow, key_of

ROW_BYTES: Final = 400
"""What a version costs beside its changes: its row, its index entry, its action."""


@value(kw_only=True)
class HistoryLimits:
    """At most ``max_revisions`` and ``max_bytes``, but never fewer than ``min_revisions``."""

    max_revisions: int = 2_000
    max_bytes: int = 256 * 1024 * 1024
    min_revisions: int = 200


DEFAULT_LIMITS = HistoryLimits()


def new_floor(
    tx: Transaction, project: ProjectRow, newest: RevisionRow, limits: HistoryLimits
) -> int:
    """Return the number of the oldest version within the limits; it never goes back.

    ``project`` is the row as it was before the newest version.  Costs one look at a row, or a few
    where the limits were lowered.
    """
    key, floor = project.project_key, project.floor
    current, total = newest.number, newest.stored_bytes
    highest = max(floor, current - limits.min_revisions + 1)
    lowest = min(highest, max(floor, current - limits.max_revisions + 1))
    if total <= limits.max_bytes or lowest == highest:
        return lowest
    if total - _bytes_before(tx, key, lowest) <= limits.max_bytes:
        return lowest
    while lowest < highest:
        middle = (lowest + highest) // 2
        if total - _bytes_before(tx, key, middle) <= limits.max_bytes:
            highest = middle
        else:
            lowest = middle + 1
    return lowest


def _bytes_before(tx: Transaction, project_key: int, number: int) -> int:
    found = tx.execute(
        "SELECT stored_bytes - length(changes) FROM graph_revisions WHERE revision_key = ?",
        (key_of(project_key, number),),
    ).get
    return int(found or 0) - ROW_BYTES
