"""The lists of a React Flow file, object by object; each entry of the nodes with a key of its own.

What is no object is noted and kept beside, so that it comes back in its place.
"""

from collections.abc import Iterator

from attrs import define, field

from protocol.graph import JsonObject
from sidecar.formats.dropped import Droppings
from sidecar.formats.ids import UniqueTexts
from sidecar.formats.repairs import Repairs
from sidecar.formats.values import id_text


@define
class Item:
    """One entry of the file's nodes; a twin has an id that one before it has."""

    index: int
    raw: JsonObject
    id: str | None
    key: str
    twin: bool


@define
class Items:
    content: JsonObject
    repairs: Repairs
    listed: list[Item] = field(factory=list)
    by_id: dict[str, Item] = field(factory=dict)
    """Entries by the file's id; of twins the first."""
    dropped: dict[str, list[JsonObject]] = field(factory=dict)
    """What was left out, by list."""

    def read(self) -> None:
        ids = UniqueTexts()
        for index, raw in self.objects("nodes"):
            id_ = id_text(raw.get("id"))
            twin = id_ is not None and id_ in self.by_id
            if id_ is None or twin:
                code = "duplicate-id" if twin else "missing-id"
                self.repairs.add(code, "The node got an id.", "nodes", index, "id")
            item = Item(index, raw, id_, ids.take(id_ or f"node-{index}"), twin)
            self.listed.append(item)
            if id_ is not None and not twin:
                self.by_id[id_] = item

    def objects(self, key: str) -> Iterator[tuple[int, JsonObject]]:
        """Yield the objects of a list of the file, each with its index in the list."""
        dropped = Droppings()
        listed = self.content.get(key)
        for index, raw in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(raw, dict):
                yield index, raw
                dropped.keep(raw.get("id"))
            else:
                message = "This is no object and was left out."
                self.repairs.add("unreadable-node", message, key, index)
                dropped.drop(raw)
        self.drop(key, dropped)

    def drop(self, key: str, dropped: Droppings) -> None:
        if dropped.parts:
            self.dropped[key] = [*self.dropped.get(key, []), *dropped.parts]
