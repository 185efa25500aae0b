"""The one table of formats."""

from collections.abc import Callable
from typing import Any, Final

from attrs import frozen

from protocol.changes import Notice
from protocol.graph import Json, ProjectState
from sidecar.core.edit import Reading
from sidecar.formats import comfyui


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
}
