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
from sidecar.handlers.sessions import (
    activities,
    creating,
    events,
    exporting,
    importing,
    listing,
    meta,
    pages,
    searching,
    trees,
)
from sidecar.handlers.sessions import commands as session_commands
from sidecar.handlers.sessions import restoring as session_restoring
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
        "createSession": _write(creating.create_session),
        "getSession": _read(pages.get_session),
        "listSessions": _read(listing.list_sessions),
        "searchSessions": _read(searching.search_sessions),
        "applySessionCommands": _command(
            session_commands.apply_session_commands, session_commands.storage_failed
        ),
        "recordSessionEvents": _write(events.record_session_events),
        "settleSessionRun": _write(events.settle_session_run),
        "renameSession": _write(meta.rename_session),
        "pinSession": _write(meta.pin_session),
        "archiveSession": _write(meta.archive_session),
        "updateSession": _write(meta.update_session),
        "deleteSession": _write(meta.delete_session),
        "selectFrame": _write(meta.select_frame),
        "exportSession": _read(exporting.export_session),
        "importSession": _write(importing.import_session),
        "getConversationTree": _read(trees.get_conversation_tree),
        "getExecutionContext": _read(trees.get_execution_context),
        "getActivity": _read(activities.get_activity),
        "restoreToMessage": _command(
            session_restoring.restore_to_message, session_restoring.restore_failed
        ),
    }
)
