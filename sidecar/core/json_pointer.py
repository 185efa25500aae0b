"""JSON Pointer (RFC 6901) into values that are never changed in place."""

import re
from typing import Any, Final

_INDEX: Final = re.compile(r"0|[1-9][0-9]*")
_BAD_ESCAPE: Final = re.compile(r"~(?![01])")


class NoSuchPlaceError(LookupError):
    """A pointer leads to no place of the value."""


def parse(pointer: str) -> list[str]:
    """Return the steps of a pointer; raises :class:`ValueError` where it is none."""
    if not pointer:
        return []
    if not pointer.startswith("/") or _BAD_ESCAPE.search(pointer):
        raise ValueError("not a JSON Pointer")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]


def escaped(key: str) -> str:
    """Return a key as one step of a pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def value_at(whole: Any, steps: list[str]) -> Any:
    """Return what is at a place; raises where nothing is."""
    for step in steps:
        if isinstance(whole, dict) and step in whole:
            whole = whole[step]
        elif isinstance(whole, list) and _index(step) < len(whole):
            whole = whole[_index(step)]
        else:
            raise NoSuchPlaceError(step)
    return whole


def with_value(whole: Any, steps: list[str], value: Any) -> Any:
    """Return ``whole`` with ``value`` at a place: a key may be new, an index one past the end."""
    if not steps:
        return value
    head, rest = steps[0], steps[1:]
    if isinstance(whole, dict):
        if rest and head not in whole:
            raise NoSuchPlaceError(head)
        return {**whole, head: with_value(whole.get(head), rest, value)}
    if isinstance(whole, list):
        items: list[Any] = list(whole)
        index = len(items) if head == "-" else _index(head)
        if index < len(items):
            items[index] = with_value(items[index], rest, value)
        elif index == len(items) and not rest:
            items.append(value)
        else:
            raise NoSuchPlaceError(head)
        return items
    raise NoSuchPlaceError(head)


def without(whole: Any, steps: list[str]) -> Any:
    """Return ``whole`` without what is at a place; raises where nothing is."""
    head, rest = steps[0], steps[1:]
    if isinstance(whole, dict) and head in whole:
        if rest:
            return {**whole, head: without(whole[head], rest)}
        return {key: item for key, item in whole.items() if key != head}
    if isinstance(whole, list):
        index = _index(head)
        if index < len(whole):
            middle = [without(whole[index], rest)] if rest else []
            return [*whole[:index], *middle, *whole[index + 1 :]]
    raise NoSuchPlaceError(head)


def _index(step: str) -> int:
    # More digits than any array has items would only cost time.
    if len(step) > 18 or not _INDEX.fullmatch(step):  # noqa: PLR2004 -- 64-bit indexes
        raise NoSuchPlaceError(step)
    return int(step)
