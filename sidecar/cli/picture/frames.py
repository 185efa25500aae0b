"""Groups as tinted frames behind their nodes, outer ones first."""

from collections.abc import Mapping

from sidecar.cli.picture import palette
from sidecar.cli.picture.cards import COLOURS
from sidecar.cli.picture.changes import Change
from sidecar.cli.picture.model import Card, Frame
from sidecar.cli.picture.shapes import group, label, rectangle, title
from sidecar.cli.picture.text import cut, width_of

Bounds = tuple[float, float, float, float]

_PADDING = 24
_TITLE = 30
_NAME = 14


def bounds_of_frames(frames: Mapping[str, Frame], cards: Mapping[str, Card]) -> dict[str, Bounds]:
    """Where each frame stands, outer ones first; one without bounds or contents has no place."""
    found: dict[str, Bounds] = {}
    # From the innermost out, so that a frame without bounds can go around its children.
    for frame in sorted(frames.values(), key=lambda one: -_depth(one, frames)):
        bounds = frame.bounds or _around(frame, frames, cards, found)
        if bounds:
            found[frame.group_id] = bounds
    return dict(sorted(found.items(), key=lambda one: _depth(frames[one[0]], frames)))


def draw_frame(frame: Frame, bounds: Bounds, *, change: Change | None = None) -> str:
    x, y, width, height = bounds
    colour = frame.colour or palette.category_colour(frame.name)
    outline = COLOURS[change] if change else colour
    name = cut(frame.name, _NAME, max(width / 1.1 - 44, 30))
    wide = width_of(name, _NAME, bold=True) + 20
    return group(
        title(frame.name)
        + rectangle(
            x,
            y,
            width,
            height,
            rx=14,
            fill=colour,
            fill_opacity=0.07,
            stroke=outline,
            stroke_opacity=0.9 if change else 0.4,
            stroke_width=2.4 if change else 1.4,
            stroke_dasharray="8 6" if change == "removed" else None,
        )
        + rectangle(x + 10, y + 8, wide, 22, rx=11, fill=colour, fill_opacity=0.16)
        + label(
            name,
            (x + 10 + wide / 2, y + 24),
            size=_NAME,
            fill=palette.darker(colour),
            weight=600,
            anchor="middle",
            room=wide,
        ),
        class_="group",
        data_id=frame.group_id,
        data_change=change,
    )


def _depth(frame: Frame, frames: Mapping[str, Frame]) -> int:
    depth = 0
    seen = {frame.group_id}
    while frame.parent_id in frames and frame.parent_id not in seen:
        seen.add(frame.parent_id)
        frame = frames[frame.parent_id]
        depth += 1
    return depth


def _around(
    frame: Frame,
    frames: Mapping[str, Frame],
    cards: Mapping[str, Card],
    found: Mapping[str, Bounds],
) -> Bounds | None:
    members = [cards[one] for one in frame.node_ids if one in cards]
    inner = [(card.x, card.top, card.x + card.width, card.bottom) for card in members]
    inner += [
        (x, y, x + width, y + height)
        for key, (x, y, width, height) in found.items()
        if frames[key].parent_id == frame.group_id
    ]
    if not inner:
        return None
    left, top = min(one[0] for one in inner), min(one[1] for one in inner)
    right, bottom = max(one[2] for one in inner), max(one[3] for one in inner)
    return (
        left - _PADDING,
        top - _PADDING - _TITLE,
        right - left + 2 * _PADDING,
        bottom - top + 2 * _PADDING + _TITLE,
    )
