"""Long work beside the engine: what it is given, and what it tells of how far it is."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Protocol

from attrs import frozen

from sidecar.store.database import Database

Progress = Callable[[int, int], bool]
"""Called with what is done and what there is in all; False stops the work."""


class Task(Protocol):
    """Long work, seen from its own thread."""

    @property
    def cancelled(self) -> bool: ...

    def progress(self, message: str, percentage: int | None = None) -> None: ...

    def in_engine(self, errand: Callable[[], Any], *, answers: bool = False) -> Any: ...


Work = Callable[[Task], bytes]


@frozen
class AtOnce:
    """A Task for work that is done in the engine's thread, since it cannot be done beside."""

    cancelled: bool = False

    def progress(self, message: str, percentage: int | None = None) -> None:
        """Tell nothing: nobody could read it before the end."""

    def in_engine(self, errand: Callable[[], Any], *, answers: bool = False) -> Any:  # noqa: ARG002 -- the caller answers
        return errand()


@contextmanager
def own_view(database: Database) -> Generator[Database]:
    """Give work beside a connection of its own for as long as the block lasts."""
    if database.is_alone:
        yield database
        return
    own = database.sibling()
    try:
        yield own
    finally:
        own.close()


def reporter(task: Task, title: str) -> Progress:
    """Return what reports the progress of a task, and says whether to go on."""
    task.progress(title, 0)

    def report(done: int, total: int) -> bool:
        task.progress(title, min(100, done * 100 // max(total, 1)))
        return not task.cancelled

    return report
