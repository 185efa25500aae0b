"""The method table: every method and notification, what goes in, what comes out.

The dispatcher's routes, the OpenRPC document and the typed clients are made from it.  Types are
named here and loaded when they are asked for: a start need not pay for the types of all methods.
"""

import importlib
import operator
from collections.abc import Mapping
from functools import cache, reduce
from types import MappingProxyType
from typing import Any, Final, Literal

from attrs import frozen

Answering = Literal["request", "commit", "session-commit"]


@frozen(kw_only=True)
class Method:
    """One request method.

    ``answering``: ``request`` fails with a JSON-RPC error; ``commit`` and ``session-commit``
    answer every fault but params that are no object with a status.  ``takes`` and ``gives`` are
    types, or their names as :func:`type_named` reads them.
    """

    takes: Any
    gives: Any
    summary: str
    answering: Answering = "request"

    @property
    def params(self) -> Any:
        """The type of the params."""
        return type_named(self.takes) if isinstance(self.takes, str) else self.takes

    @property
    def result(self) -> Any:
        """The type of the result."""
        return type_named(self.gives) if isinstance(self.gives, str) else self.gives


@cache
def type_named(name: str) -> Any:
    """Return the type of a name like ``runs.Run``, a union of several joined by `` | ``."""
    return reduce(operator.or_, (_attribute(part) for part in name.split(" | ")))


def _attribute(name: str) -> Any:
    module, _, attribute = name.partition(".")
    return getattr(importlib.import_module(f"protocol.{module}"), attribute)


_METHODS: dict[str, Method] = {
    "commitCommand": Method(
        takes="projects.CommitParams",
        gives="project_answers.CommitAnswer",
        summary="Apply one command to a project, durably and at most once.",
        answering="commit",
    ),
    "undo": Method(
        takes="projects.UndoParams",
        gives="project_answers.CommitAnswer",
        summary="Restore the version before the last step, as a new version.",
        answering="commit",
    ),
    "redo": Method(
        takes="projects.UndoParams",
        gives="project_answers.CommitAnswer",
        summary="Restore the version that the last undo took back, as a new version.",
        answering="commit",
    ),
    "renameProject": Method(
        takes="projects.RenameProjectParams",
        gives="project_answers.CommitAnswer",
        summary="Give a project another title, as a new version.",
        answering="commit",
    ),
    "createProject": Method(
        takes="projects.CreateProjectParams",
        gives="project_answers.Projection",
        summary="Create a project with an empty first version.",
    ),
    "listProjects": Method(
        takes="projects.PageParams",
        gives="project_answers.ProjectList",
        summary="List projects, last changed first.",
    ),
    "getProject": Method(
        takes="projects.GetProjectParams",
        gives="project_answers.Projection",
        summary="Show a project as it is now.",
    ),
    "deleteProject": Method(
        takes="projects.ProjectParams",
        gives="project_answers.Deleted",
        summary="Delete a project with its versions and sessions; its id stays retired.",
    ),
    "exportProject": Method(
        takes="projects.ExportProjectParams",
        gives="project_answers.ExportAnswer",
        summary="Write a version in a foreign format.",
    ),
    "listRevisions": Method(
        takes="projects.ListRevisionsParams",
        gives="project_answers.RevisionList",
        summary="List the versions of a project, newest first.",
    ),
    "getRevision": Method(
        takes="projects.GetRevisionParams",
        gives="project_answers.RevisionAnswer",
        summary="Show the whole state of one version.",
    ),
    "diffRevisions": Method(
        takes="projects.DiffRevisionsParams",
        gives="project_answers.DiffAnswer",
        summary="Show what leads from one version to another.",
    ),
    "startRun": Method(
        takes="runs.StartRunParams",
        gives="runs.Run",
        summary="Open a run of the assistant at the current version.",
    ),
    "pauseRun": Method(
        takes="runs.PauseRunParams",
        gives="runs.Run",
        summary="Pause a run: its commits are conflicts.",
    ),
    "resumeRun": Method(
        takes="runs.ResumeRunParams",
        gives="runs.Run",
        summary="Reopen the newest paused run, or start one.",
    ),
    "cancelRun": Method(
        takes="runs.RunParams", gives="runs.Run", summary="Stop a run; what it built stays."
    ),
    "closeRun": Method(
        takes="runs.RunParams", gives="runs.Run", summary="Arrange what a run made and close it."
    ),
    "closeStaleRuns": Method(
        takes="projects.NoParams",
        gives="runs.ClosedRuns",
        summary="Close open runs whose process is gone.",
    ),
    "getRun": Method(takes="runs.RunParams", gives="runs.Run", summary="Show a run."),
    "listRuns": Method(
        takes="runs.ListRunsParams",
        gives="runs.RunList",
        summary="List a project's runs, newest first.",
    ),
    "setExplanation": Method(
        takes="projects.SetExplanationParams",
        gives="project_answers.Explanation",
        summary="Explain a thing as it is at the current version.",
    ),
    "removeExplanation": Method(
        takes="projects.RemoveExplanationParams",
        gives="project_answers.Deleted",
        summary="Remove an explanation for good.",
    ),
    "listExplanations": Method(
        takes="projects.ListExplanationsParams",
        gives="project_answers.ExplanationList",
        summary="List the explanations that hold at a version.",
    ),
    "createDraft": Method(
        takes="projects.CreateDraftParams",
        gives="project_answers.Draft",
        summary="Keep payloads for later.",
    ),
    "listDrafts": Method(
        takes="projects.ProjectParams", gives="project_answers.DraftList", summary="List drafts."
    ),
    "discardDraft": Method(
        takes="projects.DraftParams", gives="project_answers.Draft", summary="Give up a draft."
    ),
    "applyDraft": Method(
        takes="projects.ApplyDraftParams",
        gives="project_answers.CommitAnswer",
        summary="Apply a draft's payloads in order, all or none, as one step.",
        answering="commit",
    ),
    "getSettings": Method(
        takes="projects.NoParams", gives="project_answers.Settings", summary="Show the settings."
    ),
    "updateSettings": Method(
        takes="projects.UpdateSettingsParams",
        gives="project_answers.Settings",
        summary="Change settings.",
    ),
    "getStatus": Method(
        takes="projects.NoParams",
        gives="project_answers.StatusAnswer",
        summary="Show the process and its file.",
    ),
    "checkDatabase": Method(
        takes="projects.CheckDatabaseParams",
        gives="project_answers.CheckAnswer",
        summary="Check the whole file (cancellable, with progress).",
    ),
    "backupDatabase": Method(
        takes="projects.BackupDatabaseParams",
        gives="project_answers.BackupAnswer",
        summary="Copy the file to a new place while it is in use (cancellable, with progress).",
    ),
    "createSession": Method(
        takes="sessions.CreateSessionParams",
        gives="session_answers.SessionSummary",
        summary="Create a chat session.",
    ),
    "getSession": Method(
        takes="sessions.GetSessionParams",
        gives="session_answers.SessionPage | session_answers.SessionGraphPage | session_answers.SummaryAnswer",
        summary="Read a page of a branch, of the graph, or the summary.",
    ),
    "listSessions": Method(
        takes="sessions.ListSessionsParams",
        gives="session_answers.SessionList",
        summary="List sessions, newest first.",
    ),
    "searchSessions": Method(
        takes="sessions.SearchSessionsParams",
        gives="session_answers.SearchAnswer",
        summary="Search the messages of all branches.",
    ),
    "applySessionCommands": Method(
        takes="sessions.ApplySessionCommandsParams",
        gives="session_answers.SessionCommandsAnswer",
        summary="Apply conversation commands, all or none, each at most once.",
        answering="session-commit",
    ),
    "recordSessionEvents": Method(
        takes="sessions.RecordSessionEventsParams",
        gives="session_answers.EventsAnswer",
        summary="Write what the agent's run produced.",
    ),
    "settleSessionRun": Method(
        takes="sessions.SettleSessionRunParams",
        gives="session_answers.SettleAnswer",
        summary="End the session's run.",
    ),
    "renameSession": Method(
        takes="sessions.RenameSessionParams",
        gives="session_answers.SessionSummary",
        summary="Rename a session.",
    ),
    "pinSession": Method(
        takes="sessions.PinSessionParams",
        gives="session_answers.SessionSummary",
        summary="Pin or unpin a session.",
    ),
    "archiveSession": Method(
        takes="sessions.ArchiveSessionParams",
        gives="session_answers.SessionSummary",
        summary="Archive a session or bring it back.",
    ),
    "updateSession": Method(
        takes="sessions.UpdateSessionParams",
        gives="session_answers.SessionSummary",
        summary="Set or remove preferences of a session.",
    ),
    "deleteSession": Method(
        takes="sessions.SessionParams",
        gives="project_answers.Deleted",
        summary="Delete a session for good.",
    ),
    "selectFrame": Method(
        takes="sessions.SelectFrameParams",
        gives="session_answers.SessionSummary",
        summary="Put a frame in view.",
    ),
    "exportSession": Method(
        takes="sessions.ExportSessionParams",
        gives="session_answers.SessionExport",
        summary="Give a session as JSON, or write it to a new file.",
    ),
    "importSession": Method(
        takes="sessions.ImportSessionParams",
        gives="session_answers.SessionSummary",
        summary="Read a session from JSON or from a file.",
    ),
    "getConversationTree": Method(
        takes="sessions.SessionParams",
        gives="session_answers.ConversationTree",
        summary="Show a session's branches.",
    ),
    "getExecutionContext": Method(
        takes="sessions.ExecutionContextParams",
        gives="graph.JsonObject",
        summary="Show what a run of a prompt would work with.",
    ),
    "getActivity": Method(
        takes="sessions.GetActivityParams",
        gives="session_answers.ActivityAnswer",
        summary="Read an activity, large values in parts.",
    ),
    "restoreToMessage": Method(
        takes="sessions.RestoreToMessageParams",
        gives="session_answers.RestoreAnswer",
        summary="Take chat and graph back to a prompt, both or neither.",
        answering="session-commit",
    ),
}

METHODS: Final[Mapping[str, Method]] = MappingProxyType(_METHODS)
"""Every request besides the lifecycle's."""

NOTIFICATIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "projectChanged": "project_answers.ProjectChanged",
        "projectCreated": "project_answers.ProjectCreated",
        "projectDeleted": "project_answers.ProjectDeleted",
        "runChanged": "runs.RunChanged",
        "draftChanged": "project_answers.DraftChanged",
        "explanationsChanged": "project_answers.ExplanationsChanged",
        "sessionChanged": "session_answers.SessionChanged",
    }
)
"""What the sidecar tells without being asked, after the answer that caused it: type names."""

LIFECYCLE: Final = (
    "initialize",
    "initialized",
    "shutdown",
    "exit",
    "$/cancelRequest",
    "$/progress",
    "$/setTrace",
    "rpc.discover",
)
PROTOCOL_VERSION: Final = 1
