"""What is written about a project beside its graph, looked at as a whole.

It is asked for at every start, so nothing that only reading single rows needs is loaded here.
Every function runs inside a transaction its caller opened.
"""

from typing import Final

from sidecar.store.database import Transaction

_OPEN_DRAFTS: Final = "SELECT draft_id FROM drafts WHERE status = 'open' ORDER BY draft_key"
_EXPLANATIONS: Final = (
    "SELECT project_key, explanation_key, explanation_id, subject_kind, subject_id, text, author,"
    " created_revision_id, current_digest FROM explanations ORDER BY explanation_key"
)


def open_drafts(tx: Transaction) -> list[str]:
    """Return the ids of the open drafts of all projects, oldest first."""
    return [draft_id for (draft_id,) in tx.execute(_OPEN_DRAFTS)]


def explained(tx: Transaction) -> dict[int, int]:
    """Return, by project, a number that is another one where an explanation or its state is.

    It holds for this process alone.
    """
    found: dict[int, int] = {}
    for key, *row in tx.execute(_EXPLANATIONS):
        found[key] = hash((found.get(key), *row))
    return found
