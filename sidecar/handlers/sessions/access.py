"""Sessions opened for reading and for writing; the end of every write.

Memory follows the file in both directions: an edit is taken back with its unit, and kept when the
transaction is in the file.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from attrs import frozen
from msgspec import Raw

from protocol.errors import RequestFailedError
from protocol.json_text import dumps
from sidecar.core.conversation.session_edit import SessionEdit
from sidecar.core.conversation.things import Change
from sidecar.core.conversation.values import Command, JsonObject
from sidecar.handlers.announcements import announce
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.changes import changes_of
from sidecar.handlers.unit import Unit
from sidecar.store import projects
from sidecar.store.database import Transaction
from sidecar.store.projects import ProjectRow
from sidecar.store.sessions import prompts, rows, texts, writing
from sidecar.store.sessions.cache import OpenSession
from sidecar.store.sessions.rows import SessionRow

MAX_CHANGES: Final = 256 * 1024
"""Bytes of changes that a notification carries; beyond, the host fetches them."""


@frozen
class Edited:
    """A session and the edit of one request, which lasts until the transaction is in the file."""

    opened: OpenSession
    edit: SessionEdit
    project: ProjectRow

    @property
    def key(self) -> int:
        return self.opened.key


@frozen
class Write:
    """What a write is: its cause, whether the transcript grew or changed, its new commands."""

    cause: str
    transcript: bool = True
    new: Sequence[Command] = ()


@frozen
class Finished:
    """A write as it is answered: the session's row now, and the changes as JSON text."""

    row: SessionRow
    changes: bytes


def opened(ctx: Context, tx: Transaction, session_id: str) -> OpenSession:
    """Return a session, or raise ``unknown-session`` or ``session-damaged``."""
    found = ctx.sessions.open(tx, session_id)
    if found is None:
        raise unknown_session(session_id)
    return found


def unknown_session(session_id: str) -> RequestFailedError:
    return RequestFailedError(
        "unknown-session", "There is no such session.", {"sessionId": session_id}
    )


def project_of(tx: Transaction, row: SessionRow) -> ProjectRow:
    """Return the project that a session belongs to."""
    found = projects.find_by_key(tx, row.project_key)
    assert found is not None
    return found


def editing(ctx: Context, unit: Unit, session_id: str) -> Edited:
    """Begin the edit of a session that is taken back if the unit is."""
    found = opened(ctx, unit.tx, session_id)
    ctx.watch.sessions.catch_up(found.row)
    edit = found.graph.edit()
    unit.on_rollback.append(edit.rollback)
    return Edited(found, edit, project_of(unit.tx, found.row))


def finish(ctx: Context, unit: Unit, edited: Edited, write: Write) -> Finished:
    """Write an edit as the session's next revision and announce it."""
    row_before = edited.opened.row
    edited.edit.set_fields({"revision": row_before.revision + 1})
    changes = edited.edit.changes()
    about = writing.About(
        project_id=edited.project.project_id,
        revision=row_before.revision + 1,
        cause=write.cause,
        owner=_owner(ctx, edited),
        transcript=write.transcript,
        new=write.new,
    )
    _note_run(unit.tx, edited)
    mend_texts(ctx, unit)
    row = _save(unit, edited, changes, about)
    ctx.watch.sessions.told(unit, row)
    text = dumps(changes_of(changes))
    session_changed(ctx, unit, edited, write.cause, text)
    return Finished(row, text)


def mend_texts(ctx: Context, unit: Unit) -> None:
    """Have the search index made anew where a search found it damaged."""
    if ctx.sessions.texts_damaged:
        texts.mark_damaged(unit.tx)
        unit.on_commit.append(partial(setattr, ctx.sessions, "texts_damaged", False))


def note(ctx: Context, unit: Unit, edited: Edited) -> None:
    """Write what no host can see: neither a revision nor a notification comes of it."""
    row = edited.opened.row
    about = writing.About(
        project_id=edited.project.project_id,
        revision=row.revision,
        cause=row.cause,
        owner=row.owner,
        transcript=False,
    )
    written = _save(unit, edited, [], about)
    ctx.watch.sessions.told(unit, written)


def session_changed(ctx: Context, unit: Unit, edited: Edited, cause: str, changes: bytes) -> None:
    """Announce how a session was written."""
    row = edited.opened.row
    announce(
        ctx,
        unit,
        "sessionChanged",
        change_of(
            row, edited.project, cause, Raw(changes) if len(changes) <= MAX_CHANGES else None
        ),
    )


def change_of(
    row: SessionRow, project: ProjectRow, cause: str, changes: Raw | None
) -> dict[str, Any]:
    """Return the params of sessionChanged."""
    return {
        "sessionId": row.session_id,
        "projectId": project.project_id,
        "revision": row.revision,
        "cause": cause,
        "changes": changes,
        "origin": "self",
    }


def owner_text(ctx: Context) -> str:
    """Return what tells this process as the owner of a run."""
    return dumps(ctx.owners.current()).decode()


def is_at_work(fields: JsonObject) -> bool:
    """Whether a session waits for a process: it would be interrupted if that one were gone."""
    return bool(fields.get("activeRun")) or fields["status"] == "running"


def _save(
    unit: Unit, edited: Edited, changes: Sequence[Change], about: writing.About
) -> SessionRow:
    opened_, edit = edited.opened, edited.edit
    before = opened_.row
    unit.on_rollback.append(partial(setattr, opened_, "row", before))
    row = writing.save(unit.tx, opened_, edit, changes, about)
    opened_.row = row
    unit.on_commit.append(edit.commit)
    unit.is_recorded = lambda tx: rows.has_token(tx, row.session_key, row.token)
    return row


def _owner(ctx: Context, edited: Edited) -> str | None:
    """The process of the run: the one that started it; none where no run is at work."""
    fields = edited.opened.graph.fields
    if not is_at_work(fields):
        return None
    before, after = edited.edit.changed_fields().get("activeRun", (None, None))
    if edited.opened.row.owner is None or before != after:
        return owner_text(ctx)
    return edited.opened.row.owner


def _note_run(tx: Transaction, edited: Edited) -> None:
    """Keep the graph's version where a run of a prompt began, and where one ended."""
    changed = edited.edit.changed_fields().get("activeRun")
    if changed is None:
        return
    revision_id = edited.project.current_revision_id
    before, after = changed
    if isinstance(before, dict):
        prompts.ended(tx, edited.key, before["promptMessageId"], revision_id)
    if isinstance(after, dict):
        prompts.began(tx, edited.key, after["promptMessageId"], revision_id)
