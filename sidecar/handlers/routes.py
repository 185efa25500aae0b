"""Which function serves which method, and in what kind of transaction."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from attrs import frozen

from sidecar.handlers import (
    admin,
    closing,
    commit,
    drafts,
    explanations,
    export,
    history,
    maintenance,
    projects,
    runs,
)
from sidecar.handlers.context import Context
from sidecar.store.faults import StorageError


@frozen(kw_only=True)
class Route:
    """How a method is served.

    A writing handler takes (context, unit, params), a reading one (context, tx, params); both
    return the result as JSON text.  One that runs beside takes (context, params) and returns the
    work for a thread of its own.  ``on_storage_error`` answers commands that the file refused.
    """

    handler: Callable[..., Any]
    writes: bool = False
    beside: bool = False
    on_storage_error: Callable[[Context, Any, StorageError], bytes] | None = None


def _command(handler: Callable[..., Any], failed: Callable[..., bytes]) -> Route:
    return Route(handler=handler, writes=True, on_storage_error=failed)


def _write(handler: Callable[..., Any]) -> Route:
    return Route(handler=handler, writes=True)


def _read(handler: Callable[..., Any]) -> Route:
    return Route(handler=handler)


ROUTES: Final[Mapping[str, Route]] = MappingProxyType(
    {
        "commitCommand": _command(commit.commit_command, commit.storage_failed),
        "undo": _command(history.undo, history.undo_failed),
        "redo": _command(history.redo, history.redo_failed),
        "renameProject": _command(projects.rename_project, projects.rename_failed),
        "createProject": _write(projects.create_project),
        "deleteProject": _write(projects.delete_project),
        "listProjects": _read(projects.list_projects),
        "getProject": _read(projects.get_project),
        "listRevisions": _read(history.list_revisions),
        "getRevision": _read(history.get_revision),
        "diffRevisions": _read(history.diff_revisions),
        "startRun": _write(runs.start_run),
        "pauseRun": _write(runs.pause_run),
        "resumeRun": _write(runs.resume_run),
        "cancelRun": _write(runs.cancel_run),
        "closeRun": _command(closing.close_run, closing.close_without_arranging),
        "closeStaleRuns": _write(runs.close_stale_runs),
        "getRun": _read(runs.get_run),
        "listRuns": _read(runs.list_runs),
        "exportProject": _read(export.export_project),
        "setExplanation": _write(explanations.set_explanation),
        "removeExplanation": _write(explanations.remove_explanation),
        "listExplanations": _read(explanations.list_explanations),
        "createDraft": _write(drafts.create_draft),
        "listDrafts": _read(drafts.list_drafts),
        "discardDraft": _write(drafts.discard_draft),
        "applyDraft": _command(drafts.apply_draft, drafts.apply_failed),
        "checkDatabase": Route(handler=maintenance.check_database, beside=True),
        "backupDatabase": Route(handler=maintenance.backup_database, beside=True),
        "getSettings": _read(admin.get_settings),
        "updateSettings": _write(admin.update_settings),
        "getStatus": _read(admin.get_status),
    }
)
