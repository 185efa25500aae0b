"""Which project and which version a person means."""

from typing import Any

from sidecar.cli.errors import CliError
from sidecar.cli.local import Local
from sidecar.store import projects, revisions
from sidecar.store.database import Transaction
from sidecar.store.projects import ProjectRow


def find_project(local: Local, tx: Transaction, wanted: str) -> ProjectRow:
    """Return the project of an id, or the only one with this title."""
    row = projects.find(tx, wanted)
    if row is not None:
        return row
    titled = [item for item in local.pages("listProjects") if item["title"] == wanted]
    if len(titled) > 1:
        ids = ", ".join(item["projectId"] for item in titled)
        raise CliError(f"There are {len(titled)} projects of this title; name one by its id: {ids}")
    row = projects.find(tx, titled[0]["projectId"]) if titled else None
    if row is None:
        raise CliError(f"There is no project {wanted!r} in this database; inspect lists them.")
    return row


def find_revision(tx: Transaction, project: ProjectRow, wanted: str) -> str:
    """Return the id of a version that was given by its id or by its number."""
    if wanted.isascii() and wanted.isdigit():
        number = int(wanted)
        row = revisions.at(tx, project.project_key, number)
        if row is not None and revisions.is_visible(tx, project, number):
            return row.revision_id
    elif revisions.find(tx, project.project_key, wanted) is not None:
        return wanted
    raise CliError(f"This project has no version {wanted}, or no longer; inspect lists them.")


def state_of(local: Local, tx: Transaction, project: ProjectRow, wanted: str | None) -> Any:
    """Return a version's state (default: the current one) in wire form."""
    revision_id = (
        project.current_revision_id if wanted is None else find_revision(tx, project, wanted)
    )
    found = local.call("getRevision", projectId=project.project_id, revisionId=revision_id)
    return found["state"]
