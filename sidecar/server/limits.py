"""How deep and how many: the limits on JSON from the peer, counted before any object is built.

Counting works on the text with C-speed passes over bytes; nothing recurses, and a text that is
short or has few brackets is accepted without a pass. Both functions take syntactically valid
JSON and say anything about other texts.
"""

from typing import Final

MAX_DEPTH: Final = 64
"""Levels of arrays and objects in params; params itself is the first."""

MAX_VALUES: Final = 4_000_000
"""Values in params: every object, array, string, number, literal; params itself is one.
Keys are no values."""

# A text of fewer bytes cannot hold so many: each level costs two brackets, each value one byte
# and one comma or bracket.
_TOO_SHORT_FOR_DEPTH = 2 * (MAX_DEPTH + 1)
_TOO_SHORT_FOR_VALUES = 2 * MAX_VALUES

_TO_SQUARE = bytes.maketrans(b"{}", b"[]")
_NO_STRUCTURE = bytes(byte for byte in range(256) if byte not in b'[]{}"')
_BLANKS = b" \t\r\n"
_BLOCK = 1 << 20


def is_too_deep(text: bytes) -> bool:
    """Whether ``text`` nests deeper than MAX_DEPTH."""
    if len(text) < _TOO_SHORT_FOR_DEPTH or text.count(b"[") + text.count(b"{") <= MAX_DEPTH:
        return False
    # Strings without a bracket vanish in one pass; splitting is for the others.
    reduced = _without_escapes(text).translate(_TO_SQUARE, _NO_STRUCTURE).replace(b'""', b"")
    brackets = _outside_strings(reduced, b"") if b'"' in reduced else reduced
    if b"[" * (MAX_DEPTH + 1) in brackets:
        return True
    for _ in range(MAX_DEPTH):
        # Each round takes the innermost level away.
        brackets = brackets.replace(b"[]", b"")
        if not brackets:
            return False
    return True


def has_too_many_values(text: bytes) -> bool:
    """Whether ``text`` holds more than MAX_VALUES values."""
    if len(text) < _TOO_SHORT_FOR_VALUES:
        return False
    # Every value but the outermost follows a comma or opens its container.
    if text.count(b",") + text.count(b"[") + text.count(b"{") < MAX_VALUES:
        return False
    bare = _outside_strings(_without_escapes(text), b"_").translate(_TO_SQUARE, _BLANKS)
    return bare.count(b",") + bare.count(b"[") - bare.count(b"[]") + 1 > MAX_VALUES


def _without_escapes(text: bytes) -> bytes:
    """Afterwards every quote begins or ends a string."""
    if b"\\" not in text:
        return text
    return text.replace(b"\\\\", b"").replace(b'\\"', b"")


def _outside_strings(text: bytes, mark: bytes) -> bytes:
    """Put ``mark`` in place of every string, a block at a time so that memory stays bounded."""
    blocks = []
    inside = 0
    for start in range(0, len(text), _BLOCK):
        parts = text[start : start + _BLOCK].split(b'"')
        ends_string = inside and len(parts) > 1
        blocks.append((mark if ends_string else b"") + mark.join(parts[inside::2]))
        inside ^= (len(parts) - 1) & 1
    return b"".join(blocks)
