"""Draft rows.  Every function runs inside a transaction its caller opened."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from attrs import evolve, frozen

from protocol.json_text import dumps, loads
from sidecar.store.database import Transaction
from sidecar.store.deltas import packed, unpacked

Status = Literal["open", "stale", "applied", "discarded"]

_SELECT: Final = (
    "SELECT draft_key, draft_id, project_key, title, node_ids, document_id, base_revision,"
    " base_revision_id, payloads, status, stale_reason, created_at FROM drafts"
)
_BY_ID: Final = _SELECT + " WHERE draft_id = ?"
_SINCE: Final = _SELECT + " WHERE draft_key > ? ORDER BY draft_key"
_OPEN: Final = _SELECT + " WHERE project_key = ? AND status = 'open' ORDER BY draft_key"
_PAGE: Final = _SELECT + " WHERE project_key = ? AND draft_key < ? ORDER BY draft_key DESC LIMIT ?"


@frozen(kw_only=True)
class DraftRow:
    """Payloads kept for later.  ``payloads`` are JSON objects as they were sent."""

    draft_key: int = 0
    draft_id: str
    project_key: int
    title: str
    node_ids: tuple[str, ...]
    document_id: str | None
    base_revision: int
    base_revision_id: str
    payloads: tuple[dict[str, Any], ...]
    status: Status = "open"
    stale_reason: Literal["document-changed", "node-gone"] | None = None
    created_at: int


def find(tx: Transaction, draft_id: str) -> DraftRow | None:
    """Return a draft, or None."""
    row = tx.execute(_BY_ID, (draft_id,)).get
    return None if row is None else _draft(row)


def all_open(tx: Transaction, project_key: int) -> list[DraftRow]:
    """Return a project's open drafts, oldest first."""
    return [_draft(row) for row in tx.execute(_OPEN, (project_key,)).fetchall()]


def page(
    tx: Transaction, project_key: int, *, before: int | None = None, limit: int = 50
) -> list[DraftRow]:
    """Return a project's drafts, newest first, from below the key ``before``."""
    start = 1 << 62 if before is None else before
    return [_draft(row) for row in tx.execute(_PAGE, (project_key, start, limit)).fetchall()]


def since(tx: Transaction, key: int) -> list[DraftRow]:
    """Return the drafts of all projects that were made after one, oldest first."""
    return [_draft(row) for row in tx.execute(_SINCE, (key,)).fetchall()]


def insert(tx: Transaction, draft: DraftRow) -> DraftRow:
    """Add a draft; return it with its key."""
    tx.execute(
        "INSERT INTO drafts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            draft.draft_id,
            draft.project_key,
            draft.title,
            dumps(draft.node_ids),
            draft.document_id,
            draft.base_revision,
            draft.base_revision_id,
            packed(dumps(draft.payloads)),
            draft.status,
            draft.stale_reason,
            draft.created_at,
        ),
    )
    return evolve(draft, draft_key=tx.last_insert_rowid())


def set_status(tx: Transaction, draft: DraftRow) -> None:
    """Write what may change of a draft: its status and why it is stale."""
    tx.execute(
        "UPDATE drafts SET status = ?, stale_reason = ? WHERE draft_key = ?",
        (draft.status, draft.stale_reason, draft.draft_key),
    )


def _draft(row: Sequence[Any]) -> DraftRow:
    members = dict(zip(DraftRow.__annotations__, row, strict=True))
    members["node_ids"] = tuple(loads(members["node_ids"]))
    members["payloads"] = tuple(loads(unpacked(members["payloads"])))
    return DraftRow(**members)
