"""Which process is meant, and whether it is gone, where the system is asked through psutil."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from sidecar.server.lifetime import ParentWatch, end_on_signals
from sidecar.server.logs import Log
from sidecar.server.processes import current_owner, is_gone, start_of
from sidecar.server.stdio import Stdio
from sidecar.server.threaded_pipe import ThreadedPipe


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask as on macOS; psutil answers for this system."""
    monkeypatch.setattr(sys, "platform", "darwin")


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("seconds", [-3600, -31, -1, 0, 1, 31, 3600])
def test_a_living_process_is_not_gone_because_the_clock_was_set(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    owner = current_owner()
    booted = psutil.boot_time()
    for module in (psutil, psutil._psplatform):  # type: ignore[attr-defined]  # noqa: SLF001
        monkeypatch.setattr(module, "boot_time", lambda: booted + seconds)

    assert not is_gone(owner)


@pytest.mark.usefixtures("elsewhere")
def test_a_process_that_ended_or_started_at_another_time_is_gone() -> None:
    owner = current_owner()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        started = start_of(child.pid)
        assert started is not None
        theirs = {**owner, "pid": child.pid, "start": started}
        assert not is_gone(theirs)
        assert is_gone({**theirs, "start": started - 86_400_000})
        child.kill()

    assert is_gone(theirs)


@contextlib.contextmanager
def remains() -> Iterator[int]:
    """A process that ended and that its parent did not look at."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        yield child.pid


@pytest.mark.usefixtures("elsewhere")
def test_what_is_left_of_a_process_is_no_process() -> None:
    with remains() as pid:
        assert is_gone({**current_owner(), "pid": pid, "start": 1})
        assert start_of(pid) is None


@pytest.mark.usefixtures("elsewhere")
def test_a_process_that_the_system_tells_nothing_of_is_not_called_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owner = current_owner()

    def refuse(_: object) -> str:
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil.Process, "status", refuse)

    assert not is_gone(owner)


@pytest.fixture
def pipe() -> Iterator[ThreadedPipe]:
    reading, writing = os.pipe()
    yield ThreadedPipe(Stdio(reading, writing))
    os.close(writing)


def watch_of(pipe: ThreadedPipe, parent: int) -> ParentWatch:
    return ParentWatch(pipe, lambda: None, Log("error", ()), parent=parent)


def test_a_number_that_was_given_to_a_younger_process_is_no_parent(
    monkeypatch: pytest.MonkeyPatch, pipe: ThreadedPipe
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    looks = watch_of(pipe, os.getppid())._is_gone  # noqa: SLF001 -- the thread would end the process
    assert not looks(os.getppid())

    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as younger:
        assert watch_of(pipe, younger.pid)._is_gone(younger.pid)  # noqa: SLF001
        assert not looks(younger.pid)
        younger.kill()


def test_a_watched_process_of_which_something_is_left_is_gone(pipe: ThreadedPipe) -> None:
    with remains() as pid:
        assert watch_of(pipe, os.getppid())._is_gone(pid)  # noqa: SLF001


def test_the_signal_of_windows_ends_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR2)
    before = [(number, signal.getsignal(number)) for number in numbers]
    monkeypatch.setattr(signal, "SIGBREAK", signal.SIGUSR2, raising=False)
    try:
        end_on_signals(lambda: ended.append(1))
        signal.raise_signal(signal.SIGUSR2)
    finally:
        for number, handler in before:
            signal.signal(number, handler)

    assert ended == [1]
