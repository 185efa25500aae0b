import json
from collections.abc import Iterator
from importlib import resources
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from protocol import schema
from protocol.commands import FORBIDDEN_INSIDE, PAYLOAD_KINDS, InnerPayload, Payload
from protocol.converter import decode, make_strict_converter
from protocol.errors import InvalidParamsError
from protocol.methods import METHODS, NOTIFICATIONS
from protocol.openrpc import openrpc_document
from protocol.wire_shapes import REFINED
from tests.protocol.sampling import spoiled, values

DOCUMENT = openrpc_document()
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
CONVERTER = make_strict_converter()
# These are read by rules of their own; the schema says what the rules will accept.
READ_BY_RULES = {cl.__name__ for cl, _ in REFINED} | {"InitializeParams"}
READ_STRICTLY = {
    name: method.params
    for name, method in METHODS.items()
    if method.params.__name__ not in READ_BY_RULES
}


def test_the_committed_files_are_what_the_types_give() -> None:
    assert schema.stale() == []


def test_the_document_is_packaged() -> None:
    packaged = resources.files("protocol").joinpath("openrpc.json").read_bytes()

    assert json.loads(packaged) == DOCUMENT


def test_every_method_and_notification_of_the_table_is_described() -> None:
    methods = {method["name"] for method in DOCUMENT["methods"]}
    told = {n["name"] for n in DOCUMENT["x-notifications"] if n["sender"] == "server"}

    assert methods == {*METHODS, "initialize", "shutdown", "rpc.discover"}
    assert told == {*NOTIFICATIONS, "$/progress"}


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_schema_is_valid_and_titled_by_its_name(name: str) -> None:
    Draft7Validator.check_schema(SCHEMAS[name])

    assert SCHEMAS[name]["title"] == name


def test_every_reference_leads_somewhere_and_every_schema_is_used() -> None:
    used = {pointer.rpartition("/")[2] for pointer in _references(DOCUMENT)}
    known = {*SCHEMAS, *DOCUMENT["components"]["errors"]}

    assert known == used


def test_a_closed_object_is_never_part_of_an_answer() -> None:
    answers = [m["result"]["schema"] for m in DOCUMENT["methods"]]
    answers += [n["params"] for n in DOCUMENT["x-notifications"] if n["sender"] == "server"]
    waiting, seen = [*answers], set()
    while waiting:
        for pointer in _references(waiting.pop()):
            name = pointer.rpartition("/")[2]
            assert SCHEMAS[name].get("additionalProperties") is not False, name
            if name not in seen:
                seen.add(name)
                waiting.append(SCHEMAS[name])


def test_the_inner_payloads_are_all_but_the_forbidden_ones() -> None:
    allowed = {cl for kind, cl in PAYLOAD_KINDS.items() if kind not in FORBIDDEN_INSIDE}

    assert set(get_args(InnerPayload)) == allowed


@pytest.mark.parametrize("name", sorted(READ_STRICTLY))
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_the_converter_accepts_params_if_and_only_if_the_schema_does(
    name: str, data: st.DataObject
) -> None:
    params = READ_STRICTLY[name]
    declared = next(m["x-params"] for m in DOCUMENT["methods"] if m["name"] == name)
    value = data.draw(values(declared, SCHEMAS))
    off = data.draw(spoiled(value))

    assert _fits(value, params)
    assert _fits(off, params) == _validator(declared).is_valid(off), off


@pytest.mark.parametrize("kind", sorted(PAYLOAD_KINDS))
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_converter_accepts_a_payload_if_and_only_if_the_schema_does(
    kind: str, data: st.DataObject
) -> None:
    declared = {"$ref": "#/components/schemas/Payload"}
    value = data.draw(values(SCHEMAS[PAYLOAD_KINDS[kind].__name__], SCHEMAS))
    off = data.draw(spoiled(value))

    assert _validator(declared).is_valid(value)
    assert _fits(value, Payload)
    assert _fits(off, Payload) == _validator(declared).is_valid(off), off


def _fits(value: Any, declared: Any) -> bool:
    try:
        decode(CONVERTER, value, declared)
    except InvalidParamsError:
        return False
    return True


def _validator(declared: dict[str, Any]) -> Draft7Validator:
    # Draft 7 ignores what stands beside a reference, so the reference goes one level down.
    return Draft7Validator({"allOf": [declared], "components": {"schemas": SCHEMAS}})


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref":
                yield inner
            else:
                yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)
