"""Small checkers of JSON shapes that find every fault, each with its path and a stable code.

Codes: invalid_type, invalid_value, too_small, too_big, invalid_union.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from attrs import frozen

from sidecar.core.conversation.errors import Issue
from sidecar.core.conversation.values import (
    ABSENT,
    is_finite_number,
    utf16_length,
)

IDENTITY_LENGTH: Final = 256
MODEL_LENGTH: Final = 1024

Shape: TypeAlias = Callable[[object], Iterator[Issue]]


@frozen
class Optional:
    """A field that may be missing; null is not missing."""

    shape: Shape


Fields: TypeAlias = Mapping[str, "Shape | Optional"]


def identity(value: object) -> Iterator[Issue]:
    """A text of 1 to 256 UTF-16 units."""
    yield from _IDENTITY(value)


def model(value: object) -> Iterator[Issue]:
    yield from _MODEL(value)


def time(value: object) -> Iterator[Issue]:
    """A finite number that is not negative; fractions are allowed."""
    if not is_finite_number(value):
        yield _fault("invalid_type", value, "a number")
    elif isinstance(value, (int, float)) and value < 0:
        yield _fault("too_small", value, "0 or more")


def number(value: object) -> Iterator[Issue]:
    if not is_finite_number(value):
        yield _fault("invalid_type", value, "a number")


def text(value: object) -> Iterator[Issue]:
    if not isinstance(value, str):
        yield _fault("invalid_type", value, "a text")


def anything(_value: object) -> Iterator[Issue]:
    yield from ()


def nullable(shape: Shape) -> Shape:
    return lambda value: iter(()) if value is None else shape(value)


def text_between(least: int, most: int) -> Shape:
    expected = f"a text of {least} to {most} characters"

    def check(value: object) -> Iterator[Issue]:
        if not isinstance(value, str):
            yield _fault("invalid_type", value, expected)
        elif utf16_length(value) < least:
            yield _fault("too_small", value, expected)
        elif utf16_length(value) > most:
            yield _fault("too_big", value, expected)

    return check


def one_of(*choices: str) -> Shape:
    expected = f"one of {', '.join(choices)}"

    def check(value: object) -> Iterator[Issue]:
        if not isinstance(value, str) or value not in choices:
            yield _fault("invalid_value", value, expected)

    return check


def record(fields: Fields) -> Shape:
    """An object with these fields; others are not looked at."""

    def check(value: object) -> Iterator[Issue]:
        if not isinstance(value, dict):
            yield _fault("invalid_type", value, "an object")
            return
        for key, rule in fields.items():
            found: Any = value.get(key, ABSENT)
            if isinstance(rule, Optional):
                faults = iter(()) if found is ABSENT else rule.shape(found)
            else:
                faults = rule(found)
            yield from (fault.below(key) for fault in faults)

    return check


def list_of(shape: Shape, *, most: int | None = None) -> Shape:
    def check(value: object) -> Iterator[Issue]:
        if not isinstance(value, list):
            yield _fault("invalid_type", value, "a list")
            return
        for place, item in enumerate(value):
            yield from (fault.below(place) for fault in shape(item))
        if most is not None and len(value) > most:
            yield _fault("too_big", value, f"at most {most}")

    return check


def union(tag: str, members: Mapping[str, Shape]) -> Shape:
    """An object whose `tag` decides its shape."""
    expected = f"one of {', '.join(members)}"

    def check(value: object) -> Iterator[Issue]:
        if not isinstance(value, dict):
            yield _fault("invalid_type", value, "an object")
            return
        kind = value.get(tag)
        member = members.get(kind) if isinstance(kind, str) else None
        if member is None:
            yield _fault("invalid_union", value.get(tag, ABSENT), expected).below(tag)
        else:
            yield from member(value)

    return check


def _fault(code: str, found: object, expected: str) -> Issue:
    """A fault, told as the other methods tell theirs."""
    message = "required, but missing" if found is ABSENT else f"expected {expected}"
    return Issue(code, (), message)


_IDENTITY: Final = text_between(1, IDENTITY_LENGTH)
_MODEL: Final = text_between(0, MODEL_LENGTH)
