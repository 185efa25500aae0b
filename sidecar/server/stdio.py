"""Takes the process's standard streams for the protocol, before anything else can write to them.

The pipe belongs to the protocol: after :func:`take`, fd 0 reads nothing and fd 1 is stderr, so
that a stray ``print`` or a library that writes to fd 1 cannot tear a frame.
This module is imported first and imports nothing that prints.
"""

import os
import sys
from typing import NamedTuple


class Stdio(NamedTuple):
    """Private, non-inheritable descriptors of the host's two pipes."""

    stdin: int
    stdout: int


def take() -> Stdio:
    """Return private duplicates of fd 0 and 1. Raises OSError where one of them is closed."""
    _ensure_stderr()
    stdio = Stdio(os.dup(0), os.dup(1))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    _set_binary(stdio)
    return stdio


def _ensure_stderr() -> None:
    """A process without a stderr (a Windows GUI host) gets one that leads nowhere."""
    try:
        os.fstat(2)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        if null != 2:  # noqa: PLR2004 -- the number of stderr
            os.dup2(null, 2)
            os.close(null)


def _set_binary(stdio: Stdio) -> None:
    """Windows' C runtime would turn CRLF into LF and LF into CRLF inside frames."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 -- exists there alone

        for descriptor in stdio:
            msvcrt.setmode(descriptor, os.O_BINARY)
