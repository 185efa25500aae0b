"""From settings and streams to a served host: log, pipe and server put together around an engine."""

from sidecar.server import light_imports  # noqa: F401 -- before all others
from sidecar.server.logs import Log, open_log_file
from sidecar.server.rpc import EngineFactory, SidecarServer, open_pipe
from sidecar.server.settings import ServeSettings, UsageError
from sidecar.server.stdio import Stdio

STDERR = 2


def host(
    make_engine: EngineFactory,
    settings: ServeSettings,
    stdio: Stdio,
    *,
    parent: int,
    pipe: str = "",
) -> int:
    """Serve until the end and return the exit code. Raises UsageError for a bad log file."""
    log = Log(settings.log_level, _sinks(settings.log_file))
    try:
        wire = open_pipe(stdio, pipe)
        server = SidecarServer(wire, log, max_message=settings.max_message, parent=parent)
        return server.serve(make_engine)
    finally:
        log.close()


def _sinks(log_file: str | None) -> tuple[int, ...]:
    if log_file is None:
        return (STDERR,)
    try:
        return (STDERR, open_log_file(log_file))
    except OSError as error:
        raise UsageError(f"the log file cannot be opened: {error.strerror}") from error
