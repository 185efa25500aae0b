"""Drafts: payloads kept for later, applied all or none, as one step."""

from itertools import islice
from typing import Any, Final, cast

from attrs import evolve

from protocol.commands import PAYLOAD_KINDS, Payload
from protocol.converter import decode
from protocol.errors import InvalidParamsError, Issue, RequestFailedError
from protocol.issues import MAX_FAULTS
from protocol.json_text import dumps
from protocol.projects import ApplyDraftParams, CreateDraftParams, DraftParams, ProjectParams
from sidecar.core.errors import RejectedError
from sidecar.core.execute import Outcome
from sidecar.core.execute import run as execute
from sidecar.core.labels import MAX_LABEL, label_of
from sidecar.core.sameness import identical
from sidecar.core.workspace import Workspace
from sidecar.handlers import render
from sidecar.handlers.answers import Command, Landed, RefusedError, refused_answer
from sidecar.handlers.commands import serve, storage_answer, write_version
from sidecar.handlers.commit import content_hash, invalid, require_action_id, salvaged
from sidecar.handlers.context import Context
from sidecar.handlers.folding import folded_effects
from sidecar.handlers.followers import draft_changed
from sidecar.handlers.ids import checked_id
from sidecar.handlers.projects import checked_title, opened
from sidecar.handlers.scene import Carried, Scene
from sidecar.handlers.unit import Unit
from sidecar.store import drafts, projects
from sidecar.store.database import Transaction
from sidecar.store.drafts import DraftRow
from sidecar.store.faults import StorageError
from sidecar.store.projects import ProjectRow

# A tuple, since what stands for a kind may be any JSON, and not all of that can be hashed.
REFUSED_KINDS: Final = ("restore-revision", "open-native")
MAX_PAYLOADS: Final = 1_000


def create_draft(ctx: Context, unit: Unit, params: CreateDraftParams) -> bytes:
    """Keep payloads for the nodes named; the same id and content again answers the draft."""
    project = opened(ctx, unit.tx, params.project_id)
    title = checked_title(params.title, "/title")
    _check_payloads(ctx, params.payloads)
    draft_id = checked_id(params.draft_id, "/draftId") or ctx.new_id()
    document = project.graph.document
    draft = DraftRow(
        draft_id=draft_id,
        project_key=project.row.project_key,
        title=title,
        node_ids=tuple(params.node_ids),
        document_id=None if document is None else document.document_id,
        base_revision=project.revision.number,
        base_revision_id=project.revision.revision_id,
        payloads=tuple(params.payloads),
        created_at=ctx.now(),
    )
    known = drafts.find(unit.tx, draft_id)
    if known is not None:
        if not _same(known, draft):
            raise RequestFailedError("id-in-use", "The draft id is in use.", {"draftId": draft_id})
        return dumps(render.draft_value(params.project_id, known))
    present = project.graph.scope_of["node"]
    missing = (
        Issue(f"/nodeIds/{place}", "there is no such node in the current version")
        for place, node_id in enumerate(draft.node_ids)
        if node_id not in present
    )
    if issues := list(islice(missing, MAX_FAULTS)):
        raise InvalidParamsError(issues)
    kept = drafts.insert(unit.tx, draft)
    draft_changed(ctx, unit, params.project_id, kept)
    return dumps(render.draft_value(params.project_id, kept))


def list_drafts(ctx: Context, tx: Transaction, params: ProjectParams) -> bytes:
    """List a project's drafts, newest first."""
    project = opened(ctx, tx, params.project_id)
    rows = drafts.page(tx, project.row.project_key, limit=1 << 31)
    return dumps({"items": [render.draft_value(params.project_id, row) for row in rows]})


def discard_draft(ctx: Context, unit: Unit, params: DraftParams) -> bytes:
    """Give up a draft that was not applied; a discarded one is answered as it is."""
    draft, project = _draft(unit.tx, params.draft_id)
    if draft.status == "applied":
        raise RequestFailedError(
            "draft-state",
            "The draft was applied already.",
            _state_of(project.project_id, draft),
        )
    if draft.status != "discarded":
        draft = evolve(draft, status="discarded", stale_reason=None)
        drafts.set_status(unit.tx, draft)
        draft_changed(ctx, unit, project.project_id, draft)
    return dumps(render.draft_value(project.project_id, draft))


def apply_draft(ctx: Context, unit: Unit, raw: dict[str, Any]) -> bytes:
    """Apply a draft's payloads in order, one version each, in one transaction or none."""
    try:
        params = decode(ctx.converter, raw, ApplyDraftParams)
        require_action_id(params.action_id)
    except InvalidParamsError as error:
        return refused_answer(ctx, unit.tx, _salvaged(unit.tx, raw), invalid(error))
    command = Command(
        method="applyDraft",
        project_id=None,
        action_id=params.action_id,
        expected_revision_id=params.expected_revision_id,
        actor=params.actor,
        run_id=params.run_id,
        projection=params.projection,
        content_hash=content_hash({"draftId": params.draft_id}),
    )
    try:
        draft, project = _draft(unit.tx, params.draft_id)
    except RequestFailedError as error:
        refusal = RefusedError("rejected", error.code, error.message, error.details or {})
        return refused_answer(ctx, unit.tx, command, refusal)
    command = evolve(command, project_id=project.project_id)
    return serve(ctx, unit, command, lambda scene: _apply(scene, draft))


def apply_failed(ctx: Context, raw: dict[str, Any], error: StorageError) -> bytes:
    """Answer applyDraft where the file refused the transaction."""
    try:
        with ctx.database.read() as tx:
            command = _salvaged(tx, raw)
    except StorageError:
        command = salvaged("applyDraft", raw)
    return storage_answer(ctx, command, error)


def _apply(scene: Scene, draft: DraftRow) -> Landed:
    _check_open(scene, draft)
    first = scene.project.revision
    workspace = scene.workspace()
    outcomes = [
        (payload, _execute(scene, workspace, payload, index))
        for index, payload in enumerate(_payloads(scene.ctx, draft.payloads))
    ]
    changing = [(payload, outcome) for payload, outcome in outcomes if outcome.changed]
    net = workspace.changes()
    # Applied from here on: what it removes itself does not make it stale.
    applied = evolve(draft, status="applied")
    drafts.set_status(scene.tx, applied)
    # Each version is written with the graph as it is then, so that all that follows from it fits.
    workspace.rollback()
    for number, (payload, outcome) in enumerate(changing, start=1):
        for change in outcome.changes:
            workspace.apply(change)
        label = label_of(payload, outcome.changes, scene.project.graph)
        write_version(
            scene,
            Carried(
                changes=outcome.changes,
                effects=outcome.effects,
                kind=_KIND_OF[type(payload)],
                label=f"{draft.title}: {label}"[:MAX_LABEL],
                extends_step=number > 1,
            ),
            action_id=f"{scene.command.action_id}/{number}",
        )
    draft_changed(scene.ctx, scene.unit, scene.project.row.project_id, applied)
    effects = folded_effects(net, [outcome.effects for _, outcome in outcomes])
    return Landed(
        status="applied",
        revision_id=scene.project.revision.revision_id,
        changed=scene.project.revision.number != first.number,
        effects=render.sparse_effects(effects),
    )


def _execute(scene: Scene, workspace: Workspace, payload: Payload, index: int) -> Outcome:
    try:
        return execute(
            scene.project.graph,
            payload,
            scene.ports(),
            scene.command.actor,
            workspace=workspace,
        )
    except RejectedError as error:
        error.details["payloadIndex"] = index
        error.stand_below(f"/payloads/{index}")
        raise


def _check_open(scene: Scene, draft: DraftRow) -> None:
    if draft.status != "open":
        details = _state_of(scene.project.row.project_id, draft)
        raise RefusedError("rejected", "draft-state", f"The draft is {draft.status}.", details)


def _state_of(project_id: str, draft: DraftRow) -> dict[str, Any]:
    """Return how a draft stands, for an error: without what people wrote."""
    value = render.draft_value(project_id, draft)
    written = ("title", "payloads")
    return {"draft": {name: one for name, one in value.items() if name not in written}}


def _draft(tx: Transaction, draft_id: str) -> tuple[DraftRow, ProjectRow]:
    draft = drafts.find(tx, draft_id)
    project = None if draft is None else projects.find_by_key(tx, draft.project_key)
    if draft is None or project is None:
        raise RequestFailedError("unknown-draft", "There is no such draft.", {"draftId": draft_id})
    return draft, project


def _salvaged(tx: Transaction, raw: dict[str, Any]) -> Command:
    """Return what can be read of a request, and the project that its draft belongs to."""
    command, draft_id = salvaged("applyDraft", raw), raw.get("draftId")
    try:
        _, project = _draft(tx, draft_id if isinstance(draft_id, str) else "")
    except RequestFailedError:
        return evolve(command, project_id=None)
    return evolve(command, project_id=project.project_id)


def _check_payloads(ctx: Context, payloads: tuple[dict[str, Any], ...]) -> None:
    if not 1 <= len(payloads) <= MAX_PAYLOADS:
        raise InvalidParamsError([Issue("/payloads", f"expected 1 to {MAX_PAYLOADS}")])
    _payloads(ctx, payloads, refused=REFUSED_KINDS)


def _payloads(
    ctx: Context, payloads: tuple[dict[str, Any], ...], *, refused: tuple[str, ...] = ()
) -> list[Payload]:
    read: list[Payload] = []
    issues: list[Issue] = []
    for index, payload in enumerate(payloads):
        if len(issues) >= MAX_FAULTS:
            break
        at = f"/payloads/{index}"
        if payload.get("kind") in refused:
            issues.append(Issue(f"{at}/kind", f"{payload['kind']} may not stand in a draft"))
            continue
        try:
            read.append(cast("Payload", decode(ctx.converter, payload, cast("Any", Payload))))
        except InvalidParamsError as error:
            issues += [Issue(at + issue.path, issue.message) for issue in error.issues]
    if issues:
        raise InvalidParamsError(issues[:MAX_FAULTS])
    return read


def _same(known: DraftRow, draft: DraftRow) -> bool:
    facts = ("project_key", "title", "node_ids")
    return all(getattr(known, name) == getattr(draft, name) for name in facts) and identical(
        known.payloads, draft.payloads
    )


_KIND_OF: dict[type, str] = {cl: kind for kind, cl in PAYLOAD_KINDS.items()}
