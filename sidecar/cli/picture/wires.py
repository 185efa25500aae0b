"""Edges as curves between ports, in the colour of what flows through them."""

from collections.abc import Mapping
from itertools import pairwise

from attrs import frozen

from sidecar.cli.picture import palette
from sidecar.cli.picture.cards import COLOURS
from sidecar.cli.picture.changes import Change
from sidecar.cli.picture.model import Card, Wire
from sidecar.cli.picture.shapes import Point, element, group, label, number, rectangle, title
from sidecar.cli.picture.text import cut, width_of

_LABEL = 10
_LABEL_ROOM = 140


@frozen
class _End:
    at: Point
    data_type: str


def draw_wire(
    wire: Wire, cards: Mapping[str, Card], *, change: Change | None = None, thickness: float = 1
) -> str:
    """An edge; both its nodes are among the cards."""
    source = _end(cards[wire.source[0]], wire.source[1], right=True)
    target = _end(cards[wire.target[0]], wire.target[1], right=False)
    data_type = wire.data_type or (
        source.data_type if source.data_type != "*" else target.data_type
    )
    points = [source.at, *wire.waypoints, target.at]
    path = _curve(points)
    colour = palette.REMOVED if change == "removed" else palette.type_colour(data_type)
    line = {"d": path, "fill": "none", "stroke_linecap": "round"}
    under = element(
        "path", **line, stroke=palette.BACKGROUND, stroke_width=5.5 * thickness, opacity=0.85
    )
    if change in ("added", "changed"):
        under += element(
            "path", **line, stroke=COLOURS[change], stroke_width=9 * thickness, opacity=0.38
        )
    over = element(
        "path",
        **line,
        stroke=colour,
        stroke_width=(2.4 if change else 2) * thickness,
        stroke_dasharray=_dashes(wire, change),
        opacity=0.5 if wire.hidden else 0.75 if change == "removed" else None,
    )
    bends = "".join(
        element("circle", cx=x, cy=y, r=3.2, fill=colour, stroke=palette.BACKGROUND)
        for x, y in wire.waypoints
    )
    return group(
        title(f"{data_type} {wire.edge_id}") + under + over + bends + _label(wire, points),
        class_="edge",
        data_id=wire.edge_id,
        data_change=change,
    )


def types_of(wire: Wire, cards: Mapping[str, Card]) -> str:
    """The data type that a wire is coloured by."""
    source = _end(cards[wire.source[0]], wire.source[1], right=True).data_type
    target = _end(cards[wire.target[0]], wire.target[1], right=False).data_type
    return wire.data_type or (source if source != "*" else target)


def _end(card: Card, port_id: str, *, right: bool) -> _End:
    ports = card.outputs if right else card.inputs
    x = card.x + card.width if right else card.x
    for place, port in enumerate(ports):
        if port.port_id == port_id:
            return _End((x, card.port_height(place)), port.data_type)
    return _End((x, (card.top + card.bottom) / 2), "*")


def _curve(points: list[Point]) -> str:
    """Through the points, level at each of them."""
    path = f"M{number(points[0][0])} {number(points[0][1])}"
    straight = len(points) == 2  # noqa: PLR2004 -- a source and a target
    for (x1, y1), (x2, y2) in pairwise(points):
        reach = _reach(x2 - x1, y2 - y1) if straight else (x2 - x1) * 0.4
        path += (
            f"C{number(x1 + reach)} {number(y1)} {number(x2 - reach)} {number(y2)}"
            f" {number(x2)} {number(y2)}"
        )
    return path


def _reach(dx: float, dy: float) -> float:
    """How far a curve runs level before it turns; one that runs back swings out wider."""
    if dx >= 0:
        return max(24.0, min(dx * 0.5, 40 + dx * 0.3 + abs(dy) * 0.1))
    return min(90 - dx * 0.25 + abs(dy) * 0.05, 420.0)


def _dashes(wire: Wire, change: Change | None) -> str | None:
    if change == "removed":
        return "7 6"
    return "3 5" if wire.hidden else None


def _label(wire: Wire, points: list[Point]) -> str:
    text = cut(wire.label, _LABEL, _LABEL_ROOM)
    if not text:
        return ""
    (x1, y1), (x2, y2) = points[(len(points) - 1) // 2], points[(len(points) - 1) // 2 + 1]
    x, y, wide = (x1 + x2) / 2, (y1 + y2) / 2, width_of(text, _LABEL) + 12
    return rectangle(
        x - wide / 2, y - 8.5, wide, 17, rx=8.5, fill="#ffffff", stroke=palette.CARD_LINE
    ) + label(text, (x, y + 3.5), size=_LABEL, fill=palette.SOFT_INK, anchor="middle", room=wide)
