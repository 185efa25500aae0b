"""Things as the JSON text that the file keeps and that answers carry, byte for byte the same."""

from typing import Any, Final, cast

from protocol.changes import Thing, ThingKind
from protocol.converter import make_trusting_converter
from protocol.graph import Component, Document, Edge, Group, Node, Subgraph
from protocol.json_text import dumps, loads
from sidecar.store.faults import damaged

CLASSES: Final[dict[ThingKind, type]] = {
    "document": Document,
    "component": Component,
    "subgraph": Subgraph,
    "node": Node,
    "edge": Edge,
    "group": Group,
}


class Codec:
    """Writes things as JSON and reads them back, trusting what it wrote."""

    def __init__(self) -> None:
        self._converter = make_trusting_converter()

    def encode(self, thing: Thing) -> bytes:
        """Return the JSON text of a thing: camelCase keys, every field, key order kept."""
        if isinstance(thing, str):
            return dumps(thing)
        return dumps(self._converter.unstructure(thing))

    def decode(self, kind: ThingKind, text: bytes) -> Thing:
        """Return the thing of a text that :meth:`encode` wrote, else ``storage-corrupt``."""
        try:
            return self._decode(kind, text)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise damaged("record", kind=kind) from error

    def _decode(self, kind: ThingKind, text: bytes) -> Thing:
        value: Any = loads(text)
        if kind == "title":
            if not isinstance(value, str):
                raise TypeError("a title is text")
            return value
        return cast("Thing", self._converter.structure(value, CLASSES[kind]))
