"""Explanations and, for every version, which of them hold.

An explanation stores the digest of what it explained and that of what its subject is now; a row
of ``explanation_states`` is written where the answer changes.  Every function runs inside a
transaction its caller opened.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal, cast

from attrs import evolve, frozen

from sidecar.core.graph import ProjectGraph
from sidecar.store import contents
from sidecar.store.database import Transaction
from sidecar.store.deltas import ChangeText
from sidecar.store.digests import as_bytes
from sidecar.store.writing import Head

State = Literal["current", "outdated", "absent"]

_SELECT: Final = (
    "SELECT e.explanation_key, e.project_key, e.explanation_id, e.subject_kind, e.subject_id,"
    " e.text, e.author, e.created_revision, e.created_revision_id, e.explained_digest,"
    " e.current_digest"
)
_BY_ID: Final = _SELECT + " FROM explanations e WHERE project_key = ? AND explanation_id = ?"
_BY_SUBJECT: Final = (
    _SELECT + " FROM explanations e"
    " WHERE project_key = ? AND subject_kind = ? AND subject_id IS ? ORDER BY explanation_key"
)
_BY_KIND: Final = (
    _SELECT + " FROM explanations e"
    " WHERE project_key = ? AND subject_kind = ? ORDER BY explanation_key"
)
_AT: Final = (
    _SELECT + ", s.state FROM explanations e JOIN explanation_states s"
    " ON s.explanation_key = e.explanation_key AND s.revision ="
    " (SELECT max(revision) FROM explanation_states"
    " WHERE explanation_key = e.explanation_key AND revision <= ?2)"
    " WHERE e.project_key = ?1 AND s.state <> 'absent' ORDER BY e.explanation_key"
)
_NEW_KEY: Final = (
    "SELECT 1 + max((SELECT coalesce(max(explanation_key), 0) FROM explanations),"
    " (SELECT coalesce(max(value), 0) FROM settings WHERE name = 'removedExplanation'))"
)
_KEEP_KEY: Final = (
    "INSERT INTO settings VALUES ('removedExplanation', ?)"
    " ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)"
)
"""No setting of a person's: the highest key of those that are gone."""
_SINGLE_KINDS: Final = ("node", "edge", "group")


@frozen(kw_only=True)
class ExplanationRow:
    """A text about a subject, and the digests of the subject's content then and now."""

    explanation_key: int = 0
    project_key: int
    explanation_id: str
    subject_kind: str
    subject_id: str | None
    text: str
    author: str
    created_revision: int
    created_revision_id: str
    explained_digest: bytes
    current_digest: bytes | None

    @property
    def state(self) -> State:
        """Whether it holds in the current version."""
        if self.current_digest is None:
            return "absent"
        return "current" if self.current_digest == self.explained_digest else "outdated"


def find(tx: Transaction, project_key: int, explanation_id: str) -> ExplanationRow | None:
    """Return an explanation, or None."""
    row = tx.execute(_BY_ID, (project_key, explanation_id)).get
    return None if row is None else _row(row)


def put(tx: Transaction, row: ExplanationRow) -> ExplanationRow:
    """Add an explanation that holds from its version on, or put it in place of the one of its id.

    Either way its key is one never used before, unless all of it is there already: by their keys
    other processes notice that there is another one.
    """
    known = find(tx, row.project_key, row.explanation_id)
    if known is not None and evolve(row, explanation_key=known.explanation_key) == known:
        return known
    remove(tx, row.project_key, row.explanation_id)
    key = tx.execute(_NEW_KEY).get
    tx.execute(
        "INSERT INTO explanations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            key,
            row.project_key,
            row.explanation_id,
            row.subject_kind,
            row.subject_id,
            row.text,
            row.author,
            row.created_revision,
            row.created_revision_id,
            row.explained_digest,
            row.current_digest,
        ),
    )
    kept = evolve(row, explanation_key=key)
    _write_state(tx, kept, row.created_revision)
    return kept


def remove(tx: Transaction, project_key: int, explanation_id: str) -> bool:
    """Remove an explanation for good; False where there is none."""
    row = find(tx, project_key, explanation_id)
    if row is None:
        return False
    tx.execute("DELETE FROM explanation_states WHERE explanation_key = ?", (row.explanation_key,))
    tx.execute("DELETE FROM explanations WHERE explanation_key = ?", (row.explanation_key,))
    tx.execute(_KEEP_KEY, (row.explanation_key,))
    return True


def holding_at(
    tx: Transaction, project_key: int, number: int
) -> list[tuple[ExplanationRow, State]]:
    """Return what is explained in a version and whether it is still what was explained."""
    found = tx.execute(_AT, (project_key, number)).fetchall()
    return [(_row(columns[:-1]), cast("State", columns[-1])) for columns in found]


def follow(tx: Transaction, head: Head, graph: ProjectGraph, changes: Sequence[ChangeText]) -> bool:
    """Bring explanations to a version that was written; True where one changed its state.

    ``graph`` is the version in memory.  Costs what changed, and nothing without explanations.
    """
    key = head.project.project_key
    if tx.execute("SELECT 1 FROM explanations WHERE project_key = ? LIMIT 1", (key,)).get is None:
        return False
    moved = [
        _move(tx, head, row, digest)
        for row, digest in (
            *_of_single_things(tx, key, changes),
            *_of_definitions(tx, key, graph, changes),
            *_of_graph(tx, key, changes),
        )
    ]
    return any(moved)


Digested = tuple[ExplanationRow, bytes | None]


def _of_single_things(tx: Transaction, key: int, changes: Sequence[ChangeText]) -> list[Digested]:
    after: dict[tuple[str, str | None], bytes | None] = {}
    for change in changes:
        if change.kind in _SINGLE_KINDS:
            # What changed its scope is a removal and an appearance: the appearance counts.
            digest = None
            if change.after is not None:
                value = contents.content_digest(change.kind, None, change.id, change.after)
                digest = as_bytes(value)
            subject = (change.kind, change.id)
            after[subject] = digest or after.get(subject)
    return [
        (row, digest)
        for (kind, id_), digest in after.items()
        for row in _rows(tx, _BY_SUBJECT, (key, kind, id_))
    ]


def _of_definitions(
    tx: Transaction, key: int, graph: ProjectGraph, changes: Sequence[ChangeText]
) -> list[Digested]:
    touched = {change.scope for change in changes if change.scope is not None}
    touched |= {change.id for change in changes if change.kind == "subgraph" and change.id}
    found: list[Digested] = []
    for row in _rows(tx, _BY_KIND, (key, "subgraph")) if touched else ():
        if row.subject_id not in touched:
            continue
        if row.subject_id not in graph.subgraphs:
            found.append((row, None))
        elif row.current_digest is None:
            digest = contents.subject_digest(tx, key, graph, "subgraph", row.subject_id)
            found.append((row, digest))
        else:
            moved = contents.moved_digest(row.current_digest, changes, row.subject_id)
            found.append((row, moved))
    return found


def _of_graph(tx: Transaction, key: int, changes: Sequence[ChangeText]) -> list[Digested]:
    return [
        (row, contents.moved_digest(row.current_digest, changes))
        for row in _rows(tx, _BY_SUBJECT, (key, "graph", None))
        if row.current_digest is not None
    ]


def _move(tx: Transaction, head: Head, row: ExplanationRow, digest: bytes | None) -> bool:
    if digest == row.current_digest:
        return False
    moved = evolve(row, current_digest=digest)
    tx.execute(
        "UPDATE explanations SET current_digest = ? WHERE explanation_key = ?",
        (digest, row.explanation_key),
    )
    if moved.state == row.state:
        return False
    _write_state(tx, moved, head.revision.number)
    return True


def _write_state(tx: Transaction, row: ExplanationRow, number: int) -> None:
    tx.execute(
        "INSERT INTO explanation_states VALUES (?, ?, ?)"
        " ON CONFLICT (explanation_key, revision) DO UPDATE SET state = excluded.state",
        (row.explanation_key, number, row.state),
    )


def _rows(tx: Transaction, query: str, bindings: tuple[Any, ...]) -> list[ExplanationRow]:
    return [_row(columns) for columns in tx.execute(query, bindings)]


def _row(columns: Sequence[Any]) -> ExplanationRow:
    names = ExplanationRow.__annotations__
    return ExplanationRow(**dict(zip(names, columns, strict=True)))
