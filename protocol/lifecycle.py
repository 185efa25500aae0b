"""What initialize takes and gives, and the data of JSON-RPC errors.

These types describe; the pipe reads and writes them itself, since editors send many more keys.
"""

from typing import Literal

from attrs import frozen

from protocol.changes import Notice
from protocol.commands import MISSING, Missing
from protocol.graph import Json, JsonObject


@frozen(kw_only=True)
class InitializationOptions:
    """What the host asks for.  ``database`` is an absolute path and beats the command line's."""

    protocol_version: Literal[1]
    database: str | Missing = MISSING


@frozen(kw_only=True)
class ClientInfo:
    """Who the host is."""

    name: str
    version: str | Missing = MISSING


@frozen(kw_only=True)
class InitializeParams:
    """LSP's params, open to keys unknown here.

    ``process_id`` is the host's; the sidecar ends within seconds of that process.
    """

    process_id: int | None
    client_info: ClientInfo | Missing = MISSING
    capabilities: JsonObject | Missing = MISSING
    initialization_options: InitializationOptions
    trace: Literal["off", "messages", "verbose"] | Missing = MISSING


@frozen(kw_only=True)
class ServerInfo:
    """Which sidecar answers."""

    name: str
    version: str


@frozen(kw_only=True)
class OpenedDatabase:
    """The file that initialize opened.  ``migrated_from`` is the older schema's number."""

    path: str
    schema_version: int
    created: bool
    migrated_from: int | None


@frozen(kw_only=True)
class Limits:
    """The bounds of a message: bytes, levels, values; and the items of a page."""

    max_message_bytes: int
    max_depth: int
    max_values: int
    max_page: int


@frozen(kw_only=True)
class ExperimentalCapabilities:
    """What is true of this process beyond LSP.

    ``closed_runs`` and ``interrupted_sessions`` name what a process that is gone left open.
    ``warnings`` are there where the database stands at a place that may harm it.
    """

    protocol_version: Literal[1]
    methods: tuple[str, ...]
    limits: Limits
    database: OpenedDatabase
    closed_runs: tuple[str, ...]
    interrupted_sessions: tuple[str, ...]
    warnings: tuple[Notice, ...] | Missing = MISSING


@frozen(kw_only=True)
class ServerCapabilities:
    """LSP's capabilities; all of the sidecar's stand under ``experimental``."""

    experimental: ExperimentalCapabilities


@frozen(kw_only=True)
class InitializeResult:
    """Requests are served from this answer on."""

    capabilities: ServerCapabilities
    server_info: ServerInfo


@frozen(kw_only=True)
class CancelParams:
    """Which request to cancel.  A commit that began is never half done."""

    id: int | str


@frozen(kw_only=True)
class ProgressParams:
    """How far a long request is; ``token`` is the ``workDoneToken`` it was sent with."""

    token: int | str
    value: JsonObject


@frozen(kw_only=True)
class SetTraceParams:
    """LSP's trace level; accepted and without effect."""

    value: Literal["off", "messages", "verbose"]


@frozen(kw_only=True)
class ParamsIssue:
    """One fault of the params: where (a JSON Pointer) and what."""

    path: str
    message: str


@frozen(kw_only=True)
class InvalidParamsData:
    """Every fault found; or, for initialize, which protocol versions are spoken."""

    issues: tuple[ParamsIssue, ...] | Missing = MISSING
    requested: Json | Missing = MISSING
    supported: tuple[int, ...] | Missing = MISSING


@frozen(kw_only=True)
class InternalErrorData:
    """``error_id`` stands in the log line of the fault too."""

    error_id: str
