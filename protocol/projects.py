"""What a host asks about projects, versions and commands."""

from typing import Literal

from attrs import frozen

from protocol.commands import MISSING, Missing
from protocol.graph import Json, JsonObject

ProjectionMode = Literal["full", "changes", "none"]
Actor = Literal["manual", "ai"]


@frozen(kw_only=True)
class CommitParams:
    """A command.  ``payload`` is one of :data:`protocol.commands.PAYLOAD_KINDS`."""

    project_id: str
    action_id: str
    expected_revision_id: str
    actor: Actor
    run_id: str | None
    payload: JsonObject
    new_revision_id: str | None = None
    projection: ProjectionMode = "full"


@frozen(kw_only=True)
class UndoParams:
    project_id: str
    action_id: str
    expected_revision_id: str
    projection: ProjectionMode = "full"


@frozen(kw_only=True)
class RenameProjectParams:
    project_id: str
    action_id: str
    expected_revision_id: str
    title: str
    projection: ProjectionMode = "full"


@frozen(kw_only=True)
class CreateProjectParams:
    project_id: str | None = None
    title: str


@frozen(kw_only=True)
class ProjectParams:
    project_id: str


@frozen(kw_only=True)
class GetProjectParams:
    project_id: str
    projection: Literal["full", "none"] = "full"


@frozen(kw_only=True)
class PageParams:
    """A page: ``before`` is the cursor of the last answer, ``limit`` 1 to 500."""

    before: str | None = None
    limit: int = 50


@frozen(kw_only=True)
class ListRevisionsParams:
    project_id: str
    before: str | None = None
    limit: int = 50


@frozen(kw_only=True)
class GetRevisionParams:
    project_id: str
    revision_id: str


@frozen(kw_only=True)
class DiffRevisionsParams:
    project_id: str
    from_revision_id: str
    to_revision_id: str


@frozen(kw_only=True)
class ExportProjectParams:
    project_id: str
    format: str
    revision_id: str | None = None


SubjectKind = Literal["graph", "node", "edge", "group", "subgraph"]


@frozen(kw_only=True)
class Subject:
    """What an explanation is about; ``id`` is null for the graph."""

    kind: SubjectKind
    id: str | None = None


@frozen(kw_only=True)
class SetExplanationParams:
    project_id: str
    explanation_id: str | None = None
    subject: Subject
    text: str
    author: Actor


@frozen(kw_only=True)
class RemoveExplanationParams:
    project_id: str
    explanation_id: str


@frozen(kw_only=True)
class ListExplanationsParams:
    project_id: str
    revision_id: str | None = None


@frozen(kw_only=True)
class CreateDraftParams:
    project_id: str
    draft_id: str | None = None
    title: str
    node_ids: tuple[str, ...]
    payloads: tuple[JsonObject, ...]


@frozen(kw_only=True)
class DraftParams:
    draft_id: str


@frozen(kw_only=True)
class ApplyDraftParams:
    draft_id: str
    action_id: str
    expected_revision_id: str
    actor: Actor
    run_id: str | None
    projection: ProjectionMode = "full"


@frozen(kw_only=True)
class UpdateSettingsParams:
    steps_per_answer: int | Missing = MISSING
    max_revisions: int | Missing = MISSING
    max_revision_bytes: int | Missing = MISSING
    min_revisions: int | Missing = MISSING


@frozen(kw_only=True)
class NoParams:
    pass


@frozen(kw_only=True)
class CheckDatabaseParams:
    work_done_token: Json = None


@frozen(kw_only=True)
class BackupDatabaseParams:
    path: str
    work_done_token: Json = None
