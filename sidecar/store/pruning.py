"""Removing versions that are beyond a project's limits, a few at a time.

They are hidden already, so that nobody waits for this and nothing is lost when it fails.  A
version that something keeps stays exact: what the ones after it changed is folded into the next
one that stays.
"""

from typing import Final

from attrs import define

from sidecar.store import projects, used_ids
from sidecar.store.database import Database, Transaction
from sidecar.store.deltas import Entry, entries_of, folded, packed, plain_of
from sidecar.store.digests import hash_of
from sidecar.store.projects import ProjectRow
from sidecar.store.revisions import kept_numbers, key_of
from sidecar.store.tables import MAX_NUMBER

STEP_ROWS: Final = 100
STEP_BYTES: Final = 4 * 1024 * 1024

_HIDDEN: Final = (
    "SELECT revision_key FROM graph_revisions WHERE revision_key BETWEEN ? AND ?"
    " ORDER BY revision_key LIMIT ?"
)
_ROW: Final = "SELECT revision_id, changes FROM graph_revisions WHERE revision_key = ?"
_DELETE: Final = "DELETE FROM graph_revisions WHERE revision_key = ?"


def prune_step(database: Database, project_key: int, budget: int = STEP_ROWS) -> bool:
    """Remove up to ``budget`` hidden versions in a transaction of its own; True while there are more.

    Raises :class:`~sidecar.store.faults.StorageError`; what was not removed stays for another time.
    """
    with database.read() as tx:
        project = projects.find_by_key(tx, project_key)
        if project is None or not is_due(tx, project):
            return False
    with database.write() as tx:
        project = projects.find_by_key(tx, project_key)
        if project is None:
            return False
        _prune(tx, project, budget)
        return is_due(tx, project)


def is_due(tx: Transaction, project: ProjectRow) -> bool:
    """Whether a project has a version that may go.  Costs a look at the few that are kept."""
    kept = kept_numbers(tx, project)
    return any(number not in kept for number in _hidden(tx, project, len(kept) + 1))


def _hidden(tx: Transaction, project: ProjectRow, limit: int) -> list[int]:
    """Return the numbers of the oldest versions below the floor, kept ones included."""
    ends = key_of(project.project_key, 0), key_of(project.project_key, project.floor - 1)
    return [key & MAX_NUMBER for (key,) in tx.execute(_HIDDEN, (*ends, limit))]


def _prune(tx: Transaction, project: ProjectRow, budget: int) -> None:
    kept = kept_numbers(tx, project)
    sweep = _Sweep(tx, project.project_key)
    for number in _hidden(tx, project, budget + len(kept)):
        if number in kept:
            sweep.keep(number)
        else:
            sweep.remove(number)
        if sweep.size > STEP_BYTES:
            break
    sweep.finish()


@define
class _Sweep:
    """One way up a project's oldest versions.

    ``carried`` are the changes of removed versions that a version below still needs to be reached.
    """

    tx: Transaction
    project_key: int
    size: int = 0
    has_kept: bool = False
    carried: list[Entry] | None = None
    removed: tuple[int, str] | None = None

    def keep(self, number: int) -> None:
        self._settle_on(number)
        self.has_kept = True

    def remove(self, number: int) -> None:
        revision_id, changes = self._row(number)
        if self.has_kept:
            self._carry(changes)
        self.tx.execute(_DELETE, (key_of(self.project_key, number),))
        used_ids.retire(self.tx, self.project_key, "revision", [revision_id])
        self.removed = (number, revision_id)

    def finish(self) -> None:
        """Hand what is carried to the version after the last removed one, which always exists."""
        if self.removed is None:
            return
        key = self.tx.execute(
            "SELECT min(revision_key) FROM graph_revisions WHERE revision_key > ?",
            (key_of(self.project_key, self.removed[0]),),
        ).get
        self._settle_on(key & MAX_NUMBER)

    def _settle_on(self, number: int) -> None:
        if self.removed is not None and self.removed[0] == number - 1:
            self.tx.execute(
                "UPDATE graph_revisions SET parent_revision_id = ? WHERE revision_key = ?",
                (self.removed[1], key_of(self.project_key, number)),
            )
        if self.carried is not None:
            _, changes = self._row(number)
            plain = plain_of(folded(self.carried, entries_of(changes)))
            self.tx.execute(
                "UPDATE graph_revisions SET changes = ?, folded = ? WHERE revision_key = ?",
                (packed(plain), hash_of(plain), key_of(self.project_key, number)),
            )
        self.removed = self.carried = None

    def _carry(self, changes: bytes) -> None:
        self.size += len(changes)
        entries = entries_of(changes)
        self.carried = entries if self.carried is None else folded(self.carried, entries)

    def _row(self, number: int) -> tuple[str, bytes]:
        revision_id, changes = self.tx.execute(_ROW, (key_of(self.project_key, number),)).get
        return revision_id, changes
