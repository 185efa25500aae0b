"""The answers of commands: what became of one, and how the project stands now."""

from typing import Any

from attrs import define
from msgspec import Raw

from protocol.json_text import dumps
from protocol.projects import Actor, ProjectionMode
from sidecar.core.values import value
from sidecar.handlers import render
from sidecar.handlers.context import Context
from sidecar.store import revisions, runs
from sidecar.store.cache import OpenProject
from sidecar.store.database import Transaction
from sidecar.store.deltas import ChangeText
from sidecar.store.revisions import RevisionGoneError
from sidecar.store.runs import RunRow
from sidecar.store.walks import changes_between
from sidecar.store.wire_changes import changes_json


@value(kw_only=True)
class Command:
    """What every command-like request has in common, whatever it asks for.

    ``content_hash`` is what a repeated action is told by; ``action_id`` and ``project_id`` are
    None where they could not be read.
    """

    method: str
    project_id: str | None
    action_id: str | None
    expected_revision_id: str | None = None
    actor: Actor = "manual"
    run_id: str | None = None
    projection: ProjectionMode = "full"
    content_hash: bytes = b""
    new_revision_id: str | None = None


@define
class RefusedError(Exception):
    """Why a command does not land: a status, a code, a sentence for the person, facts."""

    status: str
    code: str
    message: str
    details: dict[str, Any]


@value(kw_only=True)
class Landed:
    """What a command did: its version, sparse effects, and its changes where they are at hand.

    ``texts`` lead from the expected version to the new one; None: they must be read.
    """

    status: str
    revision_id: str
    changed: bool
    effects: dict[str, Any] | None
    texts: list[ChangeText] | None = None


def landed_answer(
    tx: Transaction, project: OpenProject, run: RunRow | None, command: Command, landed: Landed
) -> bytes:
    """Return the answer of a command that is in the file, now or since before."""
    return _answer(
        _Stand(tx, project, run),
        command,
        {
            "status": landed.status,
            "actionId": command.action_id,
            "revisionId": landed.revision_id,
            "changed": landed.changed,
            "effects": render.effects_json(landed.effects),
            "reason": None,
        },
        landed.texts,
    )


def refused_answer(ctx: Context, tx: Transaction, command: Command, refusal: RefusedError) -> bytes:
    """Return the answer of a command that did not land."""
    project = None if command.project_id is None else ctx.cache.open(tx, command.project_id)
    if project is None:
        return bare_answer(command, refusal)
    run = runs.open_run(tx, project.row.project_key)
    return _answer(_Stand(tx, project, run), command, _refused_head(command, refusal), None)


def bare_answer(command: Command, refusal: RefusedError) -> bytes:
    """Return the answer of a command that did not land, where there is no project to show."""
    return dumps({**_refused_head(command, refusal), "projection": None, "changes": None})


def _refused_head(command: Command, refusal: RefusedError) -> dict[str, Any]:
    return {
        "status": refusal.status,
        "actionId": command.action_id,
        "revisionId": None,
        "changed": False,
        "effects": None,
        "reason": {
            "code": refusal.code,
            "message": refusal.message,
            "details": refusal.details,
        },
    }


@value
class _Stand:
    """How a project stands when an answer is given."""

    tx: Transaction
    project: OpenProject
    run: RunRow | None


def _answer(
    stand: _Stand, command: Command, head: dict[str, Any], texts: list[ChangeText] | None
) -> bytes:
    mode = command.projection
    changes: bytes | None = None
    if mode == "changes":
        changes = _changes(stand.tx, stand.project, command, texts)
        if changes is None:
            mode = "full"
    head["projection"] = Raw(render.projection_json(stand.tx, stand.project, stand.run, mode))
    head["changes"] = None if changes is None else Raw(changes)
    return dumps(head)


def _changes(
    tx: Transaction, project: OpenProject, command: Command, texts: list[ChangeText] | None
) -> bytes | None:
    if texts is None:
        if command.expected_revision_id == project.revision.revision_id:
            return b"[]"
        if command.expected_revision_id is None:
            return None
        try:
            known = revisions.visible(tx, project.row, command.expected_revision_id)
        except RevisionGoneError:
            return None
        texts = changes_between(tx, project.row, known.number, project.revision.number)
    return changes_json(texts, project.graph)
