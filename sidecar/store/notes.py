"""What is written about a project beside its graph, looked at as a whole.

It is asked for at every start, so nothing that only reading single rows needs is loaded here.
Every function runs inside a transaction its caller opened.
"""

from typing import Final

from sidecar.store.database import Transaction

_OPEN_DRAFTS: Final = "SELECT draft_id FROM drafts WHERE status = 'open' ORDER BY draft_key"
_NEWEST_DRAFT: Final = "SELECT coalesce(max(draft_key), 0) FROM drafts"
_EXPLANATIONS: Final = (
    "SELECT project_key, explanation_key, octet_length(text) FROM explanations"
    " ORDER BY explanation_key"
)
# The texts themselves, which may be long, are not read: another one has another key.
_STATES: Final = (
    "SELECT explanation_key, revision, state FROM explanation_states"
    " ORDER BY explanation_key, revision"
)


def open_drafts(tx: Transaction) -> list[str]:
    """Return the ids of the open drafts of all projects, oldest first."""
    return [draft_id for (draft_id,) in tx.execute(_OPEN_DRAFTS)]


def newest_draft(tx: Transaction) -> int:
    """Return the key of the draft that was made last in any project, 0 without one."""
    return int(tx.execute(_NEWEST_DRAFT).get)


def explained(tx: Transaction) -> dict[int, int]:
    """Return, by project, a number that is another one where an explanation or its state is.

    It holds for this process alone.
    """
    found: dict[int, int] = {}
    projects: dict[int, int] = {}
    for project_key, *row in tx.execute(_EXPLANATIONS):
        projects[row[0]] = project_key
        found[project_key] = hash((found.get(project_key), *row))
    for row in tx.execute(_STATES):
        project_key = projects[row[0]]
        found[project_key] = hash((found[project_key], *row))
    return found
