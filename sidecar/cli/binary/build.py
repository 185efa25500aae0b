"""Building with PyInstaller: what goes into the program, in which form, under which name."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from attrs import frozen

from sidecar.cli.app import EXAMPLES

Form = Literal["folder", "file"]
FORMS: Final[tuple[Form, ...]] = ("folder", "file")
NAME: Final = "graph-sidecar"
ENTRY: Final = Path(__file__).with_name("entry.py")
ROOT: Final = Path(__file__).parents[3]

HIDDEN: Final = (
    "sidecar.cli",
    "sidecar.cli.app",
    *(f"sidecar.cli.commands.{name}" for name in EXAMPLES),
)
"""What is imported by a name that no reader of the code can see."""
COLLECTED: Final = ("rich._unicode_data", "protocol", "sidecar.handlers")
"""Packages whose modules are chosen at run time."""
DATA: Final = (
    (ROOT / "protocol" / "openrpc.json", "protocol"),
    (ROOT / "sidecar" / "cli" / "sample.json", "sidecar/cli"),
)
EXCLUDED: Final = (
    "PyInstaller",
    "_bz2",
    "_hashlib",
    "_lzma",
    "_pytest",
    "_ssl",
    "curses",
    "docutils",
    "ftplib",
    "hypothesis",
    "multiprocessing",
    "mypy",
    "pip",
    "pydoc",
    "pytest",
    "readline",
    "rich_rst",
    "setuptools",
    "ssl",
    "tkinter",
    "trio",
    "xmlrpc",
    "zstandard._cffi",
    "zstandard.backend_cffi",
)
"""What our libraries could use and the sidecar does not: no network, no other shells."""


@frozen
class Built:
    """A program: its form, the file that is started, and the bytes of all of it."""

    form: Form
    program: Path
    size: int


class BuildError(Exception):
    """PyInstaller failed; the text has the end of what it said."""


def build(form: Form, output: Path, *, triple: str) -> Built:
    """Build one form into ``output``: ``graph-sidecar/``, or ``graph-sidecar-<triple>``."""
    name = NAME if form == "folder" else f"{NAME}-{triple}"
    command = [sys.executable, "-m", "PyInstaller", *_options(form, name, output), str(ENTRY)]
    done = subprocess.run(  # noqa: S603 -- our own words
        command, cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    if done.returncode != 0:
        raise BuildError(done.stderr[-4000:])
    suffix = ".exe" if sys.platform == "win32" else ""
    folder = output / name if form == "folder" else output
    program = folder / f"{name}{suffix}"
    return Built(form, program, _size(folder if form == "folder" else program))


def _options(form: Form, name: str, output: Path) -> Iterator[str]:
    yield from ("--noconfirm", "--clean", "--log-level", "WARN", "--console", "--noupx")
    yield "--onedir" if form == "folder" else "--onefile"
    yield from ("--name", name, "--paths", str(ROOT))
    work = output / ".work" / form
    yield from ("--distpath", str(output), "--workpath", str(work), "--specpath", str(work))
    if sys.platform == "linux":
        yield "--strip"
    for module in HIDDEN:
        yield from ("--hidden-import", module)
    for package in COLLECTED:
        yield from ("--collect-submodules", package)
    for module in EXCLUDED:
        yield from ("--exclude-module", module)
    for source, target in DATA:
        yield from ("--add-data", f"{source}:{target}")


def _size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(file.lstat().st_size for file in path.rglob("*") if file.is_file())
