import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli.exchanges.player import Report, play
from sidecar.cli.exchanges.script import read_script
from tests.patience import promised

PEER = Path(__file__).with_name("peer.py")
ASK: dict[str, Any] = {"->": {"id": 1, "method": "ask"}}
ANSWER = {"id": None, "result": 1}
NOTE = {"method": "note"}


def played(folder: Path, table: dict[str, Any], *lines: Any, timeout: float = 20.0) -> Report:
    answers = folder / "answers.json"
    answers.write_text(json.dumps(table), encoding="utf-8")
    script = folder / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    command = [sys.executable, str(PEER), str(answers)]
    return play(read_script(script), command, timeout=timeout)


def test_a_file_that_is_answered_as_recorded_passes(tmp_path: Path) -> None:
    report = played(
        tmp_path,
        {"ask": [ANSWER, NOTE]},
        ASK,
        {"<-": {"id": 1, "result": 1}},
        {"<-": {"method": "note"}},
    )

    assert report.passed
    assert [outcome.verdict for outcome in report.outcomes] == ["passed"]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        pytest.param([ANSWER], {"id": 1, "result": 2}, id="another answer"),
        pytest.param([ANSWER, NOTE], {"id": 1, "result": 1}, id="a message nobody expected"),
        pytest.param([NOTE, ANSWER], {"id": 1, "result": 1}, id="an early message likewise"),
    ],
)
def test_what_is_not_as_recorded_fails(tmp_path: Path, table: list[Any], expected: Any) -> None:
    assert not played(tmp_path, {"ask": table}, ASK, {"<-": expected}).passed


def test_a_notification_has_to_follow_its_answer(tmp_path: Path) -> None:
    lines = ASK, {"<-": {"id": 1, "result": 1}}, {"<-": NOTE}

    assert played(tmp_path, {"ask": [ANSWER, NOTE]}, *lines).passed
    assert not played(tmp_path, {"ask": [NOTE, ANSWER]}, *lines).passed


def test_answers_and_notifications_of_several_requests_may_be_interleaved(tmp_path: Path) -> None:
    lines = (
        ASK,
        {"->": {"id": 2, "method": "ask"}},
        {"<-": {"id": 1, "result": 1}},
        {"<-": {"id": 2, "result": 1}},
        {"<-": NOTE},
        {"<-": NOTE},
    )

    assert played(tmp_path, {"ask": [ANSWER, NOTE]}, *lines).passed


def test_after_an_exchange_that_failed_the_others_are_played(tmp_path: Path) -> None:
    report = played(
        tmp_path,
        {"ask": [ANSWER]},
        ASK,
        {"<-": {"id": 1, "result": 2}},
        {"->": {"id": 2, "method": "ask"}},
        {"<-": {"id": 2, "result": 1}},
    )

    assert [outcome.verdict for outcome in report.outcomes] == ["failed", "passed"]
    assert [d.path for d in report.outcomes[0].faults[0].differences] == ["/result"]


def test_a_peer_that_dies_fails_the_exchange_and_skips_the_rest(tmp_path: Path) -> None:
    report = played(
        tmp_path,
        {"ask": ["die"]},
        ASK,
        {"<-": {"id": 1, "result": 1}},
        {"->": {"id": 2, "method": "ask"}},
        {"<-": {"id": 2, "result": 1}},
    )

    assert [outcome.verdict for outcome in report.outcomes] == ["failed", "skipped"]


def test_a_peer_that_says_nothing_fails_in_time(tmp_path: Path) -> None:
    lines = ASK, {"<-": {"id": 1, "result": 1}}

    assert not played(tmp_path, {"ask": []}, *lines, timeout=0.5).passed


def test_the_exit_code_is_compared(tmp_path: Path) -> None:
    assert played(tmp_path, {"ask": ["die"]}, ASK, {"exit": 3}).passed
    assert not played(tmp_path, {"ask": ["die"]}, ASK, {"exit": 0}).passed
    assert not played(tmp_path, {"ask": ["die"]}, ASK).passed


@pytest.mark.parametrize("how", ["close", "kill"])
def test_a_restarted_process_goes_on_in_the_same_folder(tmp_path: Path, how: str) -> None:
    lines = (
        ASK,
        {"<-": {"id": 1, "result": {"$bind": "x"}}},
        {"restart": how},
        {"->": {"id": 2, "method": "ask"}},
        {"<-": {"id": 2, "result": {"$ref": "x"}}},
    )

    assert played(tmp_path, {"ask": [ANSWER]}, *lines).passed


def test_a_name_that_nothing_is_bound_to_fails_its_exchange(tmp_path: Path) -> None:
    report = played(tmp_path, {"ask": [ANSWER]}, ASK, {"<-": {"id": 1, "result": {"$ref": "x"}}})

    assert [outcome.verdict for outcome in report.outcomes] == ["failed"]


STRANGE = """
import os, subprocess, sys
sys.stdin.buffer.readline()
for body in (b"<html>", b"[" * 20_000, b"\\xff"):
    os.write(1, b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
sys.stdin.buffer.read()
"""
HELD = """
import subprocess, sys
sys.stdin.buffer.read()
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(8)"], stdin=subprocess.DEVNULL)
"""


def test_a_peer_that_sends_no_json_fails_the_file_and_no_more(tmp_path: Path) -> None:
    file = tmp_path / "file.jsonl"
    file.write_text('{"->": {"method": "a"}}\n{"<-": {"id": null}}\n', encoding="utf-8")

    report = play(read_script(file), [sys.executable, "-c", STRANGE], timeout=5)

    (outcome,) = report.outcomes
    assert outcome.verdict == "failed"
    assert outcome.faults[0].text == "a message of 6 bytes came that is no JSON"


def test_a_peer_that_ends_with_messages_of_no_json_fails_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "file.jsonl"
    file.write_text('{"->": {"method": "a"}}\n', encoding="utf-8")

    report = play(read_script(file), [sys.executable, "-c", STRANGE], timeout=5)

    assert [outcome.verdict for outcome in report.outcomes] == ["passed", "failed"]
    assert "no JSON" in report.outcomes[1].faults[0].text


def test_a_pipe_that_a_child_of_the_peer_holds_open_is_waited_for_no_longer_than_asked(
    tmp_path: Path,
) -> None:
    file = tmp_path / "file.jsonl"
    file.write_text('{"->": {"method": "a"}}\n', encoding="utf-8")

    with promised(7):
        report = play(read_script(file), [sys.executable, "-c", HELD], timeout=1)

    assert report.passed
