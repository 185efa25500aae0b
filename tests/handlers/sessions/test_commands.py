"""applySessionCommands over the wire: what lands, what is refused and how, what is told."""

from typing import Any

import pytest

from tests.client import RpcError
from tests.handlers.sessions.chat import (
    BRANCH,
    PROJECT,
    SESSION,
    Chat,
    append,
    fork,
    select,
    start_run,
)


def refused(answer: dict[str, Any]) -> tuple[str, str, Any, Any]:
    details = answer["reason"]["details"]
    return answer["status"], answer["reason"]["code"], details["index"], details["commandId"]


def test_a_batch_lands_as_a_whole_as_one_revision(chat: Chat) -> None:
    answer = chat.apply(append("m1"), start_run("c2", "m1", 20))

    assert (answer["status"], answer["revision"], answer["reason"]) == ("applied", 1, None)
    assert answer["acknowledged"] == ["append-m1", "c2"]
    assert answer["session"]["activeRun"] == {
        "promptMessageId": "m1",
        "startedAt": 20,
        "branchId": BRANCH,
        "graphRunId": None,
    }
    assert answer["page"] is None
    changed = {(change["kind"], change["id"]): change["value"] for change in answer["changes"]}
    assert changed.keys() == {("session", SESSION), ("message", "m1"), ("branch", BRANCH)}
    assert changed["session", SESSION]["revision"] == 1
    assert changed["message", "m1"]["introducedOnBranchId"] == BRANCH
    assert changed["branch", BRANCH]["headMessageId"] == "m1"


def test_a_batch_that_is_refused_leaves_nothing_of_it(chat: Chat) -> None:
    before = chat.export()

    answer = chat.apply(append("m1"), append("m2", "nobody"))

    assert refused(answer) == ("rejected", "unknown-message", 1, "append-m2")
    assert (answer["revision"], answer["acknowledged"], answer["changes"]) == (0, [], [])
    assert chat.export() == before
    assert chat.transcript() == []


def test_the_same_command_again_is_acknowledged_without_effect(chat: Chat) -> None:
    chat.applied(append("m1"))
    before = chat.export()

    again = chat.apply(append("m1"))

    assert (again["status"], again["acknowledged"]) == ("applied", ["append-m1"])
    assert (again["revision"], again["changes"]) == (1, [])
    assert chat.export() == before


def test_the_same_command_with_a_number_written_otherwise_is_the_same(chat: Chat) -> None:
    chat.applied(append("m1"))
    again = append("m1")

    answer = chat.apply({**again, "timestamp": float(again["timestamp"])})

    assert (answer["status"], answer["acknowledged"]) == ("applied", ["append-m1"])


def test_a_batch_without_a_new_command_is_not_announced(chat: Chat) -> None:
    chat.applied(append("m1"))
    told = len(chat.client.notifications)

    chat.applied(append("m1"))
    chat.applied()
    chat.applied(append("m2", "m1"))

    new = [note["params"]["revision"] for note in chat.client.notifications[told:]]
    assert new == [2]


def test_an_id_used_for_another_text_is_refused(chat: Chat) -> None:
    chat.applied(append("m1"))

    answer = chat.apply(append("m2", "m1", command_id="append-m1"))

    assert refused(answer) == ("rejected", "command-id-reused", 0, "append-m1")
    assert answer["acknowledged"] == []


def test_what_is_on_record_is_told_although_the_batch_is_refused(chat: Chat) -> None:
    chat.applied(append("m1"))

    answer = chat.apply(append("m1"), append("m3", "nobody"))

    assert answer["status"] == "rejected"
    assert answer["acknowledged"] == ["append-m1"]


def test_a_command_is_the_same_after_the_runtime_changed_its_message(chat: Chat) -> None:
    chat.applied(append("m1"))
    chat.applied(start_run("run", "m1", 20))
    chat.settle("m1", 20, "cancelled")

    answer = chat.apply(append("m1"))

    assert answer["status"] == "applied"
    assert chat.export()["messages"][0]["interrupted"] is True


def test_a_message_gets_what_a_stored_one_needs(chat: Chat) -> None:
    bare = append("m1", at=12.5)
    bare["message"] = {"id": "m1", "role": "user", "content": "hi", "custom": {"kept": 1}}

    chat.applied(bare)

    assert chat.export()["messages"] == [
        {
            "id": "m1",
            "role": "user",
            "content": "hi",
            "custom": {"kept": 1},
            "status": "complete",
            "eventIds": [],
            "createdAt": 12.5,
            "updatedAt": 12.5,
        }
    ]
    assert chat.apply(bare)["revision"] == 1


def test_the_submitted_session_has_the_last_word_on_a_message(chat: Chat) -> None:
    command = append("m1", content="as typed")
    submitted = {"messages": [{**command["message"], "content": "as submitted"}]}

    chat.apply(command, submitted=submitted)

    assert chat.export()["messages"][0]["content"] == "as submitted"


def test_a_message_that_the_submitted_session_lacks_is_refused(chat: Chat) -> None:
    answer = chat.apply(append("m1"), submitted={"messages": []})

    assert refused(answer) == ("rejected", "message-missing", 0, "append-m1")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ({"id": "c", "kind": "dance", "timestamp": 1}, "invalid-command"),
        ({**append("m1"), "timestamp": -1}, "invalid-command"),
        ({**append("m1"), "branchId": "elsewhere"}, "unknown-branch"),
        ({**append("m1"), "message": {"id": "m1", "role": "agent"}}, "invalid-command"),
        (select("c", "elsewhere", BRANCH), "unknown-branch"),
        (fork("b2", "nobody"), "unknown-message"),
        (fork("b2", "m0", parent="elsewhere"), "unknown-branch"),
        (fork(BRANCH, "m0"), "branch-id-reused"),
        (start_run("c", "nobody", 9), "unknown-message"),
        (append("m0", "m0", command_id="other"), "message-id-reused"),
        (
            {**append("m1", "m0"), "message": {"id": "m1", "role": "user", "content": 7}},
            "invalid-command",
        ),
    ],
)
def test_what_can_never_be_applied_is_rejected_with_its_code(
    chat: Chat, command: dict[str, Any], code: str
) -> None:
    chat.applied(append("m0"))

    answer = chat.apply(command)

    assert refused(answer) == ("rejected", code, 0, command["id"])
    assert answer["reason"]["details"]["retryable"] is False


def test_while_a_run_is_at_work_appends_and_forks_wait_and_selections_conflict(chat: Chat) -> None:
    chat.applied(append("m0"), fork("b2", "m0"), append("m1", branch="b2"))
    chat.applied(start_run("run", "m1", 20))

    appended = chat.apply(append("m2", "m1", branch="b2"))
    forked = chat.apply(fork("b3", "m1", parent="b2"))
    selected = chat.apply(select("c", BRANCH, "b2"))
    started = chat.apply(start_run("again", "m1", 30))

    assert [refused(one)[:2] for one in (appended, forked, selected, started)] == [
        ("deferred", "run-active"),
        ("deferred", "run-active"),
        ("conflict", "run-active"),
        ("conflict", "run-active"),
    ]
    assert appended["reason"]["details"]["retryable"] is True


def test_a_stale_head_is_a_conflict_that_tells_the_branch_as_it_is(chat: Chat) -> None:
    chat.applied(append("m1"), append("m2", "m1"))

    answer = chat.apply(append("m3", "m1"))

    assert refused(answer)[:2] == ("conflict", "branch-moved")
    details = answer["reason"]["details"]
    assert (details["activeBranchId"], details["headMessageId"]) == (BRANCH, "m2")


def test_a_run_before_the_last_one_is_a_conflict_that_tells_the_last_one(chat: Chat) -> None:
    chat.applied(append("m1"))
    chat.answer("m1", 50, reply="r1", text="done")

    answer = chat.apply(start_run("late", "m1", 40))

    assert refused(answer)[:2] == ("conflict", "run-settled")
    last = answer["reason"]["details"]["lastRun"]
    again = chat.apply(start_run("late", "m1", last["startedAt"] + 1))
    assert again["status"] == "applied"


def test_a_session_that_is_not_there_is_a_rejection(chat: Chat) -> None:
    answer = chat.apply(append("m1"), session="nobody")

    assert (answer["status"], answer["reason"]["code"]) == ("rejected", "unknown-session")
    assert (answer["session"], answer["revision"]) == (None, None)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"sessionId": SESSION, "commands": "none"},
        {"sessionId": SESSION, "commands": [1]},
        {"sessionId": SESSION, "commands": [], "answer": "everything"},
        {"sessionId": SESSION, "commands": [], "other": 1},
        {"sessionId": 1, "commands": []},
    ],
)
def test_a_request_that_does_not_fit_is_rejected_with_its_issues(
    chat: Chat, params: dict[str, Any]
) -> None:
    answer = chat.request("applySessionCommands", **params)

    assert (answer["status"], answer["reason"]["code"]) == ("rejected", "invalid-command")
    assert answer["reason"]["details"]["issues"]


@pytest.mark.spec("W6")
def test_faults_inside_commands_and_events_are_told_as_all_others(chat: Chat) -> None:
    chat.applied(append("m1"), start_run("run", "m1", 20))
    bad = {"id": "x", "timestamp": -1, "kind": "append-user", "branchId": "", "message": {"id": 7}}

    refused = chat.apply(append("m2", "m1"), bad)
    code, events = chat.refusal(
        "recordSessionEvents",
        sessionId=SESSION,
        promptMessageId="m1",
        startedAt=20,
        messages=[{"id": "r", "role": "cat"}],
    )
    _, created = chat.refusal(
        "createSession", projectId=PROJECT, messages=[{"id": "m", "role": "cat"}]
    )

    told = refused["reason"]["details"]["issues"], events["issues"], created["issues"]
    assert code == "invalid-events"
    assert [[issue["path"] for issue in issues] for issues in told] == [
        [
            "/commands/1/timestamp",
            "/commands/1/branchId",
            "/commands/1/message/id",
            "/commands/1/message/role",
        ],
        ["/messages/0/role"],
        ["/messages/0/role"],
    ]
    assert all(issue.keys() == {"path", "message"} for issues in told for issue in issues)


def test_params_that_are_no_object_are_an_error(chat: Chat) -> None:
    with pytest.raises(RpcError) as caught:
        chat.client.request("applySessionCommands", [1])

    assert caught.value.code == -32602


def test_an_answer_is_as_long_as_it_was_asked_to_be(chat: Chat) -> None:
    nothing = chat.apply(append("m1"), answer="none")
    full = chat.apply(append("m2", "m1"), answer="full")

    assert (nothing["changes"], nothing["page"], nothing["revision"]) == (None, None, 1)
    assert [one["id"] for one in full["page"]["messages"]] == ["m1", "m2"]
    assert full["changes"]


def test_the_list_of_ids_has_the_last_256_and_older_ones_are_known_all_the_same(
    chat: Chat,
) -> None:
    selections = [select(f"c{number}", BRANCH, BRANCH) for number in range(300)]
    chat.applied(*selections[:200])
    chat.applied(*selections[200:])

    listed = chat.export()["runtimeConversationCommandIds"]
    replayed = chat.apply(selections[0])
    other = chat.apply(append("m1", command_id="c0"))

    assert listed == [f"c{number}" for number in range(44, 300)]
    assert (replayed["status"], replayed["revision"]) == ("applied", 2)
    assert chat.export()["runtimeConversationCommandIds"] == listed
    assert refused(other)[:2] == ("rejected", "command-id-reused")


def test_ids_that_came_by_import_are_known_by_their_name_alone(chat: Chat) -> None:
    chat.applied(append("m1"))
    exported = chat.export()
    chat.request("deleteSession", sessionId=SESSION)
    chat.request("importSession", session=exported)

    answer = chat.apply(append("m2", "m1", command_id="append-m1"))

    assert (answer["status"], answer["acknowledged"]) == ("applied", ["append-m1"])
    assert chat.transcript() == ["m1"]


def test_a_start_beside_a_run_of_the_graph_needs_that_run_to_be_at_work(chat: Chat) -> None:
    chat.applied(append("m1"))
    unknown = chat.apply(start_run("c1", "m1", 20, graphRunId="nobody"))
    run = chat.request("startRun", projectId=PROJECT, runId="g1")
    chat.request("pauseRun", runId=run["runId"])
    paused = chat.apply(start_run("c1", "m1", 20, graphRunId="g1"))
    chat.request("resumeRun", runId="g1")
    answer = chat.apply(start_run("c1", "m1", 20, graphRunId="g1"))

    assert refused(unknown) == ("conflict", "run-not-running", 0, "c1")
    assert refused(paused) == ("conflict", "run-not-running", 0, "c1")
    assert answer["session"]["activeRun"]["graphRunId"] == "g1"
    assert "graphRunId" not in str(chat.export())
    chat.settle("m1", 20, "completed")
    assert chat.request("getRun", runId="g1")["status"] == "running"


def test_a_run_of_another_project_is_not_at_work_here(chat: Chat) -> None:
    chat.request("createProject", projectId="other", title="Other")
    chat.request("startRun", projectId="other", runId="g2")
    chat.applied(append("m1"))

    answer = chat.apply(start_run("c1", "m1", 20, graphRunId="g2"))

    assert refused(answer)[:2] == ("conflict", "run-not-running")
