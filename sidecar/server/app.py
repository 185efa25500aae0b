"""The composition root of the serving process."""

from sidecar.server import light_imports  # noqa: F401 -- first: what follows starts faster by it
from sidecar.server.engine import SidecarEngine
from sidecar.server.hosting import host
from sidecar.server.settings import ServeSettings
from sidecar.server.stdio import Stdio


def main(settings: ServeSettings, stdio: Stdio) -> int:
    """Serve the host; return the exit code."""
    return host(lambda peer, log: SidecarEngine(settings, peer, log), settings, stdio)
