"""The method table: every method and notification, what goes in, what comes out.

The dispatcher's routes, the OpenRPC document and the typed clients are made from it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from attrs import frozen

from protocol import projects as p
from protocol import runs as r
from protocol import sessions as s
from protocol.graph import JsonObject

Answering = Literal["request", "commit", "session-commit"]


@frozen(kw_only=True)
class Method:
    """One request method.

    ``answering``: ``request`` fails with a JSON-RPC error; ``commit`` and ``session-commit``
    answer every fault but params that are no object with a status.
    """

    params: Any
    result: Any
    summary: str
    answering: Answering = "request"


_METHODS: dict[str, Method] = {
    "commitCommand": Method(
        params=p.CommitParams,
        result=p.CommitAnswer,
        summary="Apply one command to a project, durably and at most once.",
        answering="commit",
    ),
    "undo": Method(
        params=p.UndoParams,
        result=p.CommitAnswer,
        summary="Restore the version before the last step, as a new version.",
        answering="commit",
    ),
    "redo": Method(
        params=p.UndoParams,
        result=p.CommitAnswer,
        summary="Restore the version that the last undo took back, as a new version.",
        answering="commit",
    ),
    "renameProject": Method(
        params=p.RenameProjectParams,
        result=p.CommitAnswer,
        summary="Give a project another title, as a new version.",
        answering="commit",
    ),
    "createProject": Method(
        params=p.CreateProjectParams,
        result=p.Projection,
        summary="Create a project with an empty first version.",
    ),
    "listProjects": Method(
        params=p.PageParams, result=p.ProjectList, summary="List projects, last changed first."
    ),
    "getProject": Method(
        params=p.GetProjectParams, result=p.Projection, summary="Show a project as it is now."
    ),
    "deleteProject": Method(
        params=p.ProjectParams,
        result=p.Deleted,
        summary="Delete a project with its versions and sessions; its id stays retired.",
    ),
    "exportProject": Method(
        params=p.ExportProjectParams,
        result=p.ExportAnswer,
        summary="Write a version in a foreign format.",
    ),
    "listRevisions": Method(
        params=p.ListRevisionsParams,
        result=p.RevisionList,
        summary="List the versions of a project, newest first.",
    ),
    "getRevision": Method(
        params=p.GetRevisionParams,
        result=p.RevisionAnswer,
        summary="Show the whole state of one version.",
    ),
    "diffRevisions": Method(
        params=p.DiffRevisionsParams,
        result=p.DiffAnswer,
        summary="Show what leads from one version to another.",
    ),
    "startRun": Method(
        params=r.StartRunParams,
        result=r.Run,
        summary="Open a run of the assistant at the current version.",
    ),
    "pauseRun": Method(
        params=r.PauseRunParams, result=r.Run, summary="Pause a run: its commits are conflicts."
    ),
    "resumeRun": Method(
        params=r.ResumeRunParams,
        result=r.Run,
        summary="Reopen the newest paused run, or start one.",
    ),
    "cancelRun": Method(
        params=r.RunParams, result=r.Run, summary="Stop a run; what it built stays."
    ),
    "closeRun": Method(
        params=r.RunParams, result=r.Run, summary="Arrange what a run made and close it."
    ),
    "closeStaleRuns": Method(
        params=p.NoParams,
        result=r.ClosedRuns,
        summary="Close open runs whose process is gone.",
    ),
    "getRun": Method(params=r.RunParams, result=r.Run, summary="Show a run."),
    "listRuns": Method(
        params=r.ListRunsParams, result=r.RunList, summary="List a project's runs, newest first."
    ),
    "setExplanation": Method(
        params=p.SetExplanationParams,
        result=p.Explanation,
        summary="Explain a thing as it is at the current version.",
    ),
    "removeExplanation": Method(
        params=p.RemoveExplanationParams,
        result=p.Deleted,
        summary="Remove an explanation for good.",
    ),
    "listExplanations": Method(
        params=p.ListExplanationsParams,
        result=p.ExplanationList,
        summary="List the explanations that hold at a version.",
    ),
    "createDraft": Method(
        params=p.CreateDraftParams, result=p.Draft, summary="Keep payloads for later."
    ),
    "listDrafts": Method(params=p.ProjectParams, result=p.DraftList, summary="List drafts."),
    "discardDraft": Method(params=p.DraftParams, result=p.Draft, summary="Give up a draft."),
    "applyDraft": Method(
        params=p.ApplyDraftParams,
        result=p.CommitAnswer,
        summary="Apply a draft's payloads in order, all or none, as one step.",
        answering="commit",
    ),
    "getSettings": Method(params=p.NoParams, result=p.Settings, summary="Show the settings."),
    "updateSettings": Method(
        params=p.UpdateSettingsParams, result=p.Settings, summary="Change settings."
    ),
    "getStatus": Method(
        params=p.NoParams, result=p.StatusAnswer, summary="Show the process and its file."
    ),
    "checkDatabase": Method(
        params=p.CheckDatabaseParams,
        result=p.CheckAnswer,
        summary="Check the whole file (cancellable, with progress).",
    ),
    "backupDatabase": Method(
        params=p.BackupDatabaseParams,
        result=p.BackupAnswer,
        summary="Copy the file to a new place while it is in use (cancellable, with progress).",
    ),
    "createSession": Method(
        params=s.CreateSessionParams, result=s.SessionSummary, summary="Create a chat session."
    ),
    "getSession": Method(
        params=s.GetSessionParams,
        result=s.SessionPage | s.SessionGraphPage | s.SummaryAnswer,
        summary="Read a page of a branch, of the graph, or the summary.",
    ),
    "listSessions": Method(
        params=s.ListSessionsParams, result=s.SessionList, summary="List sessions, newest first."
    ),
    "searchSessions": Method(
        params=s.SearchSessionsParams,
        result=s.SearchAnswer,
        summary="Search the messages of all branches.",
    ),
    "applySessionCommands": Method(
        params=s.ApplySessionCommandsParams,
        result=s.SessionCommandsAnswer,
        summary="Apply conversation commands, all or none, each at most once.",
        answering="session-commit",
    ),
    "recordSessionEvents": Method(
        params=s.RecordSessionEventsParams,
        result=s.EventsAnswer,
        summary="Write what the agent's run produced.",
    ),
    "settleSessionRun": Method(
        params=s.SettleSessionRunParams, result=s.SettleAnswer, summary="End the session's run."
    ),
    "renameSession": Method(
        params=s.RenameSessionParams, result=s.SessionSummary, summary="Rename a session."
    ),
    "pinSession": Method(
        params=s.PinSessionParams, result=s.SessionSummary, summary="Pin or unpin a session."
    ),
    "archiveSession": Method(
        params=s.ArchiveSessionParams,
        result=s.SessionSummary,
        summary="Archive a session or bring it back.",
    ),
    "updateSession": Method(
        params=s.UpdateSessionParams,
        result=s.SessionSummary,
        summary="Set or remove preferences of a session.",
    ),
    "deleteSession": Method(
        params=s.SessionParams, result=p.Deleted, summary="Delete a session for good."
    ),
    "selectFrame": Method(
        params=s.SelectFrameParams, result=s.SessionSummary, summary="Put a frame in view."
    ),
    "exportSession": Method(
        params=s.ExportSessionParams,
        result=s.SessionExport,
        summary="Give a session as JSON, or write it to a new file.",
    ),
    "importSession": Method(
        params=s.ImportSessionParams,
        result=s.SessionSummary,
        summary="Read a session from JSON or from a file.",
    ),
    "getConversationTree": Method(
        params=s.SessionParams, result=s.ConversationTree, summary="Show a session's branches."
    ),
    "getExecutionContext": Method(
        params=s.ExecutionContextParams,
        result=JsonObject,
        summary="Show what a run of a prompt would work with.",
    ),
    "getActivity": Method(
        params=s.GetActivityParams,
        result=s.ActivityAnswer,
        summary="Read an activity, large values in parts.",
    ),
    "restoreToMessage": Method(
        params=s.RestoreToMessageParams,
        result=s.RestoreAnswer,
        summary="Take chat and graph back to a prompt, both or neither.",
        answering="session-commit",
    ),
}

METHODS: Final[Mapping[str, Method]] = MappingProxyType(_METHODS)
"""Every request besides the lifecycle's."""

NOTIFICATIONS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "projectChanged": p.ProjectChanged,
        "projectCreated": p.ProjectCreated,
        "projectDeleted": p.ProjectDeleted,
        "runChanged": r.RunChanged,
        "draftChanged": p.DraftChanged,
        "explanationsChanged": p.ExplanationsChanged,
        "sessionChanged": s.SessionChanged,
    }
)
"""What the sidecar tells without being asked, after the answer that caused it."""

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
