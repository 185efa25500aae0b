"""A scope of a ComfyUI file while it is read."""

from collections.abc import Mapping

from attrs import define, field, frozen

from protocol.graph import Edge, Group, Json, JsonObject, Node
from sidecar.formats.comfyui.links import Link
from sidecar.formats.comfyui.view import Boundary
from sidecar.formats.repairs import Repairs


@frozen(kw_only=True)
class ScopeSource:
    """A scope of a file and what must be known to read it."""

    raw: JsonObject
    path: tuple[str | int, ...]
    boundary: Boundary
    definitions: Mapping[str, Boundary]
    """The boundaries of all definitions, by their id in the file."""
    repairs: Repairs

    def repair(self, code: str, message: str, *path: str | int) -> None:
        self.repairs.add(code, message, *self.path, *path)

    def listed(self, key: str) -> list[Json]:
        value = self.raw.get(key)
        if value is not None and not isinstance(value, list):
            self.repair("unreadable-list", f"{key} is no list and was left out.", key)
        return value if isinstance(value, list) else []


@define
class ScopeDraft:
    """A scope as it is read; each list also keeps which part of the file its things came from."""

    nodes: list[Node] = field(factory=list)
    raw_nodes: list[JsonObject] = field(factory=list)
    edges: list[Edge] = field(factory=list)
    raw_links: list[Json] = field(factory=list)
    groups: list[Group] = field(factory=list)
    raw_groups: list[JsonObject] = field(factory=list)
    dropped: dict[str, list[JsonObject]] = field(factory=dict)
    dropped_links: list[tuple[JsonObject, Link | None]] = field(factory=list)
    by_id: dict[str, int] = field(factory=dict)
    places: list[int] = field(factory=list)
    """Where each node stands in the file's list."""
    unplaced: int = 0
