"""The current version's things, one row each.  Runs inside a transaction its caller opened.

A row's key is its list and its rank, so a list is read in order without sorting.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

import apsw

from sidecar.core.values import value
from sidecar.store.database import Transaction
from sidecar.store.faults import damaged
from sidecar.store.kinds import KINDS, ROOT_SCOPE
from sidecar.store.tables import MAX_RANK, RANK_BITS

ListName: TypeAlias = tuple[str | None, int]
"""Scope and kind code."""

_LISTS: Final = "SELECT scope, kind, list_key FROM graph_lists WHERE project_key = ?"
_LIST: Final = "SELECT list_key FROM graph_lists WHERE project_key = ? AND scope = ? AND kind = ?"
_RANGE: Final = " FROM graph_records WHERE record_key BETWEEN ? AND ?"


@value
class Place:
    """Where a thing stands: what leads to its row."""

    kind: int
    scope: str | None
    rank: int


class Lists:
    """The keys of a project's lists, looked up once in a piece of work.

    Not kept longer: a list made in a transaction is gone with it.
    """

    __slots__ = ("_keys", "_project_key", "_tx")

    def __init__(self, tx: Transaction, project_key: int) -> None:
        self._tx = tx
        self._project_key = project_key
        self._keys: dict[ListName, int] = {}

    def find(self, scope: str | None, kind: int) -> int | None:
        """Return a list's key, None where the list never held anything."""
        name = (scope, kind)
        found = self._keys.get(name)
        if found is None:
            row = (self._project_key, scope or ROOT_SCOPE, kind)
            found = self._tx.execute(_LIST, row).get
            if found is not None:
                self._keys[name] = found
        return found

    def make(self, scope: str | None, kind: int) -> int:
        """Return a list's key, made where it is missing."""
        found = self.find(scope, kind)
        if found is None:
            self._tx.execute(
                "INSERT INTO graph_lists (project_key, scope, kind) VALUES (?, ?, ?)",
                (self._project_key, scope or ROOT_SCOPE, kind),
            )
            found = self._keys[(scope, kind)] = self._tx.last_insert_rowid()
        return found

    def record_key(self, place: Place) -> int | None:
        """Return the key of the row at a place, None where there can be none."""
        list_key = self.find(place.scope, place.kind)
        return None if list_key is None else (list_key << RANK_BITS) + place.rank


def read_text(tx: Transaction, lists: Lists, place: Place, id_: str | None) -> bytes:
    """Return the text of a thing that is there; anything else there is ``storage-corrupt``."""
    key = lists.record_key(place)
    row = tx.execute("SELECT id, json FROM graph_records WHERE record_key = ?", (key,)).get
    if row is None or row[0] != id_:
        raise damaged("record", kind=KINDS[place.kind])
    return bytes(row[1])


def insert(tx: Transaction, lists: Lists, place: Place, id_: str | None, text: bytes) -> None:
    """Add a thing at a place that is free."""
    assert 0 <= place.rank <= MAX_RANK
    key = (lists.make(place.scope, place.kind) << RANK_BITS) + place.rank
    tx.execute("INSERT INTO graph_records VALUES (?, ?, ?)", (key, id_, text))


def replace(tx: Transaction, lists: Lists, place: Place, text: bytes) -> None:
    """Put another text in the row of a thing that stays where it is."""
    tx.execute(
        "UPDATE graph_records SET json = ? WHERE record_key = ?", (text, lists.record_key(place))
    )


def delete(tx: Transaction, lists: Lists, place: Place) -> None:
    """Remove the thing at a place."""
    tx.execute("DELETE FROM graph_records WHERE record_key = ?", (lists.record_key(place),))


def list_names(tx: Transaction, project_key: int) -> dict[ListName, int]:
    """Return the keys of all lists of a project."""
    return {(scope or None, kind): key for scope, kind, key in tx.execute(_LISTS, (project_key,))}


def texts(tx: Transaction, list_key: int) -> list[bytes]:
    """Return a list's texts in order."""
    rows: Iterable[tuple[bytes]] = tx.execute("SELECT json" + _RANGE, _range(list_key))
    return [text for (text,) in rows]


def rows(tx: Transaction, list_key: int) -> apsw.Cursor:
    """Return a list's rows in order: key (its rank in the low bits), id, text."""
    return tx.execute("SELECT record_key, id, json" + _RANGE, _range(list_key))


def before(tx: Transaction, list_key: int, rank: int) -> apsw.Cursor:
    """Return key and id of the rows right before a rank, nearest first."""
    low = list_key << RANK_BITS
    return tx.execute(
        "SELECT record_key, id FROM graph_records"
        " WHERE record_key >= ? AND record_key < ? ORDER BY record_key DESC",
        (low, low + rank),
    )


def ids(tx: Transaction, list_key: int) -> apsw.Cursor:
    """Return key and id of a list's rows in order."""
    return tx.execute("SELECT record_key, id" + _RANGE, _range(list_key))


def delete_all(tx: Transaction, project_key: int) -> None:
    """Remove all things and lists of a project."""
    for list_key in list_names(tx, project_key).values():
        tx.execute("DELETE FROM graph_records WHERE record_key BETWEEN ? AND ?", _range(list_key))
    tx.execute("DELETE FROM graph_lists WHERE project_key = ?", (project_key,))


def _range(list_key: int) -> tuple[int, int]:
    low = list_key << RANK_BITS
    return low, low + MAX_RANK
