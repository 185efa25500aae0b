"""Running ``graph-sidecar`` as people do: a process of its own."""

import os
import subprocess
import sys
import sysconfig
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

MODULE: Final = (sys.executable, "-m", "sidecar")
CONSOLE_SCRIPT: Final = (str(Path(sysconfig.get_path("scripts")) / "graph-sidecar"),)


def run(
    *words: str | Path,
    command: Sequence[str] = MODULE,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Run a command line to its end; its output is 100 columns wide and has no colours."""
    return subprocess.run(
        [*command, *map(str, words)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **(env or {})},
    )


def is_picture(path: Path) -> bool:
    """Whether a file is well-formed SVG."""
    return ET.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
