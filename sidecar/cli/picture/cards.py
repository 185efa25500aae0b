"""Nodes as cards: a coloured title bar, ports with their labels, a few parameters."""

from collections.abc import Mapping

from sidecar.cli.picture import palette
from sidecar.cli.picture.changes import Change
from sidecar.cli.picture.model import PADDING, TITLE_HEIGHT, Card, Port
from sidecar.cli.picture.shapes import (
    element,
    group,
    label,
    number,
    rectangle,
    rounded_top,
    title,
)
from sidecar.cli.picture.text import cut, width_of
from sidecar.cli.picture.values import draw_values

RADIUS = 9
PORT_RADIUS = 4.5
_TEXT = 11
_SMALL = 10
_FADED = {"muted": 0.42, "bypassed": 0.62}
_BYPASSED = "#a855b5"

COLOURS: Mapping[Change, str] = {
    "added": palette.ADDED,
    "changed": palette.CHANGED,
    "removed": palette.REMOVED,
}
SIGNS: Mapping[Change, str] = {"added": "new", "changed": "changed", "removed": "removed"}


def draw_card(
    card: Card,
    *,
    change: Change | None = None,
    words: str = "",
    former: Mapping[str, str] | None = None,
) -> str:
    """A node; with a change it has a coloured outline and says what changed."""
    body = _body(card) + _title_bar(card) + draw_values(card, former or {}) + _ports(card)
    opacity = 0.45 if change == "removed" else _FADED.get(card.enabled)
    return group(
        title(f"{card.title}\n({card.component or 'no component'}, {card.node_id})")
        + _change_outline(card, change)
        + group(body, opacity=opacity)
        + _change_badge(card, change, words)
        + _annotation(card),
        class_="node",
        data_id=card.node_id,
        data_change=change,
    )


def draw_former_place(before: Card, after: Card) -> str:
    """Where a moved node stood, and how it came from there."""
    ghost = rectangle(
        before.x,
        before.top,
        before.width,
        before.bottom - before.top,
        rx=RADIUS,
        fill="none",
        stroke=palette.CHANGED,
        stroke_width=1.2,
        stroke_dasharray="5 5",
        opacity=0.55,
    )
    way = element(
        "line",
        x1=before.x + before.width / 2,
        y1=(before.top + before.bottom) / 2,
        x2=after.x + after.width / 2,
        y2=(after.top + after.bottom) / 2,
        stroke=palette.CHANGED,
        stroke_width=1.2,
        stroke_dasharray="2 5",
        opacity=0.55,
    )
    return group(ghost + way, class_="former-place", data_id=after.node_id)


def _body(card: Card) -> str:
    height = card.bottom - card.top
    shadow = "".join(
        rectangle(
            card.x - grow,
            card.top - grow + drop,
            card.width + 2 * grow,
            height + 2 * grow,
            rx=RADIUS + grow,
            fill="#1b2a4a",
            opacity=opacity,
        )
        for grow, drop, opacity in ((3, 4, 0.03), (1.5, 2.5, 0.045), (0, 1.5, 0.06))
    )
    behind = ""
    if card.instance:
        behind = "".join(
            rectangle(
                card.x + step,
                card.top + step,
                card.width,
                height,
                rx=RADIUS,
                fill=palette.CARD,
                stroke=card.colour,
                stroke_width=1,
                stroke_opacity=0.55,
            )
            for step in (8, 4)
        )
    front = rectangle(
        card.x,
        card.top,
        card.width,
        height,
        rx=RADIUS,
        fill="#fdf6d8" if card.note else palette.CARD,
        stroke=_outline(card),
        stroke_width=1.6 if card.missing else 1,
        stroke_dasharray="6 4" if card.missing else None,
    )
    return shadow + behind + front


def _outline(card: Card) -> str:
    if card.missing:
        return palette.REMOVED
    if card.enabled == "bypassed":
        return _BYPASSED
    return "#e2cf86" if card.note else palette.CARD_LINE


def _title_bar(card: Card) -> str:
    ink = palette.ink_on(card.colour)
    if card.collapsed:
        bar = rectangle(card.x, card.top, card.width, TITLE_HEIGHT, rx=RADIUS, fill=card.colour)
    else:
        bar = element(
            "path",
            d=rounded_top(card.x, card.top, card.width, TITLE_HEIGHT, RADIUS),
            fill=card.colour,
        )
    marks, used = _marks(card, ink)
    name = label(
        card.title,
        (card.x + PADDING, card.top + 21),
        size=13,
        fill=ink,
        weight=600,
        room=(card.width - 2 * PADDING - used) / 1.1,
    )
    return bar + name + marks


def _marks(card: Card, ink: str) -> tuple[str, float]:
    """The marks at the right end of the title bar, and the width that they take."""
    right = card.x + card.width - PADDING
    drawn = ""
    for mark in _mark_names(card):
        wide = width_of(mark, 9) + 12
        drawn += rectangle(
            right - wide, card.top + 9, wide, 14, rx=7, fill=ink, fill_opacity=0.2
        ) + label(
            mark, (right - wide / 2, card.top + 19), size=9, fill=ink, anchor="middle", room=wide
        )
        right -= wide + 5
    if card.instance:
        drawn += _layers_icon(right - 13, card.top + 10, ink)
        right -= 19
    return drawn, card.x + card.width - PADDING - right


def _mark_names(card: Card) -> list[str]:
    marks = [card.enabled] if card.enabled in _FADED else []
    if card.missing:
        marks.append("missing")
    if card.pinned:
        marks.append("pinned")
    return marks


def _layers_icon(x: float, y: float, ink: str) -> str:
    line = {"fill": "none", "stroke": ink, "stroke_width": 1.3, "rx": 2}
    return rectangle(x, y + 3.5, 8.5, 8.5, **line) + element(
        "path",
        d=f"M{number(x + 3.5)} {number(y)}h7a2 2 0 0 1 2 2v7",
        fill="none",
        stroke=ink,
        stroke_width=1.3,
    )


def _ports(card: Card) -> str:
    return "".join(
        _port(card, port, place, right=right)
        for ports, right in ((card.inputs, False), (card.outputs, True))
        for place, port in enumerate(ports)
        if not (card.collapsed and place)
    )


def _port(card: Card, port: Port, place: int, *, right: bool) -> str:
    x = card.x + card.width if right else card.x
    y = card.port_height(place)
    dot = element(
        "circle",
        cx=x,
        cy=y,
        r=PORT_RADIUS,
        fill=palette.type_colour(port.data_type),
        stroke=palette.CARD,
        stroke_width=1.5,
    )
    if card.collapsed:
        return dot
    across = card.inputs if right else card.outputs
    shared = place < len(across)
    room = card.width / 2 - PADDING - 6 if shared else card.width - 2 * PADDING
    return dot + label(
        port.label,
        (x - PADDING if right else x + PADDING, y + 3.8),
        size=_TEXT,
        fill=palette.INK,
        anchor="end" if right else None,
        room=room,
    )


def _change_outline(card: Card, change: Change | None) -> str:
    if change is None:
        return ""
    colour = COLOURS[change]
    place = (card.x - 5, card.top - 5, card.width + 10, card.bottom - card.top + 10)
    glow = rectangle(*place, rx=RADIUS + 5, fill=colour, fill_opacity=0.13)
    return glow + rectangle(
        *place,
        rx=RADIUS + 5,
        fill="none",
        stroke=colour,
        stroke_width=2.4,
        stroke_dasharray="8 6" if change == "removed" else None,
    )


def _change_badge(card: Card, change: Change | None, words: str) -> str:
    if change is None:
        return ""
    text = cut(words or SIGNS[change], _SMALL, max(card.width - 24, 40))
    wide = width_of(text, _SMALL, bold=True) + 16
    x, y = card.x + 10, card.top - 15
    return rectangle(x, y, wide, 17, rx=8.5, fill=COLOURS[change]) + label(
        text, (x + wide / 2, y + 12), size=_SMALL, fill="#ffffff", anchor="middle",
        weight=600, room=wide,
    )  # fmt: skip


def _annotation(card: Card) -> str:
    if not card.annotation:
        return ""
    return label(
        card.annotation,
        (card.x + 4, card.bottom + (22 if card.instance else 15)),
        size=11,
        fill=palette.SOFT_INK,
        style="italic",
        room=card.width,
    )
