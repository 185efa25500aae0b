"""exportProject: a version as the JSON text of a file of some format."""

from typing import Any

from protocol.converter import make_trusting_converter
from protocol.errors import InvalidParamsError, Issue
from protocol.graph import ProjectState
from protocol.json_text import dumps, loads
from protocol.projects import ExportProjectParams
from sidecar.core.errors import RejectedError
from sidecar.handlers.context import Context
from sidecar.handlers.history import visible
from sidecar.handlers.projects import opened
from sidecar.store import states
from sidecar.store.database import Transaction


def export_project(ctx: Context, tx: Transaction, params: ExportProjectParams) -> bytes:
    """Write a version (default: the current one) in a format."""
    from sidecar.formats.writer import write  # noqa: PLC0415 -- start-up time

    project = opened(ctx, tx, params.project_id)
    if params.revision_id is None:
        state = project.graph.state()
    else:
        row = visible(tx, project.row, params.revision_id)
        state = _state(states.state_at(tx, project.row, row.number).json())
    try:
        content, notices = write(state, params.format)
    except RejectedError as error:
        raise InvalidParamsError([Issue("/format", error.message)]) from error
    warnings = [
        {"code": notice.code, "message": notice.message, "path": notice.path} for notice in notices
    ]
    text = dumps(content).decode()
    return dumps({"format": params.format, "content": text, "warnings": warnings})


def _state(text: bytes) -> ProjectState:
    value: dict[str, Any] = loads(text)
    state: ProjectState = make_trusting_converter().structure(value, ProjectState)
    return state
