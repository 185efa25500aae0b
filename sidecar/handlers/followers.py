"""What follows a new version: the open run moves along, drafts and explanations are looked at."""

from collections.abc import Sequence

from attrs import evolve
from msgspec import Raw

from sidecar.handlers import render
from sidecar.handlers.announcements import announce
from sidecar.handlers.context import Context
from sidecar.handlers.unit import Unit
from sidecar.store import runs
from sidecar.store.cache import OpenProject
from sidecar.store.deltas import ChangeText
from sidecar.store.runs import RunRow


def follow(ctx: Context, unit: Unit, project: OpenProject, texts: Sequence[ChangeText]) -> None:
    """Update what hangs on the project's things after ``texts`` were written."""


def move_run(
    ctx: Context, unit: Unit, project: OpenProject, run: RunRow | None, *, counts: bool
) -> RunRow | None:
    """Bring the open run to the current version; ``counts``: one step of it was made.

    The step that reaches the run's limit pauses it.
    """
    if run is None:
        return None
    current = project.revision.revision_id
    if not counts and run.expected_revision_id == current:
        return run
    moved = evolve(run, expected_revision_id=current, steps=run.steps + counts)
    if counts and moved.step_limit is not None and moved.steps >= moved.step_limit:
        moved = evolve(moved, status="paused", pause_reason="checkpoint")
    runs.update(unit.tx, moved)
    value = Raw(render.run_json(project.row, moved))
    announce(ctx, unit, "runChanged", {"run": value})
    return moved
