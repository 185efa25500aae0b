"""A process on a pipe, asked one request after the other at as little cost of the asker as can be."""

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from sidecar.testing.frames import framed, read_frame
from tests.benchmarks.surroundings import host_environment

HEAD = 40
"""Bytes of a message within which an answer has its id; a notification has none."""


class Wire:
    """One process spoken to over stdio."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=host_environment()
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self._ids = itertools.count(1)

    @classmethod
    def sidecar(cls, database: Path) -> Self:
        """Spawn and greet a sidecar."""
        wire = cls([sys.executable, "-m", "sidecar", "--database", str(database)])
        wire.request("initialize", capabilities={})
        return wire

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            # Stock pygls does not end with its host.
            self.process.kill()
            self.process.communicate()

    def request(self, method: str, **params: Any) -> Any:
        """Return the result of a request; ends the run where there is none."""
        answer = json.loads(self.exchange(self.frame(method, params)))
        if "result" not in answer:
            raise RuntimeError(f"{method}: {answer}")
        return answer["result"]

    def timed(self, method: str, **params: Any) -> tuple[float, Any]:
        """Return the seconds from writing a request to the last byte of its answer, and that."""
        frame = self.frame(method, params)
        started = time.perf_counter()
        body = self.exchange(frame)
        took = time.perf_counter() - started
        answer = json.loads(body)
        if "result" not in answer:
            raise RuntimeError(f"{method}: {answer}")
        return took, answer["result"]

    def frame(self, method: str, params: object) -> bytes:
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        return framed(json.dumps(message, separators=(",", ":")).encode())

    def exchange(self, frame: bytes) -> bytes:
        """Write a request and return the body of its answer."""
        self.stdin.write(frame)
        self.stdin.flush()
        return self.answer()

    def answer(self) -> bytes:
        """Return the body of the next answer; notifications are passed over."""
        while True:
            body = read_frame(self.stdout)
            if body is None:
                raise RuntimeError("the process ended")
            if b'"id":' in body[:HEAD]:
                return body

    def answers(self, count: int) -> Iterator[bytes]:
        for _ in range(count):
            yield self.answer()

    def resident(self) -> int:
        """Return the bytes that the process holds in memory (Linux)."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * 4096
