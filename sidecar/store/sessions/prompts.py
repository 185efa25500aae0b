"""At which version of the graph a prompt's first run began and its last one ended.

Every function runs inside a transaction its caller opened.
"""

from attrs import frozen

from sidecar.store.database import Transaction


@frozen
class PromptRevisions:
    """Versions by id; they may have been pruned since.  ``start`` is None where it is not known."""

    start: str | None
    end: str | None


def find(tx: Transaction, session_key: int, message_id: str) -> PromptRevisions | None:
    """Return a prompt's versions, None where no run of it ever began or ended here."""
    row = tx.execute(
        "SELECT start_revision_id, end_revision_id FROM prompt_revisions"
        " WHERE session_key = ? AND message_id = ?",
        (session_key, message_id),
    ).get
    return None if row is None else PromptRevisions(*row)


def began(tx: Transaction, session_key: int, message_id: str, revision_id: str) -> None:
    """Note that a run of a prompt begins; the first one counts."""
    tx.execute(
        "INSERT INTO prompt_revisions VALUES (?, ?, ?, NULL) ON CONFLICT DO NOTHING",
        (session_key, message_id, revision_id),
    )


def ended(tx: Transaction, session_key: int, message_id: str, revision_id: str) -> None:
    """Note that a run of a prompt ended; the last one counts.

    The run of an imported session began elsewhere: then no beginning is known.
    """
    tx.execute(
        "INSERT INTO prompt_revisions VALUES (?, ?, NULL, ?) ON CONFLICT (session_key, message_id)"
        " DO UPDATE SET end_revision_id = excluded.end_revision_id",
        (session_key, message_id, revision_id),
    )
