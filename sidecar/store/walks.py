"""Going back through versions: what things were, and what differs between two versions.

Every function runs inside a transaction its caller opened.  Costs the distance walked, whatever
the size of the graph.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

from attrs import frozen

from sidecar.store import records
from sidecar.store.database import Transaction
from sidecar.store.deltas import (
    APPEARS,
    VANISHES,
    ChangeText,
    Entry,
    Key,
    entries_of,
    in_peer_order,
    text_before,
)
from sidecar.store.faults import damaged
from sidecar.store.kinds import KINDS
from sidecar.store.projects import ProjectRow
from sidecar.store.records import Lists, Place
from sidecar.store.revisions import key_of

Standing: TypeAlias = tuple[bytes | None, int]
"""A thing's text and rank; None and 0 where it is not."""
ABSENT: Final[Standing] = (None, 0)

_BACK: Final = (
    "SELECT changes FROM graph_revisions WHERE revision_key > ? AND revision_key <= ?"
    " ORDER BY revision_key DESC"
)
_EXISTS: Final = "SELECT 1 FROM graph_revisions WHERE revision_key = ?"


class Walk:
    """A way back from the current version.

    ``things`` holds what each thing touched on the way was where the walk stands now; the others
    are what ``graph_records`` says.
    """

    def __init__(self, tx: Transaction, project: ProjectRow) -> None:
        self._tx = tx
        self._project_key = project.project_key
        self._lists = Lists(tx, project.project_key)
        self.number = project.current_revision
        self.things: dict[Key, Standing] = {}

    def back_to(self, number: int) -> None:
        """Go back to a version that is kept."""
        for _ in self.touched(number):
            pass

    def touched(self, number: int) -> Iterator[tuple[Key, Standing]]:
        """Go back to a version; yield each thing touched with what it was before each step back."""
        if number > self.number:
            raise ValueError("a walk goes back only")
        for entries in self._rows(number):
            for entry in entries:
                yield self._step_back(entry)
        self.number = number

    def _rows(self, number: int) -> Iterator[list[Entry]]:
        ends = key_of(self._project_key, number), key_of(self._project_key, self.number)
        if self._tx.execute(_EXISTS, (ends[0],)).get is None:
            raise damaged("revision", number=number)
        cursor = self._tx.execute(_BACK, ends)
        try:
            for (blob,) in cursor:
                yield entries_of(blob)
        finally:
            cursor.close()

    def _step_back(self, entry: Entry) -> tuple[Key, Standing]:
        try:
            kind, scope, id_, before_rank, after_rank, form, *_ = entry
            key = (kind, scope, id_)
            after = self.things.get(key) or self._first(entry)
            before = text_before(entry, after[0])
        except (ValueError, TypeError, IndexError) as error:
            raise damaged("changes") from error
        if after[1] != (0 if form == VANISHES else after_rank):
            raise damaged("changes")
        self.things[key] = ABSENT if before is None else (before, before_rank)
        return key, after

    def _first(self, entry: Entry) -> Standing:
        """Return what a thing is in the current version: nobody touched it since."""
        kind, scope, id_, _, rank, form, *payload = entry
        if form == VANISHES:
            return ABSENT
        if form == APPEARS:
            return payload[0], rank
        return records.read_text(self._tx, self._lists, Place(kind, scope, rank), id_), rank


@frozen
class Difference:
    """What turns one version into another.

    ``things`` holds, for a version that is not the current one, what each thing touched since is
    there; all others are what ``graph_records`` says.
    """

    changes: list[ChangeText]
    things: dict[Key, Standing]


def changes_between(tx: Transaction, project: ProjectRow, old: int, new: int) -> list[ChangeText]:
    """Return what turns version ``old`` into version ``new``; either may be the older one."""
    return difference_between(tx, project, old, new).changes


def difference_between(tx: Transaction, project: ProjectRow, old: int, new: int) -> Difference:
    """Return what turns version ``old`` into version ``new``, and what is needed to place it."""
    walk = Walk(tx, project)
    early, late = min(old, new), max(old, new)
    walk.back_to(late)
    things = dict(walk.things) if new == late else walk.things
    at_late: dict[Key, Standing] = {}
    for key, standing in walk.touched(early):
        at_late.setdefault(key, standing)
    changes = []
    for key, standing in at_late.items():
        pair = walk.things[key], standing
        before, after = pair if old <= new else pair[::-1]
        if before != after:
            changes.append(_change(key, before, after))
    return Difference(in_peer_order(changes), things)


def _change(key: Key, before: Standing, after: Standing) -> ChangeText:
    kind, scope, id_ = key
    return ChangeText(KINDS[kind], scope, id_, before[0], after[0], before[1], after[1])
