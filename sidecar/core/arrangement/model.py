"""What the layout takes in, and the layered graph its steps share."""

from attrs import Factory, define, frozen

from sidecar.core.boxes import Box, node_box


@frozen(slots=True)
class LayoutNode:
    """A node to arrange: its body's size and present position, both as in the graph."""

    node_id: str
    width: float
    height: float
    x: float = 0
    y: float = 0

    @property
    def box(self) -> Box:
        return node_box(self.x, self.y, self.width, self.height)


@frozen(slots=True)
class LayoutEdge:
    """An edge of the graph; the orders are the places of its ports among their node's ports."""

    source_id: str
    target_id: str
    source_order: int = 0
    target_order: int = 0


@frozen(slots=True)
class Link:
    """An edge between two vertices of one component, by their numbers; it runs source to target."""

    source: int
    target: int
    source_order: int
    target_order: int


@define(slots=True)
class Layered:
    """A layered graph: vertices by number, real ones first, then the bends of long edges.

    An edge ends in slots: a slot is a port of a vertex that at least one segment uses.
    Segments join an out slot to an in slot of the next layer.
    """

    layers: list[list[int]]
    real: int
    in_slots: list[list[int]] = Factory(list)
    out_slots: list[list[int]] = Factory(list)
    up: list[list[int]] = Factory(list)
    """For each vertex the out slots its segments come from, one entry per segment."""
    down: list[list[int]] = Factory(list)
    """For each vertex the in slots its segments go to, one entry per segment."""
    targets: dict[int, list[int]] = Factory(dict)
    """For each out slot the in slots its segments go to."""
    owners: list[int] = Factory(list)
    """For each slot its vertex."""
