"""What single values may hold: finite numbers, possible places, valid text, JSON not too deep."""

import math
from collections.abc import Iterator
from typing import Any, Final

from protocol.changes import Thing
from protocol.graph import Edge, Group, Node, Position, Subgraph
from sidecar.core.checks import fits_depth
from sidecar.core.limits import MAX_COORDINATE, MAX_JSON_DEPTH
from sidecar.core.sameness import fields_of

_LEVELS: Final = MAX_JSON_DEPTH + 4
"""The thing itself and the objects that hold its free values are levels of their own."""
_TOO_DEEP: Final = "a value is nested too deep"


def value_faults(value: Thing, before: Thing | None = None) -> Iterator[str]:
    """Yield what is wrong with a thing by itself.

    What it shares with the thing it was ``before`` has been looked at then.
    """
    for position in _positions(value):
        if not all(-MAX_COORDINATE <= axis <= MAX_COORDINATE for axis in (position.x, position.y)):
            yield "a position is too far out"
    yield from _json_faults(value, before, _LEVELS)


def is_too_deep(value: Thing) -> bool:
    """Whether free values of a thing, or the parameters of a node, are nested too deep."""
    parameters = value.parameters if isinstance(value, Node) else {}
    return not fits_depth(parameters, MAX_JSON_DEPTH) or any(
        fault is _TOO_DEEP for fault in _json_faults(value, None, _LEVELS)
    )


def _positions(value: Thing) -> Iterator[Position]:
    match value:
        case Node():
            yield value.position
        case Edge():
            yield from value.waypoints
        case Subgraph():
            yield from (value.input_anchor, value.output_anchor)
        case Group() | _:
            return


def _json_faults(value: Any, before: Any, levels: int) -> Iterator[str]:
    if value is before or value is None or isinstance(value, bool | int):
        return
    if isinstance(value, str):
        if not _is_unicode(value):
            yield "a text is not valid Unicode"
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield "a number is not finite"
    elif not levels:
        yield _TOO_DEEP
    elif isinstance(value, dict):
        known = before if isinstance(before, dict) else {}
        for key, item in value.items():
            old = known.get(key)
            if old is None or item is not old:
                yield from _json_faults(key, None, levels - 1)
                yield from _json_faults(item, old, levels - 1)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _json_faults(item, None, levels - 1)
    else:
        yield from _field_faults(value, before, levels)


def _field_faults(value: Any, before: Any, levels: int) -> Iterator[str]:
    values_of = fields_of(type(value))  # type: ignore[arg-type]  # classes can be hashed
    own = values_of(value)
    known = values_of(before) if type(before) is type(value) else (None,) * len(own)
    for item, old in zip(own, known, strict=True):
        if item is not old:
            yield from _json_faults(item, old, levels - 1)


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
