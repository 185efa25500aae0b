"""Projects: made, listed, shown, renamed, deleted, exported."""

import unicodedata
from functools import partial
from typing import Any

from protocol.changes import NO_EFFECTS
from protocol.converter import decode
from protocol.errors import InvalidParamsError, Issue, RequestFailedError
from protocol.json_text import dumps
from protocol.projects import (
    CreateProjectParams,
    GetProjectParams,
    PageParams,
    ProjectParams,
    RenameProjectParams,
)
from sidecar.core.errors import RejectedError
from sidecar.handlers import paging, render
from sidecar.handlers.announcements import announce
from sidecar.handlers.answers import Command, refused_answer
from sidecar.handlers.commands import land, serve, storage_answer
from sidecar.handlers.commit import content_hash, invalid, require_action_id, salvaged
from sidecar.handlers.context import Context
from sidecar.handlers.ids import checked_id
from sidecar.handlers.scene import Carried, Scene
from sidecar.handlers.unit import Unit
from sidecar.store import projects, runs
from sidecar.store.cache import OpenProject
from sidecar.store.database import Transaction
from sidecar.store.faults import StorageError
from sidecar.store.writing import NewProject
from sidecar.store.writing import create_project as create_project_rows

MAX_TITLE = 255


def create_project(ctx: Context, unit: Unit, params: CreateProjectParams) -> bytes:
    """Create a project; the same id and title again answers with the project as it stands."""
    title = checked_title(params.title, "/title")
    if params.project_id is not None:
        checked_id(params.project_id, "/projectId")
        known = ctx.cache.open(unit.tx, params.project_id)
        if known is not None:
            if projects.created_title(unit.tx, known.row.project_key) != title:
                raise _id_in_use(params.project_id)
            return shown(unit.tx, known, "full")
        if projects.is_retired(unit.tx, params.project_id):
            raise _id_in_use(params.project_id)
    project_id = params.project_id or ctx.new_id()
    new = NewProject(
        project_id=project_id, title=title, revision_id=ctx.new_id(), created_at=ctx.now()
    )
    create_project_rows(unit.tx, ctx.codec, new)
    unit.on_rollback.append(lambda: ctx.cache.forget(project_id))
    project = opened(ctx, unit.tx, project_id)
    # At once: a later command of this transaction must not take it for another process's.
    unit.on_rollback.append(partial(ctx.watch.told, project_id, None))
    ctx.watch.told(project_id, project.revision.revision_id)
    announce(
        ctx,
        unit,
        "projectCreated",
        {
            "projectId": project_id,
            "title": title,
            "revisionId": project.revision.revision_id,
            "origin": "self",
        },
    )
    return shown(unit.tx, project, "full")


def list_projects(_: Context, tx: Transaction, params: PageParams) -> bytes:
    """List projects, last changed first."""
    limit = paging.limit_of(params.limit)
    place = paging.place_of("projects", params.before, length=2)
    last = (place[0], place[1]) if place else None
    found = projects.page(tx, before=last, limit=limit + 1)
    rows, before = paging.page_of(
        "projects", found, limit, lambda row: (row.updated_at, row.project_key)
    )
    items = [
        {
            "projectId": row.project_id,
            "title": row.title,
            "revisionId": row.current_revision_id,
            "revisionNumber": row.current_revision,
            "createdAt": row.created_at,
            "updatedAt": row.updated_at,
        }
        for row in rows
    ]
    return dumps({"items": items, "before": before})


def get_project(ctx: Context, tx: Transaction, params: GetProjectParams) -> bytes:
    """Show a project as it is now."""
    return shown(tx, opened(ctx, tx, params.project_id), params.projection)


def delete_project(ctx: Context, unit: Unit, params: ProjectParams) -> bytes:
    """Delete a project with all that belongs to it; its id stays retired."""
    row = projects.find(unit.tx, params.project_id)
    if row is None:
        if projects.is_retired(unit.tx, params.project_id):
            return dumps({"deleted": False})
        raise unknown_project(params.project_id)
    from sidecar.handlers.sessions.deleting import (  # noqa: PLC0415 -- the first request's time
        delete_of_project,
    )

    delete_of_project(ctx, unit, row)
    projects.delete(unit.tx, row, ctx.now())
    ctx.cache.forget(params.project_id)
    known = ctx.watch.revisions.get(params.project_id)
    unit.on_rollback.append(partial(ctx.watch.told, params.project_id, known))
    ctx.watch.told(params.project_id, None)
    params_of = {"projectId": params.project_id, "origin": "self"}
    announce(ctx, unit, "projectDeleted", params_of)
    return dumps({"deleted": True})


def rename_project(ctx: Context, unit: Unit, raw: dict[str, Any]) -> bytes:
    """Give a project another title, as a version of kind ``rename-project``."""
    try:
        params = decode(ctx.converter, raw, RenameProjectParams)
        require_action_id(params.action_id)
    except InvalidParamsError as error:
        command = salvaged("renameProject", raw)
        return refused_answer(ctx, unit.tx, command, invalid(error))
    command = Command(
        method="renameProject",
        project_id=params.project_id,
        action_id=params.action_id,
        expected_revision_id=params.expected_revision_id,
        projection=params.projection,
        content_hash=content_hash({"title": params.title}),
    )
    return serve(ctx, unit, command, lambda scene: land(scene, _rename(scene, params.title)))


def rename_failed(ctx: Context, raw: dict[str, Any], error: StorageError) -> bytes:
    """Answer renameProject where the file refused the transaction."""
    return storage_answer(ctx, salvaged("renameProject", raw), error)


def opened(ctx: Context, tx: Transaction, project_id: str) -> OpenProject:
    """Return a project, or raise ``unknown-project``."""
    project = ctx.cache.open(tx, project_id)
    if project is None:
        raise unknown_project(project_id)
    return project


def unknown_project(project_id: str) -> RequestFailedError:
    return RequestFailedError(
        "unknown-project", "There is no such project.", {"projectId": project_id}
    )


def shown(tx: Transaction, project: OpenProject, mode: Any) -> bytes:
    """Return a project's projection."""
    run = runs.open_run(tx, project.row.project_key)
    return render.projection_json(tx, project, run, mode)


def checked_title(title: str, path: str) -> str:
    """Return a title, NFC and trimmed, or raise for one that cannot be."""
    clean = unicodedata.normalize("NFC", title).strip()
    if not 1 <= len(clean) <= MAX_TITLE or any(unicodedata.category(c) == "Cc" for c in clean):
        message = f"expected 1 to {MAX_TITLE} characters, none of them a control character"
        raise InvalidParamsError([Issue(path, message)])
    return clean


def _rename(scene: Scene, title: str) -> Carried:
    try:
        clean = checked_title(title, "/title")
    except InvalidParamsError as error:
        raise RejectedError(
            "invalid-name",
            f"A title has 1 to {MAX_TITLE} characters, none of them a control character.",
            {"issues": [{"path": issue.path, "message": issue.message} for issue in error.issues]},
        ) from error
    workspace = scene.workspace()
    workspace.put("title", None, None, clean)
    return Carried(
        changes=workspace.changes(),
        effects=NO_EFFECTS,
        kind="rename-project",
        label=f"Rename project to {clean}"[:120],
    )


def _id_in_use(project_id: str) -> RequestFailedError:
    return RequestFailedError(
        "id-in-use", "The project id is in use, or was.", {"projectId": project_id}
    )
