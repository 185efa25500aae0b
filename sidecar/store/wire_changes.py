"""Changes as the JSON that answers and notifications carry, spliced from stored texts."""

from collections.abc import Callable, Iterable
from typing import cast

from protocol.graph import SubgraphId
from protocol.json_text import dumps
from sidecar.core.changes import SINGLE
from sidecar.core.graph import ProjectGraph
from sidecar.store.database import Transaction
from sidecar.store.deltas import ChangeText
from sidecar.store.kinds import CODES
from sidecar.store.orders import previous_ids
from sidecar.store.projects import ProjectRow
from sidecar.store.walks import difference_between


def changes_json(changes: Iterable[ChangeText], graph: ProjectGraph) -> bytes:
    """Return an array of WireChange for changes that lead to what ``graph`` is now."""

    def previous(change: ChangeText) -> str | None:
        table = graph.table(change.kind, cast("SubgraphId | None", change.scope))
        return table.previous(cast("str", change.id))

    return _array(changes, previous)


def changes_between_json(tx: Transaction, project: ProjectRow, old: int, new: int) -> bytes:
    """Return an array of WireChange that leads from one kept version to another.

    Runs inside a transaction its caller opened.
    """
    difference = difference_between(tx, project, old, new)
    places = previous_ids(tx, project, difference)

    def previous(change: ChangeText) -> str | None:
        return places[(CODES[change.kind], change.scope, change.id)]

    return _array(difference.changes, previous)


def _array(changes: Iterable[ChangeText], previous: Callable[[ChangeText], str | None]) -> bytes:
    return b"[%b]" % b",".join(_change(change, previous) for change in changes)


def _change(change: ChangeText, previous: Callable[[ChangeText], str | None]) -> bytes:
    place = b""
    if change.moved and change.kind not in SINGLE:
        place = b',"previousId":%b' % dumps(previous(change))
    return b'{"kind":"%b","scope":%b,"id":%b,"before":%b,"after":%b%b}' % (
        change.kind.encode(),
        dumps(change.scope),
        dumps(change.id),
        b"null" if change.before is None else change.before,
        b"null" if change.after is None else change.after,
        place,
    )
