"""The one list of a Node-RED flow file, its entries told apart."""

from collections.abc import Iterator
from typing import Final

from attrs import define, field

from protocol.graph import Json, JsonObject
from sidecar.core.errors import RejectedError
from sidecar.core.limits import MAX_COORDINATE
from sidecar.formats.cycles import recursion
from sidecar.formats.dropped import Droppings
from sidecar.formats.node_red.names import GROUP, INSTANCE_PREFIX, SUBFLOW, TABS, is_config
from sidecar.formats.repairs import Repairs
from sidecar.formats.values import number

_GAP: Final = 200


@define
class Entry:
    """One entry of the file; a twin has an id that another entry before it has."""

    index: int
    raw: JsonObject
    twin: bool

    @property
    def id(self) -> str:
        return str(self.raw["id"])

    @property
    def zone(self) -> str:
        """The id of the tab or subflow it is on, empty where the file does not say."""
        zone = self.raw.get("z")
        return zone if isinstance(zone, str) else ""


@define
class Flow:
    """The entries of a file by what they are."""

    repairs: Repairs
    tabs: list[JsonObject] = field(factory=list)
    subflows: dict[str, JsonObject] = field(factory=dict)
    groups: list[Entry] = field(factory=list)
    nodes: list[Entry] = field(factory=list)
    configs: list[JsonObject] = field(factory=list)
    order: list[str] = field(factory=list)
    entries: list[JsonObject] = field(factory=list)
    doubled: list[str] = field(factory=list)
    """Ids that more than one entry has."""
    dropped: Droppings = field(factory=Droppings)
    _tab_ids: set[str] = field(factory=set)

    def read(self, content: list[Json]) -> None:
        """Tell the entries apart; raises ``empty-workflow`` and ``subgraph-recursion``."""
        seen: set[str] = set()
        for index, raw in enumerate(content):
            if isinstance(raw, dict) and isinstance(raw.get("id"), str) and raw["id"]:
                twin = raw["id"] in seen
                self._add(Entry(index, raw, twin))
                self.doubled.extend([raw["id"]] if twin else [])
                seen.add(raw["id"])
                self.order.append(raw["id"])
                self.entries.append(raw)
                self.dropped.keep(raw["id"])
            else:
                message = "This is no entry of a flow and was left out."
                self.repairs.add("unreadable-node", message, index)
                self.dropped.drop(raw)
        if not (self.nodes or self.groups or self.subflows):
            raise RejectedError("empty-workflow", "There is nothing in this file.", {})
        self._refuse_recursion()

    def _add(self, entry: Entry) -> None:
        type_ = str(entry.raw.get("type"))
        if type_ in TABS:
            self.tabs.append(entry.raw)
            self._tab_ids.add(entry.id)
        elif type_ == SUBFLOW and not entry.twin:
            self.subflows[entry.id] = entry.raw
        elif type_ == SUBFLOW or (type_ != GROUP and is_config(entry.raw)):
            self.configs.append(entry.raw)
        else:
            if entry.twin:
                message = "The entry's id was taken; it got one."
                self.repairs.add("duplicate-id", message, entry.index, "id")
            (self.groups if type_ == GROUP else self.nodes).append(entry)

    def instance(self, raw: JsonObject) -> str | None:
        """Return the id of the subflow that a node is an instance of."""
        type_ = raw.get("type")
        if not isinstance(type_, str) or not type_.startswith(INSTANCE_PREFIX):
            return None
        id_ = type_.removeprefix(INSTANCE_PREFIX)
        return id_ if id_ in self.subflows else None

    def tab_of(self, entry: Entry) -> str:
        """Return the tab of an entry in no subflow: one on no known tab is on the first."""
        if entry.zone in self._tab_ids or not self.tabs:
            return entry.zone
        return str(self.tabs[0]["id"])

    def _refuse_recursion(self) -> None:
        uses: dict[str, list[str]] = {id_: [] for id_ in self.subflows}
        for entry in self.nodes:
            used = self.instance(entry.raw)
            if used is not None and entry.zone in uses:
                uses[entry.zone].append(used)
        path = recursion(uses)
        if path is not None:
            raise RejectedError(
                "subgraph-recursion", "A subflow of the file contains itself.", {"path": path}
            )

    def offsets(self) -> Iterator[tuple[str, int]]:
        """Yield how much lower each tab lies in the model, where all tabs share one canvas."""
        extents: dict[str, tuple[float, float]] = {}
        for entry in (*self.nodes, *self.groups):
            y = number(entry.raw.get("y"))
            if y is not None and entry.zone not in self.subflows:
                tab = self.tab_of(entry)
                top, bottom = extents.get(tab, (y, y))
                height = number(entry.raw.get("h")) or 0
                extents[tab] = min(top, y), max(bottom, y + height)
        tabs = [tab["id"] for tab in self.tabs if tab["id"] in extents]
        floor: float | None = None
        for zone in dict.fromkeys([*tabs, *extents]):
            top, bottom = extents[zone]
            offset = 0 if floor is None else max(0, int(floor + _GAP - top))
            if abs(bottom) + offset > MAX_COORDINATE:
                offset = 0
            if offset:
                yield zone, offset
            floor = bottom + offset if floor is None else max(floor, bottom + offset)
