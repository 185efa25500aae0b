"""The converters between JSON values and protocol types.

The strict one refuses unknown keys, never coerces (cattrs alone would read ``"7"`` as ``7``) and
reports every fault with a JSON Pointer, up to ``MAX_FAULTS``.  The trusting one reads what the strict one wrote.
"""

import types
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

from attrs import fields, has
from cattrs import Converter
from cattrs.errors import IterableValidationError, IterableValidationNote
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from protocol.commands import (
    FORBIDDEN_INSIDE,
    KIND_OF,
    MISSING,
    PAYLOAD_KINDS,
    InnerPayload,
    Missing,
    Payload,
)
from protocol.errors import InvalidParamsError, Issue
from protocol.issues import (
    MAX_FAULTS,
    BadKindError,
    ForbiddenKindError,
    UnknownKindError,
    issues_of,
)
from protocol.names import camel, json_name
from protocol.scalars import (
    as_is,
    read_boolean,
    read_choice,
    read_content,
    read_integer,
    read_number,
    read_object,
    read_text,
)

T = TypeVar("T")


class StrictConverter(Converter):
    """A converter that stops looking for faults in lists once it has found enough."""

    faults_left = MAX_FAULTS


def make_strict_converter() -> StrictConverter:
    """Return a fresh strict converter.  Callers own it; there is no global one."""
    converter = StrictConverter(forbid_extra_keys=True, detailed_validation=True)
    converter.register_structure_hook(bool, read_boolean)
    converter.register_structure_hook(float, read_number)
    converter.register_structure_hook(int, read_integer)
    converter.register_structure_hook(str, read_text)
    converter.register_structure_hook_factory(_is_choice, read_choice)
    converter.register_structure_hook_factory(_is_mapping, lambda cl: _mapping(cl, converter))
    converter.register_structure_hook_factory(_is_array, lambda cl: _array(cl, converter))
    _register_classes(converter, strict=True)
    return converter


def make_trusting_converter() -> Converter:
    """Return a fresh converter for values that the strict one has passed before.

    It checks nothing, so it is several times as fast.
    """
    converter = Converter(forbid_extra_keys=False, detailed_validation=False)
    for scalar in (bool, float, int, str):
        converter.register_structure_hook(scalar, as_is)
    _register_classes(converter, strict=False)
    return converter


def decode(converter: Converter, value: object, cl: type[T]) -> T:
    """Return ``value`` as a ``cl``, or raise :class:`InvalidParamsError` with every fault found."""
    if has(cl) and not isinstance(value, dict):
        raise InvalidParamsError([Issue("", f"expected an object, got {json_name(value)}")])
    if isinstance(converter, StrictConverter):
        converter.faults_left = MAX_FAULTS
    try:
        return converter.structure(value, cl)
    except Exception as error:
        raise InvalidParamsError(list(islice(issues_of(error), MAX_FAULTS))) from error


def _register_classes(converter: Converter, *, strict: bool) -> None:
    converter.register_structure_hook_func(_is_json_object, read_object if strict else as_is)
    converter.register_structure_hook_factory(
        _has_missing, lambda cl: _present(without_missing(cl), converter)
    )
    converter.register_structure_hook_factory(
        lambda cl: cl in (Payload, InnerPayload), lambda cl: _payload(cl, converter)
    )
    converter.register_structure_hook_func(_is_content, read_content)
    converter.register_structure_hook_factory(has, lambda cl: _structure(cl, converter, strict))
    converter.register_unstructure_hook_factory(has, lambda cl: _unstructure(cl, converter))
    converter.register_unstructure_hook_func(_is_json_object, lambda value: value)
    converter.register_unstructure_hook(Missing, lambda _: None)


def _structure(cl: type, converter: Converter, strict: bool) -> Any:  # noqa: FBT001 -- internal
    read: Any = make_dict_structure_fn(
        cl,
        converter,
        _cattrs_forbid_extra_keys=strict,
        _cattrs_detailed_validation=strict,
        **_renames(cl),
    )
    if not strict:
        return read

    def checked(value: object, target: type) -> Any:
        if type(value) is not dict:
            raise TypeError(f"expected an object, got {json_name(value)}")
        return read(value, target)

    return checked


def _unstructure(cl: type, converter: Converter) -> Any:
    write: Any = make_dict_unstructure_fn(cl, converter, **_renames(cl))
    optional = [
        (attribute.name, camel(attribute.name))
        for attribute in fields(cl)
        if attribute.default is MISSING
    ]
    kind = KIND_OF.get(cast("Any", cl))
    if not optional and kind is None:
        return write

    def tagged(value: Any) -> dict[str, Any]:
        data = {"kind": kind} if kind else {}
        data.update(write(value))
        for name, key in optional:
            if getattr(value, name) is MISSING:
                del data[key]
        return data

    return tagged


def _renames(cl: type) -> dict[str, Any]:
    return {a.name: override(rename=camel(a.name)) for a in fields(cl) if camel(a.name) != a.name}


def _payload(union: Any, converter: Converter) -> Callable[[object, object], Any]:
    inner = union is InnerPayload or union == InnerPayload

    def read(value: object, _: object) -> Any:
        if type(value) is not dict:
            raise TypeError(f"expected an object, got {json_name(value)}")
        kind = value.get("kind")
        if not isinstance(kind, str):
            raise BadKindError(f"expected a string, got {json_name(kind)}")
        if inner and kind in FORBIDDEN_INSIDE:
            raise ForbiddenKindError(f"{kind} may not run inside a definition")
        cl = PAYLOAD_KINDS.get(kind)
        if cl is None:
            raise UnknownKindError("there is no payload of this kind")
        return converter.structure({k: v for k, v in value.items() if k != "kind"}, cl)

    return read


def _mapping(cl: Any, converter: StrictConverter) -> Callable[[object, object], Any]:
    value_type = get_args(cl)[1]

    def checked(value: Any, _: object) -> Any:
        if type(value) is not dict:
            raise TypeError(f"expected an object, got {json_name(value)}")
        return dict(zip(value, _read_all(value.items(), value_type, converter), strict=True))

    return checked


def _array(cl: Any, converter: StrictConverter) -> Callable[[object, object], Any]:
    item_type = get_args(cl)[0]

    def checked(value: Any, _: object) -> Any:
        # Any iterable would do for cattrs, a text of three letters for three texts.
        if type(value) is not list:
            raise TypeError(f"expected an array, got {json_name(value)}")
        return tuple(_read_all(enumerate(value), item_type, converter))

    return checked


def _read_all(
    items: Iterable[tuple[int | str, Any]], cl: Any, converter: StrictConverter
) -> list[Any]:
    read: list[Any] = []
    faults: list[Exception] = []
    hook = converter.get_structure_hook(cl)
    for place, item in items:
        try:
            read.append(hook(item, cl))
        except Exception as error:  # noqa: BLE001 -- each is told with its place
            error.__notes__ = [IterableValidationNote("an item", place, cl)]
            faults.append(error)
            converter.faults_left -= 1
            if converter.faults_left <= 0:
                break
    if faults:
        raise IterableValidationError("a list", faults, list)
    return read


def _present(cl: Any, converter: Converter) -> Callable[[object, object], Any]:
    if cl is Any:
        return as_is

    def read(value: object, _: object) -> Any:
        return converter.structure(value, cl)

    return read


def without_missing(cl: Any) -> Any:
    """Return a union type without its :class:`Missing` alternative."""
    rest = tuple(arg for arg in get_args(cl) if arg is not Missing)
    return rest[0] if len(rest) == 1 else Union[rest]  # noqa: UP007 -- built at run time


def _has_missing(cl: Any) -> bool:
    return get_origin(cl) in (Union, types.UnionType) and Missing in get_args(cl)


def _is_json_object(cl: Any) -> bool:
    return get_origin(cl) is dict and get_args(cl) == (str, Any)


def _is_choice(cl: Any) -> bool:
    return get_origin(cl) is Literal


def _is_mapping(cl: Any) -> bool:
    return get_origin(cl) is dict and not _is_json_object(cl)


def _is_array(cl: Any) -> bool:
    return get_origin(cl) is tuple and get_args(cl)[1:] == (...,)


def _is_content(cl: Any) -> bool:
    return get_origin(cl) in (Union, types.UnionType) and set(get_args(cl)) == {
        dict[str, Any],
        list[Any],
        str,
    }
