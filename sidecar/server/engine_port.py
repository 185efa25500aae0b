"""The seam between the transport and what answers requests.

The engine lives in one thread, the main one: every method of :class:`Engine` is called there, and
all of :class:`Peer` may be used there. From other threads only what says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from sidecar.server.requests import Chunks, Request


class Task(Protocol):
    """A long operation beside the engine, seen from its own thread."""

    @property
    def cancelled(self) -> bool:
        """Whether it should stop: the peer cancelled the request, or the process ends."""
        ...

    def progress(self, message: str, percentage: int | None = None) -> None:
        """Report progress (``$/progress``) if the request carried a ``workDoneToken``.

        Cheap and lossy: a report is dropped while the one before it could not be sent yet.
        """
        ...

    def in_engine(self, errand: Errand, *, answers: bool = False) -> Any:
        """Have a short errand run in the engine's thread, between two batches; return its result.

        Raises what it raises, and RpcFailure where the process ends first.  ``answers``: the
        result, JSON text, is the request's answer; what the errand announces follows it.
        """
        ...


Errand = Callable[[], Any]
Work = Callable[[Task], Chunks]
"""Returns the result's JSON text, also where it was finished although cancelled. Raises RpcFailure
for an error answer; once ``cancelled`` is true, that is answered as ``-32800`` instead. What it
returns counts for nothing where an errand answered already."""


class Peer(Protocol):
    """The host, as the engine sees it."""

    def notify(self, method: str, params: Chunks) -> None:
        """Send a notification whose params are JSON text. May be called from any thread.

        In the engine's thread, while requests of the batch are unanswered, it is held back until
        they are: a notification never overtakes the answer that caused it.
        """
        ...

    def spawn(self, request: Request, work: Work) -> None:
        """Let ``work`` answer the request from a thread of its own."""
        ...

    def flush(self) -> None:
        """Write the answers given so far, which else wait for the end of the batch.

        Worth calling before slow work; long answers, and those older than 2 ms when the next one
        is given, are written without it.
        """
        ...

    def stop(self, exit_code: int) -> None:
        """End the process with ``exit_code`` once the current batch is answered."""
        ...


class Engine(Protocol):
    """What answers the peer."""

    def initialize(self, params: dict[str, Any]) -> bytes:
        """Return the JSON of initialize's result.

        Raises RpcFailure; its ``exit_code``, where set, ends the process after the answer.
        """
        ...

    def serve(self, requests: Sequence[Request]) -> None:
        """Answer each request exactly once, in whatever grouping of transactions suits.

        The sequence is what was queued at this moment, in the order in which it came, so that
        commits can share one. One that is forgotten is answered with ``-32603``.
        """
        ...

    @property
    def pressing(self) -> bool:
        """Whether :meth:`idle` must be called before more requests are, although some may wait."""
        ...

    def notification(self, method: str, params: Any) -> None:
        """Take a notification that the transport does not know itself."""
        ...

    def idle(self) -> float | None:
        """Do a small piece of background work; nothing is waiting.

        Return the seconds until the next call is wanted; None: not before the next request.
        """
        ...

    def close(self) -> None:
        """Release everything. Called exactly once, as the last thing, however the process ends."""
        ...
