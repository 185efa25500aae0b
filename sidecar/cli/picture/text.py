"""Text in a picture: made safe for XML, measured roughly, cut and wrapped to a width."""

import re
import unicodedata
from xml.sax.saxutils import escape

_NOT_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
# Characters that turn the direction of what follows would let a name dress up as another.
_DIRECTION = re.compile(r"[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]")
_NARROW = frozenset("iljtfrI.,:;'|!()[]{}/\\-` \"")
_WIDE = frozenset("mwMW@%&")
_BOLD = 1.1
_LONGEST = 400

ELLIPSIS = "…"


def clean(text: str) -> str:
    """One line of text without the characters that XML does not allow."""
    shown = _DIRECTION.sub("", _NOT_XML.sub("", text[: 4 * _LONGEST].replace("\n", " ")))
    return " ".join(shown.split())[:_LONGEST]


def safe(text: str) -> str:
    """Text as XML content or as the value of a double-quoted attribute."""
    return escape(clean(text), {'"': "&quot;", "'": "&#39;"})


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """About how wide a text is in a sans-serif face of a size in pixels, rather too wide."""
    return size * sum(_em(character) for character in text) * (_BOLD if bold else 1)


def cut(text: str, size: float, width: float) -> str:
    """A text cut to a width, with an ellipsis where something was cut."""
    shown = clean(text)
    if width_of(shown, size) <= width:
        return shown
    room = width - width_of(ELLIPSIS, size)
    end = 0
    for character in shown:
        room -= size * _em(character)
        if room < 0:
            break
        end += 1
    return shown[:end].rstrip() + ELLIPSIS if end else ""


def wrapped(text: str, size: float, width: float, lines: int) -> list[str]:
    """A text broken at spaces into at most so many lines of a width, the last one cut."""
    found: list[str] = []
    words = clean(text).split(" ")
    while words and len(found) < lines - 1:
        line = words.pop(0)
        while words and width_of(f"{line} {words[0]}", size) <= width:
            line = f"{line} {words.pop(0)}"
        found.append(cut(line, size, width))
    if words:
        found.append(cut(" ".join(words), size, width))
    return found


def _em(character: str) -> float:
    if character in _NARROW:
        return 0.37
    if character in _WIDE:
        return 0.95
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.02
    return 0.7 if character.isupper() else 0.6
