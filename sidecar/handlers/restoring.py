"""restore-revision, undo and redo: an earlier version becomes a new one."""

from sidecar.core.changes import in_order
from sidecar.core.errors import RejectedError
from sidecar.core.invariants import check_touched
from sidecar.core.reports import effects_of
from sidecar.handlers.scene import Carried, Scene
from sidecar.store import revisions
from sidecar.store.graphs import target_changes
from sidecar.store.revisions import RevisionGoneError, RevisionRow
from sidecar.store.steps import Heads, Step, after_redo, after_undo

KIND = "restore-revision"


def carry(scene: Scene, revision_id: str, *, steps: bool = True) -> Carried:
    """Restore a version; ``unknown-revision`` or ``pruned-revision`` where it is not to be had.

    Without ``steps`` it is an edit, wherever undo and redo would lead.
    """
    try:
        target = revisions.visible(scene.tx, scene.project.row, revision_id)
    except RevisionGoneError as error:
        raise RejectedError(
            error.code,
            "There is no such version."
            if error.code == "unknown-revision"
            else "This version is no longer kept.",
            {"revisionId": revision_id},
        ) from error
    return restore(scene, target, steps=steps)


def restore(scene: Scene, target: RevisionRow, *, steps: bool = True) -> Carried:
    """Bring the graph to a version and say whether that is an undo, a redo or an edit."""
    project = scene.project
    changes = in_order(
        target_changes(scene.tx, scene.ctx.codec, project.row, project.graph, target.number)
    )
    workspace = scene.workspace()
    for change in changes:
        workspace.apply(change)
    check_touched(project.graph, workspace.touched(0), steady=set())
    heads, label = _heads(scene, target, steps=steps)
    return Carried(
        changes=changes,
        effects=effects_of(changes),
        kind=KIND,
        label=label,
        restored_from=target.revision_id,
        heads=heads,
        always=target.number != project.revision.number,
    )


def _heads(scene: Scene, target: RevisionRow, *, steps: bool) -> tuple[Heads | None, str]:
    heads = scene.project.revision.heads
    if steps and scene.command.actor == "manual":
        # A step leads to a version; any version that looks the same is not meant by it.
        if heads.undo is not None and heads.undo.target == target.number:
            undone = after_undo(scene.project.revision, _kept_heads(scene, target.heads))
            return undone, f"Undo: {heads.undo.label}"
        if heads.redo is not None and heads.redo.target == target.number:
            return after_redo(_kept_heads(scene, target.heads)), f"Redo: {heads.redo.label}"
    return None, f"Restore version {target.number}"


def _kept_heads(scene: Scene, heads: Heads) -> Heads:
    """Return steps without those that lead to a version beyond the limits.

    It is gone for whoever asks, whether its row was removed already or not.
    """
    return Heads(_kept_step(scene, heads.undo), _kept_step(scene, heads.redo))


def _kept_step(scene: Scene, step: Step | None) -> Step | None:
    if step is None or revisions.is_visible(scene.tx, scene.project.row, step.target):
        return step
    return None
