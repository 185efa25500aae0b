"""Bent sequences of frames, thousands of them, against real processes."""

import secrets
import sys
from pathlib import Path

import pytest

from tests.faults.fuzz import drive

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="resident bytes as Linux tells")


@pytest.mark.parametrize(
    "count",
    [3_000, pytest.param(100_000, marks=[pytest.mark.slow, pytest.mark.timeout(7_200)])],
)
def test_every_request_is_answered_once_whatever_stands_between(tmp_path: Path, count: int) -> None:
    seed = secrets.randbits(32)

    report = drive.run_all(tmp_path, seed, count)

    print(f"seed {seed}: {report}")
    assert report.faults == []
    assert report.sequences == count
    assert report.answers > report.frames // 2
    assert max(report.growth) < drive.MOST_GROWTH
