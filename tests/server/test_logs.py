import errno
import fcntl
import json
import os
import stat
import sys
from pathlib import Path

import pytest

from sidecar.server.error_map import describe
from sidecar.server.logs import Log, open_log_file


@pytest.fixture
def sink(tmp_path: Path) -> Path:
    return tmp_path / "log"


def lines(sink: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in sink.read_text(encoding="utf-8").splitlines()]


def test_a_line_is_one_json_object(sink: Path) -> None:
    log = Log("debug", [open_log_file(str(sink))])

    log.warning("something", size=3)
    log.close()

    [line] = lines(sink)
    assert {key: line[key] for key in ("level", "event", "size")} == {
        "level": "warning",
        "event": "something",
        "size": 3,
    }
    assert str(line["time"]).endswith("Z")


def test_lines_below_the_level_are_left_out(sink: Path) -> None:
    log = Log("warning", [open_log_file(str(sink))])

    log.debug("a")
    log.info("b")
    log.warning("c")
    log.error("d")
    log.close()

    assert [line["event"] for line in lines(sink)] == ["c", "d"]


def test_a_sink_that_nobody_reads_costs_lines_and_no_time() -> None:
    reading, writing = os.pipe()
    log = Log("error", [writing])

    for number in range(5000):
        log.error("filler", number=number, filler="x" * 100)
    log.close()

    with os.fdopen(reading, "rb") as stream:
        dropped = next(line for line in map(json.loads, stream) if line["event"] != "filler")
    assert dropped["event"] == "log-lines-dropped"
    assert dropped["count"] > 0


def test_lines_that_were_dropped_are_told_of_once() -> None:
    reading, writing = os.pipe()
    log = Log("error", [writing])
    for number in range(5000):
        log.error("filler", number=number, filler="x" * 100)

    with os.fdopen(reading, "rb") as stream:
        told: list[object] = []
        while len(told) < 5000:
            line = json.loads(stream.readline())
            told += [line] if line["event"] == "filler" else [line] * line["count"]
        log.error("last")
        assert json.loads(stream.readline())["event"] == "last"

    # Each line came or was counted, and none was both.
    assert len(told) == 5000
    os.close(writing)


def test_a_sink_that_is_gone_is_no_fault() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    log = Log("error", [writing])

    log.error("a")
    log.close()

    os.close(writing)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_log_file_is_its_owners_alone(sink: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        os.close(open_log_file(str(sink)))
    finally:
        os.umask(before)

    assert stat.S_IMODE(sink.stat().st_mode) == 0o600


def test_a_log_file_is_appended_to(sink: Path) -> None:
    for _ in range(2):
        log = Log("error", [open_log_file(str(sink))])
        log.error("a")
        log.close()

    assert len(lines(sink)) == 2


def test_a_log_file_is_no_link(sink: Path, tmp_path: Path) -> None:
    sink.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError) as caught:  # noqa: PT011 -- the number is checked
        open_log_file(str(sink))

    assert caught.value.errno == errno.ELOOP


def fail_with_text() -> None:
    try:
        dict[str, int]()["secret canary"]
    except KeyError as error:
        raise ValueError("another canary") from error


def test_an_exception_is_described_without_its_text() -> None:
    with pytest.raises(ValueError, match="canary") as caught:
        fail_with_text()

    described = describe(caught.value)

    assert "canary" not in json.dumps(described)
    assert [entry["type"] for entry in described["exceptions"]] == ["ValueError", "KeyError"]
    assert "/" not in json.dumps(described)


@pytest.mark.skipif(sys.platform != "linux", reason="flags of Linux stand in for one of Windows")
def test_a_log_file_is_opened_as_bytes(sink: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows would write CRLF for LF."""
    monkeypatch.setattr(os, "O_BINARY", os.O_NOATIME, raising=False)
    descriptor = open_log_file(str(sink))

    assert fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_NOATIME
    os.close(descriptor)
