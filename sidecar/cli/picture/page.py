"""The whole picture: the sheet with its grid, head and legend around what is drawn."""

from collections.abc import Iterable
from math import sqrt

from attrs import frozen

from sidecar.cli.picture import palette
from sidecar.cli.picture.cards import draw_card, draw_former_place
from sidecar.cli.picture.changes import Changes
from sidecar.cli.picture.frames import Bounds, bounds_of_frames, draw_frame
from sidecar.cli.picture.legend import HEAD_HEIGHT, Row, draw_head, draw_legend
from sidecar.cli.picture.model import Card, Frame, Scene, Wire
from sidecar.cli.picture.shapes import element, group, label, number, rectangle
from sidecar.cli.picture.text import safe
from sidecar.cli.picture.wires import draw_wire, types_of

FONT = "Inter, 'Segoe UI', 'Helvetica Neue', 'Noto Sans', 'DejaVu Sans', Arial, sans-serif"
_MARGIN = 48.0
_GRID = 24
_READABLE = 1500.0
_NARROWEST = 640.0
_WIDEST_PICTURE = 4000.0
_THICKEST = 5.0
_EMPTY = (0.0, 0.0, 640.0, 240.0)


@frozen
class _Sheet:
    """Where what is drawn lies, and how much larger than it head and legend are drawn."""

    left: float
    top: float
    width: float
    height: float
    scale: float


def draw_page(scene: Scene, earlier: Scene | None, changes: Changes, title: str | None) -> str:
    """The scene with its changes; `earlier` gives what was removed its look and place."""
    cards = {**(earlier.cards if earlier else {}), **scene.cards}
    wires = {**(earlier.wires if earlier else {}), **scene.wires}
    frames = {**(earlier.frames if earlier else {}), **scene.frames}
    places = bounds_of_frames(frames, cards)
    sheet = _sheet(cards.values(), places.values(), wires.values())
    # A picture of very many nodes is looked at from afar, where thin lines would vanish.
    thickness = min(sqrt(sheet.scale), _THICKEST)
    content = (
        _frames(frames, places, changes)
        + _former_places(scene, earlier, changes)
        + "".join(
            draw_wire(wire, cards, change=changes.edges.get(key), thickness=thickness)
            for key, wire in wires.items()
        )
        + _cards(cards, changes)
    )
    if not cards:
        content += _nothing(sheet)
    rows = _rows(cards, wires, changes, differs=earlier is not None)
    name = title or scene.title or "Untitled graph"
    return _document(sheet, content, rows, name, _facts(scene, earlier, changes))


def _sheet(cards: Iterable[Card], places: Iterable[Bounds], wires: Iterable[Wire]) -> _Sheet:
    corners = [(card.x - 8, card.top - 18) for card in cards]
    corners += [(card.x + card.width + 8, card.bottom + 20) for card in cards]
    for x, y, width, height in places:
        corners += [(x, y), (x + width, y + height)]
    corners += [point for wire in wires for point in wire.waypoints]
    if not corners:
        return _Sheet(*_EMPTY, 1)
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    width, height = max(x for x, _ in corners) - left, max(y for _, y in corners) - top
    scale = max(1.0, width / _READABLE, height / (2 * _READABLE))
    spare = max(_NARROWEST * scale - width, 0)
    return _Sheet(left - spare / 2, top, width + spare, height, scale)


def _frames(frames: dict[str, Frame], places: dict[str, Bounds], changes: Changes) -> str:
    return "".join(
        draw_frame(frames[key], bounds, change=changes.groups.get(key))
        for key, bounds in places.items()
    )


def _former_places(scene: Scene, earlier: Scene | None, changes: Changes) -> str:
    if earlier is None:
        return ""
    return "".join(
        draw_former_place(earlier.cards[key], scene.cards[key])
        for key in changes.words
        if (earlier.cards[key].x, earlier.cards[key].y) != (scene.cards[key].x, scene.cards[key].y)
    )


def _cards(cards: dict[str, Card], changes: Changes) -> str:
    """Removed nodes first, so that they lie behind what took their place."""
    gone = [key for key in cards if changes.nodes.get(key) == "removed"]
    here = [key for key in cards if changes.nodes.get(key) != "removed"]
    return "".join(
        draw_card(
            cards[key],
            change=changes.nodes.get(key),
            words=changes.words.get(key, ""),
            former=changes.former_values.get(key),
        )
        for key in (*gone, *here)
    )


def _rows(
    cards: dict[str, Card], wires: dict[str, Wire], changes: Changes, *, differs: bool
) -> list[Row]:
    categories = {
        card.category: card.colour for card in reversed(list(cards.values())) if card.category
    }
    types = {types_of(wire, cards) for wire in wires.values()}
    rows = [
        Row("Nodes", "card", tuple(sorted(categories.items()))),
        Row("Data", "line", tuple((name, palette.type_colour(name)) for name in sorted(types))),
    ]
    if differs:
        rows.append(
            Row(
                "Changes",
                "outline",
                (
                    (f"{changes.count('added')} added", palette.ADDED),
                    (f"{changes.count('changed')} changed", palette.CHANGED),
                    (f"{changes.count('removed')} removed", palette.REMOVED),
                ),
            )
        )
    return rows


def _facts(scene: Scene, earlier: Scene | None, changes: Changes) -> str:
    facts = [
        _counted(len(scene.cards), "node"),
        _counted(len(scene.wires), "edge"),
    ]
    if scene.frames:
        facts.append(_counted(len(scene.frames), "group"))
    if scene.definitions:
        facts.append(_counted(len(scene.definitions), "subgraph"))
    if earlier is not None:
        total = sum(changes.count(change) for change in ("added", "changed", "removed"))
        facts.append(_counted(total, "change") if total else "no changes")
    return "  ·  ".join(facts)


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _nothing(sheet: _Sheet) -> str:
    return label(
        "This graph has no nodes yet.",
        (sheet.left + sheet.width / 2, sheet.top + sheet.height / 2),
        size=15,
        fill=palette.FAINT_INK,
        anchor="middle",
        room=sheet.width,
    )


def _document(sheet: _Sheet, content: str, rows: list[Row], name: str, facts: str) -> str:
    scale = sheet.scale
    margin = _MARGIN * scale
    inner = sheet.width / scale
    legend, legend_height = draw_legend(rows, inner)
    head_height = HEAD_HEIGHT * scale
    left, top = sheet.left - margin, sheet.top - margin - head_height
    width = sheet.width + 2 * margin
    below = (legend_height + _MARGIN) * scale if legend else 0
    height = head_height + sheet.height + 2 * margin + below
    shrink = min(1.0, _WIDEST_PICTURE / max(width, height))
    parts = (
        _defs(scale, left, top),
        rectangle(left, top, width, height, fill=palette.BACKGROUND),
        rectangle(left, top, width, height, fill="url(#grid)"),
        group(
            draw_head(name, facts, inner),
            transform=_transform(sheet.left, top + margin * 0.7, scale),
        ),
        group(content, class_="graph"),
        group(
            legend,
            transform=_transform(sheet.left, sheet.top + sheet.height + margin, scale),
        ),
    )
    view = " ".join(number(part) for part in (left, top, width, height))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" role="img"'
        f' width="{number(max(width * shrink, 1))}" height="{number(max(height * shrink, 1))}"'
        f' font-family="{FONT}">'
        f"<title>{safe(name)}</title>" + "\n".join(part for part in parts if part) + "</svg>\n"
    )


def _transform(x: float, y: float, scale: float) -> str:
    return f"translate({number(x)} {number(y)}) scale({number(scale)})"


def _defs(scale: float, left: float, top: float) -> str:
    """The grid, whose squares grow with the picture."""
    square = float(_GRID)
    while square < _GRID * scale:
        square *= 2
    thin = square / _GRID
    lines = element(
        "path",
        d=f"M{number(square)} 0H0V{number(square)}",
        fill="none",
        stroke=palette.GRID,
        stroke_width=thin,
        stroke_opacity=0.75,
    )
    pattern = element(
        "pattern",
        lines,
        id="grid",
        x=left - left % square - square,
        y=top - top % square - square,
        width=square,
        height=square,
        patternUnits="userSpaceOnUse",
    )
    return element("defs", pattern)
