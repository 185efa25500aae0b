"""Ids that were used by things or versions that are gone.  Runs in its caller's transaction."""

from collections.abc import Iterable

from sidecar.store.database import Transaction


def is_retired(tx: Transaction, project_key: int, kind: str, id_: str) -> bool:
    """Whether a thing of a kind (or ``revision``) that is gone had this id."""
    found = tx.execute(
        "SELECT 1 FROM used_ids WHERE project_key = ? AND kind = ? AND id = ?",
        (project_key, kind, id_),
    ).get
    return found is not None


def retire(tx: Transaction, project_key: int, kind: str, ids: Iterable[str]) -> None:
    """Remember ids for good."""
    for id_ in ids:
        tx.execute(
            "INSERT INTO used_ids VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (project_key, kind, id_),
        )
