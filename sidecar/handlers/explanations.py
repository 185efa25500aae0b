"""Explanations: texts about things, known for every version to be current or outdated."""

from typing import Any, Final

from protocol.errors import InvalidParamsError, Issue, RequestFailedError
from protocol.json_text import dumps
from protocol.projects import (
    ListExplanationsParams,
    RemoveExplanationParams,
    SetExplanationParams,
    Subject,
)
from sidecar.handlers.announcements import announce
from sidecar.handlers.context import Context
from sidecar.handlers.history import visible
from sidecar.handlers.ids import checked_id
from sidecar.handlers.projects import opened
from sidecar.handlers.unit import Unit
from sidecar.store import contents, explanations
from sidecar.store.cache import OpenProject
from sidecar.store.database import Transaction
from sidecar.store.explanations import ExplanationRow, State

MAX_TEXT: Final = 64 * 1024
"""Bytes of UTF-8 of an explanation."""


def set_explanation(ctx: Context, unit: Unit, params: SetExplanationParams) -> bytes:
    """Explain a thing as it is in the current version; the same id replaces the text."""
    project = opened(ctx, unit.tx, params.project_id)
    explanation_id = checked_id(params.explanation_id, "/explanationId") or ctx.new_id()
    if len(params.text.encode()) > MAX_TEXT:
        raise InvalidParamsError([Issue("/text", f"expected {MAX_TEXT} bytes at most")])
    digest = _digest(unit.tx, project, params.subject)
    row = explanations.put(
        unit.tx,
        ExplanationRow(
            project_key=project.row.project_key,
            explanation_id=explanation_id,
            subject_kind=params.subject.kind,
            subject_id=params.subject.id,
            text=params.text,
            author=params.author,
            created_revision=project.revision.number,
            created_revision_id=project.revision.revision_id,
            explained_digest=digest,
            current_digest=digest,
        ),
    )
    _changed(ctx, unit, project)
    return dumps(_value(project.row.project_id, row, row.state))


def remove_explanation(ctx: Context, unit: Unit, params: RemoveExplanationParams) -> bytes:
    """Remove an explanation for good, from all versions."""
    project = opened(ctx, unit.tx, params.project_id)
    key = project.row.project_key
    removed = explanations.remove(unit.tx, key, params.explanation_id)
    if removed:
        _changed(ctx, unit, project)
    return dumps({"deleted": removed})


def list_explanations(ctx: Context, tx: Transaction, params: ListExplanationsParams) -> bytes:
    """List what holds at a version (default: the current one)."""
    project = opened(ctx, tx, params.project_id)
    number = project.revision.number
    if params.revision_id is not None:
        number = visible(tx, project.row, params.revision_id).number
    found = explanations.holding_at(tx, project.row.project_key, number)
    items = [_value(project.row.project_id, row, state) for row, state in found]
    return dumps({"items": items})


def _digest(tx: Transaction, project: OpenProject, subject: Subject) -> bytes:
    if (subject.kind == "graph") != (subject.id is None):
        raise InvalidParamsError([Issue("/subject/id", "null for the graph, else an id")])
    key = project.row.project_key
    found = contents.subject_digest(tx, key, project.graph, subject.kind, subject.id)
    if found is None:
        raise RequestFailedError(
            "unknown-subject",
            f"There is no such {subject.kind} in the current version.",
            {"kind": subject.kind, "id": subject.id},
        )
    return found


def _changed(ctx: Context, unit: Unit, project: OpenProject) -> None:
    facts = {
        "projectId": project.row.project_id,
        "revisionId": project.revision.revision_id,
    }
    announce(ctx, unit, "explanationsChanged", facts)


def _value(project_id: str, row: ExplanationRow, state: State) -> dict[str, Any]:
    return {
        "explanationId": row.explanation_id,
        "projectId": project_id,
        "subject": {"kind": row.subject_kind, "id": row.subject_id},
        "text": row.text,
        "author": row.author,
        "createdRevisionId": row.created_revision_id,
        "state": state,
    }
