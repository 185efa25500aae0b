"""The parameters on a card, as many as the card has room for."""

from collections.abc import Mapping

from sidecar.cli.picture import palette
from sidecar.cli.picture.model import PADDING, ROW, TOP_PADDING, VALUE_ROW, Card, Value
from sidecar.cli.picture.shapes import label, rectangle
from sidecar.cli.picture.text import cut, width_of, wrapped

_TEXT = 11
_SMALL = 10
_NOTE_ROW = 17
_MOST_LINES = 7


def draw_values(card: Card, former: Mapping[str, str]) -> str:
    """Parameters in the room that the ports leave."""
    if card.collapsed:
        return ""
    ports = max(len(card.inputs), len(card.outputs))
    top = card.y + TOP_PADDING + ports * ROW + (4 if ports else 0)
    values = list(card.values)
    values += [Value(name, "") for name in former if all(one.name != name for one in values)]
    # What changed comes first, so that it shows even where not all fit.
    values.sort(key=lambda value: value.name not in former)
    rows = int((card.bottom - 6 - top) // VALUE_ROW)
    if rows <= 0 or not values:
        return ""
    if card.note:
        return _note_text(card, values, top)
    cut_off = len(values) > rows
    shown = values[: rows - 1] if cut_off else values
    spare = rows - len(shown)
    drawn = ""
    for value in shown:
        lines = _lines_of(card, value, 1 + (0 if cut_off else spare), former)
        spare -= len(lines) - 1 if lines else 0
        drawn += _block(card, lines, top) if lines else _value(card, value, top, former)
        top += VALUE_ROW * max(len(lines), 1)
    if cut_off:
        drawn += label(
            f"+ {len(values) - len(shown)} more",
            (card.x + card.width / 2, top + 14),
            size=_SMALL,
            fill=palette.FAINT_INK,
            anchor="middle",
            room=card.width,
        )
    return drawn


def _lines_of(card: Card, value: Value, rows: int, former: Mapping[str, str]) -> list[str]:
    """A long text over several rows, if there are any; else nothing."""
    room = card.width - 2 * PADDING - 16
    if value.name in former or rows < 2 or width_of(value.text, _TEXT) <= room * 0.66:  # noqa: PLR2004 -- one row is no block
        return []
    return wrapped(value.text, _TEXT, room, min(rows, _MOST_LINES))


def _block(card: Card, lines: list[str], top: float) -> str:
    return _field(card, top, VALUE_ROW * len(lines) - 3) + "".join(
        label(
            line,
            (card.x + PADDING + 6, top + 14 + place * (VALUE_ROW - 4)),
            size=_TEXT,
            fill=palette.INK,
            room=card.width,
        )
        for place, line in enumerate(lines)
    )


def _note_text(card: Card, values: list[Value], top: float) -> str:
    room = card.width - 2 * PADDING
    text = " ".join(value.text for value in values)
    rows = max(int((card.bottom - 6 - top) // _NOTE_ROW), 1)
    return "".join(
        label(
            line,
            (card.x + PADDING, top + 13 + place * _NOTE_ROW),
            size=12,
            fill="#5d4f16",
            room=room,
        )
        for place, line in enumerate(wrapped(text, 12, room, rows))
    )


def _value(card: Card, value: Value, top: float, former: Mapping[str, str]) -> str:
    changed = value.name in former
    left, right = card.x + PADDING + 6, card.x + card.width - PADDING - 6
    name_room = (right - left) * 0.45
    name = cut(value.name, _SMALL, name_room)
    room = right - left - width_of(name, _SMALL) - 10
    text = f"{former[value.name]} → {value.text or 'unset'}" if changed else value.text
    return (
        _field(card, top, VALUE_ROW - 3, marked=changed)
        + label(name, (left, top + 13.2), size=_SMALL, fill=palette.SOFT_INK, room=name_room)
        + label(
            text,
            (right, top + 13.4),
            size=_TEXT,
            fill=palette.CHANGED if changed else palette.INK,
            weight=600 if changed else None,
            anchor="end",
            room=room,
        )
    )


def _field(card: Card, top: float, height: float, *, marked: bool = False) -> str:
    return rectangle(
        card.x + PADDING,
        top,
        card.width - 2 * PADDING,
        height,
        rx=5,
        fill="#fff3dc" if marked else palette.FIELD,
    )
