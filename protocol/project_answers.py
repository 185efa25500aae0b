"""What the sidecar answers and tells about projects, versions and commands.

No request is read with these types: they are the contract, checked in tests.
"""

from typing import Literal

from attrs import frozen

from protocol.changes import Effects, Notice, WireChange
from protocol.commands import MISSING, Missing
from protocol.graph import Component, Document, Graph, JsonObject
from protocol.projects import Actor, Subject
from protocol.runs import Run

DraftStatus = Literal["open", "stale", "applied", "discarded"]


@frozen(kw_only=True)
class Step:
    """What one undo or redo would restore: ``commands`` commits, of one run where there is one."""

    target_revision_id: str
    label: str
    run_id: str | None
    commands: int


@frozen(kw_only=True)
class Projection:
    """A project as a host shows it.

    ``document``, ``components`` and ``graph`` are absent in the modes ``changes`` and ``none``.
    """

    project_id: str
    title: str
    revision_id: str
    revision_number: int
    document: Document | Missing | None = MISSING
    components: tuple[Component, ...] | Missing = MISSING
    graph: Graph | Missing = MISSING
    open_run: Run | None
    undo: Step | None
    redo: Step | None


@frozen(kw_only=True)
class Reason:
    """Why a command did not land: a code to branch on, a sentence for the person, facts."""

    code: str
    message: str
    details: JsonObject


@frozen(kw_only=True)
class LandedAnswer:
    """A command that is in the file, applied now or sent before (historical).

    ``revision_id`` is the new version (the current one where nothing changed), of a historical
    command the recorded one.  ``changes`` leads from the expected version to the projection's.
    """

    status: Literal["applied", "historical"]
    action_id: str
    revision_id: str
    changed: bool
    effects: Effects
    reason: None
    projection: Projection
    changes: tuple[WireChange, ...] | None


@frozen(kw_only=True)
class RefusedAnswer:
    """A command that did nothing, and why; ``projection`` is null where there is no project.

    ``changes`` leads from the expected version to the projection's.
    """

    status: Literal["conflict", "rejected"]
    action_id: str | None
    revision_id: None
    changed: Literal[False]
    effects: None
    reason: Reason
    projection: Projection | None
    changes: tuple[WireChange, ...] | None


CommitAnswer = LandedAnswer | RefusedAnswer


@frozen(kw_only=True)
class ProjectSummary:
    project_id: str
    title: str
    revision_id: str
    revision_number: int
    created_at: int
    updated_at: int


@frozen(kw_only=True)
class ProjectList:
    items: tuple[ProjectSummary, ...]
    before: str | None


@frozen(kw_only=True)
class Deleted:
    deleted: bool


@frozen(kw_only=True)
class Revision:
    """One version.  ``number`` counts from 1; ``kind`` is the payload's."""

    revision_id: str
    number: int
    parent_revision_id: str | None
    action_id: str | None
    actor: Actor
    run_id: str | None
    kind: str
    label: str
    created_at: int
    restored_from: str | None


@frozen(kw_only=True)
class RevisionList:
    items: tuple[Revision, ...]
    before: str | None


@frozen(kw_only=True)
class RevisionState:
    """The state of one version."""

    title: str
    document: Document | None
    components: tuple[Component, ...]
    graph: Graph


@frozen(kw_only=True)
class RevisionAnswer:
    revision: Revision
    state: RevisionState


@frozen(kw_only=True)
class DiffAnswer:
    changes: tuple[WireChange, ...]


@frozen(kw_only=True)
class ExportAnswer:
    """``content`` is JSON text, key order kept."""

    format: str
    content: str
    warnings: tuple[Notice, ...] = ()


@frozen(kw_only=True)
class ProjectChanged:
    """Notification: a project has another version.  ``changes`` null: too large, fetch."""

    project_id: str
    from_revision_id: str | None
    revision_id: str
    action_id: str | None
    actor: Actor | None
    run_id: str | None
    changes: tuple[WireChange, ...] | None
    origin: Literal["self", "other"]


@frozen(kw_only=True)
class ProjectCreated:
    project_id: str
    title: str
    revision_id: str
    origin: Literal["self", "other"] = "self"


@frozen(kw_only=True)
class ProjectDeleted:
    project_id: str
    origin: Literal["self", "other"] = "self"


@frozen(kw_only=True)
class Explanation:
    explanation_id: str
    project_id: str
    subject: Subject
    text: str
    author: Actor
    created_revision_id: str
    state: Literal["current", "outdated"]


@frozen(kw_only=True)
class ExplanationList:
    items: tuple[Explanation, ...]


@frozen(kw_only=True)
class ExplanationsChanged:
    project_id: str
    revision_id: str


@frozen(kw_only=True)
class Draft:
    """Payloads kept for later; stale once what they were made for is gone."""

    draft_id: str
    project_id: str
    title: str
    node_ids: tuple[str, ...]
    document_id: str | None
    base_revision_id: str
    payloads: tuple[JsonObject, ...]
    status: DraftStatus
    stale_reason: Literal["document-changed", "node-gone"] | None


@frozen(kw_only=True)
class DraftList:
    items: tuple[Draft, ...]


@frozen(kw_only=True)
class DraftChanged:
    draft: Draft


@frozen(kw_only=True)
class Settings:
    """Bounds that a person may set."""

    steps_per_answer: int
    max_revisions: int
    max_revision_bytes: int
    min_revisions: int


@frozen(kw_only=True)
class DatabaseStatus:
    """The file; ``free_disk_bytes`` is null where the system does not tell."""

    path: str
    schema_version: int
    bytes: int
    wal_bytes: int
    free_disk_bytes: int | None
    read_only: bool


@frozen(kw_only=True)
class ProcessStatus:
    pid: int


@frozen(kw_only=True)
class StatusAnswer:
    """How the process and its file are: bytes, milliseconds, counts."""

    version: str
    versions: dict[str, str]
    database: DatabaseStatus
    uptime_ms: int
    counts: dict[str, int]
    process: ProcessStatus


@frozen(kw_only=True)
class DatabaseProblem:
    """Something in the file that is not as it was written."""

    code: str
    details: JsonObject


@frozen(kw_only=True)
class CheckAnswer:
    """``ok`` and, where not, what was found."""

    ok: bool
    problems: tuple[DatabaseProblem, ...]
    checked: dict[str, int]


@frozen(kw_only=True)
class BackupAnswer:
    path: str
    bytes: int
    pages: int
