"""Owners of runs where the system is asked through psutil."""

import subprocess
import sys

import psutil
import pytest

from sidecar.server.processes import current_owner, is_gone


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
    monkeypatch.setattr(psutil, "boot_time", lambda: booted + seconds)

    assert not is_gone(owner)


@pytest.mark.usefixtures("elsewhere")
def test_a_process_that_ended_or_started_at_another_time_is_gone() -> None:
    owner = current_owner()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        started = round(psutil.Process(child.pid).create_time() * 1000)
        theirs = {**owner, "pid": child.pid, "start": started}
        assert not is_gone(theirs)
        assert is_gone({**theirs, "start": started - 86_400_000})
        child.kill()

    assert is_gone(theirs)
