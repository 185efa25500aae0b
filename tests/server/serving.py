"""What serves, put together in this process and without a pipe."""

from sidecar.handlers.watch import Watch
from sidecar.server.assembly import Opened, Serving, assemble
from sidecar.server.engine import Owners
from sidecar.server.logs import Log
from sidecar.store.database import Database


class NoPeer:
    """A host that is told nothing."""

    def notify(self, method: str, params: object) -> None: ...
    def spawn(self, request: object, work: object) -> None: ...
    def flush(self) -> None: ...
    def stop(self, exit_code: int) -> None: ...


def serving_on(database: Database) -> Serving:
    """Return what serves a database to nobody."""
    opened = Opened(
        database=database,
        watch=Watch(lambda _, __: None),
        owners=Owners(),
        notify=lambda _, __: None,
        started_at=0,
        max_answer=1 << 20,
    )
    return assemble(opened, NoPeer(), Log("error", []))
