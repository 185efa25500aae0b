"""Standing between a host and a sidecar, writing down what passes.

Frames go on byte for byte; a recording that cannot be written is no reason to stop them.
"""

import contextlib
import json
import subprocess
import threading
from collections.abc import Callable, Sequence
from io import FileIO
from pathlib import Path
from typing import IO, Any, cast

from attrs import define, field

from sidecar.cli.exchanges.abstraction import Abstraction
from sidecar.cli.exchanges.raw import raw_text
from sidecar.testing.frames import framed, read_frame


def record(
    target: Path,
    command: Sequence[str],
    *,
    host: tuple[IO[bytes], IO[bytes]],
    complain: Callable[[str], None],
    description: str = "",
) -> int:
    """Run a command between ``host`` (what it reads from, what it writes to); return its code.

    ``complain`` gets a sentence where the recording cannot be gone on with.
    Raises FileExistsError where there is something at ``target``, and OSError for a command that
    cannot be run.
    """
    with target.open("xb", buffering=0) as lines:
        process = _started(command, target)
        scribe = _Scribe(lines, complain)
        scribe.note({"description": description or "Recorded."})
        stdin, stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        to_sidecar = threading.Thread(
            target=_carry, args=(host[0], stdin, scribe.sent), name="to-sidecar", daemon=True
        )
        to_sidecar.start()
        _carry(stdout, host[1], scribe.came)
        code = process.wait()
        if scribe.was_told_to_exit or code != 0:
            # Else the host closed the stream, as a player does where a file just ends.
            scribe.note({"exit": code})
        scribe.end()
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
    """Writes whole lines, until one cannot be written."""

    _lines: FileIO
    _complain: Callable[[str], None]
    abstraction: Abstraction = field(factory=Abstraction)
    was_told_to_exit: bool = False
    _is_open: bool = True
    _alone: Any = field(factory=threading.RLock)

    def sent(self, body: bytes) -> None:
        with self._alone:
            message = _message(body, self.abstraction.outgoing)
            self.note({"->": message})
        if isinstance(message, dict) and message.get("method") == "exit":
            self.was_told_to_exit = True

    def came(self, body: bytes) -> None:
        with self._alone:
            self.note({"<-": _message(body, self.abstraction.incoming)})

    def note(self, value: Any) -> None:
        """Write one line, if all before it could be written."""
        with self._alone:
            if not self._is_open:
                return
            whole = self._lines.tell()
            try:
                _write(self._lines, _encoded(value))
            except OSError as error:
                self._is_open = False
                self._complain(f"The recording ends here: {error.strerror}.")
                with contextlib.suppress(OSError):
                    self._lines.truncate(whole)

    def end(self) -> None:
        """Write no more, whatever the host still sends."""
        with self._alone:
            self._is_open = False


def _write(lines: FileIO, text: bytes) -> None:
    while text:
        text = text[lines.write(text) or 0 :]


def _encoded(value: Any) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        # Bytes that are no UTF-8 stand as halves of surrogates there.
        return json.dumps(value).encode() + b"\n"


def _message(body: bytes, abstract: Callable[[Any], Any]) -> Any:
    """Return a message as it is recorded; as mere text where it would not be the same again."""
    try:
        message = abstract(json.loads(body.decode()))
        json.dumps(message, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return {"$raw": raw_text(body)}
    return message


def _carry(source: IO[bytes], target: IO[bytes], note: Callable[[bytes], None]) -> None:
    """Pass frames on until the source ends, then close the target."""
    try:
        while (body := read_frame(source)) is not None:
            note(body)
            target.write(framed(body))
            target.flush()
    except (OSError, ValueError):
        # Whoever read there is gone (Windows says EINVAL), or sends what has no length that could
        # be read; the other direction ends by itself.
        return
    finally:
        _close(target)


def _close(stream: IO[bytes]) -> None:
    with contextlib.suppress(OSError):
        stream.close()
