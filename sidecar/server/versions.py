"""What this build is made of, for ``--version``."""

import json
import platform
import sys

from sidecar import __version__
from sidecar.store.versions import library_versions


def show(*, as_json: bool) -> int:
    """Print the versions to stdout; return the exit code."""
    versions = {"sidecar": __version__, **library_versions(), "python": platform.python_version()}
    if as_json:
        text = json.dumps(versions)
    else:
        libraries = ", ".join(f"{name} {version}" for name, version in versions.items())
        text = f"graph-sidecar {__version__} ({libraries.partition(', ')[2]})"
    sys.stdout.write(text + "\n")
    return 0
