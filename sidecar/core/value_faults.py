"""What single values may hold: finite numbers, possible places, valid text, JSON not too deep."""

import math
from collections.abc import Sequence
from itertools import compress
from operator import is_not
from typing import Any, Final

from protocol.changes import Thing
from protocol.graph import Edge, Node, Position, Subgraph
from sidecar.core.checks import fits_depth
from sidecar.core.limits import MAX_COORDINATE, MAX_JSON_DEPTH
from sidecar.core.sameness import fields_of

_LEVELS: Final = MAX_JSON_DEPTH + 4
"""The thing itself and the objects that hold its free values are levels of their own."""
_HARMLESS: Final = frozenset({bool, int, type(None)})
_TOO_DEEP: Final = "a value is nested too deep"


def value_faults(value: Thing, before: Thing | None = None) -> list[str]:
    """Return what is wrong with a thing by itself.

    What it shares with the thing it was ``before`` has been looked at then.
    """
    found = [
        "a position is too far out"
        for position in _positions(value)
        if not (
            -MAX_COORDINATE <= position.x <= MAX_COORDINATE
            and -MAX_COORDINATE <= position.y <= MAX_COORDINATE
        )
    ]
    _collect(value, before, _LEVELS, found)
    return found


def is_too_deep(value: Thing) -> bool:
    """Whether free values of a thing, or the parameters of a node, are nested too deep."""
    if isinstance(value, Node) and not fits_depth(value.parameters, MAX_JSON_DEPTH):
        return True
    found: list[str] = []
    _collect(value, None, _LEVELS, found)
    return _TOO_DEEP in found


def _positions(value: Thing) -> Sequence[Position]:
    if isinstance(value, Node):
        return (value.position,)
    if isinstance(value, Edge):
        return value.waypoints
    if isinstance(value, Subgraph):
        return (value.input_anchor, value.output_anchor)
    return ()


def _collect(value: Any, before: Any, levels: int, found: list[str]) -> None:
    """Add what is wrong with a JSON value or a thing; a list, since this is every command's way."""
    kind = type(value)
    if value is before or kind in _HARMLESS:
        return
    if kind is str:
        if not _is_unicode(value):
            found.append("a text is not valid Unicode")
    elif kind is float:
        if not math.isfinite(value):
            found.append("a number is not finite")
    elif not levels:
        found.append(_TOO_DEEP)
    elif kind is dict:
        known = before if type(before) is dict else {}
        for key, item in value.items():
            old = known.get(key)
            if old is None or item is not old:
                _collect(key, None, levels - 1, found)
                _collect(item, old, levels - 1, found)
    elif kind is list or kind is tuple:
        for item in value:
            _collect(item, None, levels - 1, found)
    else:
        _collect_fields(value, before, levels - 1, found)


def _collect_fields(value: Any, before: Any, levels: int, found: list[str]) -> None:
    values_of = fields_of(type(value))  # type: ignore[arg-type]  # classes can be hashed
    if type(before) is not type(value):
        for item in values_of(value):
            _collect(item, None, levels, found)
        return
    own, known = values_of(value), values_of(before)
    # Most are the very objects of before.
    for item, old in compress(zip(own, known, strict=True), map(is_not, own, known)):
        _collect(item, old, levels, found)


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
