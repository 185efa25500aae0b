"""A process that speaks the protocol, seen as messages with deadlines."""

import contextlib
import json
import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final, cast

from sidecar.testing.frames import framed, read_frame

STDERR_KEPT: Final = 64 << 10
_DATA_FOLDERS: Final = ("XDG_DATA_HOME", "LOCALAPPDATA", "WIN_PD_OVERRIDE_LOCAL_APPDATA")
"""What says where a person's data lie; the last one is platformdirs' own: Windows asks no variable."""


class SilenceError(Exception):
    """No message came, or none that can be read; its text says what is known of the process."""


def _message(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise SilenceError(f"a message of {len(body)} bytes came that is no JSON") from None


class Pipe:
    """One process and its stdio.  :meth:`receive` never waits longer than ``timeout`` seconds."""

    def __init__(self, command: Sequence[str], folder: Path, *, timeout: float) -> None:
        self._timeout = timeout
        self._inbox: queue.Queue[bytes | None] = queue.Queue()
        self._stderr = bytearray()
        self.process = subprocess.Popen(  # noqa: S603 -- the caller's own command
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A session that names no database must not touch the person's.
            env={**os.environ, **dict.fromkeys(_DATA_FOLDERS, str(folder))},
        )
        self._threads = [
            threading.Thread(target=target, daemon=True)
            for target in (self._read_stdout, self._read_stderr)
        ]
        for thread in self._threads:
            thread.start()

    def send(self, body: bytes) -> None:
        """Frame and send a body.  A process that is gone is found out by what does not come."""
        stdin = cast("IO[bytes]", self.process.stdin)
        with contextlib.suppress(OSError):
            stdin.write(framed(body))
            stdin.flush()

    def receive(self) -> Any:
        """Return the next message; raises SilenceError where none comes."""
        try:
            body = self._inbox.get(timeout=self._timeout)
        except queue.Empty:
            raise SilenceError(f"no message within {self._timeout:g} s") from None
        if body is None:
            self._inbox.put(None)
            raise SilenceError(f"the process ended: {self._state()}")
        return _message(body)

    def rest(self) -> list[Any]:
        """Return the messages that nobody took, once the process has ended."""
        messages = []
        # Somebody else may hold the pipe open: then no end comes.
        with contextlib.suppress(queue.Empty):
            while (body := self._inbox.get(timeout=self._timeout)) is not None:
                messages.append(_message(body))
        return messages

    def close(self) -> int:
        """Close stdin, as a host that goes away does; return the exit code."""
        stdin = cast("IO[bytes]", self.process.stdin)
        with contextlib.suppress(OSError):
            stdin.close()
        return self.wait()

    def wait(self) -> int:
        """Wait for the end; raises SilenceError where the process goes on."""
        try:
            return self.process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            raise SilenceError(f"the process did not end within {self._timeout:g} s") from None

    def kill(self) -> None:
        """End the process, whatever it does, and close the pipes."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):
            cast("IO[bytes]", self.process.stdin).close()
        for thread in self._threads:
            thread.join(self._timeout)

    def _state(self) -> str:
        code = self.wait()
        self._threads[1].join(self._timeout)
        tail = bytes(self._stderr[-500:]).decode("utf-8", "replace").strip()
        return f"exit code {code}" + (f", its stderr ends: {tail}" if tail else "")

    # Each reader closes its pipe: a close from elsewhere would wait for it, and it waits for
    # whoever holds the pipe open.

    def _read_stdout(self) -> None:
        stdout = cast("IO[bytes]", self.process.stdout)
        with stdout:
            while (body := read_frame(stdout)) is not None:
                self._inbox.put(body)
        self._inbox.put(None)

    def _read_stderr(self) -> None:
        stderr = cast("IO[bytes]", self.process.stderr)
        with stderr:
            while chunk := os.read(stderr.fileno(), 1 << 16):
                self._stderr += chunk
                del self._stderr[:-STDERR_KEPT]
