"""Looking at a whole file for damage, in pieces that can be stopped.

Every function runs inside a read transaction its caller opened; none changes anything.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import apsw
from attrs import frozen

from sidecar.store import counts, digests, projects, records, schema
from sidecar.store.copies import CancelledError, Progress, always
from sidecar.store.database import Transaction
from sidecar.store.deltas import unpacked
from sidecar.store.faults import StorageError
from sidecar.store.kinds import ROOT_SCOPE
from sidecar.store.projects import ProjectRow
from sidecar.store.revisions import RevisionRow, at, key_of
from sidecar.store.tables import MAX_NUMBER, MAX_RANK, RANK_BITS
from sidecar.store.writing import chain_facts, first_link

STEPS_A_CALL: Final = 20_000
"""Virtual machine steps of SQLite between two questions whether to go on."""
PARTS: Final = 5


@frozen
class Problem:
    """Something that is not as it was written.

    ``code`` is one of ``integrity``, ``foreign-key``, ``schema``, ``orphans``, ``chain``,
    ``changes``, ``digest``, ``current``; ``details`` are facts without user text (JSON).
    """

    code: str
    details: dict[str, Any]


def problems(tx: Transaction, *, progress: Progress = always) -> Iterator[Problem]:
    """Yield what is wrong with the file; nothing where it is sound.

    Looks at pages, references, the schema, and for each project at the chain of its versions and
    at the digest of its things.  ``progress`` is called with parts done and parts in all; where it
    returns False, :class:`~sidecar.store.copies.CancelledError` is raised.
    """
    names = [key for (key,) in tx.execute("SELECT project_key FROM projects ORDER BY 1")]
    total = PARTS + len(names)
    looks = (_integrity, _foreign_keys, _schema, _orphans, _doubles)
    for done, look in enumerate(looks):
        _go_on(progress, done, total)
        yield from _watched(tx, look, lambda done=done: progress(done, total))
    for done, key in enumerate(names, start=PARTS):
        _go_on(progress, done, total)
        project = projects.find_by_key(tx, key)
        if project is not None:
            yield from project_problems(tx, project)
    _go_on(progress, total, total)


def until_unreadable(found: Iterable[Any]) -> Iterator[Any]:
    """Yield problems as far as the file can be read; where it cannot, that is the last of them."""
    try:
        yield from found
    except apsw.CorruptError:
        yield Problem("integrity", {"sqlite": "SQLITE_CORRUPT"})
    except StorageError as fault:
        if fault.code != "storage-corrupt":
            raise
        yield Problem("integrity", fault.details)


def counted(tx: Transaction) -> dict[str, int]:
    """Return how much the file holds; nothing where that cannot be read."""
    try:
        return counts.read(tx)
    except apsw.CorruptError:
        return {}


def project_problems(tx: Transaction, project: ProjectRow) -> Iterator[Problem]:
    """Yield what is wrong with a project's versions and things."""
    facts = {"projectId": project.project_id}
    last: RevisionRow | None = None
    for number in _numbers(tx, project):
        revision = at(tx, project.project_key, number)
        assert revision is not None
        code = _version_problem(tx, project, last, revision)
        if code is not None:
            yield Problem(code, {**facts, "revisionId": revision.revision_id})
        last = revision
    if last is None or last.revision_id != project.current_revision_id:
        yield Problem("current", facts)
    elif last.digest != _digest_of_records(tx, project):
        yield Problem("digest", facts)


def _version_problem(
    tx: Transaction, project: ProjectRow, last: RevisionRow | None, revision: RevisionRow
) -> str | None:
    """Return what is wrong with a version, given the one kept before it.

    A version whose parent is pruned begins a segment: its link cannot be checked, its content
    can where it was folded.
    """
    try:
        plain = unpacked(_changes(tx, project, revision.number))
    except StorageError:
        return "changes"
    if revision.folded is not None:
        return None if digests.hash_of(plain) == revision.folded else "changes"
    if revision.number == 1:
        link = first_link(project.project_id)
    elif last is not None and last.number == revision.number - 1:
        link = last.chain
    else:
        return None
    return (
        None if digests.chained(link, chain_facts(revision), plain) == revision.chain else "chain"
    )


def _numbers(tx: Transaction, project: ProjectRow) -> list[int]:
    ends = key_of(project.project_key, 0), key_of(project.project_key, MAX_NUMBER)
    rows = tx.execute(
        "SELECT revision_key FROM graph_revisions WHERE revision_key BETWEEN ? AND ? ORDER BY 1",
        ends,
    )
    return [key & MAX_NUMBER for (key,) in rows]


def _changes(tx: Transaction, project: ProjectRow, number: int) -> bytes:
    found: bytes = tx.execute(
        "SELECT changes FROM graph_revisions WHERE revision_key = ?",
        (key_of(project.project_key, number),),
    ).get
    return found


def _digest_of_records(tx: Transaction, project: ProjectRow) -> bytes:
    return digests.sum_of(
        digests.thing_digest(kind, scope or ROOT_SCOPE, id_, key & MAX_RANK, text)
        for (scope, kind), list_key in records.list_names(tx, project.project_key).items()
        for key, id_, text in records.rows(tx, list_key)
    )


def _integrity(tx: Transaction) -> Iterator[Problem]:
    for (text,) in tx.execute("PRAGMA integrity_check(20)"):
        if text != "ok":
            yield Problem("integrity", {"sqlite": text})


def _foreign_keys(tx: Transaction) -> Iterator[Problem]:
    for table, _, parent, _ in tx.execute("PRAGMA foreign_key_check"):
        yield Problem("foreign-key", {"table": table, "parent": parent})


def _schema(tx: Transaction) -> Iterator[Problem]:
    try:
        schema.check_objects(tx, schema.check_identity(tx))
    except StorageError as fault:
        yield Problem("schema", fault.details)


def _orphans(tx: Transaction) -> Iterator[Problem]:
    """Records of lists that do not exist: SQLite cannot state this reference."""
    count = tx.execute(
        "SELECT count(*) FROM graph_records"
        " WHERE NOT EXISTS (SELECT 1 FROM graph_lists WHERE list_key = record_key >> ?)",
        (RANK_BITS,),
    ).get
    if count:
        yield Problem("orphans", {"table": "graph_records", "count": count})


def _doubles(tx: Transaction) -> Iterator[Problem]:
    """Two things of one id in one list."""
    count = tx.execute(
        "SELECT count(*) FROM (SELECT 1 FROM graph_records WHERE id IS NOT NULL"
        " GROUP BY record_key >> ?, id HAVING count(*) > 1)",
        (RANK_BITS,),
    ).get
    if count:
        yield Problem("orphans", {"table": "graph_records", "doubled": count})


def _go_on(progress: Progress, done: int, total: int) -> None:
    if not progress(done, total):
        raise CancelledError


def _watched(tx: Transaction, look: Any, may_go_on: Any) -> Iterator[Problem]:
    """Run a look that SQLite takes long over, asking now and then whether to go on."""
    tx.set_progress_handler(lambda: not may_go_on(), STEPS_A_CALL)
    try:
        yield from list(look(tx))
    except apsw.InterruptError as error:
        raise CancelledError from error
    finally:
        tx.set_progress_handler(None)
