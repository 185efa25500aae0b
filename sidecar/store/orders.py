"""What stands right before a thing in its list, in any version, without reading the list.

Every function runs inside a transaction its caller opened.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

from sidecar.core.changes import SINGLE
from sidecar.store import records
from sidecar.store.database import Transaction
from sidecar.store.deltas import ChangeText, Key
from sidecar.store.kinds import CODES
from sidecar.store.projects import ProjectRow
from sidecar.store.records import ListName
from sidecar.store.tables import MAX_RANK
from sidecar.store.walks import Difference, Standing

Previous: TypeAlias = dict[Key, str | None]
"""For each thing that appears or moves: the id right before it, None for the first."""

READ_ALL_FROM: Final = 2_000
"""Rows that looking one by one may cost, from which on the list is read once instead."""


def previous_ids(tx: Transaction, project: ProjectRow, difference: Difference) -> Previous:
    """Return what stands before each thing that appears or moves, in the version that results."""
    keys = records.list_names(tx, project.project_key)
    things: dict[ListName, dict[str | None, Standing]] = {}
    for (kind, scope, id_), standing in difference.things.items():
        things.setdefault((scope, kind), {})[id_] = standing
    found: Previous = {}
    for name, moved in _moved(difference.changes).items():
        here = things.get(name, {})
        look = _read if len(moved) * (len(here) + 1) > READ_ALL_FROM else _look
        scope, kind = name
        for id_, previous in look(tx, keys.get(name), moved, here):
            found[(kind, scope, id_)] = previous
    return found


def _moved(changes: Iterable[ChangeText]) -> dict[ListName, list[ChangeText]]:
    lists: dict[ListName, list[ChangeText]] = {}
    for change in changes:
        if change.moved and change.kind not in SINGLE:
            lists.setdefault((change.scope, CODES[change.kind]), []).append(change)
    return lists


def _look(
    tx: Transaction,
    list_key: int | None,
    moved: list[ChangeText],
    things: dict[str | None, Standing],
) -> Iterable[tuple[str | None, str | None]]:
    """Look back from each thing over the rows that were touched since."""
    for change in moved:
        yield change.id, _before(tx, list_key, change.after_rank, things)


def _before(
    tx: Transaction, list_key: int | None, rank: int, things: dict[str | None, Standing]
) -> str | None:
    best: tuple[int, str | None] = (-1, None)
    for id_, (text, at) in things.items():
        if text is not None and best[0] < at < rank:
            best = (at, id_)
    if list_key is None:
        return best[1]
    cursor = records.before(tx, list_key, rank)
    try:
        for key, id_ in cursor:
            if id_ not in things:
                return best[1] if best[0] > key & MAX_RANK else id_
    finally:
        cursor.close()
    return best[1]


def _read(
    tx: Transaction,
    list_key: int | None,
    moved: list[ChangeText],
    things: dict[str | None, Standing],
) -> Iterable[tuple[str | None, str | None]]:
    """Put the whole list in order once."""
    rows = [] if list_key is None else list(records.ids(tx, list_key))
    order = [(key & MAX_RANK, id_) for key, id_ in rows if id_ not in things]
    order += [(rank, id_) for id_, (text, rank) in things.items() if text is not None]
    order.sort(key=lambda thing: thing[0])
    wanted = {change.id for change in moved}
    previous = None
    for _, id_ in order:
        if id_ in wanted:
            yield id_, previous
        previous = id_
