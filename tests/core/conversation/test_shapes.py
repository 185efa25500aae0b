from typing import Any

import pytest

from sidecar.core.conversation.checks import MESSAGES, Check
from sidecar.core.conversation.errors import (
    ConversationRefusedError,
    ConversationSchemaError,
)
from sidecar.core.conversation.payloads import completed
from sidecar.core.conversation.replays import command_content
from sidecar.core.conversation.sanitize import own_messages, sanitize
from sidecar.core.conversation.session_shape import (
    check_session_shape,
    message_issues,
    session_issues,
)
from tests.core.conversation.examples import append, command, flat, session, tool


def faults(value: object) -> list[tuple[str, tuple[str | int, ...]]]:
    return [(issue.code, issue.path) for issue in session_issues(value)]


def test_every_check_has_a_text_for_people() -> None:
    assert set(MESSAGES) == set(Check)
    assert len(set(MESSAGES.values())) == len(Check)


def test_a_materialized_session_has_the_expected_shape() -> None:
    given = session(flat("m1"), activities=[tool("a1", "m1")])

    assert check_session_shape(given) is given


@pytest.mark.parametrize("value", [None, 7, "x", [], True])
def test_what_is_no_object_is_no_session(value: object) -> None:
    with pytest.raises(ConversationSchemaError):
        check_session_shape(value)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"id": ""}, ("too_small", ("id",))),
        ({"status": "busy"}, ("invalid_value", ("status",))),
        ({"updatedAt": "x"}, ("invalid_type", ("updatedAt",))),
        ({"updatedAt": True}, ("invalid_type", ("updatedAt",))),
        ({"messages": {}}, ("invalid_type", ("messages",))),
        ({"messages": [3]}, ("invalid_type", ("messages", 0))),
        ({"activityGroups": [{}]}, ("invalid_type", ("activityGroups", 0, "activityIds"))),
        ({"activeRun": {"promptMessageId": "m"}}, ("invalid_type", ("activeRun", "startedAt"))),
        ({"conversationGraph": []}, ("invalid_type", ("conversationGraph",))),
        (
            {"conversationGraph": {"messages": [{"id": ["x"]}]}},
            ("invalid_type", ("conversationGraph", "messages", 0, "id")),
        ),
    ],
)
def test_faults_are_named_with_their_paths(
    change: dict[str, Any], fault: tuple[str, tuple[str | int, ...]]
) -> None:
    assert fault in faults({**session(flat("m1")), **change})


def test_every_fault_of_a_batch_is_named() -> None:
    batch = [command("", "select-branch", branchId="b"), command("c", "start-run", run={}), 3]

    with pytest.raises(ConversationSchemaError) as caught:
        sanitize(batch)

    assert {issue.path for issue in caught.value.issues} == {
        (0, "id"),
        (0, "previousBranchId"),
        (1, "run", "promptMessageId"),
        (1, "run", "startedAt"),
        (2,),
    }


def test_booleans_and_infinities_are_no_times() -> None:
    for time in (True, float("inf"), float("nan")):
        with pytest.raises(ConversationSchemaError):
            sanitize([command("c", "select-branch", at=time, branchId="b", previousBranchId="b")])


def test_the_commands_own_messages_can_stand_in_for_a_submitted_session() -> None:
    smuggled = {**flat("m2"), "supersedesMessageId": "m1", "tag": 1}
    batch = [append("c1", smuggled, after="m1")]

    (sanitized,) = sanitize(batch, own_messages(batch))

    assert sanitized["message"] == {**flat("m2"), "tag": 1}


def test_an_absent_message_names_its_command() -> None:
    batch = [
        command("c1", "start-run", run={"promptMessageId": "m", "startedAt": 1}),
        append("c2", flat("m2"), after=None),
    ]

    with pytest.raises(ConversationRefusedError) as caught:
        sanitize(batch, {"messages": "none", "conversationGraph": {"messages": None}})

    error = caught.value
    assert (error.check, error.index, error.command_id) == (Check.MESSAGE_ABSENT, 1, "c2")


def test_a_digest_covers_what_the_person_wrote_and_not_what_the_runtime_adds() -> None:
    written = append("c1", flat("m2", parts=[1]), after=None)
    run_over = append("c1", flat("m2", parts=[1], updatedAt=99, interrupted=True), after=None)
    reworded = append("c1", {**flat("m2", parts=[1]), "content": "other"}, after=None)

    assert command_content(written) == command_content(run_over)
    assert command_content(written) != command_content(reworded)


def test_missing_keys_of_a_prompt_are_filled_so_that_it_can_be_stored_and_read() -> None:
    bare = append("c1", {"id": "m2", "role": "user", "content": "hi"}, after=None, at=30)

    (command_,) = completed(sanitize([bare], own_messages([bare])))

    assert command_["message"] == {**flat("m2", at=30), "content": "hi"}
    assert completed([command_]) == [command_]


def test_a_prompt_with_a_key_of_a_wrong_type_is_refused_with_its_path() -> None:
    wrong = append("c1", {**flat("m2"), "content": 3}, after=None)

    with pytest.raises(ConversationSchemaError) as caught:
        completed([wrong])

    assert [issue.path for issue in caught.value.issues] == [(0, "message", "content")]
    assert (caught.value.index, caught.value.command_id) == (0, "c1")


def test_a_start_may_name_the_graph_run_beside_it() -> None:
    run = {"promptMessageId": "m1", "startedAt": 1}

    (sanitized,) = sanitize([command("c", "start-run", run={**run, "x": 1}, graphRunId="r")])

    assert (sanitized["run"], sanitized["graphRunId"]) == (run, "r")


def test_a_message_may_lack_keys_but_not_have_wrong_ones() -> None:
    assert list(message_issues({"id": "m", "role": "user"})) == []
    assert [issue.path for issue in message_issues({"id": "m", "content": 3})] == [("content",)]
