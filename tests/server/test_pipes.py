"""The two pipes by themselves: what macOS and Windows ask of them, as far as it shows here."""

import os
import pty
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.server.pipe import HostGoneError
from sidecar.server.poll_pipe import PollPipe, shares_flags
from sidecar.server.stdio import Stdio
from sidecar.server.threaded_pipe import ThreadedPipe


class NoIntake:
    has_room = False

    def take(self, chunk: bytes) -> None:
        raise AssertionError(chunk)


@pytest.fixture
def pipes() -> Iterator[tuple[Stdio, int, int]]:
    """What the sidecar has of two pipes, and the host's ends of them."""
    (stdin, to_stdin), (from_stdout, stdout) = os.pipe(), os.pipe()
    yield Stdio(stdin, stdout), to_stdin, from_stdout
    os.close(to_stdin)


def test_descriptors_share_flags_where_one_is_the_others_copy(tmp_path: Path) -> None:
    # One FIFO opened twice: the same device and inode, as all pipes have on macOS.
    os.mkfifo(tmp_path / "fifo")
    one, other = (os.open(tmp_path / "fifo", os.O_RDWR) for _ in range(2))
    copy = os.dup(one)

    assert os.path.samestat(os.fstat(one), os.fstat(other))
    assert not shares_flags(one, other)
    assert shares_flags(one, copy)
    assert [os.get_blocking(fd) for fd in (one, other, copy)] == [True, True, True]

    for descriptor in (one, other, copy):
        os.close(descriptor)


def test_a_closed_stdout_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, pipes: tuple[Stdio, int, int]
) -> None:
    """Linux tells of it unasked; macOS tells what it was asked for alone."""
    asked: list[int] = []
    poll = select.poll

    class Asking:
        def __init__(self) -> None:
            self._poll = poll()

        def register(self, descriptor: int, events: int) -> None:
            asked.append(events)
            self._poll.register(descriptor, events)

    monkeypatch.setattr(select, "poll", Asking)
    PollPipe(pipes[0])

    assert asked.count(select.POLLHUP) == 1


class Looks:
    """A ``select.poll`` that counts how often it was asked without waiting."""

    def __init__(self, made: Callable[[], Any]) -> None:
        self.made = made()
        self.count = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.made, name)

    def poll(self, timeout: float | None) -> Any:
        self.count += timeout == 0
        return self.made.poll(timeout)


def prompt_pipe(
    monkeypatch: pytest.MonkeyPatch, pipes: tuple[Stdio, int, int], processors: int
) -> tuple[PollPipe, Looks]:
    """A pipe that was read from at once, and so may look for the next request awake."""
    poll = Looks(select.poll)
    monkeypatch.setattr(select, "poll", lambda: poll)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(processors)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    pipe = PollPipe(pipes[0])
    os.write(pipes[1], b"request")
    assert pipe.receive(5.0, 100) == b"request"
    assert poll.count == 0
    return pipe, poll


def test_a_pipe_looks_awake_in_vain_once_and_then_sleeps(
    monkeypatch: pytest.MonkeyPatch, pipes: tuple[Stdio, int, int]
) -> None:
    pipe, poll = prompt_pipe(monkeypatch, pipes, 2)

    assert pipe.receive(0.05, 100) is None
    in_vain = poll.count
    assert in_vain > 0
    for _ in range(3):
        assert pipe.receive(0.05, 100) is None

    assert poll.count == in_vain


def test_a_pipe_with_one_processor_never_looks_awake(
    monkeypatch: pytest.MonkeyPatch, pipes: tuple[Stdio, int, int]
) -> None:
    pipe, poll = prompt_pipe(monkeypatch, pipes, 1)
    for _ in range(3):
        os.write(pipes[1], b"request")
        assert pipe.receive(0.05, 100) == b"request"

    assert pipe.receive(0.05, 100) is None
    assert poll.count == 0


def test_who_looks_awake_sees_all_that_who_sleeps_would(
    monkeypatch: pytest.MonkeyPatch, pipes: tuple[Stdio, int, int]
) -> None:
    pipe, poll = prompt_pipe(monkeypatch, pipes, 2)

    pipe.wake()
    assert pipe.receive(5.0, 100) is None
    os.write(pipes[1], b"more")
    assert pipe.receive(5.0, 100) == b"more"
    ended, end = os.pipe()
    pipe.watch(ended)
    os.close(end)
    with pytest.raises(HostGoneError) as caught:
        pipe.receive(5.0, 100)
    assert caught.value.reason == "parent-gone"
    os.close(pipes[2])
    with pytest.raises(HostGoneError) as caught:
        pipe.receive(5.0, 100)
    assert caught.value.reason == "stdout-closed"
    # What comes with its end is taken first.
    os.write(pipes[1], b"last words")
    assert pipe.receive(5.0, 100) == b"last words"

    # Each was there at the first look.
    assert poll.count == 5
    os.close(ended)


def test_a_stdout_that_cannot_be_waited_for_is_not_asked(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    file = os.open(tmp_path / "answers", os.O_WRONLY | os.O_CREAT)
    pipe = PollPipe(Stdio(reading, file))

    pipe.send([b"answer"], NoIntake())
    os.write(writing, b"request")

    assert pipe.receive(1.0, 100) == b"request"
    assert (tmp_path / "answers").read_bytes() == b"answer"
    os.close(writing)


@pytest.mark.parametrize("kind", [PollPipe, ThreadedPipe])
def test_a_host_that_is_not_connected_is_gone(kind: type[PollPipe | ThreadedPipe]) -> None:
    """A socket's failure is another than a pipe's: ENOTCONN here, others on macOS."""
    reading, writing = os.pipe()
    with socket.socket(socket.AF_UNIX) as alone:
        pipe = kind(Stdio(reading, os.dup(alone.fileno())))
        with pytest.raises(HostGoneError) as caught:
            pipe.send([b"answer"], NoIntake())

    assert caught.value.reason == "stdout-closed"
    os.close(writing)


def test_no_wait_without_an_end_is_long(pipes: tuple[Stdio, int, int]) -> None:
    """On Windows no signal's handler would run meanwhile."""
    pipe = ThreadedPipe(pipes[0])
    started = time.monotonic()

    assert pipe.receive(None, 100) is None
    assert time.monotonic() - started < 5


def test_a_read_of_nothing_is_not_yet_the_end() -> None:
    """Windows: somebody wrote nothing. A terminal's end of a file comes as such a read too."""
    host, stdin = pty.openpty()
    pipe = ThreadedPipe(Stdio(stdin, stdin))
    threading.Timer(0.1, os.write, (host, b"\x04more\n")).start()

    received = [chunk for _ in range(4) if (chunk := pipe.receive(None, 100)) is not None]

    assert received == [b"more\n"]
    os.close(host)


def read_slowly(descriptor: int, pause: float, *, first: float = 0.0) -> threading.Thread:
    """Read all that comes, a little at a time."""

    def read() -> None:
        time.sleep(first)
        while os.read(descriptor, 1 << 16):
            time.sleep(pause)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("kind", [PollPipe, ThreadedPipe])
def test_a_host_that_reads_slowly_is_not_given_up(
    kind: type[PollPipe | ThreadedPipe], pipes: tuple[Stdio, int, int]
) -> None:
    pipe = kind(pipes[0])
    pipe.give_up_after(0.5)
    read_slowly(pipes[2], 0.2)
    started = time.monotonic()

    pipe.send([b"x" * (10 << 16)], NoIntake())

    assert time.monotonic() - started > 1


@pytest.mark.parametrize("kind", [PollPipe, ThreadedPipe])
def test_a_host_that_stops_reading_is_given_up_when_the_end_is_near(
    kind: type[PollPipe | ThreadedPipe], pipes: tuple[Stdio, int, int]
) -> None:
    pipe = kind(pipes[0])

    def end() -> None:
        """As a signal's handler does."""
        pipe.give_up_after(0.3)
        pipe.wake()

    threading.Timer(0.3, end).start()
    started = time.monotonic()

    for _ in range(2):
        with pytest.raises(HostGoneError) as caught:
            pipe.send([b"x" * (10 << 16)], NoIntake())
        assert caught.value.reason == "stdout-unread"

    assert 0.5 < time.monotonic() - started < 5


def test_who_waits_for_room_sees_the_end_of_the_parent(pipes: tuple[Stdio, int, int]) -> None:
    pipe = PollPipe(pipes[0])
    ended, end = os.pipe()
    pipe.watch(ended)
    threading.Timer(0.1, os.close, (end,)).start()

    with pytest.raises(HostGoneError) as caught:
        pipe.send([b"x" * (10 << 16)], NoIntake())

    assert caught.value.reason == "parent-gone"
    os.close(ended)


@pytest.mark.parametrize("kind", [PollPipe, ThreadedPipe])
def test_who_waits_for_room_is_woken_once_by_a_wake(
    kind: type[PollPipe | ThreadedPipe], pipes: tuple[Stdio, int, int]
) -> None:
    pipe = kind(pipes[0])
    threading.Timer(0.1, pipe.wake).start()
    read_slowly(pipes[2], 0.0, first=1.0)
    worked = time.thread_time()

    pipe.send([b"x" * (10 << 16)], NoIntake())

    assert time.thread_time() - worked < 0.3
