"""What a handler may touch besides its parameters."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol

from attrs import field, frozen
from cattrs import Converter

from protocol.commands import Content
from sidecar.core.edit import Reading
from sidecar.handlers.watch import Watch
from sidecar.store.cache import GraphCache
from sidecar.store.codec import Codec
from sidecar.store.database import Database
from sidecar.store.disk import Disk

if TYPE_CHECKING:
    from sidecar.store.sessions.cache import SessionCache

MAX_ANSWER: Final = 64 * 1024 * 1024
"""Bytes of an answer, where nothing else is set."""

Notify = Callable[[str, bytes], None]
"""Tell the host something: a notification's method, and its params as JSON text."""


class Owners(Protocol):
    """Who owns a run: this process, and whether another one is gone."""

    def current(self) -> dict[str, Any]: ...

    def is_gone(self, owner: dict[str, Any]) -> bool: ...


@frozen(kw_only=True)
class Context:
    """The ports every handler receives.  Tests build their own."""

    database: Database
    cache: GraphCache
    codec: Codec
    converter: Converter
    """The strict one."""
    notify: Notify
    now: Callable[[], int]
    """Milliseconds since 1970 UTC."""
    new_id: Callable[[], str]
    read: Callable[[Content, str], Reading]
    owners: Owners
    started_at: int
    watch: Watch
    hidden: dict[int, int] = field(factory=dict)
    """Versions that wait to be pruned, counted by project key."""
    abandoned: deque[int] = field(factory=deque)
    """Keys of sessions that never came whole: their rows wait to be removed.  For any thread."""
    max_answer: int = MAX_ANSWER
    """Bytes that an answer may have: as many as a message from the host."""

    @cached_property
    def disk(self) -> Disk:
        """What the operating system says of the database's files."""
        return Disk(self.database.path)

    @cached_property
    def sessions(self) -> SessionCache:
        """The sessions used last."""
        from sidecar.store.sessions.cache import SessionCache  # noqa: PLC0415 -- start-up time

        return SessionCache()
