"""Version rows: reading them, and what a peer may still see of them.

Every function runs inside a transaction its caller opened.
"""

from typing import Any, Final

from attrs import define

from sidecar.core.values import value
from sidecar.store import used_ids
from sidecar.store.database import Transaction
from sidecar.store.faults import damaged
from sidecar.store.projects import ProjectRow
from sidecar.store.steps import Heads, Step
from sidecar.store.tables import MAX_NUMBER, NUMBER_BITS

_SELECT: Final = (
    "SELECT r.revision_key, r.revision_id, coalesce(r.parent_revision_id, p.revision_id),"
    " r.action_id, r.actor, r.run_id, r.kind, r.label, r.created_at, r.restored_from,"
    " r.undo_target, r.undo_run, r.undo_label, r.undo_commands,"
    " r.redo_target, r.redo_run, r.redo_label, r.redo_commands,"
    " r.digest, r.chain, r.folded, r.stored_bytes"
    " FROM graph_revisions r LEFT JOIN graph_revisions p ON p.revision_key = r.revision_key - 1"
)
_BY_NUMBER: Final = _SELECT + " WHERE r.revision_key = ?"
_BY_ID: Final = _SELECT + " WHERE r.project_key = ? AND r.revision_id = ?"
_PAGE: Final = (
    _SELECT + " WHERE r.revision_key >= ? AND r.revision_key < ? ORDER BY r.revision_key DESC"
)
_TARGETS: Final = "SELECT undo_target, redo_target FROM graph_revisions WHERE revision_key = ?"
_KEPT: Final = (
    "SELECT start_revision FROM runs WHERE project_key = ? AND status IN ('running', 'paused')"
    " UNION ALL SELECT base_revision FROM drafts WHERE project_key = ? AND status = 'open'"
)


@value
class RevisionRow:
    """A version: who made it, how, where undo and redo lead from it, and its fingerprints.

    ``parent_revision_id`` is None for the first version alone.  ``digest`` is the sum of the
    digests of all its things, ``chain`` hashes everything that led to it, ``folded`` is there
    where the changes of pruned versions were folded into this one's.  ``stored_bytes`` counts
    from the project's first version to this one.
    """

    number: int
    revision_id: str
    parent_revision_id: str | None
    action_id: str | None
    actor: str
    run_id: str | None
    kind: str
    label: str
    created_at: int
    restored_from: str | None
    heads: Heads
    digest: bytes
    chain: bytes
    folded: bytes | None
    stored_bytes: int


@define
class RevisionGoneError(Exception):
    """A version that is not to be had: ``code`` is ``unknown-revision`` or ``pruned-revision``."""

    code: str
    revision_id: str

    def __str__(self) -> str:
        return self.code


def key_of(project_key: int, number: int) -> int:
    """Return the key of a version's row."""
    return (project_key << NUMBER_BITS) + number


def at(tx: Transaction, project_key: int, number: int) -> RevisionRow | None:
    """Return the version of a number, hidden ones included, or None."""
    row = tx.execute(_BY_NUMBER, (key_of(project_key, number),)).get
    return None if row is None else _revision(row)


def find(tx: Transaction, project_key: int, revision_id: str) -> RevisionRow | None:
    """Return the version of an id, hidden ones included, or None."""
    row = tx.execute(_BY_ID, (project_key, revision_id)).get
    return None if row is None else _revision(row)


def current(tx: Transaction, project: ProjectRow) -> RevisionRow:
    """Return the version a project stands at."""
    found = at(tx, project.project_key, project.current_revision)
    if found is None or found.revision_id != project.current_revision_id:
        raise damaged("revision", number=project.current_revision)
    return found


def is_taken(tx: Transaction, project_key: int, revision_id: str) -> bool:
    """Whether a version has this id, or a pruned one had it."""
    found = tx.execute(
        "SELECT 1 FROM graph_revisions WHERE project_key = ? AND revision_id = ?",
        (project_key, revision_id),
    ).get
    return found is not None or used_ids.is_retired(tx, project_key, "revision", revision_id)


def visible(tx: Transaction, project: ProjectRow, revision_id: str) -> RevisionRow:
    """Return a version a peer may see, or raise :class:`RevisionGoneError`."""
    found = find(tx, project.project_key, revision_id)
    if found is None:
        gone = used_ids.is_retired(tx, project.project_key, "revision", revision_id)
        raise RevisionGoneError("pruned-revision" if gone else "unknown-revision", revision_id)
    if not is_visible(tx, project, found.number):
        raise RevisionGoneError("pruned-revision", revision_id)
    return found


def is_visible(tx: Transaction, project: ProjectRow, number: int) -> bool:
    """Whether a version is within the limits, or something keeps it."""
    return number >= project.floor or number in kept_numbers(tx, project)


def kept_numbers(tx: Transaction, project: ProjectRow) -> set[int]:
    """Return the numbers of the versions that no limit hides.

    The current one, where its undo and redo lead, the start of open runs, the base of open
    drafts.
    """
    key = project.project_key
    heads = tx.execute(_TARGETS, (key_of(key, project.current_revision),)).get or ()
    kept = {project.current_revision, *(number for number in heads if number is not None)}
    kept.update(number for (number,) in tx.execute(_KEPT, (key, key)))
    return kept


def page(
    tx: Transaction, project: ProjectRow, *, before: int | None = None, limit: int = 50
) -> list[RevisionRow]:
    """Return visible versions, newest first, from below the number ``before``."""
    kept = kept_numbers(tx, project)
    low = min(project.floor, *kept)
    high = min(project.current_revision + 1, MAX_NUMBER if before is None else before)
    rows = []
    key = project.project_key
    cursor = tx.execute(_PAGE, (key_of(key, low), key_of(key, max(low, high))))
    try:
        for row in cursor:
            number = row[0] & MAX_NUMBER
            if number >= project.floor or number in kept:
                rows.append(_revision(row))
                if len(rows) == limit:
                    break
    finally:
        cursor.close()
    return rows


def step_id(tx: Transaction, project: ProjectRow, step: Step | None) -> str | None:
    """Return the id of the version a step of the current version leads to, None where it is gone."""
    if step is None:
        return None
    found = tx.execute(
        "SELECT revision_id FROM graph_revisions WHERE revision_key = ?",
        (key_of(project.project_key, step.target),),
    ).get
    return None if found is None else str(found)


def _revision(row: tuple[Any, ...]) -> RevisionRow:
    before, undo, redo, after = row[1:10], row[10:14], row[14:18], row[18:]
    heads = Heads(_step(*undo), _step(*redo))
    return RevisionRow(row[0] & MAX_NUMBER, *before, heads, *after)  # type: ignore[call-arg]


def _step(target: int | None, run_id: str | None, label: str, commands: int) -> Step | None:
    return None if target is None else Step(target, run_id, label, commands)
