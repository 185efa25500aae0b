"""Parts of a file that the model cannot hold: kept beside it, and woven in again at writing.

A dropped part is ``{"after": id of the kept part before it (absent: the first), "at": how many
kept parts stand before it, "item": raw}``, ``nth`` where that id is there more than once, plus whatever tells the format whether it may still come back.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from attrs import define, field

from protocol.graph import Json, JsonObject
from protocol.json_text import dumps


@define
class Droppings:
    """Collects the dropped parts of one list while it is read."""

    parts: list[JsonObject] = field(factory=list)
    _after: JsonObject = field(factory=dict)
    _count: int = 0
    _kept: Counter[str] = field(factory=Counter)

    def keep(self, id_: Json) -> None:
        """Note that a part with this id was kept."""
        key = repr(id_)
        self._count += 1
        self._kept[key] += 1
        self._after = (
            {"after": id_} if self._kept[key] == 1 else {"after": id_, "nth": self._kept[key]}
        )

    def drop(self, item: Json, **facts: Json) -> None:
        self.parts.append({**self._after, "at": self._count, "item": item, **facts})


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
    anchors = list(_numbered(id_ for id_, _ in items))
    places = {anchor: index + 1 for index, anchor in enumerate(anchors)}
    at: dict[int, list[Json]] = {}
    for part in living:
        # Where the part before it has gone, its number tells about where that stood.
        place = max(0, min(part.get("at", 0) - 1, len(items)))
        if "after" in part:
            place = places.get((dumps(part["after"]), part.get("nth", 1)), place)
        at.setdefault(place, []).append(part["item"])
    result = list(at.get(0, []))
    for index, (_, item) in enumerate(items, start=1):
        result.append(item)
        result.extend(at.get(index, []))
    return result


def _numbered(ids: Iterable[Json]) -> Iterator[tuple[bytes, int]]:
    """Yield each id with how often it has been there."""
    counts: Counter[bytes] = Counter()
    for id_ in ids:
        key = dumps(id_)
        counts[key] += 1
        yield key, counts[key]
