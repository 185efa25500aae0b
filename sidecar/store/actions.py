"""Actions that were applied, kept as long as their project.  Runs in its caller's transaction."""

from typing import Any

from protocol.json_text import dumps, loads
from sidecar.core.values import value
from sidecar.store.database import Transaction
from sidecar.store.deltas import packed, unpacked


@value
class AppliedAction:
    """What an action did when it was applied.

    ``payload_hash`` is 16 bytes of what was asked; ``revision_id`` the version it led to (the
    current one where it changed nothing); ``effects`` the JSON object it reported, None where it
    was empty.
    """

    action_id: str
    method: str
    payload_hash: bytes
    revision: int
    revision_id: str
    changed: bool
    effects: Any = None


def find(tx: Transaction, project_key: int, action_id: str) -> AppliedAction | None:
    """Return an applied action, or None."""
    row = tx.execute(
        "SELECT method, payload_hash, revision, revision_id, changed, effects"
        " FROM applied_commands WHERE project_key = ? AND action_id = ?",
        (project_key, action_id),
    ).get
    if row is None:
        return None
    method, payload_hash, revision, revision_id, changed, effects = row
    kept = None if effects is None else loads(unpacked(effects))
    return AppliedAction(
        action_id, method, payload_hash, revision, revision_id, bool(changed), kept
    )


def is_recorded(tx: Transaction, project_key: int, action_id: str) -> bool:
    """Whether an action was applied."""
    found = tx.execute(
        "SELECT 1 FROM applied_commands WHERE project_key = ? AND action_id = ?",
        (project_key, action_id),
    ).get
    return found is not None


def insert(tx: Transaction, project_key: int, action: AppliedAction) -> None:
    """Record an action that is applied by this transaction."""
    tx.execute(
        "INSERT INTO applied_commands VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            project_key,
            action.action_id,
            action.method,
            action.payload_hash,
            action.revision,
            action.revision_id,
            int(action.changed),
            None if action.effects is None else packed(dumps(action.effects)),
        ),
    )
