"""Spawns the processes that the transport's tests talk to."""

import sys
from pathlib import Path
from typing import Any

from tests.client import Client

ROOT = Path(__file__).parents[2]
PIPES = ("poll", "threads")


def spawn_echo(*flags: str, pipe: str = "poll", **options: Any) -> Client:
    """Start the echo engine over one of the two pipes."""
    command = [sys.executable, "-m", "tests.server.echo_engine", "--pipe", pipe, *flags]
    return Client.spawn(command, cwd=ROOT, **options)


def spawn_sidecar(*flags: str, **options: Any) -> Client:
    return Client.spawn([sys.executable, "-m", "sidecar", *flags], **{"cwd": ROOT, **options})
