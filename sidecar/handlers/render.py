"""Answers and notifications as JSON text, stored texts spliced in as they are."""

from typing import Any, Final

from msgspec import Raw

from protocol.changes import NO_EFFECTS, Effects
from protocol.converter import make_trusting_converter
from protocol.json_text import dumps
from protocol.projects import ProjectionMode
from sidecar.core.reports import NO_IDS
from sidecar.store import revisions, states
from sidecar.store.cache import OpenProject
from sidecar.store.database import Transaction
from sidecar.store.drafts import DraftRow
from sidecar.store.projects import ProjectRow
from sidecar.store.revisions import RevisionRow
from sidecar.store.runs import RunRow
from sidecar.store.steps import Step

_converter = make_trusting_converter()
NULL = Raw(b"null")


def sparse_effects(effects: Effects) -> dict[str, Any] | None:
    """Return effects without what is empty, None where nothing is left."""
    sparse: dict[str, Any] = {}
    for name, lists in (
        ("created", effects.created),
        ("removed", effects.removed),
        ("updated", effects.updated),
    ):
        if lists is NO_IDS:
            continue
        filled = {kind: ids for kind in _KINDS if (ids := getattr(lists, kind))}
        if filled:
            sparse[name] = filled
    for name, reported in (
        ("replacedEdges", effects.replaced_edges),
        ("droppedEdges", effects.dropped_edges),
        ("idMap", effects.id_map),
        ("placed", effects.placed),
        ("warnings", effects.warnings),
    ):
        if reported:
            sparse[name] = _converter.unstructure(reported)
    return sparse or None


def effects_json(sparse: dict[str, Any] | None) -> Raw:
    """Return effects in full from their sparse form."""
    if not sparse:
        return _EMPTY_EFFECTS
    full = {name: {**_EMPTY_LISTS, **sparse.get(name, {})} for name in _LISTS}
    return Raw(dumps({**full, **{name: sparse.get(name, ()) for name in _REPORTS}}))


def projection_json(
    tx: Transaction, project: OpenProject, run: RunRow | None, mode: ProjectionMode
) -> bytes:
    """Return a project as it stands."""
    row, revision = project.row, project.revision
    head = dumps(
        {
            "projectId": row.project_id,
            "title": row.title,
            "revisionId": revision.revision_id,
            "revisionNumber": revision.number,
            "openRun": NULL if run is None else Raw(run_json(row, run)),
            "undo": step_value(tx, row, revision, revision.heads.undo),
            "redo": step_value(tx, row, revision, revision.heads.redo),
        }
    )
    if mode != "full":
        return head
    state = states.current_state(tx, row)
    return b"".join([head[:-1], b",", *state.pieces(), b"}"])


def step_value(
    tx: Transaction, row: ProjectRow, current: RevisionRow, step: Step | None
) -> dict[str, Any] | None:
    """Return where undo or redo leads from the current version, None where that one is gone."""
    if step is None:
        return None
    target: str | None
    if step.target == current.number - 1:
        # It is kept as long as the current version leads to it: nothing has to be looked up.
        target = current.parent_revision_id
    else:
        target = revisions.step_id(tx, row, step)
    if target is None:
        return None
    return {
        "targetRevisionId": target,
        "label": step.label,
        "runId": step.run_id,
        "commands": step.commands,
    }


def run_json(project: ProjectRow, run: RunRow) -> bytes:
    """Return a run as JSON text."""
    return dumps(run_value(project.project_id, run))


def run_value(project_id: str, run: RunRow) -> dict[str, Any]:
    """Return a run's wire form."""
    arrangement = None
    if run.arrangement_status is not None:
        arrangement = {
            "status": run.arrangement_status,
            "revisionId": run.arrangement_revision_id,
            "code": run.arrangement_code,
        }
    return {
        "runId": run.run_id,
        "projectId": project_id,
        "status": run.status,
        "pauseReason": run.pause_reason,
        "startRevisionId": run.start_revision_id,
        "expectedRevisionId": run.expected_revision_id,
        "steps": run.steps,
        "stepLimit": run.step_limit,
        "sessionId": run.session_id,
        "promptMessageId": run.prompt_message_id,
        "owner": run.owner,
        "startedAt": run.started_at,
        "endedAt": run.ended_at,
        "endReason": run.end_reason,
        "arrangement": arrangement,
    }


def draft_value(project_id: str, draft: DraftRow) -> dict[str, Any]:
    """Return a draft's wire form."""
    return {
        "draftId": draft.draft_id,
        "projectId": project_id,
        "title": draft.title,
        "nodeIds": draft.node_ids,
        "documentId": draft.document_id,
        "baseRevisionId": draft.base_revision_id,
        "payloads": draft.payloads,
        "status": draft.status,
        "staleReason": draft.stale_reason,
    }


def revision_value(revision: RevisionRow) -> dict[str, Any]:
    """Return a version's wire form."""
    return {
        "revisionId": revision.revision_id,
        "number": revision.number,
        "parentRevisionId": revision.parent_revision_id,
        "actionId": revision.action_id,
        "actor": revision.actor,
        "runId": revision.run_id,
        "kind": revision.kind,
        "label": revision.label,
        "createdAt": revision.created_at,
        "restoredFrom": revision.restored_from,
    }


_KINDS: Final = ("nodes", "edges", "groups", "subgraphs", "components")
_LISTS: Final = ("created", "removed", "updated")
_REPORTS: Final = ("replacedEdges", "droppedEdges", "idMap", "placed", "warnings")
_EMPTY_LISTS: Final[dict[str, Any]] = dict.fromkeys(_KINDS, ())
_EMPTY_EFFECTS: Final = Raw(dumps(_converter.unstructure(NO_EFFECTS)))
