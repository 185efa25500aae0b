"""The composition root of the serving process."""

from sidecar.server.settings import ServeSettings
from sidecar.server.stdio import Stdio


def main(settings: ServeSettings, stdio: Stdio) -> int:  # noqa: ARG001 -- what an engine will need
    """Serve the host; return the exit code."""
    import os  # noqa: PLC0415 -- goes with the engine's arrival

    os.write(2, b'{"level":"error","event":"engine-missing"}\n')
    return 70
