"""Hosts that do not read, send too much, or send it in the worst of forms."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, cast

import pytest

from sidecar.server.tasks import MAX_RUNNING, MOST_WAITING
from tests.client import Client, RpcError, frame, requests
from tests.patience import promised
from tests.server.processes import PIPES, spawn_echo

MIB = 1 << 20


def send_in_background(client: Client, *messages: object) -> threading.Thread:
    thread = threading.Thread(target=client.send, args=messages, daemon=True)
    thread.start()
    return thread


def wait_until_blocked(client: Client) -> None:
    """Until the process neither reads nor works: its CPU time stands still."""
    last = -1.0
    while (now := cpu_time(client)) != last:
        last = now
        threading.Event().wait(0.3)


def cpu_time(client: Client) -> float:
    stat = Path(f"/proc/{client.process.pid}/stat").read_text(encoding="utf-8")
    fields = stat.rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


@pytest.mark.parametrize("pipe", PIPES)
def test_a_host_that_never_reads_costs_no_memory_and_loses_nothing(pipe: str) -> None:
    count = 100_000
    with spawn_echo(pipe=pipe, read_stdout=False) as client:
        client.start("initialize", {})
        sending = send_in_background(client, *requests("echo", range(10, 10 + count), "x" * 100))
        wait_until_blocked(client)
        assert sending.is_alive()
        assert client.peak_rss() < 120 * MIB

        client.start_reading()
        client.answer(9 + count)
        sending.join()
        assert [message["id"] for message in client.received[1:]] == list(range(10, 10 + count))
        assert all("result" in message for message in client.received)
        assert client.peak_rss() < 120 * MIB
        assert client.close() == 0


@pytest.mark.parametrize("pipe", PIPES)
def test_tasks_that_wait_for_others_hold_the_host_up(pipe: str) -> None:
    with spawn_echo(pipe=pipe) as client:
        client.initialize()
        stuck = requests("stuckTask", range(1, MAX_RUNNING + 1))
        waiting = requests("task", range(10, 10 + MOST_WAITING), {"steps": 0})
        thread = send_in_background(client, *stuck, *waiting)
        thread.join()
        wait_until_blocked(client)
        client.start("echo", {}, id_="last")
        wait_until_blocked(client)

        assert [one for one in client.received if one.get("id") == "last"] == []
        with promised(5):
            assert client.close() == 0


@pytest.mark.parametrize("pipe", PIPES)
def test_large_answers_to_a_slow_reader_are_whole(pipe: str) -> None:
    with spawn_echo(pipe=pipe, read_stdout=False) as client:
        client.start("initialize", {})
        for piece, pieces in ((1, 100_000), (5_000_000, 2), (1000, 3000)):
            client.start("big", {"piece": piece, "pieces": pieces})
        client.start("echo", "end")
        stdout = cast("IO[bytes]", client.process.stdout)
        data = bytearray()
        while not data.endswith(b'"end"}'):
            # Odd sizes, so that every partial write ends somewhere else.
            data += os.read(stdout.fileno(), 9973)

        results = [json.loads(body)["result"] for body in bodies(bytes(data))]
        assert [len(result) for result in results[1:]] == [100_000, 10_000_000, 3_000_000, 3]


def bodies(data: bytes) -> list[bytes]:
    found = []
    while data:
        header, _, data = data.partition(b"\r\n\r\n")
        length = int(header.removeprefix(b"Content-Length: "))
        found.append(data[:length])
        data = data[length:]
    return found


def test_answers_over_a_narrow_pipe_are_whole() -> None:
    fcntl = pytest.importorskip("fcntl")
    with spawn_echo(read_stdout=False) as client:
        stdout = cast("IO[bytes]", client.process.stdout)
        fcntl.fcntl(stdout.fileno(), 1031, 4096)  # F_SETPIPE_SZ
        client.start_reading()
        client.initialize()

        lengths = [len(client.request("big", {"piece": 777, "pieces": n})) for n in (5, 6, 900)]
        assert lengths == [3885, 4662, 699_300]
        assert client.stray == []


@pytest.mark.parametrize("pipe", PIPES)
def test_bytes_may_come_one_by_one(pipe: str) -> None:
    with spawn_echo(pipe=pipe) as client:
        client.initialize()
        for byte in frame({"jsonrpc": "2.0", "id": 7, "method": "echo", "params": "é"}):
            client.send_raw(bytes([byte]))

        assert client.answer(7) == "é"


def test_a_million_small_objects_are_served_in_bounded_memory() -> None:
    body = b'{"jsonrpc":"2.0","id":7,"method":"size","params":[%b]}' % b",".join(
        [b'{"a":1}'] * 1_000_000
    )
    with spawn_echo() as client:
        client.initialize()
        client.send(body)

        assert client.answer(7) == 1_000_000
        assert client.peak_rss() < 420 * MIB


@pytest.mark.parametrize(
    ("item", "count"),
    [(b"[]", 4_000_000), (b"1", 4_000_000), (b'{"a":[]}', 2_000_000)],
    ids=["arrays", "numbers", "objects"],
)
def test_too_many_values_are_refused_before_they_are_built(item: bytes, count: int) -> None:
    body = b'{"jsonrpc":"2.0","id":7,"method":"size","params":[%b]}' % b",".join([item] * count)
    with spawn_echo() as client:
        client.initialize()
        client.send(body)

        with pytest.raises(RpcError) as caught:
            client.answer(7)
        assert caught.value.code == -32602
        assert caught.value.data["issues"][0]["path"] == ""
        assert client.peak_rss() < 200 * MIB
        assert client.request("echo", 1) == 1


def test_a_body_over_the_cap_is_skipped_in_constant_memory() -> None:
    with spawn_echo("--max-message", str(16 * MIB)) as client:
        client.initialize()
        before = client.peak_rss()
        client.send_raw(b"Content-Length: %d\r\n\r\n" % (200 * MIB))
        for _ in range(200):
            client.send_raw(b"x" * MIB)

        assert client.answer_message(None)["error"]["code"] == -32600
        assert client.peak_rss() - before < 8 * MIB
        assert client.request("echo", 1) == 1


@pytest.mark.parametrize("pipe", PIPES)
def test_an_undrained_stderr_holds_nothing_up(pipe: str) -> None:
    with spawn_echo("--log-level", "debug", pipe=pipe, drain_stderr=False) as client:
        client.initialize()
        client.request("log", {"lines": 5000})
        for _ in range(200):
            with pytest.raises(RpcError):
                client.request("failing")

        assert client.request("echo", 1) == 1
        with promised(1):
            assert client.close() == 0


@pytest.mark.parametrize("pipe", PIPES)
def test_a_stray_print_goes_to_stderr(pipe: str) -> None:
    with spawn_echo(pipe=pipe) as client:
        client.initialize()
        client.request("print")

        assert client.request("echo", 1) == 1
        client.close()
        assert client.stray == []
        assert "stray text of a library" in client.stderr
        assert "stray bytes of a library" in client.stderr


SOCKETS = """
import socket, subprocess, sys
ours, theirs = socket.socketpair()
ours_out, theirs_out = socket.socketpair()
child = subprocess.Popen(sys.argv[1:], stdin=theirs, stdout=theirs_out)
theirs.close(); theirs_out.close()
body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
big = b'{"jsonrpc":"2.0","id":2,"method":"big","params":{"piece":1000000,"pieces":5}}'
ours.sendall(b"".join(b"Content-Length: %d\\r\\n\\r\\n%b" % (len(b), b) for b in (body, big)))
ours.shutdown(socket.SHUT_WR)
size = 0
while chunk := ours_out.recv(1 << 16):
    size += len(chunk)
print(size > 5_000_000, child.wait())
"""


def test_sockets_in_place_of_pipes_do_as_well() -> None:
    command = [sys.executable, "-m", "tests.server.echo_engine"]
    output = subprocess.run(
        [sys.executable, "-c", SOCKETS, *command], capture_output=True, text=True, check=True
    ).stdout

    assert output.split() == ["True", "0"]


def test_stdout_shared_with_stderr_stays_as_it_is() -> None:
    body = frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
    big = frame(
        {"jsonrpc": "2.0", "id": 2, "method": "big", "params": {"piece": 1000, "pieces": 999}}
    )
    process = subprocess.run(
        [sys.executable, "-m", "tests.server.echo_engine"],
        input=body + big,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
    )

    assert len(process.stdout) > 999_000


def test_files_in_place_of_pipes_do_as_well(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(
        frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
        + b"".join(frame(message) for message in requests("echo", range(2, 50), "x" * 1000))
    )
    with source.open("rb") as stdin, target.open("wb") as stdout:
        subprocess.run(
            [sys.executable, "-m", "tests.server.echo_engine"],
            stdin=stdin,
            stdout=stdout,
            check=True,
        )

    assert target.read_bytes().count(b"Content-Length") == 49
