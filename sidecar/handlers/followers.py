"""What follows a new version: the open run, drafts and explanations move along with it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from attrs import evolve

from protocol.graph import Node, Position
from sidecar.core.changes import Change
from sidecar.handlers import render
from sidecar.handlers.announcements import announce, run_changed
from sidecar.handlers.context import Context
from sidecar.handlers.unit import Unit
from sidecar.store import drafts, explanations, runs
from sidecar.store.cache import OpenProject
from sidecar.store.deltas import ChangeText
from sidecar.store.drafts import DraftRow
from sidecar.store.runs import RunRow


def follow(ctx: Context, unit: Unit, project: OpenProject, texts: Sequence[ChangeText]) -> None:
    """Look at explanations and drafts after a version was written."""
    if explanations.follow(unit.tx, project.head, project.graph, texts):
        facts = {
            "projectId": project.row.project_id,
            "revisionId": project.revision.revision_id,
        }
        announce(ctx, unit, "explanationsChanged", facts)
    if any(_may_make_stale(text) for text in texts):
        _mark_stale(ctx, unit, project)


def draft_changed(ctx: Context, unit: Unit, project_id: str, draft: DraftRow) -> None:
    """Announce how a draft stands now."""
    unit.on_commit.append(partial(ctx.watch.drafts.told, draft))
    announce(ctx, unit, "draftChanged", {"draft": render.draft_value(project_id, draft)})


def note_nodes(
    unit: Unit, run: RunRow | None, changes: Sequence[Change], *, by_run: bool, restored: bool
) -> None:
    """Remember which nodes the open run made, and leave alone those a person moved.

    What a ``restored`` version brings back was made before, by whoever it was.
    """
    if run is None:
        return
    before = {
        change.id: change.before.position
        for change in changes
        if isinstance(change.before, Node) and change.after is None
    }
    if by_run:
        if not restored:
            created = (
                change.id
                for change in changes
                if change.kind == "node" and change.before is None and change.id not in before
            )
            runs.add_made(unit.tx, run, (str(id_) for id_ in created))
        return
    moved = [change.id for change in changes if _moved(change, before)]
    runs.leave_alone(unit.tx, run, (str(id_) for id_ in moved))


def move_run(
    ctx: Context, unit: Unit, project: OpenProject, run: RunRow | None, *, steps: int
) -> RunRow | None:
    """Bring the open run to the current version, ``steps`` steps further.

    The step that reaches the run's limit pauses it.
    """
    if run is None:
        return None
    current = project.revision.revision_id
    if not steps and run.expected_revision_id == current:
        return run
    moved = evolve(run, expected_revision_id=current, steps=run.steps + steps)
    if steps and moved.step_limit is not None and moved.steps >= moved.step_limit:
        moved = evolve(moved, status="paused", pause_reason="checkpoint")
    runs.update(unit.tx, moved)
    run_changed(ctx, unit, project.row, moved)
    return moved


def _moved(change: Change, before: Mapping[str | None, Position]) -> bool:
    """Whether a node stands elsewhere; ``before`` are the places of those that left a scope."""
    if not isinstance(change.after, Node):
        return False
    known = change.before
    stood = known.position if isinstance(known, Node) else before.get(change.id)
    return stood is not None and stood != change.after.position


def _may_make_stale(text: ChangeText) -> bool:
    return text.kind == "document" or (text.kind == "node" and text.after is None)


def _mark_stale(ctx: Context, unit: Unit, project: OpenProject) -> None:
    graph = project.graph
    document_id = None if graph.document is None else graph.document.document_id
    for draft in drafts.all_open(unit.tx, project.row.project_key):
        reason: Literal["document-changed", "node-gone"]
        if draft.document_id != document_id:
            reason = "document-changed"
        elif any(node_id not in graph.scope_of["node"] for node_id in draft.node_ids):
            reason = "node-gone"
        else:
            continue
        stale = evolve(draft, status="stale", stale_reason=reason)
        drafts.set_status(unit.tx, stale)
        draft_changed(ctx, unit, project.row.project_id, stale)
