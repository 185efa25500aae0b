"""The composition root of the serving process."""

import sys

from sidecar.server import light_imports  # noqa: F401 -- first: what follows starts faster by it
from sidecar.server.engine import SidecarEngine
from sidecar.server.hosting import host
from sidecar.server.settings import ServeSettings
from sidecar.server.stdio import Stdio
from sidecar.store.versions import sqlite_fault

UNUSABLE = 70


def main(settings: ServeSettings, stdio: Stdio, parent: int) -> int:
    """Serve the host, until the process ``parent`` ends; return the exit code."""
    fault = sqlite_fault()
    if fault is not None:
        sys.stderr.write(f"graph-sidecar: {fault}\n")
        return UNUSABLE
    return host(
        lambda peer, log: SidecarEngine(settings, peer, log), settings, stdio, parent=parent
    )
