"""The numbers that stand for kinds of things in the file.  Part of the format: never renumbered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from protocol.changes import ThingKind

CODES: Final[dict[ThingKind, int]] = {
    "title": 0,
    "document": 1,
    "component": 2,
    "subgraph": 3,
    "node": 4,
    "edge": 5,
    "group": 6,
}
KINDS: Final[tuple[ThingKind, ...]] = tuple(CODES)
ROOT_SCOPE: Final = ""
"""How the root is written where a scope is a column; no definition has an empty id."""

RETIRED_KINDS: Final = frozenset({"node", "edge", "group", "subgraph"})
"""Kinds whose ids are never issued again."""
