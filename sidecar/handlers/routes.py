"""Which function serves which method, and in what kind of transaction.

Handlers are named here and loaded when their first request comes: a start need not pay for all.
"""

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from attrs import frozen


@frozen(kw_only=True)
class Route:
    """How a method is served, by functions of this package.

    A writing handler takes (context, unit, params), a reading one (context, tx, params); both
    return the result as JSON text.  One that runs beside takes (context, params) and returns the
    work for a thread of its own; so does the one for a file, which serves requests that name the
    ``path`` of one.  Where the file refused a command, ``on_storage_error`` makes its answer from
    (context, params, error).
    """

    name: str
    writes: bool = False
    beside: bool = False
    file_name: str | None = None
    failed_name: str | None = None

    def for_params(self, params: Any) -> "Route":
        """Return the route of a request of this method with these (undecoded) params."""
        if self.file_name is None or not isinstance(params, dict) or params.get("path") is None:
            return self
        return Route(name=self.file_name, beside=True)

    @property
    def handler(self) -> Callable[..., Any]:
        return _function(self.name)

    @property
    def on_storage_error(self) -> Callable[..., bytes] | None:
        return None if self.failed_name is None else _function(self.failed_name)


@cache
def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.rpartition(".")
    found: Callable[..., Any] = getattr(
        importlib.import_module(f"sidecar.handlers.{module}"), function
    )
    return found


def _command(name: str, failed_name: str) -> Route:
    return Route(name=name, writes=True, failed_name=failed_name)


def _write(name: str) -> Route:
    return Route(name=name, writes=True)


def _read(name: str) -> Route:
    return Route(name=name)


ROUTES: Final[Mapping[str, Route]] = MappingProxyType(
    {
        "commitCommand": _command("commit.commit_command", "commit.storage_failed"),
        "undo": _command("history.undo", "history.undo_failed"),
        "redo": _command("history.redo", "history.redo_failed"),
        "renameProject": _command("projects.rename_project", "projects.rename_failed"),
        "createProject": _write("projects.create_project"),
        "deleteProject": _write("projects.delete_project"),
        "listProjects": _read("projects.list_projects"),
        "getProject": _read("projects.get_project"),
        "listRevisions": _read("history.list_revisions"),
        "getRevision": _read("history.get_revision"),
        "diffRevisions": _read("history.diff_revisions"),
        "startRun": _write("runs.start_run"),
        "pauseRun": _write("runs.pause_run"),
        "resumeRun": _write("runs.resume_run"),
        "cancelRun": _write("runs.cancel_run"),
        "closeRun": _command("closing.close_run", "closing.close_without_arranging"),
        "closeStaleRuns": _write("runs.close_stale_runs"),
        "getRun": _read("runs.get_run"),
        "listRuns": _read("runs.list_runs"),
        "exportProject": _read("export.export_project"),
        "setExplanation": _write("explanations.set_explanation"),
        "removeExplanation": _write("explanations.remove_explanation"),
        "listExplanations": _read("explanations.list_explanations"),
        "createDraft": _write("drafts.create_draft"),
        "listDrafts": _read("drafts.list_drafts"),
        "discardDraft": _write("drafts.discard_draft"),
        "applyDraft": _command("drafts.apply_draft", "drafts.apply_failed"),
        "checkDatabase": Route(name="maintenance.check_database", beside=True),
        "backupDatabase": Route(name="maintenance.backup_database", beside=True),
        "getSettings": _read("admin.get_settings"),
        "updateSettings": _write("admin.update_settings"),
        "getStatus": _read("admin.get_status"),
        "createSession": _write("sessions.creating.create_session"),
        "getSession": _read("sessions.pages.get_session"),
        "listSessions": _read("sessions.listing.list_sessions"),
        "searchSessions": _read("sessions.searching.search_sessions"),
        "applySessionCommands": _command(
            "sessions.commands.apply_session_commands", "sessions.commands.storage_failed"
        ),
        "recordSessionEvents": _write("sessions.events.record_session_events"),
        "settleSessionRun": _write("sessions.events.settle_session_run"),
        "renameSession": _write("sessions.meta.rename_session"),
        "pinSession": _write("sessions.meta.pin_session"),
        "archiveSession": _write("sessions.meta.archive_session"),
        "updateSession": _write("sessions.meta.update_session"),
        "deleteSession": _write("sessions.meta.delete_session"),
        "selectFrame": _write("sessions.meta.select_frame"),
        "exportSession": Route(
            name="sessions.exporting.export_session",
            file_name="sessions.exporting.export_file",
        ),
        "importSession": Route(
            name="sessions.importing.import_session",
            writes=True,
            file_name="sessions.import_files.import_file",
        ),
        "getConversationTree": _read("sessions.trees.get_conversation_tree"),
        "getExecutionContext": _read("sessions.trees.get_execution_context"),
        "getActivity": _read("sessions.activities.get_activity"),
        "restoreToMessage": _command(
            "sessions.restoring.restore_to_message", "sessions.restoring.restore_failed"
        ),
    }
)
