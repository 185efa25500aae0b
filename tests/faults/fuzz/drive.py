"""Feeds bent sequences to real processes and settles accounts with each of them."""

import contextlib
import random
import sys
import time
from pathlib import Path
from typing import Any, Final

from attrs import define, field

from tests.client import Client, ProcessGoneError, encode, frame
from tests.faults.fuzz import mutations, seeds
from tests.faults.fuzz.oracle import Ledger
from tests.patience import is_late

AT_ONCE: Final = 20
"""Sequences that are written before their answers are waited for."""
TIMEOUT: Final = 20.0
END_SECONDS: Final = 2.0
CODES: Final = {-32700, -32600, -32601, -32602, -32002, -32800, -32803}
MEBIBYTE: Final = 1 << 20
MOST_GROWTH: Final = 24 * MEBIBYTE


@define
class Report:
    """What was sent, and what was wrong with what came back."""

    sequences: int = 0
    frames: int = 0
    answers: int = 0
    exits: int = 0
    growth: list[int] = field(factory=list)
    """Bytes by which each process grew after its first third."""
    faults: list[str] = field(factory=list)


def run_all(
    folder: Path, seed: int, count: int, *, per_process: int = 500, first: int = 0
) -> Report:
    """Run ``count`` sequences, so many in a process's life; ``first`` is the first life's number."""
    report = Report()
    for life in range(first, first + (count + per_process - 1) // per_process):
        size = min(per_process, count - (life - first) * per_process)
        place = folder / f"life-{life}"
        place.mkdir()
        _Life(place, random.Random(f"{seed}/{life}"), report, f"life {life}").run(size)
    return report


@define
class _Life:
    folder: Path
    rng: random.Random
    report: Report
    name: str
    ledger: Ledger = field(factory=Ledger)
    barriers: int = 0

    def run(self, size: int) -> None:
        database = str(self.folder / "graphs.db")
        command = [sys.executable, "-m", "sidecar", "--database", database]
        with Client.spawn(command) as client:
            self._begin(client)
            bodies = seeds.conversation(self.folder)
            small = None
            for first in range(0, size, AT_ONCE):
                batch = range(first, min(first + AT_ONCE, size))
                self._send(client, [mutations.sequence(self.rng, bodies, one) for one in batch])
                self._settle(client)
                if small is None and first >= size // 3:
                    small = client.rss()
            if small is not None:
                self.report.growth.append(client.rss() - small)
            self._end(client)

    def _begin(self, client: Client) -> None:
        """What comes before initialize is refused, not lost."""
        for id_ in (1, "early"):
            client.send({"jsonrpc": "2.0", "id": id_, "method": "getStatus"})
            assert client.answer_message(id_)["error"]["code"] == -32002
        client.initialize()

    def _send(self, client: Client, batch: list[list[bytes]]) -> None:
        data = bytearray()
        for bodies in batch:
            self.report.sequences += 1
            for body in bodies:
                self.report.frames += 1
                self.ledger.owe(body)
                data += _framed(self.rng, body)
        while data:
            size = self.rng.choice((1, 7, 4_096, 1 << 16, 1 << 20))
            client.send_raw(bytes(data[:size]))
            del data[:size]

    def _settle(self, client: Client) -> None:
        """Wait until all is answered that must be; a barrier tells when nothing more comes."""
        self.barriers += 1
        barrier = f"barrier-{self.barriers}"
        client.send({"jsonrpc": "2.0", "id": barrier, "method": "getSettings"})
        passed = False
        while not passed or not self.ledger.is_settled():
            try:
                message = client.read_message(TIMEOUT)
            except (TimeoutError, ProcessGoneError) as error:
                self._blame(f"{error}"[:300])
                break
            if "method" in message:
                continue
            if message["id"] == barrier:
                passed = True
            else:
                self._take(client, message)
        for fault in self.ledger.faults():
            self._blame(fault)
        self.ledger = Ledger()

    def _take(self, client: Client, message: dict[str, Any]) -> None:
        self.report.answers += 1
        self.ledger.pay(message["id"])
        error = message.get("error")
        if ("result" in message) == (error is not None) or message["jsonrpc"] != "2.0":
            self._blame(f"neither result nor error: {message}"[:300])
        if error is not None and error["code"] not in CODES:
            asked = [what.body[:2_000] for what in self.ledger.owed if message["id"] in what.ids]
            self._blame(f"code {error['code']}: {asked}: {_logged(client, error)}")

    def _end(self, client: Client) -> None:
        """The last sequence ends the process: in order, or by a fault of framing."""
        name, data, code = self.rng.choice(ENDINGS)
        asked = encode({"jsonrpc": "2.0", "id": "last", "method": "getStatus"})
        began = time.monotonic()
        client.send_raw(frame(asked) + data)
        if name.startswith("eof"):
            client.close_stdin()
        try:
            ended = client.wait(TIMEOUT)
        except Exception as error:  # noqa: BLE001 -- whatever it is, it goes into the report
            self._blame(f"{name}: {error!r}"[:300])
            return
        seconds = time.monotonic() - began
        self.report.exits += 1
        if ended != code or is_late(seconds, END_SECONDS):
            self._blame(f"{name}: exit code {ended} after {seconds:.1f} s")
        if (
            code == 1
            and name.startswith("framing")
            and not any(line.get("event") == "framing-fault" for line in client.log)
        ):
            self._blame(f"{name}: no reason on stderr")
        answered = [one for one in client.received if one.get("id") == "last"]
        if len(answered) != 1:
            self._blame(f"{name}: what came before it has {len(answered)} answers")
        if client.stray:
            self._blame(f"stray bytes on stdout: {client.stray[:3]}")

    def _blame(self, fault: str) -> None:
        self.report.faults.append(f"{self.name}: {fault}")


def _logged(client: Client, error: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the process logged of an error inside it."""
    error_id = (error.get("data") or {}).get("errorId")
    with contextlib.suppress(TimeoutError):
        client.wait_stderr(str(error_id), 1)
    return [line for line in client.log if line.get("errorId") == error_id]


def _framed(rng: random.Random, body: bytes) -> bytes:
    """Frame a body as one of the many hosts of the world does."""
    draw = rng.random()
    if draw < 0.85:
        return frame(body)
    if draw < 0.95:
        return b"content-length:%d\r\nContent-Type: application/json\r\n\r\n%b" % (len(body), body)
    return b"X-Trace: 1:2\r\nCONTENT-LENGTH:   %d  \r\n\r\n%b" % (len(body), body)


_SHUTDOWN: Final = frame({"jsonrpc": "2.0", "id": "down", "method": "shutdown"})
_EXIT: Final = frame({"jsonrpc": "2.0", "method": "exit"})
ENDINGS: Final[list[tuple[str, bytes, int]]] = [
    ("exit", _SHUTDOWN + _EXIT, 0),
    ("exit at once", _EXIT, 1),
    ("eof", b"", 0),
    ("eof in a header", b"Content-Len", 1),
    ("eof in a body", b"Content-Length: 20\r\n\r\n{", 1),
    ("framing: no length", b"Content-Type: x\r\n\r\n{}", 1),
    ("framing: doubled", b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 1),
    ("framing: a word", b"Content-Length: two\r\n\r\n{}", 1),
    ("framing: negative", b"Content-Length: -2\r\n\r\n{}", 1),
    ("framing: absurd", b"Content-Length: 99999999999999\r\n\r\n{}", 1),
    ("framing: long", b"X: " + b"y" * 5_000, 1),
    ("framing: no colon", b"Content-Length 2\r\n\r\n{}", 1),
    ("framing: bare JSON", b'{"jsonrpc":"2.0","method":"exit"}\n', 1),
]
