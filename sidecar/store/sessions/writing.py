"""Writing sessions: a new one whole, a known one by what an edit touched.

Every function runs inside a transaction its caller opened.
"""

import secrets
from collections.abc import Sequence

from attrs import evolve, frozen

from protocol.json_text import dumps
from sidecar.core.conversation.apply import KNOWN_COMMANDS
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.session_edit import SessionEdit
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.things import Change
from sidecar.core.conversation.values import Command
from sidecar.store.database import Transaction
from sidecar.store.projects import ProjectRow
from sidecar.store.sessions import bodies, commands, rows, staging, texts, things
from sidecar.store.sessions.cache import OpenSession
from sidecar.store.sessions.damage import checksum_of
from sidecar.store.sessions.rows import SessionRow, Written
from sidecar.store.sessions.summaries import is_archived, summary_of, title_of


@frozen(kw_only=True)
class About:
    """What a write is beside the edit.

    ``transcript`` tells whether the session moves to the top of lists, ``owner`` is the JSON text
    of the process of the active run, ``new`` are commands acknowledged for the first time.
    """

    project_id: str
    revision: int
    cause: str
    owner: str | None
    transcript: bool = True
    new: Sequence[Command] = ()


@frozen(kw_only=True)
class NewSession:
    """A session to be written whole.  ``created_hash`` tells a repeated creation.

    ``staged_key`` is the key that its things were written under already, piece by piece.
    """

    project: ProjectRow
    session: SessionGraph
    revision: int
    owner: str | None
    created_hash: bytes | None = None
    staged_key: int = 0


def insert(tx: Transaction, new: NewSession) -> SessionRow:
    """Write a session whose id is free."""
    session, time = new.session, rows.tick(tx)
    row = rows.insert(
        tx,
        SessionRow(
            session_key=new.staged_key,
            session_id=session.id,
            project_key=new.project.project_key,
            revision=new.revision,
            transcript_time=time,
            change_time=time,
            token=_token(),
            cause="created",
            title=title_of(session.fields),
            archived=is_archived(session.fields),
            listed_commands=min(len(session.command_ids), KNOWN_COMMANDS),
            created_hash=new.created_hash,
            owner=new.owner,
            summary=dumps(summary_of(session, new.project.project_id, new.revision)),
        ),
        _written(session),
    )
    commands.add_imported(tx, row.session_key, session.command_ids)
    if new.staged_key:
        staging.end(tx, new.staged_key)
    else:
        things.insert(tx, things.rows_of(row.session_key, session))
    texts.repair(tx)
    return row


def save(
    tx: Transaction,
    opened: OpenSession,
    edit: SessionEdit,
    changes: Sequence[Change],
    about: About,
) -> SessionRow:
    """Write what an edit touched; return the row, which the caller puts in ``opened``."""
    session, time = edit.session, rows.tick(tx)
    for change in changes:
        if change.kind is not Kind.SESSION:
            things.write(tx, opened.key, change)
    texts.repair(tx)
    commands.add(tx, opened.key, about.new)
    row = evolve(
        opened.row,
        revision=about.revision,
        transcript_time=time if about.transcript else opened.row.transcript_time,
        change_time=time,
        token=_token(),
        cause=about.cause,
        title=title_of(session.fields),
        archived=is_archived(session.fields),
        listed_commands=len(session.command_ids),
        owner=about.owner,
        summary=dumps(summary_of(session, about.project_id, about.revision)),
    )
    rows.update(tx, row, _written(session))
    return row


def delete(tx: Transaction, row: SessionRow) -> None:
    """Remove all of a session."""
    key = row.session_key
    things.delete_all(tx, key)
    tx.execute("DELETE FROM session_commands WHERE session_key = ?", (key,))
    tx.execute("DELETE FROM prompt_revisions WHERE session_key = ?", (key,))
    tx.execute("DELETE FROM sessions WHERE session_key = ?", (key,))
    # Time goes on, so that a watching process asks what is there no more.
    rows.tick(tx)


def _written(session: SessionGraph) -> Written:
    head = session.head
    text = dumps([bodies.undeferred(head.fields), head.projected, head.borrowed])
    return Written(text, checksum_of(text), head.runs)


def _token() -> int:
    return secrets.randbits(62)
