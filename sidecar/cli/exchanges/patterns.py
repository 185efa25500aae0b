"""Patterns of messages: what is compared, what is remembered, what stands for it later.

An object whose keys begin with ``$`` is a matcher; ``$literal`` keeps user data from being one.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final

from attrs import field, frozen

MATCHERS: Final = frozenset({"$any", "$bind", "$ref", "$path", "$text", "$literal", "$raw"})
MORE: Final = "$more"
"""In an object: further members may be there."""
_NAME: Final = re.compile(r"\$\{([^}]+)\}")


class PatternError(Exception):
    """A pattern that cannot be used as it stands; its text says why."""


@frozen
class Difference:
    """Where a message is not what was expected: a JSON Pointer and both sides.

    A side that is missing is :data:`ABSENT`.
    """

    path: str
    expected: Any
    found: Any


class Absent:
    def __repr__(self) -> str:
        return "(nothing)"


ABSENT: Final = Absent()


@frozen
class Bindings:
    """What names stand for, and the folder that ``$path`` is in."""

    folder: PurePath
    values: dict[str, Any] = field(factory=dict)

    def get(self, name: Any) -> Any:
        if name not in self.values:
            raise PatternError(f"nothing is bound to {name!r} yet")
        return self.values[name]

    def path(self, name: Any) -> str:
        """Return a path as its system writes it: so it comes back in an answer."""
        return str(self.folder / str(name))


def fill(template: Any, bindings: Bindings) -> Any:
    """Return what to send: the template with every reference replaced."""
    match template:
        case {"$literal": value}:
            return value
        case {"$ref": name}:
            return bindings.get(name)
        case {"$path": name}:
            return bindings.path(name)
        case {"$text": text}:
            return _text(text, bindings)
        case dict() if MATCHERS & template.keys():
            raise PatternError(f"{sorted(template)} cannot be sent")
        case dict():
            return {key: fill(value, bindings) for key, value in template.items()}
        case list():
            return [fill(value, bindings) for value in template]
        case _:
            return template


def differences(pattern: Any, value: Any, bindings: Bindings) -> list[Difference]:
    """Return where a value is not what the pattern says; binds the names in it."""
    return list(_compare(pattern, value, bindings, ""))


def _compare(pattern: Any, value: Any, bindings: Bindings, path: str) -> Iterator[Difference]:
    if isinstance(pattern, dict) and MATCHERS & pattern.keys():
        yield from _match(pattern, value, bindings, path)
    elif isinstance(pattern, dict) and isinstance(value, dict):
        yield from _compare_objects(pattern, value, bindings, path)
    elif isinstance(pattern, list) and isinstance(value, list):
        yield from _compare_arrays(pattern, value, bindings, path)
    elif type(pattern) is not type(value) or pattern != value:
        yield Difference(path, pattern, value)


def _compare_objects(
    pattern: dict[str, Any], value: dict[str, Any], bindings: Bindings, path: str
) -> Iterator[Difference]:
    for key, expected in pattern.items():
        if key == MORE:
            continue
        here = f"{path}/{_escaped(key)}"
        if key in value:
            yield from _compare(expected, value[key], bindings, here)
        else:
            yield Difference(here, expected, ABSENT)
    if MORE not in pattern:
        for key in value.keys() - pattern.keys():
            yield Difference(f"{path}/{_escaped(key)}", ABSENT, value[key])


def _compare_arrays(
    pattern: list[Any], value: list[Any], bindings: Bindings, path: str
) -> Iterator[Difference]:
    for index in range(max(len(pattern), len(value))):
        here = f"{path}/{index}"
        if index >= len(value):
            yield Difference(here, pattern[index], ABSENT)
        elif index >= len(pattern):
            yield Difference(here, ABSENT, value[index])
        else:
            yield from _compare(pattern[index], value[index], bindings, here)


def _match(
    pattern: Mapping[str, Any], value: Any, bindings: Bindings, path: str
) -> Iterator[Difference]:
    match pattern:
        case {"$literal": expected}:
            same = type(expected) is type(value) and expected == value
        case {"$ref": name}:
            same = value == bindings.get(name)
        case {"$path": name}:
            same = value == bindings.path(name)
        case {"$text": text}:
            same = value == _text(text, bindings)
        case {"$bind": name, **rest}:
            same = _is_a(rest.get("$any", "value"), value)
            bindings.values[name] = value
        case {"$any": kinds}:
            same = _is_a(kinds, value)
        case _:
            raise PatternError(f"{sorted(pattern)} cannot be expected")
    if not same:
        yield Difference(path, _shown(pattern, bindings), value)


def _shown(pattern: Mapping[str, Any], bindings: Bindings) -> Any:
    """Return what a matcher stands for where that is one value, else the matcher."""
    if "$any" in pattern or "$bind" in pattern:
        return pattern
    return fill(pattern, bindings)


def _is_a(kinds: Any, value: Any) -> bool:
    try:
        return any(_KINDS[kind](value) for kind in str(kinds).split("|"))
    except KeyError as error:
        raise PatternError(f"{kinds!r} is no type") from error


_KINDS: Final[dict[str, Any]] = {
    "value": lambda _: True,
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _text(text: str, bindings: Bindings) -> str:
    return _NAME.sub(lambda found: str(bindings.get(found[1])), text)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
