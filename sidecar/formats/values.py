"""Values of a file, read leniently: numbers, points, names, ids, types."""

import unicodedata

from protocol.graph import Json, Position, Size
from sidecar.core.limits import MAX_COORDINATE, MAX_NAME

ANY_TYPE = "*"


def number(value: Json) -> float | None:
    """Return a coordinate, or None where the value is none within bounds."""
    if type(value) not in (int, float):
        return None
    # NaN compares false.
    return value if -MAX_COORDINATE <= value <= MAX_COORDINATE else None


def integer(value: Json) -> int | None:
    """Return a small index given as an integer, a whole float or digits."""
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    if (
        isinstance(value, str)
        and value.isascii()
        and value.isdigit()
        and len(value) <= len("1000000")
    ):
        return int(value)
    return None


def point(value: Json) -> Position | None:
    """Return a point given as ``[x, y]``, ``{"0": x, "1": y}`` or ``{"x": x, "y": y}``."""
    x, y = _two(value)
    first, second = number(x), number(y)
    return None if first is None or second is None else Position(first, second)


def extent(value: Json) -> Size | None:
    """Return a size given like a point, or None where it is none."""
    width, height = (number(side) for side in _two(value))
    if width is None or height is None or width < 0 or height < 0:
        return None
    return Size(width, height)


def display_name(value: Json) -> str | None:
    """Return a name as the model keeps names (NFC, trimmed, 1–255 characters), or None."""
    if not isinstance(value, str):
        return None
    text = unicodedata.normalize("NFC", value)
    printable = "".join(" " if unicodedata.category(c) == "Cc" else c for c in text)
    return printable.strip()[:MAX_NAME].strip() or None


def id_text(value: Json) -> str | None:
    """Return an id of a file (text or a whole number) as text, or None where it is none."""
    if isinstance(value, str):
        return value or None
    if type(value) is float and value.is_integer():
        return str(int(value))
    return str(value) if type(value) is int else None


def type_text(value: Json) -> str:
    """Return a slot type as text: a number or a list of types is legal in LiteGraph files."""
    if isinstance(value, list):
        return ",".join(type_text(item) for item in value) or ANY_TYPE
    if value is None or isinstance(value, dict | bool) or value in ("", 0):
        return ANY_TYPE
    return str(value)


def plain(value: float) -> float:
    """Return a number without a needless fraction, as editors write them."""
    return int(value) if type(value) is float and value.is_integer() else value


def _two(value: Json) -> tuple[Json, Json]:
    if isinstance(value, list) and len(value) >= 2:  # noqa: PLR2004 -- a point has two
        return value[0], value[1]
    if isinstance(value, dict):
        return value.get("0", value.get("x")), value.get("1", value.get("y"))
    return None, None
