"""Parts of a file that the model cannot hold: kept beside it, and woven in again at writing.

A dropped part is ``{"after": id of the kept part before it (absent: the first), "item": raw}``
plus whatever tells the format whether it may still come back.
"""

from collections.abc import Callable, Iterable

from attrs import define, field

from protocol.graph import Json, JsonObject
from protocol.json_text import dumps


@define
class Droppings:
    """Collects the dropped parts of one list while it is read."""

    parts: list[JsonObject] = field(factory=list)
    _last: list[Json] = field(factory=list)

    def keep(self, id_: Json) -> None:
        """Note that a part with this id was kept."""
        self._last = [id_]

    def drop(self, item: Json, **facts: Json) -> None:
        after = {"after": self._last[0]} if self._last else {}
        self.parts.append({**after, "item": item, **facts})


def woven(
    kept: Iterable[tuple[Json, Json]],
    parts: list[JsonObject],
    alive: Callable[[JsonObject], bool] = lambda _: True,
) -> list[Json]:
    """Return the kept items (given as id and item) with the dropped ones between them."""
    items = list(kept)
    living = [part for part in parts if alive(part)]
    if not living:
        return [item for _, item in items]
    present = {dumps(id_) for id_, _ in items}
    behind: dict[bytes | None, list[Json]] = {}
    for part in living:
        anchor = dumps(part["after"]) if "after" in part else None
        behind.setdefault(anchor if anchor in present else None, []).append(part["item"])
    result = behind.pop(None, [])
    for id_, item in items:
        result.append(item)
        result.extend(behind.pop(dumps(id_), []))
    return result
