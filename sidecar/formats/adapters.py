"""The one table of formats."""

from collections.abc import Callable
from typing import Any, Final

from attrs import frozen

from protocol.changes import Notice
from protocol.graph import Json, ProjectState
from sidecar.core.edit import Reading
from sidecar.formats import comfyui, comfyui_api, graph_file, n8n, node_red, react_flow


@frozen
class Adapter:
    """One format.

    ``read`` takes a parsed content and a JSON Pointer to where it stands, and may raise
    :class:`~sidecar.core.errors.RejectedError`; ``write`` gives the JSON value of a file and what
    of the project it does not hold.
    """

    read: Callable[[Any, str], Reading]
    write: Callable[[ProjectState], tuple[Json, list[Notice]]]
    content: type
    """What the JSON of a file is: dict or list."""


ADAPTERS: Final[dict[str, Adapter]] = {
    "comfyui": Adapter(comfyui.read, comfyui.write, dict),
    "comfyui-api": Adapter(comfyui_api.read, comfyui_api.write, dict),
    "n8n": Adapter(n8n.read, n8n.write, dict),
    "node-red": Adapter(node_red.read, node_red.write, list),
    "react-flow": Adapter(react_flow.read, react_flow.write, dict),
    "graph": Adapter(graph_file.read, graph_file.write, dict),
}


def no_such_format() -> str:
    """Return the sentence about a format that is not in the table."""
    return f"There is no such format; there are {', '.join(ADAPTERS)}."
