"""Notifications: registered while a transaction is under way, sent once it is committed."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from msgspec import Raw

from protocol.json_text import dumps
from sidecar.handlers.context import Context
from sidecar.handlers.render import run_json
from sidecar.handlers.unit import Unit
from sidecar.store.cache import OpenProject
from sidecar.store.deltas import ChangeText
from sidecar.store.projects import ProjectRow
from sidecar.store.runs import RunRow
from sidecar.store.wire_changes import changes_json

MAX_CHANGES: Final = 1024 * 1024
"""Bytes of changes that a notification carries; beyond, the host fetches them."""


def announce(ctx: Context, unit: Unit, method: str, params: object) -> None:
    """Tell the host after the COMMIT; ``params`` may hold raw JSON."""
    unit.on_commit.append(partial(ctx.notify, method, dumps(params)))


def run_changed(ctx: Context, unit: Unit, project: ProjectRow, run: RunRow) -> None:
    """Announce how a run stands now."""
    unit.on_commit.append(partial(ctx.watch.run_told, run))
    announce(ctx, unit, "runChanged", {"run": Raw(run_json(project, run))})


def project_changed(
    ctx: Context,
    unit: Unit,
    project: OpenProject,
    from_revision_id: str,
    texts: Sequence[ChangeText],
) -> None:
    """Announce the version a project stands at now."""
    announce(ctx, unit, "projectChanged", change_of(project, from_revision_id, texts, "self"))


def change_of(
    project: OpenProject, from_revision_id: str, texts: Sequence[ChangeText], origin: str
) -> dict[str, Any]:
    """Return the params of projectChanged."""
    revision = project.revision
    mine = origin == "self"
    return {
        "projectId": project.row.project_id,
        "fromRevisionId": from_revision_id,
        "revisionId": revision.revision_id,
        "actionId": revision.action_id if mine else None,
        "actor": revision.actor if mine else None,
        "runId": revision.run_id if mine else None,
        "changes": _changes(project, texts),
        "origin": origin,
    }


def _changes(project: OpenProject, texts: Sequence[ChangeText]) -> Raw | None:
    size = sum(len(text.before or b"") + len(text.after or b"") for text in texts)
    if size > MAX_CHANGES:
        return None
    changes = changes_json(texts, project.graph)
    return None if len(changes) > MAX_CHANGES else Raw(changes)
