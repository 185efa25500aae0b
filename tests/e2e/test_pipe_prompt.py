"""A host that sends its next request on each answer finds the process awake; others find it asleep."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count
from typing import IO, cast

import psutil
import pytest

from tests.client import Client, frame
from tests.patience import promised
from tests.server.processes import spawn_echo

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2,
    reason="the pipe of this system sleeps, or the host needs the one processor itself",
)
REQUESTS = 20
PAUSE = 0.00005
BURSTS = 1_000
IN_A_ROW = 10


class PromptHost:
    """Waits for each answer, and for nothing else."""

    def __init__(self, client: Client) -> None:
        self._stdin = cast("IO[bytes]", client.process.stdin).fileno()
        self._stdout = cast("IO[bytes]", client.process.stdout).fileno()
        self._process = psutil.Process(client.process.pid)
        self._ids = count(1)
        self.request("initialize", {})

    def request(self, method: str, params: object) -> None:
        request_id = next(self._ids)
        body = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        os.write(self._stdin, frame(body))
        end = b'"id":%d,' % request_id
        answer = b""
        while end not in answer:
            answer += os.read(self._stdout, 1 << 16)

    def sleeps_in_a_burst(self) -> int:
        before = self._process.num_ctx_switches().voluntary
        for _ in range(REQUESTS):
            self._work()
            self.request("echo", [])
        return int(self._process.num_ctx_switches().voluntary - before)

    def _work(self) -> None:
        """Give the process the time to fall asleep, if it does."""
        until = time.perf_counter() + PAUSE
        while time.perf_counter() < until:
            pass

    def seconds_at_work(self) -> float:
        times = self._process.cpu_times()
        return float(times.user + times.system)


@pytest.fixture
def host() -> Iterator[PromptHost]:
    with spawn_echo(pipe="poll", read_stdout=False) as client:
        yield PromptHost(client)


def test_a_prompt_host_does_not_wake_the_process_for_each_request(host: PromptHost) -> None:
    # On a busy machine the host itself is late now and then, and the process is so by chance.
    awake = 0
    for _ in range(BURSTS):
        awake = awake + 1 if host.sleeps_in_a_burst() < REQUESTS // 2 else 0
        if awake == IN_A_ROW:
            return

    pytest.fail("the process was asleep at nearly every request")


def test_a_host_that_falls_silent_costs_nothing(host: PromptHost) -> None:
    host.sleeps_in_a_burst()
    before = host.seconds_at_work()

    threading.Event().wait(0.5)

    assert host.seconds_at_work() - before < 0.1


def test_a_process_with_one_processor_leaves_it_to_its_host() -> None:
    processor = min(os.sched_getaffinity(0))

    def share() -> None:
        os.sched_setaffinity(0, {processor})

    with spawn_echo(pipe="poll", read_stdout=False, preexec_fn=share) as client:
        host = PromptHost(client)
        asleep = sum(host.sleeps_in_a_burst() >= REQUESTS // 2 for _ in range(20))

    assert asleep > 0.5 * 20


def test_a_prompt_host_that_closes_stdout_is_noticed() -> None:
    with spawn_echo(pipe="poll", read_stdout=False) as client:
        PromptHost(client).sleeps_in_a_burst()
        client.close_stdout()

        with promised(2):
            assert client.wait() == 1


def test_a_signal_after_a_burst_ends_it() -> None:
    with spawn_echo(pipe="poll", read_stdout=False) as client:
        PromptHost(client).sleeps_in_a_burst()
        client.signal(signal.SIGTERM)

        with promised(2):
            assert client.wait() == 0
