"""JSON values as the session rules compare them: absent is not null, and 1, "1" and true all differ.

Values are plain dicts, lists and scalars that nobody mutates: an edit builds a new one.
"""

import enum
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
Graph: TypeAlias = JsonObject
Session: TypeAlias = JsonObject
Command: TypeAlias = JsonObject
Path: TypeAlias = tuple[str | int, ...]


class Absent(enum.Enum):
    """The value of a key that is not there; never stored."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


def reference(record: Mapping[str, Any], key: str) -> str | None:
    """The id under an optional key; a missing key, null and the empty text all mean none."""
    return record.get(key) or None


def strictly_equal(left: object, right: object) -> bool:
    """Scalar equality without coercion between types; 0 and -0 are equal here."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if is_number(left) and is_number(right):
        return left == right
    return type(left) is type(right) and left == right


def same_key(left: Mapping[str, Any], right: Mapping[str, Any], key: str, other: str = "") -> bool:
    """Whether `left[key]` strictly equals `right[other or key]`, where both may be absent."""
    return strictly_equal(left.get(key, ABSENT), right.get(other or key, ABSENT))


def same_value(left: object, right: object) -> bool:
    """Deep equality of the format, 6.4: 0 and -0 differ, key order is irrelevant."""
    pending = [(left, right)]
    while pending:
        one, two = pending.pop()
        if one is two:
            continue
        if isinstance(one, dict) and isinstance(two, dict):
            if one.keys() != two.keys():
                return False
            pending += [(value, two[key]) for key, value in one.items()]
        elif isinstance(one, list) and isinstance(two, list):
            if len(one) != len(two):
                return False
            pending += zip(one, two, strict=True)
        elif not _same_scalar(one, two):
            return False
    return True


def _same_scalar(left: object, right: object) -> bool:
    if not strictly_equal(left, right):
        return False
    return left != 0 or not is_number(left) or _negative(left) == _negative(right)


def _negative(zero: object) -> bool:
    return isinstance(zero, float) and math.copysign(1.0, zero) < 0


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_finite_number(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return is_number(value)


def utf16_length(text: str) -> int:
    """The length in UTF-16 code units, which is how the format counts."""
    return len(text) + sum(1 for character in text if character > "\uffff")


def without(record: JsonObject, keys: Iterable[str]) -> JsonObject:
    """A copy without these keys; the others keep their order."""
    dropped = frozenset(keys)
    return {key: value for key, value in record.items() if key not in dropped}


def present(**fields: Any) -> JsonObject:
    """The fields that have a value; None stands for a key that is not to be written."""
    return {key: value for key, value in fields.items() if value is not None}
