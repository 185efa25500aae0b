"""Runs the TypeScript package's npm scripts; skips, with the reason, where Node is missing."""

import contextlib
import fcntl
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

PACKAGE: Final = Path(__file__).parents[2] / "protocol" / "typescript"
SIDECAR: Final = [sys.executable, "-m", "sidecar"]
_OLDEST_NODE: Final = 20


def npm(*arguments: str, timeout: float = 240, **env: str) -> str:
    """Run npm in the package and return what it printed; fail with that text where it fails."""
    command = ["npm", *arguments]
    done = subprocess.run(
        command,
        cwd=PACKAGE,
        env={**os.environ, "GRAPH_SIDECAR_COMMAND": json.dumps(SIDECAR), **env},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    output = done.stdout + done.stderr
    if done.returncode:
        pytest.fail(f"{' '.join(command)} failed:\n{output[-8000:]}", pytrace=False)
    return output


def need_node() -> None:
    """Skip the test where there is no Node that is new enough."""
    if reason := _why_no_node():
        pytest.skip(reason)


@functools.cache
def prepare() -> None:
    """Install what the package needs and build it, once, whoever asks first."""
    need_node()
    with _alone():
        if _is_outdated():
            npm("install", "--no-audit", "--no-fund", timeout=280)
        npm("run", "build")


@functools.cache
def _why_no_node() -> str | None:
    if not (shutil.which("node") and shutil.which("npm")):
        return "Node and npm are not installed"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    major = int(version.stdout.strip().lstrip("v").partition(".")[0])
    return None if major >= _OLDEST_NODE else f"Node {major} is older than {_OLDEST_NODE}"


def _is_outdated() -> bool:
    installed = PACKAGE / "node_modules" / ".package-lock.json"
    manifests = [PACKAGE / "package.json", *PACKAGE.glob("*/package.json")]
    return not installed.exists() or any(
        manifest.stat().st_mtime > installed.stat().st_mtime for manifest in manifests
    )


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Keep other test processes out: they share node_modules and the build folder."""
    path = Path(tempfile.gettempdir()) / f"graph-sidecar-npm-{os.getuid()}.lock"
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
