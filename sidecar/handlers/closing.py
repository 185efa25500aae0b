"""closeRun: what the run made is arranged in one more version, and the run ends with it."""

from typing import Any

from attrs import evolve

from protocol.converter import decode
from protocol.graph import NodeId
from protocol.runs import RunParams
from sidecar.core.changes import Change
from sidecar.core.edit import Edit, Ports
from sidecar.core.errors import InvariantError
from sidecar.core.invariants import check_touched
from sidecar.core.placement import NoFreePlaceError
from sidecar.core.reports import effects_of
from sidecar.core.run_arrangement import arrange_run
from sidecar.core.workspace import Workspace
from sidecar.handlers import render
from sidecar.handlers.answers import Command
from sidecar.handlers.commands import write_version
from sidecar.handlers.context import Context
from sidecar.handlers.runs import end, run_and_project
from sidecar.handlers.scene import Carried, Scene
from sidecar.handlers.unit import Unit
from sidecar.store import runs
from sidecar.store.cache import OpenProject
from sidecar.store.database import Transaction
from sidecar.store.faults import StorageError
from sidecar.store.projects import ProjectRow
from sidecar.store.runs import RunRow

KIND = "arrange-run"


def close_run(ctx: Context, unit: Unit, params: RunParams) -> bytes:
    """Arrange and close an open run; one that has ended is answered as it is."""
    project, run = run_and_project(unit.tx, params.run_id)
    if not run.open:
        return render.run_json(project, run)
    run = _arranged(ctx, unit, project, run)
    ended = end(ctx, unit, project, evolve(run, status="closed", end_reason="closed"))
    unit.is_recorded = lambda tx: _is_closed(tx, run.run_id)
    return render.run_json(project, ended)


def close_without_arranging(ctx: Context, raw: Any, error: StorageError) -> bytes:
    """Close the run alone where the file refused the arrangement; fails as that does."""
    params = decode(ctx.converter, raw, RunParams)
    with ctx.database.write() as tx:
        unit = Unit(tx)
        project, run = run_and_project(tx, params.run_id)
        if run.open:
            failed = evolve(run, arrangement_status="failed", arrangement_code=error.code)
            run = end(ctx, unit, project, evolve(failed, status="closed", end_reason="closed"))
    for announce in unit.on_commit:
        announce()
    return render.run_json(project, run)


def _arranged(ctx: Context, unit: Unit, row: ProjectRow, run: RunRow) -> RunRow:
    made = [NodeId(node_id) for node_id in runs.made(unit.tx, run)]
    project = ctx.cache.open(unit.tx, row.project_id)
    assert project is not None
    scene = _scene(ctx, unit, project, run)
    workspace = scene.workspace()
    try:
        changes = _arrange(scene, workspace, made)
    except NoFreePlaceError:
        workspace.rollback()
        return evolve(run, arrangement_status="failed", arrangement_code="no-free-place")
    except InvariantError:
        # An arrangement is a courtesy: a fault in it must not keep the run from ending.
        workspace.rollback()
        return evolve(run, arrangement_status="failed", arrangement_code="internal-error")
    if not changes:
        return evolve(run, arrangement_status="nothing")
    carried = Carried(
        changes=changes, effects=effects_of(changes), kind=KIND, label="Arrange new nodes"
    )
    write_version(scene, carried, action_id=f"arrange:{run.run_id}")
    revision_id = project.revision.revision_id
    return evolve(
        run,
        arrangement_status="applied",
        arrangement_revision_id=revision_id,
        expected_revision_id=revision_id,
    )


def _arrange(scene: Scene, workspace: Workspace, made: list[NodeId]) -> list[Change]:
    ports: Ports = scene.ports()
    arrange_run(Edit(workspace=workspace, ports=ports, actor="ai"), made)
    check_touched(workspace.graph, workspace.touched(0), steady=set(made))
    return workspace.changes()


def _scene(ctx: Context, unit: Unit, project: OpenProject, run: RunRow) -> Scene:
    command = Command(
        method="closeRun",
        project_id=project.row.project_id,
        action_id=None,
        actor="ai",
        run_id=run.run_id,
    )
    return Scene(ctx=ctx, unit=unit, command=command, project=project, run=run)


def _is_closed(tx: Transaction, run_id: str) -> bool:
    found = runs.find(tx, run_id)
    return found is not None and not found.open
