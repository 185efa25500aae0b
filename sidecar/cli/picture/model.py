"""What is drawn: the parts of a graph's wire form that show, with every gap filled."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

TITLE_HEIGHT = 32
ROW = 20
VALUE_ROW = 22
TOP_PADDING = 8
PADDING = 12
DEFAULT_SIZE = (240.0, 120.0)

PortKey = tuple[str, str, str]
"""Node id, "in" or "out", port id."""


@frozen
class Port:
    """A dot on the side of a card."""

    port_id: str
    label: str
    data_type: str


@frozen
class Value:
    """A parameter as shown."""

    name: str
    text: str


@frozen(kw_only=True)
class Card:
    """A node as shown; (x, y) is the top-left of the body, the title bar stands above."""

    node_id: str
    title: str
    component: str
    category: str
    colour: str
    x: float
    y: float
    width: float
    height: float
    collapsed: bool
    enabled: str
    missing: bool
    pinned: bool
    instance: bool
    note: bool
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    values: tuple[Value, ...]
    annotation: str

    @property
    def top(self) -> float:
        return self.y - TITLE_HEIGHT

    @property
    def bottom(self) -> float:
        return self.y if self.collapsed else self.y + self.height

    def port_height(self, place: int) -> float:
        if self.collapsed:
            return self.y - TITLE_HEIGHT / 2
        return self.y + TOP_PADDING + ROW * (place + 0.5)


@frozen(kw_only=True)
class Wire:
    """An edge as shown, between ports of cards."""

    edge_id: str
    source: tuple[str, str]
    target: tuple[str, str]
    data_type: str
    label: str
    hidden: bool
    waypoints: tuple[tuple[float, float], ...]


@frozen(kw_only=True)
class Frame:
    """A group as shown."""

    group_id: str
    name: str
    node_ids: tuple[str, ...]
    parent_id: str
    bounds: tuple[float, float, float, float] | None
    colour: str | None


@frozen(kw_only=True)
class Scene:
    """A whole graph as shown, and the wire form of its things by id, to compare."""

    title: str
    cards: Mapping[str, Card]
    wires: Mapping[str, Wire]
    frames: Mapping[str, Frame]
    raw_nodes: Mapping[str, Any]
    raw_edges: Mapping[str, Any]
    raw_groups: Mapping[str, Any]
    definitions: Mapping[str, Any]
