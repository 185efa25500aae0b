"""Colours: of kinds, of data types, of changes; the same name has the same colour everywhere."""

import re
from zlib import crc32

BACKGROUND = "#f6f7f9"
GRID = "#e3e6ec"
CARD = "#ffffff"
CARD_LINE = "#cfd5df"
FIELD = "#f1f4f8"
INK = "#1f2937"
SOFT_INK = "#6b7280"
FAINT_INK = "#9aa3b2"

ADDED = "#16a34a"
CHANGED = "#d97706"
REMOVED = "#dc2626"

_KINDS = {
    "script": "#0f766e",
    "command": "#9a5b13",
    "model": "#7c4fd0",
    "http": "#0369a1",
    "subgraph": "#5b4bc4",
    "note": "#e7c95a",
    "missing": "#b4535a",
}
_TYPES = {
    "*": "#8b95a5",
    "MODEL": "#8e6fd8",
    "CLIP": "#d9a514",
    "VAE": "#e0525e",
    "CONDITIONING": "#e58a2b",
    "LATENT": "#d661b5",
    "IMAGE": "#3b82d6",
    "MASK": "#4d9e6a",
    "INT": "#2a9d8f",
    "FLOAT": "#4fae4a",
    "NUMBER": "#4fae4a",
    "STRING": "#7a8a2e",
    "TEXT": "#7a8a2e",
    "BOOLEAN": "#b0627d",
    "BOOL": "#b0627d",
    "AUDIO": "#17a2b8",
    "VIDEO": "#5a67d8",
    "MAIN": "#5f7390",
    "MSG": "#5f7390",
}
_SPARE = (
    "#3b82d6", "#d661b5", "#2a9d8f", "#e58a2b", "#8e6fd8", "#4d9e6a",
    "#e0525e", "#7a8a2e", "#17a2b8", "#a0694b", "#5a67d8", "#b0627d",
)  # fmt: skip
_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_BRIGHT = 0.62
_DARKER = 0.72


def known_colour(value: object) -> str | None:
    """A colour that a graph brings along, if it is one; anything else could be markup."""
    if isinstance(value, str) and _HEX.fullmatch(value):
        return value if len(value) > len("#fff") else "#" + "".join(2 * one for one in value[1:])
    return None


def kind_colour(kind: str) -> str | None:
    """The colour of a component's kind; none for builtin, whose category tells more."""
    return _KINDS.get(kind)


def category_colour(category: str) -> str:
    return darker(_SPARE[crc32(category.encode("utf-8", "replace")) % len(_SPARE)])


def type_colour(data_type: str) -> str:
    """The colour of a data type; a union has that of its first member."""
    name = data_type.split(",", 1)[0].strip().upper() or "*"
    return _TYPES.get(name) or _SPARE[crc32(name.encode("utf-8", "replace")) % len(_SPARE)]


def darker(colour: str) -> str:
    return "#" + "".join(f"{round(part * _DARKER):02x}" for part in _parts(colour))


def ink_on(colour: str) -> str:
    """Black or white, whichever is read more easily on a colour."""
    red, green, blue = _parts(colour)
    bright = (0.299 * red + 0.587 * green + 0.114 * blue) / 255
    return INK if bright > _BRIGHT else "#ffffff"


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
