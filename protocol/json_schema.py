"""JSON Schemas (draft-07) of the protocol's types.

A request's objects are closed, an answer's are open: clients ignore keys they do not know.  So a
type that goes both ways has two schemas, and the request's name ends in ``Input``.
"""

import re
import types
from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from inspect import cleandoc
from typing import Any, Final, Literal, NewType, Union, get_args, get_origin, get_type_hints

from attrs import NOTHING, Attribute, Factory, fields, has

from protocol.changes import WireChange
from protocol.commands import Missing
from protocol.names import camel
from protocol.wire_shapes import CHANGE_VALUES, CODES, KINDS, OPEN, REFINED, UNIONS

Schema = dict[str, Any]


class Direction(Enum):
    """Whether a type stands in a request or in an answer."""

    INPUT = "input"
    OUTPUT = "output"


_SCALARS: Final[dict[Any, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
_EMPTY_OBJECT: Final[Any] = Factory(dict)
_PAGE_LIMIT: Final = {"minimum": 1, "maximum": 500}


class Schemas:
    """The schemas of all types that were asked for, by name.

    Every root has to be named at the start: whether a type goes both ways decides its name.
    """

    def __init__(self, inputs: Iterator[Any], outputs: Iterator[Any]) -> None:
        self.definitions: dict[str, Schema] = {}
        self._both = reachable(inputs) & reachable(outputs)

    def of(self, declared: Any, direction: Direction) -> Schema:
        """Return the schema of a declared type; classes and named unions are references."""
        declared = _plain(declared)
        if declared is Any:
            return {}
        if declared in UNIONS:
            return self._defined(UNIONS[declared][0], lambda: self._tagged(declared, direction))
        if declared is WireChange:
            return self._defined("Change", self._change)
        if declared in CODES:
            return self._defined(CODES[declared], lambda: _codes(get_args(declared)))
        if has(declared):
            name = self._name(declared, direction)
            return self._defined(name, lambda: self._object(declared, direction))
        if declared in _SCALARS:
            return {"type": _SCALARS[declared]}
        return self._composed(declared, direction)

    def _composed(self, declared: Any, direction: Direction) -> Schema:
        args = get_args(declared)
        origin = get_origin(declared)
        if origin is Literal:
            return _literal(args)
        if origin in (tuple, list):
            return self._array(args, direction)
        if origin is dict:
            inner = self.of(args[1], direction)
            return {"type": "object", "additionalProperties": inner} if inner else _OBJECT.copy()
        if origin in (Union, types.UnionType):
            return self._union([a for a in args if a is not Missing], direction)
        raise TypeError(f"no schema for {declared!r}")

    def _array(self, args: tuple[Any, ...], direction: Direction) -> Schema:
        items = [self.of(a, direction) for a in args if a is not ...]
        if len(args) == 1 or ... in args:
            return {"type": "array", "items": items[0]}
        bounds = {"minItems": len(items), "maxItems": len(items)}
        return {"type": "array", "items": items, "additionalItems": False, **bounds}

    def _union(self, args: list[Any], direction: Direction) -> Schema:
        if Any in args:
            return {}
        rest = [a for a in args if a is not type(None)]
        schemas = [self.of(a, direction) for a in rest]
        if len(rest) == len(args):
            return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        if len(schemas) == 1 and set(schemas[0]) == {"type"}:
            return {"type": [schemas[0]["type"], "null"]}
        return {"anyOf": [*schemas, {"type": "null"}]}

    def _defined(self, name: str, build: Callable[[], Schema]) -> Schema:
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = {"title": name, **build()}
        return {"$ref": f"#/components/schemas/{name}"}

    def _name(self, cl: type, direction: Direction) -> str:
        doubled = direction is Direction.INPUT and cl in self._both and cl not in OPEN
        return cl.__name__ + ("Input" if doubled else "")

    def _object(self, cl: type, direction: Direction) -> Schema:
        kind = KINDS.get(cl)
        properties: Schema = {"kind": {"const": kind}} if kind else {}
        required = ["kind"] if kind else []
        for attribute, declared in declared_fields(cl):
            key = camel(attribute.name)
            properties[key] = {
                **self.of(declared, direction),
                **_hints(attribute, direction),
            }
            if is_required(attribute, declared, direction, open_=cl in OPEN):
                required.append(key)
        schema: Schema = {**description_of(cl), "type": "object", "properties": properties}
        if required:
            schema["required"] = required
        if cl in OPEN:
            schema["additionalProperties"] = True
        elif direction is Direction.INPUT:
            schema["additionalProperties"] = False
        return schema

    def _tagged(self, union: Any, direction: Direction) -> Schema:
        by_kind = all(cl in KINDS for cl in get_args(union))
        return {
            "description": UNIONS[union][1],
            "oneOf": [self.of(cl, direction) for cl in get_args(union)],
            **({"discriminator": {"propertyName": "kind"}} if by_kind else {}),
        }

    def _change(self) -> Schema:
        variants = [
            self._defined(f"{kind.capitalize()}Change", partial(self._change_of, kind))
            for kind in CHANGE_VALUES
        ]
        return {
            **description_of(WireChange),
            "oneOf": variants,
            "discriminator": {"propertyName": "kind"},
        }

    def _change_of(self, kind: str) -> Schema:
        value = self.of(CHANGE_VALUES[kind] | None, Direction.OUTPUT)
        scoped = kind in ("node", "edge", "group")
        named = kind not in ("document", "title")
        return {
            "type": "object",
            "properties": {
                "kind": {"const": kind},
                "scope": {"type": ["string", "null"] if scoped else "null"},
                "id": {"type": "string" if named else "null"},
                "before": value,
                "after": value,
                "previousId": {"type": ["string", "null"]},
            },
            "required": ["kind", "scope", "id", "before", "after"],
        }


_OBJECT: Final[Schema] = {"type": "object"}


def declared_fields(cl: type) -> Iterator[tuple["Attribute[Any]", Any]]:
    """Yield each attribute of an attrs class and what it has to be on the wire."""
    hints = get_type_hints(cl)
    for attribute in fields(cl):
        yield attribute, REFINED.get((cl, attribute.name), hints[attribute.name])


def reachable(roots: Iterator[Any]) -> set[type]:
    """Return every attrs class that the types are made of."""
    found: set[type] = set()
    waiting = list(roots)
    while waiting:
        declared = _plain(waiting.pop())
        if declared is WireChange:
            waiting.extend(CHANGE_VALUES.values())
        elif not has(declared):
            waiting.extend(get_args(declared))
        elif declared not in found:
            found.add(declared)
            waiting.extend(hint for _, hint in declared_fields(declared))
    return found


def is_required(
    attribute: "Attribute[Any]", declared: Any, direction: Direction, *, open_: bool
) -> bool:
    """Tell whether a field is always there: an answer leaves nothing out but what may be missing."""
    if Missing in get_args(declared):
        return False
    return attribute.default is NOTHING or (direction is Direction.OUTPUT and not open_)


def description_of(cl: type) -> Schema:
    """Return the docstring as a description, field names as they are on the wire."""
    text = " ".join(cleandoc(cl.__doc__ or "").split())
    text = re.sub(r":\w+:`[~\w.]*?(\w+)`", r"`\1`", text)
    text = re.sub(r"``([a-z_]+)``", lambda match: f"`{camel(match[1])}`", text)
    text = re.sub(r"\bNone\b", "null", text.replace("``", "`"))
    return {"description": text} if text else {}


def _hints(attribute: "Attribute[Any]", direction: Direction) -> Schema:
    if direction is Direction.OUTPUT:
        return {}
    default: Any = attribute.default
    hints: Schema = {}
    if isinstance(default, bool | int | str):
        hints["default"] = default
    elif default == ():
        hints["default"] = []
    elif default == _EMPTY_OBJECT:
        hints["default"] = {}
    if attribute.name == "limit":
        hints.update(_PAGE_LIMIT)
    return hints


def _literal(values: tuple[Any, ...]) -> Schema:
    if len(values) == 1:
        return {"const": values[0]}
    return {"type": "string", "enum": list(values)}


def _codes(codes: tuple[str, ...]) -> Schema:
    return {"type": "string", "enum": sorted(set(codes))}


def _plain(declared: Any) -> Any:
    while isinstance(declared, NewType):
        declared = declared.__supertype__
    return declared
