"""Every limit of the wire at n - 1, n and n + 1, through the real process."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client

CAP = 100_000
DEPTH = 64
VALUES = 4_000_000
HEADER = 4_096
QUEUED = 4_096
DIGITS = 4_300


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    command = [sys.executable, "-m", "sidecar", "--database", str(tmp_path / "graphs.db")]
    with Client.spawn([*command, "--max-message", str(CAP)]) as client:
        client.initialize()
        yield client
        assert client.stray == []


def asked(text: bytes) -> bytes:
    """A request whose params fit no method's, so that what is told of them is why."""
    return b'{"jsonrpc":"2.0","id":7,"method":"getProject","params":{"projectId":%b}}' % text


def told(message: dict[str, Any]) -> tuple[int, list[str]]:
    error = message["error"]
    return error["code"], [issue["path"] for issue in error.get("data", {}).get("issues", [])]


FITS = (-32602, ["/projectId"])
"""The params were read, and one of them is no text."""
OVER = (-32602, [""])
"""The params were not read: they are over a limit as a whole."""


@pytest.mark.parametrize(("size", "fits"), [(CAP - 1, True), (CAP, True), (CAP + 1, False)])
def test_size(client: Client, size: int, fits: bool) -> None:  # noqa: FBT001 -- a row of a table
    body = asked(b'["' + b"x" * (size - len(asked(b'[""]'))) + b'"]')
    assert len(body) == size

    client.send(body)

    if fits:
        assert told(client.answer_message(7)) == FITS
    else:
        assert client.answer_message(None)["error"]["code"] == -32600
    assert client.close() == 0


@pytest.mark.parametrize("size", [16 * CAP - 1, 16 * CAP])
def test_size_that_is_skipped(client: Client, size: int) -> None:
    client.send(b"[" * size)

    assert client.answer_message(None)["error"]["data"] == {"size": size, "limit": CAP}
    assert client.close() == 0


def test_size_that_is_absurd(client: Client) -> None:
    client.send_raw(b"Content-Length: %d\r\n\r\n" % (16 * CAP + 1))

    assert client.wait(2) == 1
    assert [line["event"] for line in client.log] == ["framing-fault"]


@pytest.mark.parametrize(
    ("depth", "outcome"), [(DEPTH - 1, FITS), (DEPTH, FITS), (DEPTH + 1, OVER)]
)
@pytest.mark.parametrize("brackets", [(b"[", b"]"), (b'{"a":', b"}")], ids=["arrays", "objects"])
def test_depth(client: Client, depth: int, outcome: object, brackets: tuple[bytes, bytes]) -> None:
    inner = depth - 1
    opening, closing = brackets

    client.send(asked(opening * inner + b"1" + closing * inner))

    assert told(client.answer_message(7)) == outcome
    assert client.close() == 0


@pytest.mark.parametrize(
    ("count", "outcome"), [(VALUES - 1, FITS), (VALUES, FITS), (VALUES + 1, OVER)]
)
def test_count(tmp_path: Path, count: int, outcome: object) -> None:
    with Client.spawn(
        [sys.executable, "-m", "sidecar", "--database", str(tmp_path / "graphs.db")]
    ) as client:
        client.initialize()

        client.send(asked(b"[" + b"0," * (count - 3) + b"0]"))

        assert told(client.answer_message(7)) == outcome
        assert client.close() == 0


@pytest.mark.parametrize(
    ("digits", "fits"), [(DIGITS - 1, True), (DIGITS, True), (DIGITS + 1, False)]
)
def test_digits(client: Client, digits: int, fits: bool) -> None:  # noqa: FBT001 -- a row of a table
    client.send(asked(b"1" * digits))

    if fits:
        assert told(client.answer_message(7)) == FITS
    else:
        assert client.answer_message(None)["error"]["code"] == -32700
    assert client.close() == 0


@pytest.mark.parametrize(
    ("size", "fits"), [(HEADER - 1, True), (HEADER, True), (HEADER + 1, False)]
)
def test_header(client: Client, size: int, fits: bool) -> None:  # noqa: FBT001 -- a row of a table
    body = asked(b"1")
    length = b"Content-Length: %d\r\nX: " % len(body)
    header = length + b"y" * (size - len(length) - 4) + b"\r\n\r\n"
    assert len(header) == size

    client.send_raw(header + body)

    if fits:
        assert told(client.answer_message(7)) == FITS
        assert client.close() == 0
    else:
        assert client.wait(2) == 1
        assert [line["event"] for line in client.log] == ["framing-fault"]


@pytest.mark.parametrize("count", [QUEUED - 1, QUEUED, QUEUED + 1, 2 * QUEUED + 1])
def test_requests_at_once(client: Client, count: int) -> None:
    request = {"jsonrpc": "2.0", "method": "getSettings"}

    client.send(*({**request, "id": id_} for id_ in range(count)))

    for id_ in range(count):
        assert "result" in client.answer_message(id_)
    assert client.close() == 0
    assert sum("id" in message for message in client.received) == count + 1
