"""What the first requests need, loaded piece by piece while nobody waits.

What nearly every request needs anyway comes first and at once, so that loading it delays none; the
rest waits until the host has been quiet for a while.  A request that comes earlier loads what it
needs by itself.
"""

import gc
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Final

from cattrs import Converter

from protocol.methods import METHODS
from sidecar.handlers.routes import ROUTES
from sidecar.server.assembly import Serving

QUIET_SECONDS: Final = 0.25
"""How long the host must have been quiet before what it may never need is loaded."""

_FIRST: Final = (
    "protocol.projects",
    "sidecar.handlers.projects",
    "sidecar.core.importing",
    "sidecar.core.apply",
    "sidecar.handlers.commit",
)
_FIRST_METHODS: Final = ("commitCommand", "getProject")
_PIECES: Final = (
    "protocol.sessions",
    "sidecar.core.conversation.session_graph",
    "sidecar.core.conversation.apply",
    "sidecar.core.conversation.run_end",
    "sidecar.store.sessions.cache",
    "sidecar.store.sessions.writing",
    "sidecar.handlers.sessions.access",
)
"""Parts of handlers, so that no step takes long."""

Step = tuple[float, Callable[[], object]]
"""Seconds that must have been quiet, and what is done then."""


class Preloader:
    """Loads one piece at a time."""

    def __init__(self, serving: Serving) -> None:
        self._steps: Iterator[Step] = _steps(serving)
        self._next: Step | None = next(self._steps)

    def work(self, quiet: float) -> float | None:
        """Do the next piece if it was quiet long enough, in seconds.

        Return the seconds until the next one may be done; None once all is loaded.
        """
        if self._next is None:
            return None
        wanted, step = self._next
        if quiet < wanted:
            return wanted - quiet
        step()
        self._next = next(self._steps, None)
        return 0.0


def _steps(serving: Serving) -> Iterator[Step]:
    converter = serving.context.converter
    for module in _FIRST:
        yield 0.0, partial(import_module, module)
    for method in _FIRST_METHODS:
        yield 0.0, partial(_prepare, converter, method)
    for module in (*_PIECES, *_handler_modules()):
        yield QUIET_SECONDS, partial(import_module, module)
    for method in METHODS:
        yield QUIET_SECONDS, partial(_prepare, converter, method)
    # What is loaded now stays to the end: the collector need not look at it again.
    yield QUIET_SECONDS, gc.freeze


def _prepare(converter: Converter, method: str) -> None:
    converter.get_structure_hook(METHODS[method].params)


def _handler_modules() -> list[str]:
    names = (name for route in ROUTES.values() for name in (route.name, route.file_name) if name)
    modules = dict.fromkeys(name.rpartition(".")[0] for name in names)
    return [f"sidecar.handlers.{module}" for module in modules]
