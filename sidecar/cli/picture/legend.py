"""The head of a picture and the legend below it, drawn at a scale that stays readable."""

from collections.abc import Iterable

from attrs import frozen

from sidecar.cli.picture import palette
from sidecar.cli.picture.shapes import element, group, label, rectangle
from sidecar.cli.picture.text import cut, width_of

HEAD_HEIGHT = 74.0
_SIZE = 12
_ROW = 24
_SWATCH = 24
_SPACE = 22
_CAPTION = 92
_MOST_ENTRIES = 24
_LONGEST_NAME = 180


@frozen
class Row:
    """A row of the legend: a caption, and names with their colours, each as a shape."""

    caption: str
    shape: str
    entries: tuple[tuple[str, str], ...]


def draw_head(title: str, facts: str, width: float) -> str:
    """The title and a line of facts, in a box of HEAD_HEIGHT with its corner at the origin."""
    return label(title, (0, 30), size=25, fill=palette.INK, weight=700, room=width) + label(
        facts, (0, 53), size=13, fill=palette.SOFT_INK, room=width
    )


def draw_legend(rows: Iterable[Row], width: float) -> tuple[str, float]:
    """The legend with its corner at the origin, and its height; nothing without entries."""
    drawn = ""
    y = 14.0
    for row in rows:
        if not row.entries:
            continue
        content, y = _row(row, y, width)
        drawn += content
    if not drawn:
        return "", 0
    height = y + 8
    panel = rectangle(
        0, 0, width, height, rx=10, fill="#ffffff", stroke=palette.GRID, stroke_width=1
    )
    return group(panel + drawn, class_="legend"), height


def _row(row: Row, y: float, width: float) -> tuple[str, float]:
    drawn = label(
        row.caption, (16, y + 13), size=_SIZE, fill=palette.SOFT_INK, weight=600, room=_CAPTION
    )
    x = float(_CAPTION)
    rest = len(row.entries) - _MOST_ENTRIES
    entries = row.entries[:_MOST_ENTRIES]
    if rest > 0:
        entries = (*entries, (f"and {rest} more", ""))
    for name, colour in entries:
        shown = cut(name, _SIZE, _LONGEST_NAME)
        wide = _SWATCH + width_of(shown, _SIZE) + _SPACE
        if x + wide > width and x > _CAPTION:
            x, y = float(_CAPTION), y + _ROW
        drawn += _swatch(row.shape, colour, x, y + 9) if colour else ""
        drawn += label(
            shown, (x + _SWATCH, y + 13), size=_SIZE, fill=palette.INK, room=_LONGEST_NAME
        )
        x += wide
    return drawn, y + _ROW


def _swatch(shape: str, colour: str, x: float, y: float) -> str:
    match shape:
        case "line":
            return element(
                "line",
                x1=x,
                y1=y,
                x2=x + 16,
                y2=y,
                stroke=colour,
                stroke_width=3,
                stroke_linecap="round",
            ) + element("circle", cx=x + 16, cy=y, r=3.6, fill=colour)
        case "outline":
            return rectangle(
                x + 1,
                y - 6,
                15,
                12,
                rx=3,
                fill=colour,
                fill_opacity=0.13,
                stroke=colour,
                stroke_width=2,
                stroke_dasharray="4 3" if colour == palette.REMOVED else None,
            )
        case _:
            return rectangle(x + 1, y - 6, 15, 12, rx=3, fill=colour)
