"""When two values are one and the same JSON.

Python takes ``1``, ``1.0`` and ``True`` for equal; JSON text does not, and a version must give
back what was written.
"""

from typing import Any, cast


def identical(one: Any, other: Any) -> bool:
    """Return whether two things or JSON values have the same canonical JSON text."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            identical(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(identical, one, other))
    attributes = getattr(one, "__attrs_attrs__", None)
    if attributes is not None:
        return all(
            identical(getattr(one, attribute.name), getattr(other, attribute.name))
            for attribute in attributes
        )
    if isinstance(one, float):
        # 0.0 and -0.0 are equal and written differently.
        return one == other and repr(one) == repr(other)
    return cast("bool", one == other)
