"""Changes of a graph: each touched thing before and after, reversible and foldable."""

from collections.abc import Iterable, Sequence
from typing import Final

from protocol.changes import Thing, ThingKind
from protocol.graph import SubgraphId
from sidecar.core.sameness import identical
from sidecar.core.values import value

Key = tuple[ThingKind, SubgraphId | None, str | None]

SINGLE: Final = frozenset({"document", "title"})
"""Kinds of which a project has one at most; their id is None and their rank 0."""

APPEARANCE_ORDER: Final[dict[ThingKind, int]] = {
    "title": 0,
    "document": 1,
    "component": 2,
    "subgraph": 3,
    "node": 4,
    "edge": 5,
    "group": 6,
}


@value
class Change:
    """One thing before and after; None where it does not exist.

    A rank is the thing's place in its list: lists are in ascending rank, ranks are unique per
    scope and kind, and a thing that comes back comes back with the rank it had.
    """

    kind: ThingKind
    scope: SubgraphId | None
    id: str | None
    before: Thing | None
    after: Thing | None
    before_rank: int
    after_rank: int

    @property
    def key(self) -> Key:
        return (self.kind, self.scope, self.id)

    @property
    def moved(self) -> bool:
        """Whether the thing appears, or stands elsewhere in its list."""
        return self.after is not None and (
            self.before is None or self.before_rank != self.after_rank
        )

    @property
    def empty(self) -> bool:
        return not self.moved and identical(self.before, self.after)

    def reversed(self) -> "Change":
        return Change(
            self.kind,
            self.scope,
            self.id,
            self.after,
            self.before,
            self.after_rank,
            self.before_rank,
        )


def reversed_changes(changes: Sequence[Change]) -> list[Change]:
    """Return the changes that undo ``changes``."""
    return in_order(change.reversed() for change in changes)


def folded(changes: Iterable[Change]) -> list[Change]:
    """Return one change per thing for changes made one after the other, without empty ones."""
    made = list(changes)
    if len(made) == 1:
        return [] if made[0].empty else made
    net: dict[Key, Change] = {}
    for change in made:
        first = net.get(change.key)
        net[change.key] = change if first is None else _then(first, change)
    return in_order(change for change in net.values() if not change.empty)


def in_order(changes: Iterable[Change]) -> list[Change]:
    """Return the changes as a peer applies them: removals first, contents before containers go.

    Appearances come in ascending rank, so that the thing right before each one is there already.
    """
    return sorted(changes, key=_place)


def _place(change: Change) -> tuple[bool, int, str, int]:
    order = APPEARANCE_ORDER[change.kind]
    if change.after is None:
        return (False, -order, change.scope or "", change.before_rank)
    return (True, order, change.scope or "", change.after_rank)


def _then(first: Change, second: Change) -> Change:
    return Change(
        first.kind,
        first.scope,
        first.id,
        first.before,
        second.after,
        first.before_rank if first.before is not None else second.before_rank,
        second.after_rank,
    )
