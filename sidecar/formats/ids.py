"""Ids and names that must be unique: at reading as text, at writing as the file's own.

A file's id is kept as long as it is unique in its scope; whatever else needs one gets a fresh one.
"""

from collections.abc import Callable, Iterable
from typing import Any

from attrs import define, field

from protocol.graph import Json, JsonObject
from protocol.json_text import dumps
from sidecar.formats.values import integer


@define
class UniqueTexts:
    """Texts taken so far; :meth:`take` gives a taken one a number."""

    taken: set[str] = field(factory=set)
    _next: dict[str, int] = field(factory=dict)

    def take(self, wanted: str, separator: str = "~") -> str:
        """Return ``wanted``, with the first free number from 2 behind it where it is taken."""
        text, number = wanted, self._next.get(wanted, 2)
        while text in self.taken:
            text = f"{wanted}{separator}{number}"
            number += 1
        if text != wanted:
            self._next[wanted] = number
        self.taken.add(text)
        return text


@define
class Counter:
    """Fresh whole numbers, above every one that was seen."""

    highest: int = 0
    minted: int = 0

    def see(self, ids: Iterable[Json]) -> None:
        for id_ in ids:
            number = integer(id_)
            if number is not None and number > self.highest:
                self.highest = number

    def mint(self) -> int:
        self.highest += 1
        self.minted += 1
        return self.highest


def residue(native: JsonObject | None, format_: str) -> JsonObject | None:
    """Return ``native`` as far as it speaks of a format, or None where it does not.

    A file of this model may carry the natives of the format its graph once came from.
    """
    while native is not None:
        if type(native.get(format_)) is dict:
            return native
        nested = native.get("graph")
        native = nested.get("native") if type(nested) is dict else None
        if type(native) is not dict:
            return None
    return None


def id_key(id_: Json) -> bytes:
    """Return what tells ids apart where text and numbers differ."""
    return dumps(id_)


def native_ids(  # noqa: PLR0913 -- what tells things apart, and what they may be called
    things: Iterable[Any],
    format_: str,
    *,
    key: Callable[[Any], Any],
    fresh: Callable[[Any], Json],
    touched: Callable[[Any], bool] = lambda _: False,
    taken: set[bytes] | None = None,
    in_order: bool = True,
) -> dict[Any, Json]:
    """Return the native id of each thing: the file's where it is still unique, else a fresh one.

    A file may use an id twice, or none; both come back as long as nothing refers to the thing, and
    the second one still stands behind the first, which is the one that the id means.  Things that
    are not given in the order of the file (``in_order`` False) keep their places otherwise.
    """
    found: dict[Any, Json] = {}
    seen = set() if taken is None else taken
    twins: list[Any] = []
    late: list[Any] = []
    claimed: set[tuple[type, bytes]] = set()
    early: set[Any] = set()
    for thing in things:
        native = residue(thing.native, format_)
        id_ = native.get("id") if native is not None else None
        found[key(thing)] = id_
        if native is not None and native[format_].get("twin"):
            twins.append(thing)
            if in_order and (type(thing), id_key(id_)) not in claimed:
                early.add(key(thing))
        elif (id_ is None and (native is None or touched(thing))) or (
            id_ is not None and id_key(id_) in seen
        ):
            late.append(thing)
        else:
            seen.add(id_key(id_))
            claimed.add((type(thing), id_key(id_)))
    for thing in twins:
        id_ = found[key(thing)]
        overtaken = key(thing) in early and (type(thing), id_key(id_)) in claimed
        if overtaken or (touched(thing) and id_key(id_) in seen):
            late.append(thing)
        seen.add(id_key(id_))
    for thing in late:
        found[key(thing)] = fresh(thing)
    return found
