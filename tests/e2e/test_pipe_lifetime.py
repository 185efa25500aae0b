"""How the process ends: by its host's word, by its host's end, by signals, by faults."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client import TIMEOUT, Client, frame, requests
from tests.patience import promised
from tests.server.processes import PIPES, ROOT, spawn_echo


def ends_within(client: Client, seconds: float) -> int:
    with promised(seconds):
        return client.wait()


@pytest.mark.parametrize("pipe", PIPES)
def test_the_end_of_stdin_is_a_clean_end(tmp_path: Path, pipe: str) -> None:
    mark = tmp_path / "closed"
    with spawn_echo("--closed-mark", str(mark), pipe=pipe) as client:
        client.initialize()
        client.close_stdin()

        assert ends_within(client, 1) == 0
        assert mark.exists()


@pytest.mark.parametrize("pipe", PIPES)
def test_what_came_before_the_end_of_stdin_is_served(pipe: str) -> None:
    with spawn_echo(pipe=pipe) as client:
        client.initialize()
        client.send(*requests("echo", range(100, 1100), "x" * 500))

        assert client.close() == 0
        assert [message["id"] for message in client.received[1:]] == list(range(100, 1100))


@pytest.mark.parametrize("pipe", PIPES)
@pytest.mark.parametrize("cut", [1, 10, 25, 40])
def test_an_end_inside_a_message_is_a_fault_of_the_host(
    tmp_path: Path, pipe: str, cut: int
) -> None:
    mark = tmp_path / "closed"
    with spawn_echo("--closed-mark", str(mark), pipe=pipe) as client:
        client.initialize()
        message = frame({"jsonrpc": "2.0", "id": 5, "method": "echo", "params": "x" * 100})
        client.send_raw(message[:cut])

        client.close_stdin()

        assert ends_within(client, 1) == 1
        assert mark.exists()


def test_an_end_before_initialize_is_clean() -> None:
    with spawn_echo() as client:
        assert client.close() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("pipe", PIPES)
def test_signals_end_it_cleanly(tmp_path: Path, number: signal.Signals, pipe: str) -> None:
    mark = tmp_path / "closed"
    with spawn_echo("--closed-mark", str(mark), pipe=pipe) as client:
        client.initialize()
        client.signal(number)

        assert ends_within(client, 2) == 0
        assert mark.exists()


def test_a_signal_lets_the_request_in_work_end() -> None:
    with spawn_echo() as client:
        client.initialize()
        napping = client.start("nap", {"seconds": 0.5, "announce": True})
        client.wait_stderr("napping")
        client.signal(signal.SIGTERM)

        assert client.answer(napping) is True
        assert client.wait() == 0


@pytest.mark.parametrize("pipe", PIPES)
def test_a_closed_stdout_ends_it(tmp_path: Path, pipe: str) -> None:
    mark = tmp_path / "closed"
    with spawn_echo("--closed-mark", str(mark), pipe=pipe, read_stdout=False) as client:
        client.start("initialize", {})
        os.read(client.process.stdout.fileno(), 1000)  # type: ignore[union-attr]
        client.close_stdout()
        if pipe == "threads":
            # Without poll, the next write is what shows it.
            client.start("echo")

        assert ends_within(client, 2) == 1
        assert mark.exists()
        assert [(line["event"], line["reason"]) for line in client.log] == [
            ("host-gone", "stdout-closed")
        ]


def test_an_idle_process_notices_a_closed_stdout_by_itself() -> None:
    with spawn_echo(read_stdout=False) as client:
        client.close_stdout()

        assert ends_within(client, 2) == 1


@pytest.mark.parametrize("pipe", PIPES)
def test_the_end_of_the_process_named_in_initialize_ends_it(tmp_path: Path, pipe: str) -> None:
    mark = tmp_path / "closed"
    with (
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other,
        spawn_echo("--closed-mark", str(mark), pipe=pipe) as client,
    ):
        client.initialize(processId=other.pid)
        assert client.request("echo", 1) == 1

        other.kill()
        other.wait()

        assert ends_within(client, 5) == 1
        assert mark.exists()


def test_a_host_that_is_gone_at_initialize_ends_it() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as other:
        other.wait()
        with spawn_echo() as client:
            client.request("initialize", {"processId": other.pid})

            assert ends_within(client, 5) == 1


@pytest.mark.parametrize("process_id", [None, 0, -1, "12", 1.5, True, 2**70])
def test_a_process_id_that_names_no_process_is_no_host(process_id: object) -> None:
    with spawn_echo() as client:
        client.initialize(processId=process_id)

        assert client.request("echo", 1) == 1
        assert client.close() == 0


PARENT = """
import subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=0, stdout=1)
print(child.pid, file=sys.stderr, flush=True)
sys.stdin = None
import time
time.sleep(600)
"""


@pytest.mark.parametrize("pipe", PIPES)
def test_an_orphan_ends_although_its_stdin_stays_open(tmp_path: Path, pipe: str) -> None:
    mark = tmp_path / "closed"
    command = [
        *(sys.executable, "-c", PARENT),
        *(sys.executable, "-m", "tests.server.echo_engine"),
        *("--pipe", pipe, "--closed-mark", str(mark)),
    ]
    with Client.spawn(command, cwd=ROOT) as client:
        client.initialize(processId=None)
        client.process.kill()
        client.process.wait()

        # The orphan holds the pipe's other end: its end is the end of what can be read.
        with promised(5):
            for thread in client._threads:  # noqa: SLF001 -- no process is left to wait for
                thread.join(TIMEOUT)
        assert mark.exists()


@pytest.mark.parametrize("pipe", PIPES)
def test_a_parent_that_was_gone_before_it_could_be_watched_ends_it(
    tmp_path: Path, pipe: str
) -> None:
    mark = tmp_path / "closed"
    with subprocess.Popen([sys.executable, "-c", ""]) as other:
        other.wait()
    options = ("--closed-mark", str(mark), "--parent", str(other.pid))
    with spawn_echo(*options, pipe=pipe) as client:
        assert ends_within(client, 5) == 1
        assert mark.exists()


def test_the_first_stop_of_the_engine_ends_it_after_the_answer() -> None:
    with spawn_echo() as client:
        client.initialize()

        assert client.request("stop", {"code": 3}) is None
        assert client.wait() == 3


def test_nobody_waits_for_a_task_that_does_not_stop(tmp_path: Path) -> None:
    mark = tmp_path / "closed"
    with spawn_echo("--closed-mark", str(mark)) as client:
        client.initialize()
        client.start("stuckTask")
        client.request("echo")
        client.close_stdin()

        assert ends_within(client, 1.5) == 0
        assert mark.exists()


@pytest.mark.parametrize("pipe", PIPES)
def test_a_closed_stdin_ends_it_although_nobody_reads_stdout(pipe: str) -> None:
    with spawn_echo(pipe=pipe, read_stdout=False) as client:
        client.start("initialize", {})
        client.start("big", {"piece": 100_000, "pieces": 100})
        os.read(client.process.stdout.fileno(), 1000)  # type: ignore[union-attr]
        client.close_stdin()

        assert ends_within(client, 2) == 0


@pytest.mark.parametrize("pipe", PIPES)
def test_a_framing_fault_ends_it_although_nobody_reads_stdout(pipe: str) -> None:
    with spawn_echo(pipe=pipe, read_stdout=False) as client:
        client.start("initialize", {})
        client.start("big", {"piece": 100_000, "pieces": 100})
        os.read(client.process.stdout.fileno(), 1000)  # type: ignore[union-attr]
        client.send_raw(b"nonsense\r\n")

        assert ends_within(client, 2) == 1


@pytest.mark.parametrize("pipe", PIPES)
def test_a_signal_ends_it_although_nobody_reads_stdout(pipe: str) -> None:
    with spawn_echo(pipe=pipe, read_stdout=False) as client:
        client.start("initialize", {})
        client.start("big", {"piece": 100_000, "pieces": 100})
        os.read(client.process.stdout.fileno(), 1000)  # type: ignore[union-attr]
        os.read(client.process.stdout.fileno(), 1000)  # type: ignore[union-attr]
        client.signal(signal.SIGTERM)

        assert ends_within(client, 2) == 0
