"""The end of sessions: one, or all of a project."""

from sidecar.handlers.announcements import announce
from sidecar.handlers.context import Context
from sidecar.handlers.unit import Unit
from sidecar.store.projects import ProjectRow
from sidecar.store.sessions import rows, writing
from sidecar.store.sessions.rows import SessionRow


def delete(ctx: Context, unit: Unit, row: SessionRow, project_id: str) -> None:
    """Delete a session, damaged or not, and announce it."""
    writing.delete(unit.tx, row)
    ctx.sessions.forget(row.session_id)
    ctx.watch.sessions.forget(unit, row.session_id)
    announce(
        ctx,
        unit,
        "sessionChanged",
        {
            "sessionId": row.session_id,
            "projectId": project_id,
            "revision": row.revision,
            "cause": "deleted",
            "changes": None,
            "origin": "self",
        },
    )


def delete_of_project(ctx: Context, unit: Unit, project: ProjectRow) -> None:
    """Delete all sessions of a project that is being deleted."""
    for row in rows.of_project(unit.tx, project.project_key):
        delete(ctx, unit, row, project.project_id)
