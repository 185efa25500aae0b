"""The flags of the process. Parsed by hand: the way to the first answer loads no argument parser.

Paths become absolute here, since the process leaves the host's working directory afterwards.
"""

import os
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

MAX_MESSAGE: Final = 64 << 20
SMALLEST_MAX_MESSAGE: Final = 1 << 10
LARGEST_MAX_MESSAGE: Final = 1 << 30
LEVELS: Final = ("debug", "info", "warning", "error")
MEMORY: Final = ":memory:"

USAGE: Final = """\
usage: graph-sidecar [--stdio] [--database PATH] [--max-message BYTES]
                     [--log-level debug|info|warning|error] [--log-file PATH]
       graph-sidecar --version [--json]
       graph-sidecar --help
"""


class UsageError(Exception):
    """The command line cannot be understood. Its text is for the person."""


class ServeSettings(NamedTuple):
    """How to serve. ``database`` and ``log_file`` are absolute; None: the default, no file."""

    database: str | None = None
    max_message: int = MAX_MESSAGE
    log_level: str = "warning"
    log_file: str | None = None


class ShowVersion(NamedTuple):
    as_json: bool = False


class OtherCommand(NamedTuple):
    """Words for ``sidecar.cli``."""

    words: tuple[str, ...]


Action = ServeSettings | ShowVersion | OtherCommand


def parse(words: Sequence[str]) -> Action:
    """Say what the command line asks for. Raises UsageError."""
    if words and (words[0] in ("--help", "-h") or _is_command(words[0])):
        return OtherCommand(tuple(words))
    rest = list(words[1:] if words[:1] == ["serve"] else words)
    if "--version" in rest:
        rest.remove("--version")
        if rest not in ([], ["--json"]):
            raise UsageError("--version goes with --json alone")
        return ShowVersion(as_json=bool(rest))
    return _parse_serve(rest)


def _is_command(word: str) -> bool:
    return not word.startswith("-") and word != "serve"


def _parse_serve(words: list[str]) -> ServeSettings:
    values: dict[str, str | int] = {}
    while words:
        flag, equals, value = words.pop(0).partition("=")
        if flag == "--stdio" and not equals:
            continue
        if flag not in _FLAGS:
            raise UsageError(f"unknown option {flag}")
        if not equals:
            if not words:
                raise UsageError(f"{flag} needs a value")
            value = words.pop(0)
        name, read = _FLAGS[flag]
        if name in values:
            raise UsageError(f"{flag} is given twice")
        values[name] = read(value)
    return ServeSettings(**values)  # type: ignore[arg-type]


def _path(text: str) -> str:
    if not text or "\0" in text:
        raise UsageError("a path must not be empty")
    return os.path.abspath(text)  # noqa: PTH100 -- pathlib is not loaded yet


def _database(text: str) -> str:
    # A URI stays as it is, for the store to refuse it by its own rules.
    return text if text == MEMORY or text.lower().startswith("file:") else _path(text)


def _size(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(LARGEST_MAX_MESSAGE)):
        raise UsageError("--max-message takes a number of bytes")
    size = int(text)
    if not SMALLEST_MAX_MESSAGE <= size <= LARGEST_MAX_MESSAGE:
        raise UsageError(
            f"--max-message lies between {SMALLEST_MAX_MESSAGE} and {LARGEST_MAX_MESSAGE} bytes"
        )
    return size


def _level(text: str) -> str:
    if text not in LEVELS:
        raise UsageError(f"--log-level is one of {', '.join(LEVELS)}")
    return text


_FLAGS: Final[dict[str, tuple[str, Callable[[str], str | int]]]] = {
    "--database": ("database", _database),
    "--max-message": ("max_message", _size),
    "--log-level": ("log_level", _level),
    "--log-file": ("log_file", _path),
}
