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
    yield from text_between(1, IDENTITY_LENGTH)(value)


def model(value: object) -> Iterator[Issue]:
    yield from text_between(0, MODEL_LENGTH)(value)


def time(value: object) -> Iterator[Issue]:
    """A finite number that is not negative; fractions are allowed."""
    if not is_finite_number(value):
        yield Issue("invalid_type", ())
    elif isinstance(value, (int, float)) and value < 0:
        yield Issue("too_small", ())


def number(value: object) -> Iterator[Issue]:
    if not is_finite_number(value):
        yield Issue("invalid_type", ())


def text(value: object) -> Iterator[Issue]:
    if not isinstance(value, str):
        yield Issue("invalid_type", ())


def anything(_value: object) -> Iterator[Issue]:
    yield from ()


def nullable(shape: Shape) -> Shape:
    return lambda value: iter(()) if value is None else shape(value)


def text_between(least: int, most: int) -> Shape:
    def check(value: object) -> Iterator[Issue]:
        if not isinstance(value, str):
            yield Issue("invalid_type", ())
        elif utf16_length(value) < least:
            yield Issue("too_small", ())
        elif utf16_length(value) > most:
            yield Issue("too_big", ())

    return check


def one_of(*choices: str) -> Shape:
    def check(value: object) -> Iterator[Issue]:
        if not isinstance(value, str) or value not in choices:
            yield Issue("invalid_value", ())

    return check


def record(fields: Fields) -> Shape:
    """An object with these fields; others are not looked at."""

    def check(value: object) -> Iterator[Issue]:
        if not isinstance(value, dict):
            yield Issue("invalid_type", ())
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
            yield Issue("invalid_type", ())
            return
        for place, item in enumerate(value):
            yield from (fault.below(place) for fault in shape(item))
        if most is not None and len(value) > most:
            yield Issue("too_big", ())

    return check


def union(tag: str, members: Mapping[str, Shape]) -> Shape:
    """An object whose `tag` decides its shape."""

    def check(value: object) -> Iterator[Issue]:
        if not isinstance(value, dict):
            yield Issue("invalid_type", ())
            return
        kind = value.get(tag)
        member = members.get(kind) if isinstance(kind, str) else None
        if member is None:
            yield Issue("invalid_union", (tag,))
        else:
            yield from member(value)

    return check
