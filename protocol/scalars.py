"""Readers of values that no field stands in: strict ones, and one that takes all.

None coerces: cattrs alone would read ``"7"`` as ``7``.
"""

from collections.abc import Callable
from typing import Any, Final, get_args

from protocol.names import json_name

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1


def as_is(value: Any, _: object) -> Any:
    return value


def read_object(value: object, _: object) -> object:
    if type(value) is not dict:
        raise TypeError(f"expected an object, got {json_name(value)}")
    return value


def read_content(value: object, _: object) -> object:
    if not isinstance(value, dict | list | str):
        raise TypeError(f"expected an object, an array or a string, got {json_name(value)}")
    return value


def read_boolean(value: object, _: object) -> bool:
    if type(value) is not bool:
        raise TypeError(f"expected a boolean, got {json_name(value)}")
    return value


def read_number(value: object, _: object) -> float:
    if type(value) is int or type(value) is float:
        return value
    raise TypeError(f"expected a number, got {json_name(value)}")


def read_integer(value: object, _: object) -> int:
    if type(value) is not int:
        raise TypeError(f"expected an integer, got {json_name(value)}")
    if not INT_MIN <= value <= INT_MAX:
        raise ValueError("outside the range of 64-bit integers")
    return value


def read_text(value: object, _: object) -> str:
    if type(value) is not str:
        raise TypeError(f"expected a string, got {json_name(value)}")
    return value


def read_choice(cl: Any) -> Callable[[object, object], object]:
    choices = get_args(cl)
    # True is no 1.
    known = {(type(choice), choice) for choice in choices}

    def read(value: object, _: object) -> object:
        # What cannot be hashed is no choice either.
        if not isinstance(value, dict | list) and (type(value), value) in known:
            return value
        raise ValueError(f"expected one of {', '.join(map(str, choices))}")

    return read
