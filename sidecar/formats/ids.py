"""Ids and names that must be unique: at reading as text, at writing as the file's own.

A file's id is kept as long as it is unique in its scope; whatever else needs one gets a fresh one.
"""

from collections.abc import Iterable

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
        if isinstance(native.get(format_), dict):
            return native
        nested = native.get("graph")
        inner = nested.get("native") if isinstance(nested, dict) else None
        native = inner if isinstance(inner, dict) else None
    return None


def id_key(id_: Json) -> bytes:
    """Return what tells ids apart where text and numbers differ."""
    return dumps(id_)
