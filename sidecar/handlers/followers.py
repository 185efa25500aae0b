"""What follows a new version: the open run, drafts and explanations move along with it."""

from collections.abc import Sequence

from attrs import evolve

from protocol.graph import Node
from sidecar.core.changes import Change
from sidecar.handlers.announcements import run_changed
from sidecar.handlers.context import Context
from sidecar.handlers.unit import Unit
from sidecar.store import runs
from sidecar.store.cache import OpenProject
from sidecar.store.runs import RunRow


def note_nodes(unit: Unit, run: RunRow | None, changes: Sequence[Change], *, by_run: bool) -> None:
    """Remember which nodes the open run made, and leave alone those a person moved."""
    if run is None:
        return
    gone = {change.id for change in changes if change.kind == "node" and change.after is None}
    if by_run:
        created = (
            change.id
            for change in changes
            if change.kind == "node" and change.before is None and change.id not in gone
        )
        runs.add_made(unit.tx, run, (str(id_) for id_ in created))
        return
    moved = [change.id for change in changes if _moved(change)]
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


def _moved(change: Change) -> bool:
    return (
        isinstance(change.before, Node)
        and isinstance(change.after, Node)
        and change.before.position != change.after.position
    )
