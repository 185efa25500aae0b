"""Runs the TypeScript package's npm scripts; skips, with the reason, what cannot run here."""

import contextlib
import fcntl
import functools
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

PACKAGE: Final = Path(__file__).parents[2] / "protocol" / "typescript"
SIDECAR: Final = [sys.executable, "-m", "sidecar"]
PATIENCE: Final = 600.0
"""Seconds that one npm script may take; other tests want the processors too."""
_OLDEST_NODE: Final = 20
_OFFLINE: Final = (
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ECONNRESET",
    "ENETUNREACH",
    "ENOTFOUND",
    "ETIMEDOUT",
)
"""What npm says where it does not reach its registry."""


def npm(*arguments: str, **env: str) -> str:
    """Run npm in the package and return what it printed; fail with that text where it fails."""
    done = _npm(*arguments, **env)
    if done.returncode:
        pytest.fail(f"npm {' '.join(arguments)} failed:\n{_said(done)[-8000:]}", pytrace=False)
    return _said(done)


def need_node() -> None:
    """Skip the test where there is no Node that is new enough."""
    if reason := _why_no_node():
        pytest.skip(reason)


@functools.cache
def prepare() -> None:
    """Install what the package needs and build it, once, whoever asks first.

    Nothing is built that is fresh already: another test process may be using it.
    """
    need_node()
    with _alone():
        if _is_older(PACKAGE / "node_modules" / ".package-lock.json", _manifests()):
            _install()
        _build_client()


@functools.cache
def prepare_example_host() -> None:
    """Build the example host and its page, where they are not fresh, after what they stand on."""
    prepare()
    folder = PACKAGE / "example-host"
    sources = [PACKAGE / "dist" / "index.js", *_files(folder / "src"), *folder.glob("*.*")]
    with _alone(), _fresh(folder / "build" / ".built", sources) as is_fresh:
        if not is_fresh:
            npm("--prefix", "example-host", "run", "build:host")
            npm("--prefix", "example-host", "run", "build:page")


def _build_client() -> None:
    sources = [*PACKAGE.glob("*.json"), *_files(PACKAGE / "src")]
    with _fresh(PACKAGE / "build" / ".built", sources) as is_fresh:
        if not (is_fresh and (PACKAGE / "dist" / "index.js").exists()):
            npm("run", "build")


@contextlib.contextmanager
def _fresh(stamp: Path, sources: list[Path]) -> Iterator[bool]:
    """Tell whether the last build is younger than its sources; note the time of one that succeeds."""
    is_fresh = not _is_older(stamp, sources)
    started = time.time()
    yield is_fresh
    if not is_fresh:
        stamp.parent.mkdir(exist_ok=True)
        stamp.touch()
        os.utime(stamp, (started, started))


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Keep other test processes out: they share node_modules and what is built."""
    path = PACKAGE / "build" / ".lock"
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install() -> None:
    done = _npm("install", "--no-audit", "--no-fund")
    if done.returncode and any(word in _said(done) for word in _OFFLINE):
        pytest.skip("npm does not reach its registry, and the packages are not installed")
    if done.returncode:
        pytest.fail(f"npm install failed:\n{_said(done)[-8000:]}", pytrace=False)


def _npm(*arguments: str, **env: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["npm", *arguments],
        cwd=PACKAGE,
        env={**os.environ, "GRAPH_SIDECAR_COMMAND": json.dumps(SIDECAR), **env},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def _said(done: "subprocess.CompletedProcess[str]") -> str:
    return done.stdout + done.stderr


@functools.cache
def _why_no_node() -> str | None:
    if not (shutil.which("node") and shutil.which("npm")):
        return "Node and npm are not installed"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    major = int(version.stdout.strip().lstrip("v").partition(".")[0])
    return None if major >= _OLDEST_NODE else f"Node {major} is older than {_OLDEST_NODE}"


def _manifests() -> list[Path]:
    return [PACKAGE / "package.json", *PACKAGE.glob("*/package.json")]


def _is_older(made: Path, sources: list[Path]) -> bool:
    if not made.exists():
        return True
    return any(source.stat().st_mtime > made.stat().st_mtime for source in sources)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
