"""A sidecar's process and the messages that pass: what every host has in some form.

Nothing waits for ever: whoever waits for a message gets one, or an error that says what is known.
"""

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self, cast

from attrs import define

from protocol.json_text import dumps, loads
from sidecar.testing.frames import framed, read_frame

SIDECAR: Final = (
    (sys.executable,) if getattr(sys, "frozen", False) else (sys.executable, "-m", "sidecar")
)
"""The command that starts the sidecar of this very installation."""
TIMEOUT: Final = 30.0
_STDERR_KEPT: Final = 1 << 20
_LAST_WORDS: Final = 1.0
"""Seconds for which the output of a process that is gone is read; another one may hold it open."""


@define
class SidecarError(Exception):
    """An error answer: JSON-RPC's ``code`` and ``message``, and ``data`` as it came."""

    code: int
    message: str
    data: Any
    method: str = ""

    def __str__(self) -> str:
        told = f"{self.method}: {self.message} ({self.code})"
        return told if self.data is None else f"{told} {self.data}"


class SidecarGoneError(Exception):
    """The process ended before it answered; its text has the exit code and the end of stderr."""


class SidecarProcess:
    """One process and the pipe to it.

    Not for threads: a request waits for its answer, at most ``timeout`` seconds (TimeoutError).
    ``notifications`` holds what the sidecar told without being asked, as ``{"method", "params"}``,
    oldest first; take from it what you handled.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", *, timeout: float = TIMEOUT) -> None:
        self.process = process
        self.timeout = timeout
        self.notifications: list[dict[str, Any]] = []
        self._answers: dict[int, dict[str, Any]] = {}
        self._methods: dict[int, str] = {}
        self._inbox: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._next_id = 0
        self._stderr = bytearray()
        self._readers = [
            threading.Thread(target=target, daemon=True)
            for target in (self._read_stdout, self._read_stderr)
        ]
        for reader in self._readers:
            reader.start()

    @classmethod
    def spawn(
        cls,
        database: str | Path | None = None,
        *,
        command: Sequence[str] = SIDECAR,
        options: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT,
    ) -> Self:
        """Start a sidecar; ``options`` are flags of it, ``env`` is added to the environment."""
        words = [*command, *options]
        if database is not None:
            words += ["--database", str(database)]
        process = subprocess.Popen(  # noqa: S603 -- the caller's own command
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )
        return cls(process, timeout=timeout)

    def request(self, method: str, params: object = None) -> Any:
        """Send a request, wait for its answer, return its result; :class:`SidecarError`."""
        return self.answer(self.send(method, params))

    def send(self, method: str, params: object = None) -> int:
        """Send a request without waiting; return its id for :meth:`answer`."""
        self._next_id += 1
        body = {"jsonrpc": "2.0", "id": self._next_id, "method": method}
        self._methods[self._next_id] = method
        self._write(body if params is None else {**body, "params": params})
        return self._next_id

    def answer(self, id_: int) -> Any:
        """Wait for the answer to a request that was sent."""
        method = self._methods.get(id_, "")
        deadline = time.monotonic() + self.timeout
        while id_ not in self._answers:
            if not self._take(deadline):
                raise TimeoutError(f"no answer to {method} within {self.timeout:g} s")
        message = self._answers.pop(id_)
        self._methods.pop(id_, None)
        if "error" in message:
            error = message["error"]
            raise SidecarError(error["code"], error["message"], error.get("data"), method)
        return message["result"]

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        body = {"jsonrpc": "2.0", "method": method}
        self._write(body if params is None else {**body, "params": params})

    def wait_for(
        self, method: str, *, timeout: float | None = None, **params: Any
    ) -> dict[str, Any]:
        """Wait for a notification with these members in its params; take it and return them.

        ``timeout``: other seconds than this client's.
        """
        patience = self.timeout if timeout is None else timeout
        deadline = time.monotonic() + patience
        while True:
            for message in self.notifications:
                told: dict[str, Any] = message.get("params") or {}
                if message["method"] == method and params.items() <= told.items():
                    self.notifications.remove(message)
                    return told
            if not self._take(deadline):
                raise TimeoutError(self._missed(method, params, patience))

    def kill(self) -> None:
        """End the process at once, as a crash would, and close the pipes."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):
            cast("IO[bytes]", self.process.stdin).close()
        for reader in self._readers:
            reader.join(_LAST_WORDS)

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines the sidecar logged so far."""
        found = []
        for line in bytes(self._stderr).splitlines():
            # What is no line of the log is a library's, or a crash's.
            with contextlib.suppress(ValueError):
                value = loads(line) if line.startswith(b"{") else None
                if isinstance(value, dict):
                    found.append(value)
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()

    def _write(self, message: object) -> None:
        stdin = cast("IO[bytes]", self.process.stdin)
        body = framed(dumps(message))
        try:
            stdin.write(body)
            stdin.flush()
        except (OSError, ValueError) as error:
            # OSError: not EPIPE alone, Windows says EINVAL. ValueError: this side closed the pipe.
            raise self._gone() from error

    def _take(self, deadline: float) -> bool:
        """Wait for one message and put it where it belongs; False where none came in time."""
        try:
            message = self._inbox.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return False
        if message is None:
            self._inbox.put(None)
            raise self._gone()
        if "method" in message:
            self.notifications.append(message)
        else:
            self._answers[message["id"]] = message
        return True

    def _missed(self, method: str, params: Mapping[str, Any], patience: float) -> str:
        wanted = " ".join([method, *(f"{name}={value!r}" for name, value in params.items())])
        others = ", ".join(message["method"] for message in self.notifications) or "nothing"
        return f"no {wanted} within {patience:g} s; told and not taken: {others}"

    def _gone(self) -> SidecarGoneError:
        try:
            how = f"ended with exit code {self.process.wait(self.timeout)}"
        except subprocess.TimeoutExpired:
            how = "goes on, but can be spoken to no more"
        self._readers[1].join(_LAST_WORDS if self.process.poll() is not None else 0.0)
        tail = bytes(self._stderr[-2000:]).decode("utf-8", "replace")
        return SidecarGoneError(f"the sidecar {how}; its log ends: {tail}")

    # Each reader closes its pipe: a close from elsewhere would wait for it, and it waits for
    # whoever holds the pipe open.

    def _read_stdout(self) -> None:
        stdout = cast("IO[bytes]", self.process.stdout)
        # Where something comes that is no message, nothing after it can be trusted.
        with stdout, contextlib.suppress(ValueError, RecursionError):
            while (body := read_frame(stdout)) is not None:
                self._inbox.put(loads(body))
        self._inbox.put(None)

    def _read_stderr(self) -> None:
        stderr = cast("IO[bytes]", self.process.stderr)
        with stderr:
            while chunk := os.read(stderr.fileno(), 65536):
                self._stderr += chunk
                del self._stderr[:-_STDERR_KEPT]
