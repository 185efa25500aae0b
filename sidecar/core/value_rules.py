"""What a component says about the values of its parameters."""

from collections.abc import Callable
from typing import Any, Final

from protocol.graph import Json, ParameterSpec
from sidecar.core.errors import RejectedError


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_integer(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_boolean(value: Json) -> bool:
    return isinstance(value, bool)


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _is_array(value: Json) -> bool:
    return isinstance(value, list | tuple)


KNOWN_TYPES: Final[dict[str, Callable[[Json], bool]]] = {
    "string": _is_text,
    "text": _is_text,
    "int": _is_integer,
    "integer": _is_integer,
    "float": _is_number,
    "number": _is_number,
    "bool": _is_boolean,
    "boolean": _is_boolean,
    "object": _is_object,
    "array": _is_array,
    "list": _is_array,
}
"""Data types whose values the engine can tell; a type of any other name takes any value."""


def check_value(spec: ParameterSpec, value: Json, *, ill_typed: str = "value-not-allowed") -> None:
    """Refuse a value that a specification does not allow.

    ``value-not-allowed``, or the code ``ill_typed`` where the value is of the wrong type.  Null
    is a value of every type.  Nothing is converted, and an int does for a float.
    """
    if value is not None and not has_type(value, spec.data_type):
        raise _refusal(ill_typed, spec, "type", spec.data_type)
    if spec.options is not None and not any(_equal(value, option) for option in spec.options):
        raise _refusal("value-not-allowed", spec, "options", list(spec.options))
    if not _is_number(value):
        return
    if spec.minimum is not None and value < spec.minimum:
        raise _refusal("value-not-allowed", spec, "minimum", spec.minimum)
    if spec.maximum is not None and value > spec.maximum:
        raise _refusal("value-not-allowed", spec, "maximum", spec.maximum)


def has_type(value: Json, data_type: str) -> bool:
    """Return whether a value is of a data type, or of one of a union's."""
    names = [part.strip().casefold() for part in data_type.split(",")]
    checks = [KNOWN_TYPES.get(name) for name in names]
    return any(check is None or check(value) for check in checks)


def _equal(value: Json, option: Json) -> bool:
    """Return whether a value is an option; ``1`` is ``1.0``, but neither is ``true``."""
    return isinstance(value, bool) == isinstance(option, bool) and bool(value == option)


def _refusal(code: str, spec: ParameterSpec, rule: str, limit: Any) -> RejectedError:
    return RejectedError(
        code,
        f"The parameter {spec.name} does not take this value ({rule}).",
        {"name": spec.name, rule: limit},
    )
