"""The way of every command: looked up, checked, carried out, recorded, answered.

All of it happens in the transaction of the unit; memory follows the file in both directions.
"""

from collections.abc import Callable
from functools import partial

from sidecar.core.errors import RejectedError
from sidecar.handlers import announcements, followers, render
from sidecar.handlers.answers import (
    Command,
    Landed,
    RefusedError,
    bare_answer,
    landed_answer,
    refused_answer,
)
from sidecar.handlers.context import Context
from sidecar.handlers.scene import Carried, Scene
from sidecar.handlers.unit import Unit
from sidecar.store import actions, revisions, runs, settings
from sidecar.store.actions import AppliedAction
from sidecar.store.deltas import ChangeText
from sidecar.store.faults import StorageError
from sidecar.store.steps import after_edit
from sidecar.store.writing import About, Head, write_revision

Carry = Callable[[Scene], Landed]
Admit = Callable[[Scene], None]
"""Carries a command out and writes the versions it makes."""


def serve(
    ctx: Context, unit: Unit, command: Command, carry: Carry, *, admit: Admit | None = None
) -> bytes:
    """Serve one command and return its answer; a refusal is an answer too.

    ``admit`` may refuse a new command before its version is looked at.
    """
    try:
        return _serve(ctx, unit, command, carry, admit)
    except RejectedError as error:
        refusal = RefusedError("rejected", error.code, error.message, error.details)
    except RefusedError as error:
        refusal = error
    unit.take_back()
    return refused_answer(ctx, unit.tx, command, refusal)


def storage_answer(ctx: Context, command: Command, error: StorageError) -> bytes:
    """Return the answer of a command whose transaction the file refused."""
    details = {**error.details, "retryable": error.retryable}
    refusal = RefusedError("rejected", error.code, error.message, details)
    try:
        with ctx.database.read() as tx:
            return refused_answer(ctx, tx, command, refusal)
    except StorageError:
        # What cannot be written may not be readable either; the reason still is the answer.
        return bare_answer(command, refusal)


def land(scene: Scene, carried: Carried) -> Landed:
    """Write what a command carried out, as one version unless nothing changed."""
    changed = bool(carried.changes) or carried.always
    texts: list[ChangeText] = []
    if changed:
        texts = write_version(scene, carried, action_id=scene.command.action_id)
    return Landed(
        status="applied",
        revision_id=scene.project.revision.revision_id,
        changed=changed,
        effects=render.sparse_effects(carried.effects),
        texts=texts,
    )


def write_version(scene: Scene, carried: Carried, *, action_id: str | None) -> list[ChangeText]:
    """Write the version that ``carried`` made and all that follows from it."""
    command, project = scene.command, scene.project
    # Not every version is a command's: a closed run's arrangement is none.
    scene.ctx.watch.catch_up(scene.tx, project.row)
    heads = carried.heads or after_edit(
        project.revision,
        run_id=command.run_id,
        label=carried.label,
        extends_step=carried.extends_step,
    )
    about = About(
        revision_id=command.new_revision_id or scene.ctx.new_id(),
        action_id=action_id,
        actor=command.actor,
        run_id=command.run_id,
        kind=carried.kind,
        label=carried.label,
        created_at=scene.ctx.now(),
        restored_from=carried.restored_from,
        heads=heads,
    )
    before = project.head
    scene.unit.on_rollback.append(partial(setattr, project, "head", before))
    written = write_revision(
        scene.tx,
        scene.ctx.codec,
        before,
        carried.changes,
        about,
        limits=settings.history_limits(settings.read(scene.tx)),
    )
    project.head = written.head
    _note_version(scene, before)
    followers.note_nodes(
        scene.unit,
        scene.run,
        carried.changes,
        by_run=command.actor == "ai",
        restored=carried.restored_from is not None,
    )
    followers.follow(scene.ctx, scene.unit, project, written.changes)
    announcements.project_changed(
        scene.ctx, scene.unit, project, before.revision.revision_id, written.changes
    )
    return written.changes


def record(scene: Scene, landed: Landed) -> None:
    """Record an applied action: from now on it is historical."""
    command, project = scene.command, scene.project
    key, action_id = project.row.project_key, str(command.action_id)
    actions.insert(
        scene.tx,
        key,
        AppliedAction(
            action_id,
            command.method,
            command.content_hash,
            project.revision.number,
            landed.revision_id,
            landed.changed,
            landed.effects,
        ),
    )
    scene.unit.is_recorded = lambda tx: actions.is_recorded(tx, key, action_id)


def _serve(ctx: Context, unit: Unit, command: Command, carry: Carry, admit: Admit | None) -> bytes:
    assert command.project_id is not None
    project = ctx.cache.open(unit.tx, command.project_id)
    if project is None:
        facts = {"projectId": command.project_id}
        raise RefusedError("rejected", "unknown-project", "There is no such project.", facts)
    ctx.watch.catch_up(unit.tx, project.row)
    run = runs.open_run(unit.tx, project.row.project_key)
    scene = Scene(ctx=ctx, unit=unit, command=command, project=project, run=run)
    known = find_recorded(scene)
    if known is not None:
        return landed_answer(unit.tx, project, run, command, known)
    if admit is not None:
        admit(scene)
    check_actor(scene)
    check_revision(scene)
    _check_proposed(scene)
    landed = carry(scene)
    run = followers.move_run(ctx, unit, project, run, steps=int(command.actor == "ai"))
    record(scene, landed)
    return landed_answer(unit.tx, project, run, command, landed)


def find_recorded(scene: Scene) -> Landed | None:
    """Return what an action did when it was applied, None where it was not yet."""
    command = scene.command
    known = actions.find(scene.tx, scene.project.row.project_key, str(command.action_id))
    if known is None:
        return None
    if known.method != command.method or known.payload_hash != command.content_hash:
        raise RefusedError(
            "rejected",
            "action-id-reused",
            "This action id was used for another command.",
            {"actionId": command.action_id},
        )
    return Landed(
        status="historical",
        revision_id=known.revision_id,
        changed=known.changed,
        effects=known.effects,
    )


def check_actor(scene: Scene) -> None:
    """Refuse a person's command with a run, and the assistant's without a running one."""
    command, run = scene.command, scene.run
    if command.actor == "manual":
        if command.run_id is not None:
            raise RefusedError(
                "conflict", "run-not-allowed", "A person's command belongs to no run.", {}
            )
        return
    if run is None or run.run_id != command.run_id or run.status != "running":
        known = None if command.run_id is None else runs.find(scene.tx, command.run_id)
        status = None if known is None else known.status
        raise RefusedError(
            "conflict",
            "run-not-running",
            "The assistant's run is not running, so its command was not applied.",
            {"runId": command.run_id, "status": status},
        )


def check_revision(scene: Scene) -> None:
    """Refuse a command made for another version than the current one."""
    expected, current = scene.command.expected_revision_id, scene.project.revision.revision_id
    if expected != current:
        raise RefusedError(
            "conflict",
            "revision-moved",
            "The graph has changed since this command was made.",
            {"expected": expected, "current": current},
        )
    run = scene.run
    if scene.command.actor == "ai" and run is not None and run.expected_revision_id != current:
        raise RefusedError(
            "conflict",
            "run-behind",
            "The run expects another version of the graph.",
            {"expected": run.expected_revision_id, "current": current},
        )


def _note_version(scene: Scene, before: Head) -> None:
    """The host is told of the version; once committed, what is out of the limits may be pruned.

    The watch learns it at once: a later command of the same transaction must not take the version
    for another process's.
    """
    ctx, row = scene.ctx, scene.project.row
    newly_hidden = row.floor - before.project.floor

    def note() -> None:
        if newly_hidden:
            ctx.hidden[row.project_key] = ctx.hidden.get(row.project_key, 0) + newly_hidden

    known = ctx.watch.revisions.get(row.project_id)
    scene.unit.on_rollback.append(partial(ctx.watch.told, row.project_id, known))
    ctx.watch.told(row.project_id, row.current_revision_id)
    scene.unit.on_commit.append(note)


def _check_proposed(scene: Scene) -> None:
    proposed = scene.command.new_revision_id
    if proposed is None:
        return
    if revisions.is_taken(scene.tx, scene.project.row.project_key, proposed):
        raise RejectedError(
            "id-in-use", "The version id is in use.", {"kind": "revision", "id": proposed}
        )
