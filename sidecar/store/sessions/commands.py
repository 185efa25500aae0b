"""Acknowledged commands: ids in their order, each with a digest of what it asked for.

They are kept for the session's life.  Imported ones have no digest.  Every function runs inside a
transaction its caller opened.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

from protocol.json_text import canonical
from sidecar.core.conversation.replays import command_content
from sidecar.core.conversation.values import Command
from sidecar.store.database import Transaction

DIGEST_BYTES = 16


def digest_of(command: Command) -> bytes:
    """Return what a repeated command is told by: the head of a SHA-256 over canonical JSON."""
    content = canonical(_by_value(command_content(command)))
    return hashlib.sha256(content).digest()[:DIGEST_BYTES]


def _by_value(value: Any) -> Any:
    """Return a value in which equal numbers are written alike: 1.0 is 1 in session JSON."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _by_value(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_by_value(member) for member in value]
    return value


def recorded(tx: Transaction, session_key: int, command: Command) -> bool | None:
    """Whether a command is on record: True with this content, False with another one.

    None where its id is not on record, or came by import and only its id is known.
    """
    found = tx.execute(
        "SELECT digest FROM session_commands WHERE session_key = ? AND command_id = ?"
        " AND digest IS NOT NULL",
        (session_key, command["id"]),
    ).get
    return None if found is None else found == digest_of(command)


def listed(tx: Transaction, session_key: int, count: int) -> list[str]:
    """Return the newest ids, oldest first: the session's own list of them."""
    found = tx.execute(
        "SELECT command_id FROM session_commands WHERE session_key = ?"
        " ORDER BY position DESC LIMIT ?",
        (session_key, count),
    )
    return [command_id for (command_id,) in found][::-1]


def add_imported(tx: Transaction, session_key: int, command_ids: Iterable[str]) -> None:
    """Record the ids that a session came with."""
    rows = enumerate(command_ids, start=1)
    tx.executemany(
        "INSERT INTO session_commands VALUES (?, ?, ?, NULL)",
        ((session_key, position, command_id) for position, command_id in rows),
    )


def add(tx: Transaction, session_key: int, commands: Iterable[Command]) -> None:
    """Record commands that were acknowledged for the first time."""
    newest = tx.execute(
        "SELECT max(position) FROM session_commands WHERE session_key = ?", (session_key,)
    ).get
    for position, command in enumerate(commands, start=(newest or 0) + 1):
        tx.execute(
            "INSERT INTO session_commands VALUES (?, ?, ?, ?)",
            (session_key, position, command["id"], digest_of(command)),
        )


def is_known(tx: Transaction, session_key: int, command_id: str) -> bool:
    """Whether a command of this id was ever acknowledged."""
    found = tx.execute(
        "SELECT 1 FROM session_commands WHERE session_key = ? AND command_id = ?",
        (session_key, command_id),
    ).get
    return found is not None
