"""Which format a content has, told by its shape alone."""

from collections.abc import Callable
from typing import Final

from attrs import frozen

from protocol.graph import Json
from protocol.json_text import loads
from sidecar.core.errors import RejectedError

WRAPPERS: Final = ("workflow", "prompt")
"""Keys under which pictures and requests carry a workflow, the fuller one first."""
FLOW_WRAPPER: Final = "data"
"""The key under which Langflow keeps its React Flow graph."""


@frozen(kw_only=True)
class Unwrapped:
    """A workflow, and the key it stood under; ``text`` where it stood there as JSON text."""

    content: Json
    key: str | None = None
    text: str | None = None


def detect(content: Json) -> str:
    """Return the name of a content's format; ``unknown-format`` with what was tried."""
    found = _format_of(unwrap(content).content)
    if found is None:
        raise RejectedError(
            "unknown-format",
            "This is in none of the formats that can be read.",
            {"tried": [name for name, _ in _TESTS]},
        )
    return found


def unwrap(content: Json) -> Unwrapped:
    """Return the workflow in a content: itself, or what stands under a wrapper's key."""
    if not isinstance(content, dict) or "nodes" in content or _is_api(content):
        return Unwrapped(content=content)
    for key in WRAPPERS:
        inner = content.get(key)
        parsed = _parsed(inner) if isinstance(inner, str) else inner
        if _format_of(parsed) is not None:
            text = inner if isinstance(inner, str) else None
            return Unwrapped(content=parsed, key=key, text=text)
    if _is_react_flow(content.get(FLOW_WRAPPER)):
        return Unwrapped(content=content[FLOW_WRAPPER], key=FLOW_WRAPPER)
    return Unwrapped(content=content)


def _parsed(text: str) -> Json:
    try:
        return loads(text)
    except ValueError:
        return None


def _format_of(content: Json) -> str | None:
    return next((name for name, test in _TESTS if test(content)), None)


def _is_node_red(content: Json) -> bool:
    return isinstance(content, list) and all(
        isinstance(item, dict)
        and isinstance(item.get("id"), str)
        and isinstance(item.get("type"), str)
        for item in content
    )


def _is_n8n(content: Json) -> bool:
    return _has(content, nodes=list, connections=dict)


def _is_comfyui(content: Json) -> bool:
    return _has(content, nodes=list, links=list) and type(content.get("version")) in (int, float)


def _is_graph(content: Json) -> bool:
    return (
        isinstance(content, dict)
        and "schemaVersion" in content
        and (_has(content, graph=dict) or _has(content, nodes=list, edges=list))
    )


def _is_react_flow(content: Json) -> bool:
    return _has(content, nodes=list, edges=list)


def _is_api(content: Json) -> bool:
    return isinstance(content, dict) and bool(content) and all(map(_is_api_node, content.values()))


def _is_api_node(value: Json) -> bool:
    return _has(value, class_type=str, inputs=dict)


def _has(content: Json, **types: type) -> bool:
    return isinstance(content, dict) and all(
        isinstance(content.get(key), type_) for key, type_ in types.items()
    )


_TESTS: Final[list[tuple[str, Callable[[Json], bool]]]] = [
    ("node-red", _is_node_red),
    ("n8n", _is_n8n),
    ("comfyui", _is_comfyui),
    ("graph", _is_graph),
    ("react-flow", _is_react_flow),
    ("comfyui-api", _is_api),
]
