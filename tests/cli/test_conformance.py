import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import protocol
from protocol.commands import PAYLOAD_KINDS
from protocol.errors import CONFLICT_CODES, REJECTION_CODES, ErrorCode
from protocol.methods import METHODS
from sidecar.cli.exchanges.player import play
from sidecar.cli.exchanges.script import Expect, Send, read_script
from tests.cli.command_line import CONSOLE_SCRIPT, MODULE, run

FOLDER = Path(protocol.__file__).parent / "conformance"
FILES = sorted(FOLDER.glob("*.jsonl"))
PROVOKED_ELSEWHERE = {"depth-limit", "size-limit", "run-behind"}
"""Codes that take megabytes, or a broken engine, to provoke."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize("command", [MODULE, CONSOLE_SCRIPT], ids=["module", "console-script"])
def test_this_installation_answers_as_recorded(file: Path, command: Sequence[str]) -> None:
    report = play(read_script(file), command)

    assert [outcome for outcome in report.outcomes if outcome.verdict != "passed"] == []


def test_the_command_plays_files_and_counts_them() -> None:
    done = run("replay", FOLDER / "chained.jsonl", FOLDER / "groups.jsonl", "--json")

    report = json.loads(done.stdout)
    assert (done.returncode, report["ok"], report["failed"]) == (0, True, 0)
    assert [file["file"] for file in report["files"]] == ["chained.jsonl", "groups.jsonl"]


def test_a_pattern_that_no_shell_expanded_is_expanded() -> None:
    done = run("replay", FOLDER / "chained*.jsonl", "--json")

    names = [file["file"] for file in json.loads(done.stdout)["files"]]
    assert names == sorted(file.name for file in FOLDER.glob("chained*.jsonl"))


def test_the_files_have_exchanges_enough() -> None:
    assert sum(len(read_script(file).exchanges) for file in FILES) >= 60


def test_every_method_is_called() -> None:
    assert set(METHODS) - {method for method, _ in _requests()} == set()


def test_every_payload_kind_is_applied() -> None:
    applied = set()
    for method, params, answer in _answered():
        if method == "commitCommand" and _result(answer).get("status") == "applied":
            payload = params["payload"]
            applied |= {payload["kind"], payload.get("payload", payload)["kind"]}

    assert set(PAYLOAD_KINDS) - applied == set()


def test_every_status_is_answered() -> None:
    statuses = {_result(answer).get("status") for _, _, answer in _answered()}

    assert {"applied", "historical", "conflict", "rejected", "deferred"} - statuses == set()


def test_every_code_of_a_refusal_is_answered() -> None:
    reasons = (_result(answer).get("reason") or {} for _, _, answer in _answered())
    codes = {reason.get("code") for reason in reasons}

    wanted = {*REJECTION_CODES, *CONFLICT_CODES} - PROVOKED_ELSEWHERE
    assert wanted - codes == set()


def test_the_errors_of_requests_are_answered() -> None:
    codes = {pattern["error"]["code"] for pattern in _patterns() if "error" in pattern}

    assert codes >= {
        ErrorCode.PARSE_ERROR,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.METHOD_NOT_FOUND,
        ErrorCode.INVALID_PARAMS,
        ErrorCode.SERVER_NOT_INITIALIZED,
        ErrorCode.REQUEST_FAILED,
    }


def _steps() -> Any:
    for file in FILES:
        for exchange in read_script(file).exchanges:
            yield from exchange.steps


def _requests() -> Any:
    for step in _steps():
        if isinstance(step, Send) and isinstance(step.message, dict) and "method" in step.message:
            yield step.message["method"], step.message.get("params")


def _patterns() -> Any:
    return (step.pattern for step in _steps() if isinstance(step, Expect))


def _answered() -> Any:
    """Return method, params and answer of every request that was answered with a result."""
    for file in FILES:
        asked: dict[Any, Any] = {}
        for exchange in read_script(file).exchanges:
            for step in exchange.steps:
                if isinstance(step, Send) and isinstance(step.message, dict):
                    asked[step.message.get("id")] = step.message
                elif isinstance(step, Expect) and "result" in step.pattern:
                    request = asked[step.pattern["id"]]
                    yield request["method"], request.get("params"), step.pattern


def _result(answer: Any) -> dict[str, Any]:
    result = answer["result"]
    return result if isinstance(result, dict) else {}
