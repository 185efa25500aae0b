"""Graph in, content out: the format's adapter writes, a wrapper of the file goes around it."""

from protocol.changes import Notice
from protocol.graph import Json, JsonObject, ProjectState
from protocol.json_text import dumps, loads
from sidecar.core.errors import RejectedError
from sidecar.formats.adapters import ADAPTERS, no_such_format
from sidecar.formats.losses import losses
from sidecar.formats.residue import same


def write(state: ProjectState, format: str) -> tuple[Json, list[Notice]]:  # noqa: A002 -- the wire's word
    """Return a project as the JSON of a file, and warnings about what that file does not hold.

    Raises :class:`RejectedError`: ``unknown-format``.
    """
    adapter = ADAPTERS.get(format)
    if adapter is None:
        details = {"format": format, "tried": list(ADAPTERS)}
        raise RejectedError("unknown-format", no_such_format(), details)
    value, notices = adapter.write(state)
    return _wrapped(value, state, format), [*notices, *losses(state, format)]


def _wrapped(value: Json, state: ProjectState, format_: str) -> Json:
    document = state.document
    if document is None or document.format != format_:
        return value
    wrapper = (document.native or {}).get("wrapper")
    if not isinstance(wrapper, dict):
        return value
    return {**wrapper["before"], wrapper["key"]: _inner(value, wrapper), **wrapper["after"]}


def _inner(value: Json, wrapper: JsonObject) -> Json:
    """Return the workflow as the wrapper holds it: as JSON, or as a text of it."""
    text = wrapper.get("text")
    if text is None:
        return value
    if isinstance(text, str) and same(loads(text), value):
        return text
    return dumps(value).decode()
