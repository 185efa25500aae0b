"""recordSessionEvents and settleSessionRun: late, repeated and foreign calls included."""

from typing import Any

import pytest

from tests.client import RpcError
from tests.handlers.sessions.chat import (
    BRANCH,
    SESSION,
    Chat,
    append,
    fork,
    select,
    start_run,
)


@pytest.fixture
def running(chat: Chat) -> Chat:
    """A session whose run works on ``m1`` since 20."""
    chat.applied(append("m1"), start_run("run", "m1", 20))
    return chat


def reply(message_id: str, text: str = "", **more: Any) -> dict[str, Any]:
    return {"id": message_id, "content": text, "status": "streaming", **more}


def contents(chat: Chat) -> dict[str, str]:
    return {one["id"]: one["content"] for one in chat.export()["messages"]}


def test_replies_stand_below_their_prompt_and_grow(running: Chat) -> None:
    first = running.events("m1", 20, messages=[reply("r1", "One")])
    more = running.events("m1", 20, appendText=[{"messageId": "r1", "text": " two"}])

    assert (first["changed"], first["ignored"], more["revision"]) == (True, None, 3)
    assert running.transcript() == ["m1", "r1"]
    assert contents(running)["r1"] == "One two"
    node = running.export()["conversationGraph"]["messages"][-1]
    assert (node["role"], node["responseToMessageId"]) == ("agent", "m1")


def test_graph_keys_inside_a_message_are_dropped(running: Chat) -> None:
    sent = reply("r1", agentFrameId="elsewhere", introducedOnBranchId="x", parentMessageId="y")

    running.events("m1", 20, messages=[sent])

    node = running.export()["conversationGraph"]["messages"][-1]
    assert (node["introducedOnBranchId"], node["parentMessageId"]) == (BRANCH, "m1")


def test_a_number_that_was_there_is_repeated_and_changes_nothing(running: Chat) -> None:
    running.events("m1", 20, eventSeq=5, appendText=[], messages=[reply("r1", "One")])

    same = running.events("m1", 20, eventSeq=5, appendText=[{"messageId": "r1", "text": "!"}])
    older = running.events("m1", 20, eventSeq=4, appendText=[{"messageId": "r1", "text": "!"}])
    next_ = running.events("m1", 20, eventSeq=6, appendText=[{"messageId": "r1", "text": "!"}])

    assert [one["ignored"] for one in (same, older, next_)] == ["repeated", "repeated", None]
    assert (same["changed"], same["changes"], same["revision"]) == (False, [], 2)
    assert contents(running)["r1"] == "One!"


def test_a_call_that_changes_nothing_makes_no_revision_but_counts(running: Chat) -> None:
    told = len(running.client.notifications)

    nothing = running.events("m1", 20, eventSeq=1)
    again = running.events("m1", 20, eventSeq=1, messages=[reply("r1")])

    assert (nothing["changed"], nothing["revision"]) == (False, 1)
    assert again["ignored"] == "repeated"
    assert running.client.notifications[told:] == []


def test_late_events_of_a_run_that_ended_are_ignored(running: Chat) -> None:
    running.settle("m1", 20, "completed")
    before = running.export()

    late = running.events("m1", 20, messages=[reply("r9")])

    assert (late["ignored"], late["changed"]) == ("run-ended", False)
    assert running.export() == before


def test_events_of_a_run_that_never_was_are_an_error(running: Chat) -> None:
    code, details = running.refusal(
        "recordSessionEvents", sessionId=SESSION, promptMessageId="m1", startedAt=99
    )

    assert code == "session-state"
    assert details["activeRun"] == {"promptMessageId": "m1", "startedAt": 20}


def test_a_run_writes_on_the_branch_it_was_started_on(chat: Chat) -> None:
    chat.applied(
        append("m0"), append("m1", "m0"), fork("b2", "m1"), append("m2", "m0", branch="b2")
    )
    chat.applied(start_run("run", "m2", 20))

    shown = chat.request("getSession", sessionId=SESSION, view="active", branchId=BRANCH)
    chat.events("m2", 20, messages=[reply("r2", "on b2")])

    assert [one["id"] for one in shown["messages"]] == ["m0", "m1"]
    assert chat.transcript(BRANCH) == ["m0", "m1"]
    assert chat.transcript("b2") == ["m0", "m2", "r2"]


@pytest.mark.parametrize(
    "events",
    [
        {"messages": [{"id": "r1", "content": 7}]},
        {"appendText": [{"messageId": "nobody", "text": "x"}]},
        {"activities": [{"id": "a1", "activityGroupId": "nobody"}]},
        {"activityGroups": [{"id": "g1", "activityIds": ["nobody"]}]},
        {"activities": [{"id": "a1", "status": "dancing"}]},
        {"runtimeSegmentId": "nobody"},
        {"status": "idle"},
    ],
)
def test_a_call_that_does_not_fit_writes_nothing(running: Chat, events: dict[str, Any]) -> None:
    fitting = [reply("r0", "fits"), *events.get("messages", [])]
    before = running.export()

    code, details = running.refusal(
        "recordSessionEvents",
        sessionId=SESSION,
        promptMessageId="m1",
        startedAt=20,
        **{**events, "messages": fitting},
    )

    assert (code, "check" in details) == ("invalid-events", True)
    assert running.export() == before


def test_only_the_runs_own_messages_change(chat: Chat) -> None:
    chat.applied(append("m0"))
    chat.answer("m0", 5, reply="r0", text="mine")
    chat.applied(append("m1", "r0"), start_run("run", "m1", 20))
    before = chat.export()

    for message_id in ("m0", "r0"):
        changed = [{"id": message_id, "content": "not mine", "updatedAt": 1e15}]
        code, _ = chat.refusal(
            "recordSessionEvents",
            sessionId=SESSION,
            promptMessageId="m1",
            startedAt=20,
            messages=changed,
        )
        assert code == "invalid-events"

    assert chat.export() == before


def test_activities_and_groups_are_of_the_runs_prompt(running: Chat) -> None:
    running.events(
        "m1",
        20,
        activities=[{"id": "a1", "title": "read", "activityGroupId": "g1", "custom": [1.0, 2]}],
        activityGroups=[{"id": "g1", "title": "Reading", "activityIds": ["a1"]}],
    )

    page = running.request("getSession", sessionId=SESSION, view="active")

    (activity,) = page["activities"]
    assert (activity["promptMessageId"], activity["custom"]) == ("m1", [1.0, 2])
    assert [one["activityIds"] for one in page["activityGroups"]] == [["a1"]]


@pytest.mark.parametrize(
    ("outcome", "more", "expected"),
    [
        ("completed", {}, ("idle", "complete", "completed", None)),
        ("cancelled", {}, ("idle", "complete", "failed", "cancelled")),
        ("connection-lost", {"error": "gone"}, ("error", "error", "failed", "connection-lost")),
        ("error", {"error": "broken"}, ("error", "error", "failed", None)),
        ("waiting", {}, ("waiting-for-user", "complete", "in_progress", None)),
        (
            "waiting",
            {"waitingFor": "permission"},
            ("waiting-permission", "complete", "in_progress", None),
        ),
        (
            "waiting",
            {"waitingFor": "plan-approval"},
            ("waiting-plan-approval", "complete", "in_progress", None),
        ),
    ],
)
def test_an_outcome_ends_the_run_as_the_table_says(
    running: Chat,
    outcome: str,
    more: dict[str, Any],
    expected: tuple[str, str, str, str | None],
) -> None:
    status, reply_status, activity, cause = expected
    running.events(
        "m1", 20, messages=[reply("r1")], activities=[{"id": "a1", "status": "in_progress"}]
    )

    settled = running.settle("m1", 20, outcome, **more)

    session = running.export()
    summary = settled["session"]
    assert (settled["changed"], settled["outcome"], summary["status"]) == (True, outcome, status)
    assert (summary["activeRun"], summary["lastRun"]["startedAt"]) == (None, 20)
    assert summary["error"] == more.get("error")
    assert session["messages"][-1]["status"] == reply_status
    assert session["activities"][0]["status"] == activity
    assert (session["messages"][0].get("interrupted") is True) == (cause is not None)
    assert (summary["recovery"] or {}).get("cause") == cause


def test_the_first_outcome_of_a_run_is_kept(running: Chat) -> None:
    running.settle("m1", 20, "cancelled")
    before = running.export()

    again = running.settle("m1", 20, "completed")

    assert (again["changed"], again["outcome"]) == (False, "cancelled")
    assert running.export() == before


def test_only_the_run_at_work_can_be_settled(running: Chat) -> None:
    code, details = running.refusal(
        "settleSessionRun",
        sessionId=SESSION,
        promptMessageId="m1",
        startedAt=21,
        outcome="completed",
    )

    assert (code, details["activeRun"]["startedAt"]) == ("session-state", 20)
    assert running.summary()["status"] == "running"


def test_what_a_run_waits_for_is_told_of_waiting_runs_alone(running: Chat) -> None:
    with pytest.raises(RpcError) as caught:
        running.settle("m1", 20, "completed", waitingFor="user")

    assert caught.value.code == -32602


def test_a_cancelled_answer_is_resumed_and_admitted(running: Chat) -> None:
    running.settle("m1", 20, "cancelled")
    running.applied(start_run("resume", "m1", 30, kind="resume-run"))
    kept = running.summary()["recovery"]

    running.events("m1", 30, admitted=True)

    assert kept["promptMessageId"] == "m1"
    assert running.summary()["recovery"] is None


def test_an_accepted_history_clears_what_waited_for_it(chat: Chat) -> None:
    chat.applied(append("m1"), append("m2", "m1"), fork("b2", "m2"), select("s", BRANCH, "b2"))
    segment = {"id": "g2", "frameworkId": "codex", "startedAt": 15}
    chat.applied({"id": "seg", "kind": "open-segment", "timestamp": 15, "segment": segment})
    chat.applied(start_run("run", "m2", 20))
    before = chat.summary()

    chat.events("m2", 20, historyAccepted=True)

    after = chat.summary()
    assert before["pendingHistoryReplay"] == {"kind": "all"}
    assert before["branchContextResetRequired"] is True
    assert (after["pendingHistoryReplay"], after["branchContextResetRequired"]) == (None, None)


def test_every_write_is_announced_with_its_cause(chat: Chat) -> None:
    told = len(chat.client.notifications)

    chat.applied(append("m1"), start_run("run", "m1", 20))
    chat.events("m1", 20, messages=[reply("r1", "x" * 300_000)])
    chat.settle("m1", 20, "completed")
    chat.request("pinSession", sessionId=SESSION, pinned=True)

    notes = [note["params"] for note in chat.client.notifications[told:]]
    assert [(one["cause"], one["revision"]) for one in notes] == [
        ("commands", 1),
        ("events", 2),
        ("settled", 3),
        ("meta", 4),
    ]
    assert {one["origin"] for one in notes} == {"self"}
    assert notes[0]["changes"]
    assert notes[1]["changes"] is None
