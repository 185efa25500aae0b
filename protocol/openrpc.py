"""The OpenRPC document: every method, its params, its result, its errors, and the notifications.

It is made from the method table alone, so it cannot name what the dispatcher does not serve.
"""

from collections.abc import Iterator
from typing import Any, Final

from attrs import frozen

from protocol import lifecycle
from protocol.errors import ErrorCode
from protocol.json_schema import (
    Direction,
    Schema,
    Schemas,
    declared_fields,
    description_of,
    is_required,
)
from protocol.methods import METHODS, NOTIFICATIONS, PROTOCOL_VERSION, Method, type_named
from protocol.names import camel
from protocol.projects import NoParams
from protocol.wire_shapes import RequestFailedCode

OPENRPC_VERSION: Final = "1.3.2"


@frozen(kw_only=True)
class Notification:
    """A message without an answer, and who sends it."""

    params: Any
    summary: str
    sender: str = "client"


INITIALIZE: Final = Method(
    takes=lifecycle.InitializeParams,
    gives=lifecycle.InitializeResult,
    summary="Open the database and agree on the protocol; the first request.",
)
SHUTDOWN: Final = Method(
    takes=NoParams, gives=None, summary="Finish all work and close the database."
)
DISCOVER: Final = Method(takes=NoParams, gives=dict[str, Any], summary="Show this document.")

_LIFECYCLE_NOTIFICATIONS: Final[dict[str, Notification]] = {
    "initialized": Notification(params=NoParams, summary="The host has read initialize's answer."),
    "exit": Notification(params=NoParams, summary="End the process; after shutdown with code 0."),
    "$/cancelRequest": Notification(
        params=lifecycle.CancelParams, summary="Give up a request that is queued or cancellable."
    ),
    "$/setTrace": Notification(params=lifecycle.SetTraceParams, summary="LSP's; no effect."),
    "$/progress": Notification(
        params=lifecycle.ProgressParams,
        summary="How far a long request is (LSP's work done progress).",
        sender="server",
    ),
}
_SUMMARIES: Final[dict[str, str]] = {
    "projectChanged": "A project has another version.",
    "projectCreated": "A project is new.",
    "projectDeleted": "A project is gone.",
    "runChanged": "A run was opened, paused, resumed or ended, or took a step.",
    "draftChanged": "A draft is new or has another status.",
    "explanationsChanged": "Other explanations hold at a project's current version.",
    "sessionChanged": "A session has another revision.",
}
_ERRORS: Final[dict[str, tuple[ErrorCode, str, str | None]]] = {
    "InvalidRequest": (
        ErrorCode.INVALID_REQUEST,
        "The message is no request, or not allowed in this state.",
        None,
    ),
    "InvalidParams": (
        ErrorCode.INVALID_PARAMS,
        "The params do not fit; every fault found is listed.",
        "InvalidParamsData",
    ),
    "InternalError": (
        ErrorCode.INTERNAL_ERROR,
        "A fault of the sidecar; its log has more.",
        "InternalErrorData",
    ),
    "NotInitialized": (
        ErrorCode.SERVER_NOT_INITIALIZED,
        "initialize has to come first.",
        None,
    ),
    "Cancelled": (ErrorCode.REQUEST_CANCELLED, "The request was cancelled.", None),
    "RequestFailed": (
        ErrorCode.REQUEST_FAILED,
        "A well-formed request that cannot be served.",
        "RequestFailedData",
    ),
}


def openrpc_document() -> Schema:
    """Return the document as plain JSON values."""
    schemas = Schemas(iter(_input_roots()), iter(_output_roots()))
    methods = [_method(schemas, name, method) for name, method in requests()]
    notifications = [_notification(schemas, name, note) for name, note in _notifications()]
    codes = _code_schemas(schemas)
    return {
        "openrpc": OPENRPC_VERSION,
        "info": {
            "title": "graph-sidecar",
            "version": f"{PROTOCOL_VERSION}.0.0",
            "description": (
                "A command engine for node graphs and chat sessions: JSON-RPC 2.0 over stdio "
                "with the framing of the Language Server Protocol."
            ),
            "license": {"name": "MIT"},
        },
        "x-protocolVersion": PROTOCOL_VERSION,
        "methods": methods,
        "x-notifications": notifications,
        "components": {
            "schemas": dict(sorted({**schemas.definitions, **codes}.items())),
            "errors": {name: _error(name) for name in _ERRORS},
        },
    }


def requests() -> Iterator[tuple[str, Method]]:
    """Yield every request method by name, the lifecycle's first."""
    yield "initialize", INITIALIZE
    yield "shutdown", SHUTDOWN
    yield "rpc.discover", DISCOVER
    yield from METHODS.items()


def _notifications() -> Iterator[tuple[str, Notification]]:
    for name, told in NOTIFICATIONS.items():
        yield name, Notification(params=type_named(told), summary=_SUMMARIES[name], sender="server")
    yield from _LIFECYCLE_NOTIFICATIONS.items()


def _input_roots() -> list[Any]:
    return [m.params for _, m in requests()] + [
        n.params for _, n in _notifications() if n.sender == "client"
    ]


def _output_roots() -> list[Any]:
    return [m.result for _, m in requests()] + [
        n.params for _, n in _notifications() if n.sender == "server"
    ]


def _method(schemas: Schemas, name: str, method: Method) -> Schema:
    return {
        "name": name,
        "summary": method.summary,
        **description_of(method.params),
        "paramStructure": "by-name",
        "params": list(_params(schemas, method.params)),
        "result": {"name": _result_name(schemas, method), "schema": _result(schemas, method)},
        "errors": [{"$ref": f"#/components/errors/{error}"} for error in _errors_of(name, method)],
        "x-params": schemas.of(method.params, Direction.INPUT),
        "x-answering": method.answering,
    }


def _params(schemas: Schemas, params: Any) -> Iterator[Schema]:
    listed = schemas.definitions[_title(schemas.of(params, Direction.INPUT))]["properties"]
    for attribute, declared in declared_fields(params):
        key = camel(attribute.name)
        required = is_required(attribute, declared, Direction.INPUT, open_=False)
        yield {"name": key, "required": required, "schema": listed[key]}


def _result(schemas: Schemas, method: Method) -> Schema:
    if method.result is None:
        return {"type": "null"}
    return schemas.of(method.result, Direction.OUTPUT)


def _result_name(schemas: Schemas, method: Method) -> str:
    schema = _result(schemas, method)
    return _title(schema) if "$ref" in schema else "result"


def _errors_of(name: str, method: Method) -> list[str]:
    always = ["InvalidRequest", "InvalidParams", "InternalError", "NotInitialized", "Cancelled"]
    if name == "initialize":
        return ["InvalidRequest", "InvalidParams", "InternalError", "RequestFailed"]
    return [*always, "RequestFailed"] if method.answering == "request" else always


def _notification(schemas: Schemas, name: str, notification: Notification) -> Schema:
    incoming = notification.sender == "client"
    direction = Direction.INPUT if incoming else Direction.OUTPUT
    return {
        "name": name,
        "summary": notification.summary,
        "sender": notification.sender,
        "params": schemas.of(notification.params, direction),
    }


def _code_schemas(schemas: Schemas) -> dict[str, Schema]:
    schemas.of(lifecycle.InvalidParamsData, Direction.OUTPUT)
    schemas.of(lifecycle.InternalErrorData, Direction.OUTPUT)
    return {
        "RequestFailedData": {
            "title": "RequestFailedData",
            "description": "`data` of a -32803 answer: a code to branch on, and facts.",
            "type": "object",
            "properties": {
                "code": schemas.of(RequestFailedCode, Direction.OUTPUT),
                "retryable": {"type": "boolean"},
                "details": {"type": ["object", "null"]},
            },
            "required": ["code", "retryable", "details"],
        },
    }


def _error(name: str) -> Schema:
    code, message, data = _ERRORS[name]
    shape = {"data": {"$ref": f"#/components/schemas/{data}"}} if data else {}
    return {"code": int(code), "message": message, **shape}


def _title(schema: Schema) -> str:
    return str(schema["$ref"].rpartition("/")[2])
