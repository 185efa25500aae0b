"""Versions: listed, shown, compared, undone and redone."""

from typing import Any, Literal

from msgspec import Raw

from protocol.converter import decode
from protocol.errors import InvalidParamsError, RequestFailedError
from protocol.json_text import dumps
from protocol.projects import (
    DiffRevisionsParams,
    GetRevisionParams,
    ListRevisionsParams,
    UndoParams,
)
from sidecar.handlers import paging, render, restoring
from sidecar.handlers.answers import Command, RefusedError, refused_answer
from sidecar.handlers.commands import land, serve, storage_answer
from sidecar.handlers.commit import invalid, require_action_id, salvaged
from sidecar.handlers.context import Context
from sidecar.handlers.projects import unknown_project
from sidecar.handlers.scene import Carried, Scene
from sidecar.handlers.unit import Unit
from sidecar.store import projects, revisions, states
from sidecar.store.database import Transaction
from sidecar.store.faults import StorageError
from sidecar.store.projects import ProjectRow
from sidecar.store.revisions import RevisionGoneError, RevisionRow
from sidecar.store.wire_changes import changes_between_json

Way = Literal["undo", "redo"]


def list_revisions(_: Context, tx: Transaction, params: ListRevisionsParams) -> bytes:
    """List the versions of a project that are kept, newest first."""
    limit = paging.limit_of(params.limit)
    place = paging.place_of("revisions", params.before)
    project = _project(tx, params.project_id)
    found = revisions.page(tx, project, before=place[0] if place else None, limit=limit + 1)
    rows, before = paging.page_of("revisions", found, limit, lambda row: (row.number,))
    return dumps({"items": [render.revision_value(row) for row in rows], "before": before})


def get_revision(_: Context, tx: Transaction, params: GetRevisionParams) -> bytes:
    """Show the whole state of one version."""
    project = _project(tx, params.project_id)
    row = visible(tx, project, params.revision_id)
    state = states.state_at(tx, project, row.number)
    return dumps({"revision": render.revision_value(row), "state": Raw(state.json())})


def diff_revisions(_: Context, tx: Transaction, params: DiffRevisionsParams) -> bytes:
    """Show what leads from one version to another."""
    project = _project(tx, params.project_id)
    old = visible(tx, project, params.from_revision_id)
    new = visible(tx, project, params.to_revision_id)
    return b'{"changes":%b}' % changes_between_json(tx, project, old.number, new.number)


def undo(ctx: Context, unit: Unit, raw: dict[str, Any]) -> bytes:
    """Restore the version before the last step, as a new version."""
    return _step(ctx, unit, raw, "undo")


def redo(ctx: Context, unit: Unit, raw: dict[str, Any]) -> bytes:
    """Restore the version that the last undo took back, as a new version."""
    return _step(ctx, unit, raw, "redo")


def undo_failed(ctx: Context, raw: dict[str, Any], error: StorageError) -> bytes:
    """Answer undo where the file refused the transaction."""
    return storage_answer(ctx, salvaged("undo", raw), error)


def redo_failed(ctx: Context, raw: dict[str, Any], error: StorageError) -> bytes:
    """Answer redo where the file refused the transaction."""
    return storage_answer(ctx, salvaged("redo", raw), error)


def visible(tx: Transaction, project: ProjectRow, revision_id: str) -> RevisionRow:
    """Return a version a host may see, or raise ``unknown-revision`` or ``pruned-revision``."""
    try:
        return revisions.visible(tx, project, revision_id)
    except RevisionGoneError as error:
        message = (
            "There is no such version."
            if error.code == "unknown-revision"
            else "This version is no longer kept."
        )
        raise RequestFailedError(error.code, message, {"revisionId": revision_id}) from error


def _step(ctx: Context, unit: Unit, raw: dict[str, Any], way: Way) -> bytes:
    try:
        params = decode(ctx.converter, raw, UndoParams)
        require_action_id(params.action_id)
    except InvalidParamsError as error:
        return refused_answer(ctx, unit.tx, salvaged(way, raw), invalid(error))
    command = Command(
        method=way,
        project_id=params.project_id,
        action_id=params.action_id,
        expected_revision_id=params.expected_revision_id,
        projection=params.projection,
        content_hash=bytes(16),
    )
    return serve(ctx, unit, command, lambda scene: land(scene, _carry(scene, way)))


def _carry(scene: Scene, way: Way) -> Carried:
    if scene.run is not None and scene.run.status == "running":
        raise RefusedError(
            "conflict",
            "run-open",
            "The assistant is at work; pause, cancel or close its run first.",
            {"runId": scene.run.run_id},
        )
    heads = scene.project.revision.heads
    step = heads.undo if way == "undo" else heads.redo
    target = None
    if step is not None:
        target = revisions.at(scene.tx, scene.project.row.project_key, step.target)
    if target is None or not revisions.is_visible(scene.tx, scene.project.row, target.number):
        raise RefusedError("rejected", f"nothing-to-{way}", f"There is nothing to {way}.", {})
    return restoring.restore(scene, target)


def _project(tx: Transaction, project_id: str) -> ProjectRow:
    found = projects.find(tx, project_id)
    if found is None:
        raise unknown_project(project_id)
    return found
