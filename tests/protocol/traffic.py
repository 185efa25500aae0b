"""Holds what went over a pipe against the OpenRPC document."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft7Validator

from protocol.openrpc import openrpc_document

DOCUMENT = openrpc_document()
METHODS: dict[str, Any] = {method["name"]: method for method in DOCUMENT["methods"]}
NOTES: dict[str, Any] = {note["name"]: note for note in DOCUMENT["x-notifications"]}
ERRORS: dict[str, Any] = DOCUMENT["components"]["errors"]
# Answers to what is no request of the document, or not readable as one.
OF_ANY_MESSAGE = {-32700, -32600, -32601}
_LENGTH = re.compile(rb"content-length: *(\d+)[^\r]*\r\n(?:[^\r\n]+\r\n)*\r\n", re.IGNORECASE)


def messages(stream: bytes) -> Iterator[dict[str, Any]]:
    """Yield every readable JSON-RPC message of a stream; what is none is passed over."""
    at = 0
    while header := _LENGTH.search(stream, at):
        at = header.end() + int(header[1])
        try:
            message = json.loads(stream[header.end() : at])
        except ValueError:
            continue
        if isinstance(message, dict):
            yield message


def faults(said: bytes, answered: bytes) -> tuple[set[str], list[str]]:
    """Return whose results and notices were looked at, and what the document does not allow."""
    asked = {_key(m["id"]): m for m in messages(said) if "id" in m and "method" in m}
    seen: set[str] = set()
    found: list[str] = []
    for message in messages(answered):
        if "method" in message:
            seen.add(message["method"])
            found += _misfits(message["method"], NOTES[message["method"]]["params"], message)
            continue
        request = asked.get(_key(message.get("id")), {})
        method = METHODS.get(request.get("method", ""))
        if "error" in message:
            found += _error_faults(method, message["error"])
        elif method is not None:
            seen.add(method["name"])
            found += _result_faults(method, request, message["result"])
    return seen, found


def _result_faults(method: Any, request: Any, result: Any) -> list[str]:
    found = _misfits(method["name"], method["result"]["schema"], {"params": result})
    if method["x-answering"] == "request" or result["status"] in ("applied", "historical"):
        found += _misfits(f"params of {method['name']}", method["x-params"], request)
    return found


def _error_faults(method: Any, error: Any) -> list[str]:
    if error["code"] in OF_ANY_MESSAGE:
        return []
    names = [reference["$ref"].rpartition("/")[2] for reference in method["errors"]]
    for name in names:
        if ERRORS[name]["code"] == error["code"]:
            shape = ERRORS[name].get("data", {})
            return _misfits(f"error of {method['name']}", shape, {"params": error.get("data")})
    return [f"{method['name']} must not fail with {error['code']}"]


def _misfits(what: str, schema: Any, message: Any) -> list[str]:
    validator = _validator(json.dumps(schema))
    value = message.get("params") or {} if "method" in message else message["params"]
    return [
        f"{what}: {fault.json_path}: {fault.message[:300]}"
        for fault in validator.iter_errors(value)
    ]


@cache
def _validator(schema: str) -> Draft7Validator:
    components = {"schemas": DOCUMENT["components"]["schemas"]}
    return Draft7Validator({"allOf": [json.loads(schema)], "components": components})


def _key(id_: Any) -> tuple[str, Any]:
    return type(id_).__name__, id_
