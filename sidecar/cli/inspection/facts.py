"""What is in a database, as one JSON value, read as one unchanging view."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sidecar.cli.local import Local, opened
from sidecar.cli.selection import find_project
from sidecar.handlers.render import revision_value
from sidecar.store import projects, revisions
from sidecar.store.database import Transaction
from sidecar.store.projects import ProjectRow
from sidecar.store.revisions import RevisionRow

_PAGE = 500


def facts_of(database: Path, *, project: str | None, limit: int) -> dict[str, Any]:
    """Return what is in a database; of each project at most ``limit`` versions, newest first."""
    with opened(database) as local, local.database.read() as tx:
        rows = [find_project(local, tx, project)] if project else list(_all(local, tx))
        return {
            "database": local.call("getStatus")["database"],
            "projects": [_project(local, tx, row, limit) for row in rows],
        }


def _all(local: Local, tx: Transaction) -> Iterator[ProjectRow]:
    for item in local.pages("listProjects"):
        row = projects.find(tx, item["projectId"])
        assert row is not None
        yield row


def _project(local: Local, tx: Transaction, row: ProjectRow, limit: int) -> dict[str, Any]:
    current = local.call("getProject", projectId=row.project_id)
    graph = current["graph"]
    kept = list(_revisions(tx, row))
    return {
        "projectId": row.project_id,
        "title": row.title,
        "revisionId": row.current_revision_id,
        "revisionNumber": row.current_revision,
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
        "format": (current["document"] or {}).get("format"),
        "counts": {kind: len(graph[kind]) for kind in ("nodes", "edges", "groups", "subgraphs")},
        "undo": current["undo"],
        "redo": current["redo"],
        "versions": len(kept),
        "historyBytes": sum(_stored(tx, row, one) for one in kept),
        "revisions": [
            {**revision_value(one), "storedBytes": _stored(tx, row, one)} for one in kept[:limit]
        ],
        "runs": list(local.pages("listRuns", projectId=row.project_id)),
        "sessions": list(_sessions(local, row.project_id)),
    }


def _revisions(tx: Transaction, row: ProjectRow) -> Iterator[RevisionRow]:
    before = None
    while page := revisions.page(tx, row, before=before, limit=_PAGE):
        yield from page
        before = page[-1].number


def _stored(tx: Transaction, row: ProjectRow, revision: RevisionRow) -> int:
    """Return the bytes that one version keeps: rows count from the project's first."""
    earlier = revisions.at(tx, row.project_key, revision.number - 1)
    return revision.stored_bytes - (earlier.stored_bytes if earlier else 0)


def _sessions(local: Local, project_id: str) -> Iterator[dict[str, Any]]:
    for archived in (False, True):
        yield from local.pages("listSessions", projectId=project_id, archived=archived)
