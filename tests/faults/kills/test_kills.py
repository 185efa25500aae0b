"""Processes killed again and again under a client that goes on."""

import secrets
import sys
from pathlib import Path

import pytest

from tests.faults import checker
from tests.faults.kills.loop import KillLoop

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is Unix's")


@pytest.mark.parametrize(
    "kills",
    [40, pytest.param(1_000, marks=[pytest.mark.slow, pytest.mark.timeout(3_000)])],
)
def test_nothing_is_lost_torn_or_done_twice_however_often_the_process_is_killed(
    tmp_path: Path, kills: int
) -> None:
    seed = secrets.randbits(32)
    loop = KillLoop(tmp_path / "graphs.db", seed, kills)

    history = loop.run()

    print(f"seed {seed}: {checker.counts(history)}, kills {dict(loop.moments)}")
    assert checker.check(history) == []
    assert len(history.deaths) >= kills
    assert checker.counts(history)["applied"] > kills
