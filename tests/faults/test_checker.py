"""The checker finds what is planted: in histories that were tampered with, in broken engines."""

import copy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.faults import checker, launcher
from tests.faults.history import COMMANDS, Call, History
from tests.faults.kills.loop import KillLoop

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is Unix's")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> History:
    """What a whole engine does, with a few kills in it."""
    database = tmp_path_factory.mktemp("good") / "graphs.db"
    return KillLoop(database, seed=21, kills=3, quiet_bursts=70).run()


def test_a_good_history_has_no_violation(good: History) -> None:
    assert checker.check(good) == []
    counts = checker.counts(good)
    assert counts["applied"] > 80
    assert min(counts["historical"], counts["conflict"], counts["rejected"]) > 2


# Mutations of a good history: each returns nothing and plants one fault.


def message_lost(history: History) -> None:
    for export in exports(history):
        wanted = acknowledged_message(history)
        session = export.result["session"]
        session["messages"] = [one for one in session["messages"] if one["id"] != wanted]


def message_doubled(history: History) -> None:
    messages = last_messages(history)
    messages.append(messages[0])


def message_altered(history: History) -> None:
    last_messages(history)[0]["content"] += "!"


def message_from_nobody(history: History) -> None:
    last_messages(history).append({"id": "m-nobody", "content": "boo"})


def batch_torn(history: History) -> None:
    batch = next(
        call
        for call in history.calls
        if call.status == "applied"
        and call.method == "applySessionCommands"
        and sum(one["kind"] == "append-user" for one in call.params["commands"]) > 1
    )
    ids = [one["id"] for one in batch.params["commands"]]
    for call in history.calls:
        if call.method == "applySessionCommands" and call.params["commands"][0]["id"] == ids[0]:
            call.result = call.answered = None
    gone = batch.params["commands"][0]["message"]["id"]
    messages = last_messages(history)
    messages[:] = [one for one in messages if one["id"] != gone]


def session_goes_back(history: History) -> None:
    answers = [call for call in history.calls if call.method == "applySessionCommands"]
    applied = [call for call in answers if call.status == "applied"]
    applied[-1].result["revision"] = 1


def version_forked(history: History) -> None:
    call = landed(history)
    call.result["revisionId"] = call.result["projection"]["revisionId"] = "other"


def version_skipped(history: History) -> None:
    call = landed(history)
    call.params["expectedRevisionId"] = history.calls[0].result["revisionId"]


def command_applied_twice(history: History) -> None:
    call = next(call for call in history.calls if call.status == "historical")
    call.result["status"] = "applied"


def command_retold(history: History) -> None:
    call = next(call for call in history.calls if call.status == "historical")
    call.result["effects"]["created"]["nodes"].append("more")


def command_forgotten(history: History) -> None:
    call = next(call for call in history.calls if call.status == "historical")
    call.result["status"] = "rejected"
    call.result["reason"] = {"code": "nothing-to-undo", "details": {}}


def refused_command_left_a_version(history: History) -> None:
    call = next(call for call in history.calls if call.status == "conflict")
    revision = newest_revision(history)
    revision["actionId"] = call.params["actionId"]


def version_made_by_nobody(history: History) -> None:
    revision = newest_revision(history)
    number, action_id = revision["number"], revision["actionId"]
    for call in history.calls:
        for shown in listed(call):
            if shown["number"] == number:
                shown["actionId"] = None
    history.calls[:] = [call for call in history.calls if call.params.get("actionId") != action_id]


def conflict_invented(history: History) -> None:
    call = next(call for call in history.calls if call.reason["code"] == "revision-moved")
    current = call.result["projection"]["revisionId"]
    call.params["expectedRevisionId"] = current


def good_command_refused(history: History) -> None:
    call = next(call for call in history.calls if call.reason["code"] == "unknown-node")
    call.valid = True


def state_torn(history: History) -> None:
    state = shown_state(history)
    state["graph"]["nodes"][0]["name"] = "Torn"


def version_changes_later(history: History) -> None:
    shown = [call for call in history.calls if call.method == "getRevision" and call.result]
    again = copy.deepcopy(shown[-1])
    again.result["state"]["graph"]["nodes"][0]["collapsed"] = True
    history.calls.append(again)


def restore_that_differs(history: History) -> None:
    for call in reversed(history.calls):
        for revision in listed(call):
            if revision["restoredFrom"] is not None and call.method == "getRevision":
                number = revision["number"]
                tamper_state(history, number)
                return


def restore_of_another(history: History) -> None:
    for call in history.calls:
        for revision in listed(call):
            if revision["restoredFrom"] is not None:
                revision["restoredFrom"] = revision["revisionId"]


def read_goes_back(history: History) -> None:
    reads = [call for call in history.calls if call.method == "getProject"]
    reads[-1].result = reads[3].result


def answer_missing(history: History) -> None:
    history.calls[-1].answered = history.calls[-1].result = None


def answer_doubled(history: History) -> None:
    history.doubled.append("request 7 of life 1")


def fault_inside(history: History) -> None:
    call = history.calls[-1]
    call.result, call.error = None, {"code": -32603}


def database_damaged(history: History) -> None:
    call = next(call for call in history.calls if call.method == "checkDatabase")
    call.result["ok"] = False


def run_reopened(history: History) -> None:
    runs = next(call for call in history.calls if call.method == "listRuns").result["items"]
    ended = {
        call.result["runId"]
        for call in history.calls
        if call.method in ("closeRun", "cancelRun") and call.result is not None
    }
    run = next(run for run in runs if run["runId"] in ended)
    run["status"], run["endedAt"] = "running", None


def two_runs_open(history: History) -> None:
    runs = next(call for call in history.calls if call.method == "listRuns").result["items"]
    for run in runs[:2]:
        run["status"] = "running"


MUTATIONS: list[tuple[Callable[[History], None], str]] = [
    (message_lost, "lost-message"),
    (message_doubled, "applied-twice"),
    (message_altered, "torn-batch"),
    (message_from_nobody, "left-something"),
    (batch_torn, "torn-batch"),
    (session_goes_back, "read-went-back"),
    (version_forked, "forked-chain"),
    (version_skipped, "forked-chain"),
    (command_applied_twice, "applied-twice"),
    (command_retold, "retold-differently"),
    (command_forgotten, "forgot-action"),
    (refused_command_left_a_version, "left-something"),
    (version_made_by_nobody, "unexplained-version"),
    (conflict_invented, "false-conflict"),
    (good_command_refused, "refused-without-cause"),
    (state_torn, "state-differs"),
    (version_changes_later, "version-changed"),
    (restore_that_differs, "restore-differs"),
    (restore_of_another, "restore-differs"),
    (read_goes_back, "read-went-back"),
    (answer_missing, "unanswered"),
    (answer_doubled, "answered-twice"),
    (fault_inside, "internal-error"),
    (database_damaged, "damaged"),
    (run_reopened, "run-changed"),
    (two_runs_open, "two-open-runs"),
]


@pytest.mark.parametrize(
    ("mutation", "code"), MUTATIONS, ids=[mutation.__name__ for mutation, _ in MUTATIONS]
)
def test_what_was_tampered_with_is_found(
    good: History, mutation: Callable[[History], None], code: str
) -> None:
    history = History(
        calls=copy.deepcopy(good.calls), deaths=list(good.deaths), doubled=list(good.doubled)
    )

    mutation(history)

    assert code in {violation.code for violation in checker.check(history)}


FAULTS = {
    "forgets-actions": "forgot-action",
    "ignores-versions": "forked-chain",
    "invents-conflicts": "false-conflict",
    "tears-moves": "state-differs",
    "undoes-too-much": "restore-differs",
    "shows-the-past": "read-went-back",
    "loses-commits": "forked-chain",
    "tears-batches": "lost-message",
    "drops-replies": "lost-message",
    "leaves-refused-commands": "left-something",
    "tells-otherwise": "retold-differently",
    "answers-twice": "answered-twice",
    "refuses-good-commands": "refused-without-cause",
}


@pytest.mark.parametrize(("fault", "code"), FAULTS.items(), ids=FAULTS.keys())
def test_a_broken_engine_is_found(tmp_path: Path, fault: str, code: str) -> None:
    program = (str(launcher.__file__), fault)
    loop = KillLoop(tmp_path / "graphs.db", seed=7, kills=0, program=program, quiet_bursts=60)

    history = loop.run()

    assert code in {violation.code for violation in checker.check(history)}


def test_every_fault_of_the_launcher_is_tried() -> None:
    assert FAULTS.keys() == launcher.FAULTS.keys()


# Where things are in a history.


def exports(history: History) -> list[Call]:
    return [
        call for call in history.calls if call.method == "exportSession" and call.result is not None
    ]


def last_messages(history: History) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = exports(history)[-1].result["session"]["messages"]
    return messages


def acknowledged_message(history: History) -> str:
    call = next(
        call
        for call in history.calls
        if call.method == "applySessionCommands" and call.status == "applied"
    )
    message_id: str = call.params["commands"][0]["message"]["id"]
    return message_id


def landed(history: History) -> Call:
    return next(
        call
        for call in reversed(history.calls)
        if call.method == "commitCommand" and call.status == "applied" and call.result["changed"]
    )


def listed(call: Call) -> list[dict[str, Any]]:
    if call.result is None:
        return []
    if call.method == "listRevisions":
        items: list[dict[str, Any]] = call.result["items"]
        return items
    return [call.result["revision"]] if call.method == "getRevision" else []


def newest_revision(history: History) -> dict[str, Any]:
    """The newest version that a client's command made."""
    shown = next(call for call in reversed(history.calls) if call.method == "listRevisions")
    commands = {call.params["actionId"] for call in history.calls if call.method in COMMANDS}
    found: dict[str, Any] = next(one for one in listed(shown) if one["actionId"] in commands)
    return found


def shown_state(history: History) -> dict[str, Any]:
    call = next(
        call
        for call in reversed(history.calls)
        if call.method == "getRevision" and call.result and call.result["state"]["graph"]["nodes"]
    )
    state: dict[str, Any] = call.result["state"]
    return state


def tamper_state(history: History, number: int) -> None:
    for call in history.calls:
        if call.method == "getRevision" and call.result is not None:
            if call.result["revision"]["number"] == number:
                call.result["state"]["document"] = {"documentId": "other"}
        elif call.projection is not None and call.projection["revisionNumber"] == number:
            call.projection["document"] = {"documentId": "other"}
