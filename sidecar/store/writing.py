"""Writing a version: its things, its row, its fingerprints, at a cost that follows the change.

Every function runs inside a transaction its caller opened.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal

from attrs import frozen

from protocol.json_text import loads
from sidecar.core.changes import Change
from sidecar.core.values import value
from sidecar.store import digests, projects, records, used_ids
from sidecar.store.codec import Codec
from sidecar.store.database import Transaction
from sidecar.store.deltas import ChangeText, entry_of, packed, plain_of
from sidecar.store.history import DEFAULT_LIMITS, ROW_BYTES, HistoryLimits, new_floor
from sidecar.store.kinds import CODES, RETIRED_KINDS, ROOT_SCOPE
from sidecar.store.projects import ProjectRow
from sidecar.store.records import Lists, Place
from sidecar.store.revisions import RevisionRow, key_of
from sidecar.store.steps import NO_HEADS, Heads, Step

FIRST_KIND: Final = "create-project"


@value(kw_only=True)
class About:
    """What a new version says of itself.  ``created_at`` is in milliseconds since 1970 UTC."""

    revision_id: str
    action_id: str | None
    actor: Literal["manual", "ai"]
    run_id: str | None
    kind: str
    label: str
    created_at: int
    restored_from: str | None = None
    heads: Heads = NO_HEADS


@value
class Head:
    """Where a project stands: its row and its current version's."""

    project: ProjectRow
    revision: RevisionRow


@value
class Written:
    """A new version: where the project stands now, and the texts that were written."""

    head: Head
    changes: list[ChangeText]


@frozen(kw_only=True)
class NewProject:
    """A project to be made.  ``created_at`` is in milliseconds since 1970 UTC."""

    project_id: str
    title: str
    revision_id: str
    created_at: int


def create_project(tx: Transaction, codec: Codec, new: NewProject) -> Written:
    """Write a project and its first version, which is empty but for the title."""
    project = projects.insert(tx, new.project_id, new.title, new.revision_id, new.created_at)
    about = About(
        revision_id=new.revision_id,
        action_id=None,
        actor="manual",
        run_id=None,
        kind=FIRST_KIND,
        label="New project",
        created_at=new.created_at,
    )
    lists = Lists(tx, project.project_key)
    titled = Change("title", None, None, None, new.title, 0, 0)
    texts = _write_things(tx, codec, lists, [titled])
    revision = _write_row(tx, project, None, texts, about)
    return Written(Head(project, revision), texts)


def write_revision(  # noqa: PLR0913 -- all of it makes the version
    tx: Transaction,
    codec: Codec,
    head: Head,
    changes: Sequence[Change],
    about: About,
    *,
    limits: HistoryLimits = DEFAULT_LIMITS,
) -> Written:
    """Write the version that ``changes`` make of the current one.

    ``changes`` name each thing once.  The texts that come back are those that were written, in
    the order of ``changes``, without those that change no byte.
    """
    texts = _write_things(tx, codec, Lists(tx, head.project.project_key), changes)
    _retire_ids(tx, head.project.project_key, texts)
    revision = _write_row(tx, head.project, head.revision, texts, about)
    before = head.project
    project = ProjectRow(
        before.project_key,
        before.project_id,
        _title(before, texts),
        revision.number,
        revision.revision_id,
        new_floor(tx, before, revision, limits),
        before.created_at,
        about.created_at,
    )
    projects.update(tx, project)
    return Written(Head(project, revision), texts)


def chain_facts(revision: RevisionRow) -> tuple[Any, ...]:
    """Return what a chain hash says of its version."""
    return _facts(revision.number, revision, revision.digest)


def first_link(project_id: str) -> bytes:
    """Return what the chain of a project hangs on."""
    return digests.hash_of(project_id.encode())


def _write_things(
    tx: Transaction, codec: Codec, lists: Lists, changes: Sequence[Change]
) -> list[ChangeText]:
    texts = [text for change in changes if (text := _text(tx, codec, lists, change)) is not None]
    _write_records(tx, lists, texts)
    return texts


def _text(tx: Transaction, codec: Codec, lists: Lists, change: Change) -> ChangeText | None:
    before = None
    if change.before is not None:
        place = Place(CODES[change.kind], change.scope, change.before_rank)
        before = records.read_text(tx, lists, place, change.id)
    after = None if change.after is None else codec.encode(change.after)
    if before == after and (before is None or change.before_rank == change.after_rank):
        return None
    return ChangeText(
        change.kind,
        change.scope,
        change.id,
        before,
        after,
        0 if before is None else change.before_rank,
        0 if after is None else change.after_rank,
    )


def _write_records(tx: Transaction, lists: Lists, texts: Sequence[ChangeText]) -> None:
    """Free every place first: a thing may take the place of one that leaves."""
    for text in texts:
        if text.before is not None and (text.after is None or text.moved):
            records.delete(tx, lists, Place(CODES[text.kind], text.scope, text.before_rank))
    for text in texts:
        if text.after is None:
            continue
        place = Place(CODES[text.kind], text.scope, text.after_rank)
        if text.moved:
            records.insert(tx, lists, place, text.id, text.after)
        else:
            records.replace(tx, lists, place, text.after)


def _retire_ids(tx: Transaction, project_key: int, texts: Sequence[ChangeText]) -> None:
    arrived = {(text.kind, text.id) for text in texts if text.before is None}
    for text in texts:
        gone = text.after is None and text.kind in RETIRED_KINDS
        if gone and text.id is not None and (text.kind, text.id) not in arrived:
            used_ids.retire(tx, project_key, text.kind, [text.id])


def _write_row(
    tx: Transaction,
    project: ProjectRow,
    parent: RevisionRow | None,
    texts: Sequence[ChangeText],
    about: About,
) -> RevisionRow:
    plain = plain_of([entry_of(text) for text in texts])
    changes = packed(plain)
    number = 1 if parent is None else parent.number + 1
    digest = _digest(digests.NOTHING if parent is None else parent.digest, texts)
    facts = _facts(number, about, digest)
    link = first_link(project.project_id) if parent is None else parent.chain
    chain = digests.chained(link, facts, plain)
    total = (0 if parent is None else parent.stored_bytes) + len(changes) + ROW_BYTES
    tx.execute(_INSERT, (key_of(project.project_key, number), *facts[1:], chain, total, changes))
    return RevisionRow(
        number,
        about.revision_id,
        None if parent is None else parent.revision_id,
        about.action_id,
        about.actor,
        about.run_id,
        about.kind,
        about.label,
        about.created_at,
        about.restored_from,
        about.heads,
        digest,
        chain,
        None,
        total,
    )


_INSERT: Final = (
    "INSERT INTO graph_revisions (revision_key, revision_id, action_id, actor, run_id, kind,"
    " label, created_at, restored_from, digest, undo_target, undo_run, undo_label, undo_commands,"
    " redo_target, redo_run, redo_label, redo_commands, chain, stored_bytes, changes)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def _facts(number: int, about: About | RevisionRow, digest: bytes) -> tuple[Any, ...]:
    """Return what a version says of itself, in the order of its row."""
    return (
        number,
        about.revision_id,
        about.action_id,
        about.actor,
        about.run_id,
        about.kind,
        about.label,
        about.created_at,
        about.restored_from,
        digest,
        *_step_columns(about.heads.undo),
        *_step_columns(about.heads.redo),
    )


def _step_columns(step: Step | None) -> tuple[Any, ...]:
    if step is None:
        return (None, None, None, None)
    return (step.target, step.run_id, step.label, step.commands)


def _digest(previous: bytes, texts: Sequence[ChangeText]) -> bytes:
    total = digests.as_number(previous)
    for text in texts:
        place = (CODES[text.kind], text.scope or ROOT_SCOPE, text.id)
        if text.before is not None:
            total -= digests.thing_digest(*place, text.before_rank, text.before)
        if text.after is not None:
            total += digests.thing_digest(*place, text.after_rank, text.after)
    return digests.as_bytes(total)


def _title(project: ProjectRow, texts: Sequence[ChangeText]) -> str:
    for text in texts:
        if text.kind == "title" and text.after is not None:
            return str(loads(text.after))
    return project.title
