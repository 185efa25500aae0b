"""Graph in, content out: the format's adapter writes, a wrapper of the file goes around it."""

from typing import Final

from protocol.changes import Notice
from protocol.graph import Json, JsonObject, ProjectState
from protocol.json_text import dumps, loads
from sidecar.core.errors import RejectedError
from sidecar.formats.adapters import ADAPTERS, no_such_format
from sidecar.formats.losses import losses
from sidecar.formats.natives import without_residue
from sidecar.formats.residue import same

UNREADABLE: Final = (TypeError, AttributeError, ValueError, LookupError)
"""What a residue raises that no reader of ours has made: natives of a file of this model, and those
that come with a command, may be anything at all."""
_NO_RESIDUE: Final = "What things keep of their files could not be read; they are written anew."


def write(state: ProjectState, format: str) -> tuple[Json, list[Notice]]:  # noqa: A002 -- the wire's word
    """Return a project as the JSON of a file, and warnings about what that file does not hold.

    Raises :class:`RejectedError`: ``unknown-format``.
    """
    adapter = ADAPTERS.get(format)
    if adapter is None:
        details = {"format": format, "tried": list(ADAPTERS)}
        raise RejectedError("unknown-format", no_such_format(), details)
    try:
        value, notices = adapter.write(state)
        whole = _wrapped(value, state, format)
        # What such a residue puts in may be no JSON either.
        dumps(whole)
    except UNREADABLE:
        bare = without_residue(state)
        whole, notices = adapter.write(bare)
        notices.append(Notice(code="residue-dropped", message=_NO_RESIDUE))
    return whole, [*notices, *losses(state, format)]


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
