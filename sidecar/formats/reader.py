"""Content in, graph out: text is parsed, the format found, the format's adapter asked."""

from collections.abc import Iterator
from typing import Final

from attrs import evolve

from protocol.changes import Thing
from protocol.commands import Content
from protocol.graph import Graph, Json, JsonObject, SubgraphDefinition
from protocol.json_text import dumps, loads
from sidecar.core.arrivals import without_contents
from sidecar.core.checks import fits_depth
from sidecar.core.edit import Reading
from sidecar.core.errors import RejectedError
from sidecar.core.limits import MAX_IMPORT, MAX_JSON_DEPTH, MAX_THINGS
from sidecar.core.value_faults import is_too_deep
from sidecar.formats.adapters import ADAPTERS, no_such_format
from sidecar.formats.detect import Unwrapped, detect, unwrap

AUTO: Final = "auto"
_RESIDUE_LEVELS: Final = 4
"""How much deeper than in the file a value may lie in a native."""
_FILE_LEVELS: Final = 16
"""How much deeper than in its thing a value may lie in a file."""


def read(content: Content, format: str = AUTO) -> Reading:  # noqa: A002 -- the wire's word
    """Return what a content holds, whatever its format, or that of the named one.

    Raises :class:`RejectedError`: ``unreadable-content``, ``unknown-format``,
    ``unsupported-version``, ``subgraph-recursion``, ``empty-workflow``, ``size-limit``.
    """
    value = _parsed(content)
    flat = _is_flat(value)
    inner = unwrap(value)
    if inner.text is not None:
        flat = _is_flat(inner.content) and flat
    name = detect(value) if format == AUTO else format
    adapter = ADAPTERS.get(name)
    if adapter is None:
        tried = {"format": name, "tried": list(ADAPTERS)}
        raise RejectedError("unknown-format", no_such_format(), tried)
    if not isinstance(inner.content, adapter.content):
        raise _unreadable(f"The content is no {name} file.", "wrong-shape")
    reading = adapter.read(inner.content, f"/{inner.key}" if inner.key else "")
    if sum(1 for _ in _counted(reading)) > MAX_THINGS:
        details = {"limit": MAX_THINGS}
        raise RejectedError("size-limit", "There are too many things in the file.", details)
    whole = _with_wrapper(reading, value, inner)
    if not flat and any(map(is_too_deep, _things(whole))):
        raise _too_deep()
    return whole


def _is_flat(content: Json) -> bool:
    """Whether no value of a content can be too deep for a thing; raises where some must be."""
    if not fits_depth(content, MAX_JSON_DEPTH + _FILE_LEVELS):
        raise _too_deep()
    return fits_depth(content, MAX_JSON_DEPTH - _RESIDUE_LEVELS)


def _parsed(content: Content) -> Json:
    if not isinstance(content, str):
        return content
    if len(content) > MAX_IMPORT:
        details = {"limit": MAX_IMPORT, "characters": len(content)}
        raise RejectedError("size-limit", "The content is too long.", details)
    try:
        return loads(content.removeprefix("\ufeff"))
    except ValueError as error:
        raise _unreadable("The content is not JSON.", "not-json") from error


def _unreadable(message: str, reason: str) -> RejectedError:
    return RejectedError("unreadable-content", message, {"reason": reason})


def _too_deep() -> RejectedError:
    return _unreadable("The content is nested too deep.", "too-deep")


def _counted(reading: Reading) -> Iterator[Thing]:
    """Yield what counts among a project's things; definitions without what is in them."""
    graph = reading.state.graph
    scopes: list[Graph | SubgraphDefinition] = [graph, *graph.subgraphs]
    for scope in scopes:
        yield from scope.nodes
        yield from scope.edges
        yield from scope.groups
    for definition in graph.subgraphs:
        yield without_contents(definition, definition.subgraph_id)


def _things(reading: Reading) -> Iterator[Thing]:
    state = reading.state
    yield from _counted(reading)
    yield from state.components
    if state.document is not None:
        yield state.document


def _with_wrapper(reading: Reading, outer: Json, inner: Unwrapped) -> Reading:
    """Return a reading whose document knows what was around the workflow."""
    document = reading.state.document
    if inner.key is None or document is None:
        return reading
    wrapper = _wrapper(outer, inner, inner.key)
    native = {**(document.native or {}), "wrapper": wrapper}
    return evolve(reading, state=evolve(reading.state, document=evolve(document, native=native)))


def _wrapper(outer: JsonObject, inner: Unwrapped, key: str) -> JsonObject:
    keys = list(outer)
    at = keys.index(key)
    wrapper: JsonObject = {
        "key": key,
        "before": {name: outer[name] for name in keys[:at]},
        "after": {name: outer[name] for name in keys[at + 1 :]},
    }
    if inner.text is None:
        return wrapper
    compact = dumps(inner.content).decode() == inner.text
    return {**wrapper, "text": True} if compact else {**wrapper, "text": inner.text}
