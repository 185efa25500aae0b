"""A small synchronous client over a sidecar's stdio: for tests of hosts, and for the demo."""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self, cast

from attrs import define

from protocol.json_text import dumps, loads

SIDECAR: Final = (
    (sys.executable,) if getattr(sys, "frozen", False) else (sys.executable, "-m", "sidecar")
)
"""The command that starts the sidecar of this very installation."""
_STDERR_KEPT: Final = 1 << 20


@define
class SidecarError(Exception):
    """An error answer: JSON-RPC's ``code`` and ``message``, and ``data`` as it came."""

    code: int
    message: str
    data: Any

    def __str__(self) -> str:
        return f"{self.code}: {self.message} {self.data}"


class SidecarGoneError(Exception):
    """The process ended before it answered; its text has the exit code and the end of stderr."""


class SidecarClient:
    """One process and the pipe to it.

    Not for threads: a request waits for its answer.  ``notifications`` holds what the sidecar told
    without being asked, as ``{"method", "params"}``, oldest first; take from it what you handled.
    """

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.notifications: list[dict[str, Any]] = []
        self.greeting: dict[str, Any] = {}
        self._next_id = 0
        self._stderr = bytearray()
        self._drain = threading.Thread(target=self._read_stderr, daemon=True)
        self._drain.start()

    @classmethod
    def spawn(
        cls,
        database: str | Path | None = None,
        *,
        command: Sequence[str] = SIDECAR,
        options: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
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
        return cls(process)

    def initialize(self, **options: Any) -> dict[str, Any]:
        """Open the session; return what the sidecar says of itself.

        ``options`` are initializationOptions (``database``: an absolute path).
        """
        self.greeting = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "capabilities": {},
                "initializationOptions": {"protocolVersion": 1, **options},
            },
        )
        self.notify("initialized", {})
        experimental: dict[str, Any] = self.greeting["capabilities"]["experimental"]
        return experimental

    def request(self, method: str, params: object = None) -> Any:
        """Send a request, wait for its answer, return its result; :class:`SidecarError`."""
        return self.answer(self.send(method, params))

    def send(self, method: str, params: object = None) -> int:
        """Send a request without waiting; return its id for :meth:`answer`."""
        self._next_id += 1
        body = {"jsonrpc": "2.0", "id": self._next_id, "method": method}
        self._write(body if params is None else {**body, "params": params})
        return self._next_id

    def answer(self, id_: int) -> Any:
        """Wait for the answer to the request that is next in turn."""
        while True:
            message = self._read()
            if "method" in message:
                self.notifications.append(message)
            elif message.get("id") == id_:
                break
        if "error" in message:
            error = message["error"]
            raise SidecarError(error["code"], error["message"], error.get("data"))
        return message["result"]

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        body = {"jsonrpc": "2.0", "method": method}
        self._write(body if params is None else {**body, "params": params})

    def close(self, timeout: float = 10.0) -> int:
        """Shut the sidecar down; return its exit code."""
        if self.process.poll() is None:
            self.request("shutdown")
            self.notify("exit")
        code = self.process.wait(timeout)
        self.kill()
        return code

    def kill(self) -> None:
        """End the process at once, as a crash would, and close the pipes."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._drain.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines the sidecar logged so far."""
        lines = bytes(self._stderr).splitlines()
        return [loads(line) for line in lines if line.startswith(b"{")]

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
        body = dumps(message)
        stdin = cast("IO[bytes]", self.process.stdin)
        try:
            stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            stdin.flush()
        except BrokenPipeError as error:
            raise self._gone() from error

    def _read(self) -> dict[str, Any]:
        stdout = cast("IO[bytes]", self.process.stdout)
        length = 0
        while (line := stdout.readline()) not in (b"\r\n", b"\n"):
            if not line:
                raise self._gone()
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                length = int(value)
        body = stdout.read(length)
        if len(body) < length:
            raise self._gone()
        message: dict[str, Any] = loads(body)
        return message

    def _gone(self) -> SidecarGoneError:
        code = self.process.wait()
        self._drain.join()
        tail = bytes(self._stderr[-2000:]).decode("utf-8", "replace")
        return SidecarGoneError(f"the sidecar ended with exit code {code}; its log ends: {tail}")

    def _read_stderr(self) -> None:
        stderr = cast("IO[bytes]", self.process.stderr)
        while chunk := os.read(stderr.fileno(), 65536):
            self._stderr += chunk
            del self._stderr[:-_STDERR_KEPT]
