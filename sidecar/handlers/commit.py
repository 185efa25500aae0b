"""commitCommand: one payload, applied to one project, durably and at most once."""

import hashlib
from typing import Any, get_args

from protocol.commands import FORBIDDEN_INSIDE, PAYLOAD_KINDS, Payload, RestoreRevision
from protocol.converter import decode
from protocol.errors import InvalidParamsError, Issue
from protocol.json_text import canonical
from protocol.projects import CommitParams, ProjectionMode
from sidecar.core.edit import check_id
from sidecar.core.errors import RejectedError
from sidecar.core.execute import run as execute
from sidecar.core.labels import label_of
from sidecar.handlers import restoring
from sidecar.handlers.answers import Command, RefusedError, refused_answer
from sidecar.handlers.commands import land, serve, storage_answer
from sidecar.handlers.context import Context
from sidecar.handlers.scene import Carried, Scene
from sidecar.handlers.unit import Unit
from sidecar.store.faults import StorageError


def commit_command(ctx: Context, unit: Unit, raw: dict[str, Any]) -> bytes:
    """Serve commitCommand; ``raw`` is the params object as it was sent."""
    try:
        command, payload = _read(ctx, raw)
    except InvalidParamsError as error:
        return refused_answer(ctx, unit.tx, salvaged("commitCommand", raw), _refusal(raw, error))
    return serve(ctx, unit, command, lambda scene: land(scene, _carry(scene, payload)))


def storage_failed(ctx: Context, raw: dict[str, Any], error: StorageError) -> bytes:
    """Answer commitCommand where the file refused the transaction."""
    return storage_answer(ctx, salvaged("commitCommand", raw), error)


def salvaged(method: str, raw: dict[str, Any]) -> Command:
    """Return what can be read of a request that as a whole cannot, or need not, be."""
    return Command(
        method=method,
        project_id=_text(raw, "projectId"),
        action_id=_text(raw, "actionId"),
        expected_revision_id=_text(raw, "expectedRevisionId"),
        projection=_mode(raw.get("projection")),
    )


def invalid(error: InvalidParamsError) -> RefusedError:
    """Return the refusal of a request that does not fit the schema."""
    issues = [{"path": issue.path, "message": issue.message} for issue in error.issues]
    return RefusedError(
        "rejected", "invalid-command", "The command does not fit its schema.", {"issues": issues}
    )


def check_action_id(action_id: str) -> list[Issue]:
    """Return what is wrong with an action id that a caller chose."""
    if not 1 <= len(action_id) <= MAX_ACTION_ID:
        return [Issue("/actionId", f"expected 1 to {MAX_ACTION_ID} characters")]
    if action_id.startswith("arrange:") or _ends_in_number(action_id):
        return [Issue("/actionId", "ids of this form are the engine's own")]
    return []


def require_action_id(action_id: str) -> None:
    """Raise where an action id cannot be a caller's."""
    issues = check_action_id(action_id)
    if issues:
        raise InvalidParamsError(issues)


def content_hash(value: object) -> bytes:
    """Return what a repeated command is told by: a hash of its canonical JSON."""
    return hashlib.blake2b(canonical(value), digest_size=16).digest()


MAX_ACTION_ID = 256


def _read(ctx: Context, raw: dict[str, Any]) -> tuple[Command, Payload]:
    issues: list[Issue] = []
    params: CommitParams | None = None
    payload: Payload | None = None
    try:
        params = decode(ctx.converter, raw, CommitParams)
        issues += check_action_id(params.action_id)
        issues += _check_new_revision_id(params.new_revision_id)
    except InvalidParamsError as error:
        issues += error.issues
    sent = raw.get("payload")
    if isinstance(sent, dict):
        try:
            payload = decode(ctx.converter, sent, Payload)  # type: ignore[arg-type]
        except InvalidParamsError as error:
            issues += [Issue(f"/payload{issue.path}", issue.message) for issue in error.issues]
    if issues or params is None or payload is None:
        raise InvalidParamsError(issues)
    command = Command(
        method="commitCommand",
        project_id=params.project_id,
        action_id=params.action_id,
        expected_revision_id=params.expected_revision_id,
        actor=params.actor,
        run_id=params.run_id,
        projection=params.projection,
        content_hash=content_hash(params.payload),
        new_revision_id=params.new_revision_id,
    )
    return command, payload


def _check_new_revision_id(proposed: str | None) -> list[Issue]:
    if proposed is not None:
        try:
            check_id(proposed)
        except RejectedError as error:
            return [Issue("/newRevisionId", error.message)]
    return []


def _carry(scene: Scene, payload: Payload) -> Carried:
    if isinstance(payload, RestoreRevision):
        return restoring.carry(scene, payload.revision_id)
    try:
        outcome = execute(
            scene.project.graph,
            payload,
            scene.ports(),
            scene.command.actor,
            workspace=scene.workspace(),
        )
    except RejectedError as error:
        error.stand_below("/payload")
        raise
    return Carried(
        changes=outcome.changes,
        effects=outcome.effects,
        kind=_KIND_OF[type(payload)],
        label=label_of(payload, outcome.changes, scene.project.graph),
    )


_KIND_OF: dict[type, str] = {cl: kind for kind, cl in PAYLOAD_KINDS.items()}


def _refusal(raw: dict[str, Any], error: InvalidParamsError) -> RefusedError:
    refusal = invalid(error)
    payload = raw.get("payload")
    kind = payload.get("kind") if isinstance(payload, dict) else None
    if not isinstance(payload, dict) or not isinstance(kind, str):
        return refusal
    inner = payload.get("payload")
    inside = inner.get("kind") if isinstance(inner, dict) else None
    if kind not in PAYLOAD_KINDS:
        refusal.code, refusal.message = "unknown-kind", "There is no payload of this kind."
        refusal.details["kind"] = kind
    elif kind == "edit-in-subgraph" and isinstance(inside, str):
        if inside in FORBIDDEN_INSIDE:
            refusal.code = "forbidden-in-subgraph"
            refusal.message = f"{inside} may not run inside a definition."
            refusal.details["kind"] = inside
        elif inside not in PAYLOAD_KINDS:
            refusal.code, refusal.message = "unknown-kind", "There is no payload of this kind."
            refusal.details["kind"] = inside
    return refusal


def _text(raw: dict[str, Any], key: str) -> str | None:
    value = raw.get(key)
    return value if isinstance(value, str) else None


def _mode(value: object) -> ProjectionMode:
    for mode in get_args(ProjectionMode):
        if value == mode:
            return mode  # type: ignore[no-any-return]
    return "full"


def _ends_in_number(action_id: str) -> bool:
    _, slash, tail = action_id.rpartition("/")
    return bool(slash) and tail.isascii() and tail.isdigit()
