"""When two values are one and the same JSON.

Python takes ``1``, ``1.0`` and ``True`` for equal; JSON text does not, and a version must give
back what was written.
"""

from collections.abc import Callable, Iterable
from functools import cache
from operator import attrgetter
from typing import Any, cast

from attrs import fields, has


def identical(one: Any, other: Any) -> bool:
    """Return whether two things or JSON values have the same canonical JSON text."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and _all_identical(
            one.values(), map(other.__getitem__, one)
        )
    if isinstance(one, list | tuple):
        return len(one) == len(other) and _all_identical(one, other)
    if isinstance(one, float):
        # 0.0 and -0.0 are equal and written differently.
        return one == other and repr(one) == repr(other)
    if not isinstance(one, str | int) and has(type(one)):
        if one != other:
            # What Python tells apart JSON does too, and it is the quicker of the two.
            return False
        values_of = fields_of(type(one))  # type: ignore[arg-type]  # classes can be hashed
        return _all_identical(values_of(one), values_of(other))
    return cast("bool", one == other)


def _all_identical(some: Iterable[Any], others: Iterable[Any]) -> bool:
    # Most are the very objects of before, and need no call.
    for one, other in zip(some, others, strict=True):
        if one is not other and not identical(one, other):
            return False
    return True


@cache
def fields_of(cl: Any) -> Callable[[Any], tuple[Any, ...]]:
    """Return what gives the values of all fields of a thing.

    Most fields of a thing that was changed are the very objects of before: taken all at once,
    they are compared by identity at next to no cost.
    """
    names = [attribute.name for attribute in fields(cl)]
    if len(names) > 1:
        return cast("Callable[[Any], tuple[Any, ...]]", attrgetter(*names))
    return lambda value: tuple(getattr(value, name) for name in names)
