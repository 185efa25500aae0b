"""Standing between a host and a sidecar, writing down what passes.

Frames go on byte for byte; a recording that cannot be written is no reason to stop them.
"""

import contextlib
import json
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, cast

from attrs import define, field

from sidecar.cli.exchanges.abstraction import Abstraction
from sidecar.testing.frames import framed, read_frame


def record(
    target: Path,
    command: Sequence[str],
    *,
    host: tuple[IO[bytes], IO[bytes]],
    description: str = "",
) -> int:
    """Run a command between ``host`` (what it reads from, what it writes to); return its code.

    Raises FileExistsError where there is something at ``target``, and OSError for a command that
    cannot be run.
    """
    with target.open("x", encoding="utf-8", newline="\n") as lines:
        process = _started(command, target)
        scribe = _Scribe(lines)
        scribe.line({"description": description or "Recorded."})
        stdin, stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        to_sidecar = threading.Thread(
            target=_carry, args=(host[0], stdin, scribe.sent), name="to-sidecar", daemon=True
        )
        to_sidecar.start()
        _carry(stdout, host[1], scribe.came)
        code = process.wait()
        if scribe.was_told_to_exit or code != 0:
            # Else the host closed the stream, as a player does where a file just ends.
            scribe.line({"exit": code})
    return code


def _started(command: Sequence[str], target: Path) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(  # noqa: S603 -- the caller's own command
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
    except OSError:
        target.unlink()
        raise


@define
class _Scribe:
    lines: IO[str]
    abstraction: Abstraction = field(factory=Abstraction)
    was_told_to_exit: bool = False
    _alone: Any = field(factory=threading.Lock)

    def sent(self, body: bytes) -> None:
        with self._alone:
            message = _message(body, self.abstraction.outgoing)
            self.line({"->": message})
        if isinstance(message, dict) and message.get("method") == "exit":
            self.was_told_to_exit = True

    def came(self, body: bytes) -> None:
        with self._alone:
            self.line({"<-": _message(body, self.abstraction.incoming)})

    def line(self, value: Any) -> None:
        self.lines.write(json.dumps(value, ensure_ascii=False) + "\n")
        self.lines.flush()


def _message(body: bytes, abstract: Callable[[Any], Any]) -> Any:
    try:
        return abstract(json.loads(body))
    except ValueError:
        return {"$raw": body.decode("utf-8", "replace")}


def _carry(source: IO[bytes], target: IO[bytes], note: Callable[[bytes], None]) -> None:
    """Pass frames on until the source ends, then close the target."""
    try:
        while (body := read_frame(source)) is not None:
            note(body)
            target.write(framed(body))
            target.flush()
    except OSError:
        # Whoever read there is gone (Windows says EINVAL); the other direction ends by itself.
        return
    finally:
        _close(target)


def _close(stream: IO[bytes]) -> None:
    with contextlib.suppress(OSError):
        stream.close()
