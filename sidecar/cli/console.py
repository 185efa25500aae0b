"""The terminal: what people see goes through here, and stays off a pipe that others read."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from sidecar.cli import streams


def print_json(value: Any) -> None:
    """Print one JSON value to stdout."""
    streams.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def out() -> Console:
    """Return the console of stdout."""
    return Console(highlight=False)


def warn(text: str) -> None:
    """Say something on stderr."""
    sys.stderr.write(f"graph-sidecar: {text}\n")


@contextmanager
def progress(title: str) -> Iterator[Callable[[int], None]]:
    """Show a bar while the block works, on a terminal only; yields what takes percentages."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=100)
        yield lambda percentage: bar.update(task, completed=percentage)
