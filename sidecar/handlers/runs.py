"""Runs: started, paused, resumed, cancelled, closed."""

from attrs import evolve

from protocol.errors import InvalidParamsError, Issue, RequestFailedError
from protocol.json_text import dumps
from protocol.projects import NoParams
from protocol.runs import (
    ListRunsParams,
    PauseRunParams,
    ResumeRunParams,
    RunParams,
    StartRunParams,
)
from sidecar.handlers import paging, render
from sidecar.handlers.announcements import run_changed
from sidecar.handlers.context import Context
from sidecar.handlers.ids import checked_id
from sidecar.handlers.projects import unknown_project
from sidecar.handlers.unit import Unit
from sidecar.store import projects, runs, settings
from sidecar.store.database import Transaction
from sidecar.store.projects import ProjectRow
from sidecar.store.runs import RunRow


def start_run(ctx: Context, unit: Unit, params: StartRunParams) -> bytes:
    """Open a run at the current version; one that is open ends as ``superseded``."""
    project = project_row(unit.tx, params.project_id)
    _check_start(params)
    if params.run_id is not None:
        known = runs.find(unit.tx, params.run_id)
        if known is not None:
            return _same(project, known)
    return render.run_json(project, _start(ctx, unit, project, params))


def pause_run(ctx: Context, unit: Unit, params: PauseRunParams) -> bytes:
    """Pause a running run; a paused one is left as it is."""
    project, run = run_and_project(unit.tx, params.run_id)
    if not run.open:
        raise run_state(project, run)
    if run.status == "running":
        run = evolve(run, status="paused", pause_reason=params.reason)
        save(ctx, unit, project, run)
    return render.run_json(project, run)


def resume_run(ctx: Context, unit: Unit, params: ResumeRunParams) -> bytes:
    """Continue: reopen a paused run at the current version, its steps counted from 0 again."""
    if (params.project_id is None) == (params.run_id is None):
        raise InvalidParamsError([Issue("", "expected either projectId or runId")])
    if params.run_id is not None:
        project, run = run_and_project(unit.tx, params.run_id)
        if not run.open:
            raise run_state(project, run)
    else:
        project = project_row(unit.tx, str(params.project_id))
        found = runs.open_run(unit.tx, project.project_key)
        if found is None:
            started = StartRunParams(project_id=project.project_id)
            return render.run_json(project, _start(ctx, unit, project, started))
        run = found
    if run.status == "paused":
        run = evolve(
            run,
            status="running",
            pause_reason=None,
            steps=0,
            expected_revision_id=project.current_revision_id,
            owner=ctx.owners.current(),
        )
        save(ctx, unit, project, run)
    return render.run_json(project, run)


def cancel_run(ctx: Context, unit: Unit, params: RunParams) -> bytes:
    """Stop an open run; what it built stays."""
    project, run = run_and_project(unit.tx, params.run_id)
    if run.open:
        run = end(ctx, unit, project, evolve(run, status="cancelled", end_reason="cancelled"))
    return render.run_json(project, run)


def close_stale_runs(ctx: Context, unit: Unit, _: NoParams) -> bytes:
    """Close the open runs whose process is gone."""
    return dumps({"closedRuns": close_stale(ctx, unit)})


def close_stale(ctx: Context, unit: Unit) -> list[str]:
    """Close the open runs whose process is gone; return their ids."""
    closed = []
    for run in runs.all_open(unit.tx):
        if ctx.owners.is_gone(run.owner):
            project = projects.find_by_key(unit.tx, run.project_key)
            assert project is not None
            end(ctx, unit, project, evolve(run, status="closed", end_reason="stale"))
            closed.append(run.run_id)
    return closed


def get_run(_: Context, tx: Transaction, params: RunParams) -> bytes:
    """Show a run."""
    return render.run_json(*run_and_project(tx, params.run_id))


def list_runs(_: Context, tx: Transaction, params: ListRunsParams) -> bytes:
    """List a project's runs, newest first."""
    limit = paging.limit_of(params.limit)
    place = paging.place_of("runs", params.before)
    project = project_row(tx, params.project_id)
    last = place[0] if place else None
    found = runs.page(tx, project.project_key, before=last, limit=limit + 1)
    rows, before = paging.page_of("runs", found, limit, lambda run: (run.run_key,))
    items = [render.run_value(project.project_id, run) for run in rows]
    return dumps({"items": items, "before": before})


def end(ctx: Context, unit: Unit, project: ProjectRow, run: RunRow) -> RunRow:
    """Write the end of a run that was open, and announce it."""
    ended = evolve(run, pause_reason=None, ended_at=ctx.now())
    runs.forget_made(unit.tx, ended)
    save(ctx, unit, project, ended)
    return ended


def save(ctx: Context, unit: Unit, project: ProjectRow, run: RunRow) -> None:
    """Write how a run stands and announce it."""
    runs.update(unit.tx, run)
    run_changed(ctx, unit, project, run)


def run_and_project(tx: Transaction, run_id: str) -> tuple[ProjectRow, RunRow]:
    """Return a run and its project, or raise ``unknown-run``."""
    run = runs.find(tx, run_id)
    project = None if run is None else projects.find_by_key(tx, run.project_key)
    if run is None or project is None:
        raise RequestFailedError("unknown-run", "There is no such run.", {"runId": run_id})
    return project, run


def project_row(tx: Transaction, project_id: str) -> ProjectRow:
    """Return a project's row, or raise ``unknown-project``."""
    found = projects.find(tx, project_id)
    if found is None:
        raise unknown_project(project_id)
    return found


def run_state(project: ProjectRow, run: RunRow) -> RequestFailedError:
    """Return the error of a call that the run's state does not allow."""
    return RequestFailedError(
        "run-state",
        f"The run has ended ({run.end_reason}).",
        {"run": render.run_value(project.project_id, run)},
    )


def _start(ctx: Context, unit: Unit, project: ProjectRow, params: StartRunParams) -> RunRow:
    present = runs.open_run(unit.tx, project.project_key)
    if present is not None:
        end(ctx, unit, project, evolve(present, status="closed", end_reason="superseded"))
    limit = params.step_limit or settings.read(unit.tx)["stepsPerAnswer"]
    run = runs.insert(
        unit.tx,
        RunRow(
            run_id=params.run_id or ctx.new_id(),
            project_key=project.project_key,
            status="running",
            start_revision=project.current_revision,
            start_revision_id=project.current_revision_id,
            expected_revision_id=project.current_revision_id,
            step_limit=limit,
            session_id=params.session_id,
            prompt_message_id=params.prompt_message_id,
            owner=ctx.owners.current(),
            started_at=ctx.now(),
        ),
    )
    run_changed(ctx, unit, project, run)
    return run


def _same(project: ProjectRow, known: RunRow) -> bytes:
    if known.project_key != project.project_key:
        raise RequestFailedError("id-in-use", "The run id is in use.", {"runId": known.run_id})
    return render.run_json(project, known)


def _check_start(params: StartRunParams) -> None:
    if params.step_limit is not None and params.step_limit < 1:
        raise InvalidParamsError([Issue("/stepLimit", "expected 1 or more")])
    checked_id(params.run_id, "/runId")
