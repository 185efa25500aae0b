"""A raw, synchronous JSON-RPC client over a child process's stdio, for tests alone.

It shares no code with the server: stdlib JSON, own framing. Two threads drain stdout and stderr,
so a test can never be the reason why a process blocks, unless it asks for that
(``read_stdout=False``, ``drain_stderr=False``).

    with Client.spawn([sys.executable, "-m", "sidecar", "--database", path]) as client:
        client.initialize()
        project = client.request("createProject", {"title": "A"})
        assert client.close() == 0

Every wait has a timeout and fails with what is known: exit code and the end of stderr.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self, cast

from tests.patience import promised

TIMEOUT = 30.0
SOON = 2.0
"""Within what is told what another process did: the promise is a second."""
_STDERR_KEPT = 4 << 20

Id = int | str | None


class RpcError(Exception):
    """An error answer: ``code``, ``message`` and ``data`` as they came."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error.get('code')}: {error.get('message')} {error.get('data')}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: Any = error.get("data")


class ProcessGoneError(Exception):
    """The process closed its stdout before the awaited message came."""


class Client:
    """One child process and the pipe to it. See the module's text for the use."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        *,
        read_stdout: bool = True,
        drain_stderr: bool = True,
    ) -> None:
        self.process = process
        self.received: list[dict[str, Any]] = []
        """Every message of the process, in the order in which they came."""
        self.notifications: list[dict[str, Any]] = []
        """Every notification ``{method, params}`` of the process, in order."""
        self.stray: list[bytes] = []
        """What came on stdout and was no frame. Should stay empty."""
        self._ready = threading.Condition()
        self._inbox: dict[int, dict[str, Any]] = {}
        self._answers: dict[tuple[type, object], list[int]] = {}
        self._stdout_closed = False
        self._stderr = bytearray()
        self._stderr_closed = False
        self._next_id = 0
        self._write_lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        if read_stdout:
            self.start_reading()
        if drain_stderr:
            self._start(self._drain_stderr)

    @classmethod
    def spawn(
        cls,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        read_stdout: bool = True,
        drain_stderr: bool = True,
        **popen: Any,
    ) -> Self:
        """Start ``command``. ``env`` is added to this process's environment (values win)."""
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
            cwd=cwd,
            bufsize=0,
            **popen,
        )
        return cls(process, read_stdout=read_stdout, drain_stderr=drain_stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill()

    # Messages out.

    def send_raw(self, data: bytes) -> None:
        """Write bytes to the process's stdin as they are, all of them."""
        stdin = cast("IO[bytes]", self.process.stdin)
        view = memoryview(data)
        with self._write_lock:
            while view:
                view = view[os.write(stdin.fileno(), view) :]

    def send(self, *messages: object) -> None:
        """Frame and write the messages (JSON values, or bodies as bytes) in one go."""
        self.send_raw(b"".join(frame(message) for message in messages))

    def notify(self, method: str, params: object = None) -> None:
        self.send(_call(method, params))

    def start(
        self, method: str, params: object = None, *, id_: int | str | None = None
    ) -> int | str:
        """Send a request and return its id at once; :meth:`answer` waits for it."""
        if id_ is None:
            self._next_id += 1
            id_ = self._next_id
        self.send({**_call(method, params), "id": id_})
        return id_

    def cancel(self, id_: int | str) -> None:
        self.notify("$/cancelRequest", {"id": id_})

    # Messages in.

    def request(self, method: str, params: object = None, timeout: float = TIMEOUT) -> Any:
        """Send a request, wait for its answer and return its result, or raise RpcError."""
        return self.answer(self.start(method, params), timeout)

    def answer(self, id_: Id, timeout: float = TIMEOUT) -> Any:
        """Wait for the answer to ``id_`` and return its result, or raise RpcError."""
        message = self.answer_message(id_, timeout)
        if "error" in message:
            raise RpcError(message["error"])
        return message["result"]

    def answer_message(self, id_: Id, timeout: float = TIMEOUT) -> dict[str, Any]:
        """Wait for the answer to ``id_`` (which may be None) and return the whole message."""
        key = (type(id_), id_)
        with self._ready:
            self._wait(lambda: bool(self._answers.get(key)), timeout, f"an answer to {id_!r}")
            return self._inbox.pop(self._answers[key].pop(0))

    def read_message(self, timeout: float = TIMEOUT) -> dict[str, Any]:
        """Wait for the next message that nobody took yet, answer or notification."""
        with self._ready:
            self._wait(lambda: bool(self._inbox), timeout, "a message")
            seq, message = next(iter(self._inbox.items()))
            del self._inbox[seq]
            if "method" not in message:
                self._answers[_key(message)].remove(seq)
            return message

    def wait_notification(
        self, method: str, timeout: float = TIMEOUT, *, count: int = 1
    ) -> dict[str, Any]:
        """Wait until ``count`` notifications ``method`` came in all; return the last one's params."""

        def found() -> list[dict[str, Any]]:
            return [note for note in self.notifications if note["method"] == method]

        with self._ready:
            self._wait(lambda: len(found()) >= count, timeout, f"notification {method}")
            return cast("dict[str, Any]", found()[count - 1].get("params"))

    def wait_told(self, method: str, *, count: int = 1) -> dict[str, Any]:
        """Wait for a notification of what another process did; fail where it comes too late."""
        with promised(SOON):
            return self.wait_notification(method, count=count)

    def wait_stderr(self, text: str, timeout: float = TIMEOUT) -> None:
        """Wait until ``text`` came on stderr."""
        deadline = time.monotonic() + timeout
        with self._ready:
            while text not in self.stderr:
                left = deadline - time.monotonic()
                if left <= 0 or self._stderr_closed:
                    raise TimeoutError(f"{text!r} did not come on stderr: {self.stderr[-2000:]}")
                self._ready.wait(left)

    # Lifecycle.

    def initialize(
        self, options: Mapping[str, Any] | None = None, timeout: float = TIMEOUT, **params: Any
    ) -> Any:
        """Do initialize and initialized; return the result. ``options``: initializationOptions."""
        result = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "capabilities": {},
                "initializationOptions": {"protocolVersion": 1, **(options or {})},
                **params,
            },
            timeout,
        )
        self.notify("initialized", {})
        return result

    def shutdown(self, timeout: float = TIMEOUT) -> int:
        """Do shutdown and exit, return the exit code."""
        self.request("shutdown", timeout=timeout)
        self.notify("exit")
        return self.wait(timeout)

    def close_stdin(self) -> None:
        cast("IO[bytes]", self.process.stdin).close()

    def close_stdout(self) -> None:
        """Close the host's end of stdout. Only for clients made with ``read_stdout=False``."""
        cast("IO[bytes]", self.process.stdout).close()

    def close(self, timeout: float = TIMEOUT) -> int:
        """Close stdin, as a host that goes away does; return the exit code."""
        self.close_stdin()
        return self.wait(timeout)

    def wait(self, timeout: float = TIMEOUT) -> int:
        """Wait for the process's end (and for the last of its output); return its exit code."""
        code = self.process.wait(timeout)
        for thread in self._threads:
            thread.join(timeout)
        return code

    def kill(self) -> None:
        """SIGKILL (a no-op where it already ended), reap, close every pipe."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(TIMEOUT)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    # What is known about the process.

    @property
    def stderr(self) -> str:
        """What came on stderr until now (the last 4 MiB)."""
        return bytes(self._stderr).decode("utf-8", "replace")

    @property
    def log(self) -> list[dict[str, Any]]:
        """The JSON lines of stderr. Lines that are none are left out."""
        lines: list[dict[str, Any]] = []
        for line in self.stderr.splitlines():
            with contextlib.suppress(ValueError):
                value = json.loads(line)
                if isinstance(value, dict):
                    lines.append(value)
        return lines

    def rss(self) -> int:
        """Resident bytes of the process (Linux)."""
        status = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii")
        return int(status.split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def peak_rss(self) -> int:
        """The most resident bytes the process ever had (Linux)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) << 10

    # Threads.

    def start_reading(self) -> None:
        """Begin to drain stdout; for clients made with ``read_stdout=False``."""
        self._start(self._read_stdout)

    def _start(self, target: Any) -> None:
        thread = threading.Thread(target=target, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _wait(self, ready: Any, timeout: float, what: str) -> None:
        deadline = time.monotonic() + timeout
        while not ready():
            left = deadline - time.monotonic()
            if self._stdout_closed or left <= 0:
                raise self._failure(what, gone=self._stdout_closed)
            self._ready.wait(left)

    def _failure(self, what: str, *, gone: bool) -> Exception:
        if gone:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
        state = f"exit code {self.process.poll()}, stderr ends: {self.stderr[-2000:]}"
        return ProcessGoneError(f"no {what}: {state}") if gone else TimeoutError(f"{what}: {state}")

    def _read_stdout(self) -> None:
        stdout = cast("IO[bytes]", self.process.stdout)
        try:
            with os.fdopen(os.dup(stdout.fileno()), "rb") as stream:
                while (body := self._read_body(stream)) is not None:
                    self._take(json.loads(body))
        finally:
            with self._ready:
                self._stdout_closed = True
                self._ready.notify_all()

    def _read_body(self, stream: IO[bytes]) -> bytes | None:
        length = None
        while line := stream.readline():
            name, colon, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            elif line == b"\r\n" and length is not None:
                body = stream.read(length)
                # A process that is killed may leave half a message in the pipe.
                return body if len(body) == length else None
            elif not colon:
                self.stray.append(line)
        return None

    def _take(self, message: Any) -> None:
        with self._ready:
            seq = len(self.received)
            self.received.append(message)
            self._inbox[seq] = message
            if "method" in message:
                self.notifications.append(message)
            else:
                self._answers.setdefault(_key(message), []).append(seq)
            self._ready.notify_all()

    def _drain_stderr(self) -> None:
        stderr = cast("IO[bytes]", self.process.stderr)
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(stderr.fileno(), 1 << 16):
                with self._ready:
                    self._stderr += chunk
                    del self._stderr[:-_STDERR_KEPT]
                    self._ready.notify_all()
        with self._ready:
            self._stderr_closed = True
            self._ready.notify_all()


def frame(message: object) -> bytes:
    """One framed message. Bytes are a body as they are, anything else is encoded as JSON."""
    body = message if isinstance(message, bytes) else encode(message)
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def encode(message: object) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def requests(method: str, ids: Iterable[int], params: object = None) -> list[object]:
    """Messages of one method under many ids, for :meth:`Client.send`."""
    return [{**_call(method, params), "id": id_} for id_ in ids]


def _call(method: str, params: object) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return message


def _key(message: Mapping[str, Any]) -> tuple[type, object]:
    return (type(message.get("id")), message.get("id"))
