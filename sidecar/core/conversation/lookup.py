"""How the checks of a graph look records and ancestors up.

A whole graph offers it through an index made for one validation, a session in memory through
indexes that it keeps; the checks are the same for both.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from sidecar.core.conversation.values import JsonObject

Find: TypeAlias = Callable[[str | None], JsonObject | None]


class Lookup(Protocol):
    """Records by id, None for unknown ones; an element counts as its own ancestor."""

    @property
    def root_frame_id(self) -> str: ...

    def frame(self, identity: str | None, /) -> JsonObject | None: ...

    def branch(self, identity: str | None, /) -> JsonObject | None: ...

    def message(self, identity: str | None, /) -> JsonObject | None: ...

    def activity(self, identity: str | None, /) -> JsonObject | None: ...

    def group(self, identity: str | None, /) -> JsonObject | None: ...

    def segment(self, identity: str | None, /) -> JsonObject | None: ...

    def branch_descends(self, branch_id: str | None, ancestor_id: str | None) -> bool: ...

    def message_descends(self, message_id: str | None, ancestor_id: str | None) -> bool: ...

    def first_entry(self, branch_id: str | None, parent: Any) -> JsonObject | None:
        """The first message, in graph order, with which this branch leaves that raw parent."""
        ...
