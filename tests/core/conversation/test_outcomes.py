"""What a caller is told about each refusal."""

from typing import Any

import pytest

from protocol.errors import SESSION_CODES
from sidecar.core.conversation.apply import apply
from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import (
    ConversationError,
    ConversationMaterializationError,
    ConversationRefusedError,
)
from sidecar.core.conversation.materialize import materialize
from sidecar.core.conversation.outcomes import (
    NoFacts,
    SessionFacts,
    Status,
    events_refusal,
    import_refusal,
    outcome_of,
)
from sidecar.core.conversation.sanitize import sanitize
from sidecar.core.conversation.session_commands import apply_commands
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.session_shape import check_session_shape
from sidecar.core.conversation.values import Command, Session
from tests.core.conversation.examples import ROOT, append, command, flat, reply, session, tool

RUN = {"promptMessageId": "m1", "startedAt": 40}
DEFERRED, CONFLICT, REJECTED = Status.DEFERRED, Status.CONFLICT, Status.REJECTED
MOVED = {"activeBranchId": "b2", "headMessageId": "m2"}


def forked() -> Session:
    """A root branch with m1 to m4 and, in view, b2 that replaces m3 and is still at m2."""
    given = session(
        flat("m1"),
        reply("m2", "m1"),
        flat("m3"),
        reply("m4", "m3"),
        activities=[tool("a1", "m1", at=11), tool("a3", "m3", at=12)],
    )
    fork = command("c0", "fork-message", branchId="b2", parentBranchId=ROOT, messageId="m3", at=21)
    return apply(given, [fork])


def busy() -> Session:
    return {**forked(), "activeRun": RUN, "status": "running"}


def settled() -> Session:
    return {**forked(), "runtimeTranscriptLastRun": {**RUN, "startedAt": 90}}


def told(given: Session, *commands: Command) -> tuple[Status, str, bool, dict[str, Any]]:
    graph = SessionGraph.from_session(given)
    with graph.edit() as edit, pytest.raises(ConversationError) as caught:
        apply_commands(edit, commands)
    answer = outcome_of(caught.value, SessionFacts(graph, commands[:-1]))
    details = dict(answer.details)
    assert details.pop("index") == len(commands) - 1
    assert details.pop("commandId") == commands[-1]["id"]
    return answer.status, answer.code, answer.retryable, details


def to_b2(message: str, after: str | None, **more: Any) -> Command:
    return append("c", flat(message), after=after, branch="b2", **more)


def fork(**more: Any) -> Command:
    fields = {"branchId": "b3", "parentBranchId": "b2", "messageId": "m1", **more}
    return command("c", "fork-activity" if "activityId" in more else "fork-message", **fields)


def select(branch: str, previous: str) -> Command:
    return command("c", "select-branch", branchId=branch, previousBranchId=previous)


def start(prompt: str, at: float = 50, kind: str = "start-run") -> Command:
    return command("c", kind, run={"promptMessageId": prompt, "startedAt": at})


@pytest.mark.parametrize(
    ("given", "refused", "answer"),
    [
        (forked, command("c", "rename"), (REJECTED, "invalid-command", False, {})),
        (forked, to_b2("m3", "m2"), (REJECTED, "message-id-reused", False, {})),
        (forked, fork(branchId=ROOT), (REJECTED, "branch-id-reused", False, {})),
        (busy, to_b2("new", "m2"), (DEFERRED, "run-active", True, {"activeRun": RUN})),
        (busy, fork(), (DEFERRED, "run-active", True, {"activeRun": RUN})),
        (forked, to_b2("new", "m1"), (CONFLICT, "branch-moved", False, MOVED)),
        (forked, append("c", flat("new"), after="m4"), (CONFLICT, "branch-moved", False, MOVED)),
        (
            forked,
            to_b2("new", "placeholder"),
            (REJECTED, "unknown-message", False, {"messageId": "placeholder"}),
        ),
        (
            forked,
            append("c", flat("new"), after="m2", branch="zz"),
            (REJECTED, "unknown-branch", False, {"branchId": "zz"}),
        ),
        (forked, fork(parentBranchId=ROOT), (CONFLICT, "branch-moved", False, MOVED)),
        (
            forked,
            fork(parentBranchId="zz"),
            (REJECTED, "unknown-branch", False, {"branchId": "zz"}),
        ),
        (busy, select(ROOT, "b2"), (CONFLICT, "run-active", True, {"activeRun": RUN})),
        (forked, select(ROOT, ROOT), (CONFLICT, "branch-moved", False, MOVED)),
        (forked, select("zz", "b2"), (REJECTED, "unknown-branch", False, {})),
        (forked, fork(messageId="m3"), (CONFLICT, "not-on-branch", False, {"messageId": "m3"})),
        (forked, fork(messageId="m2"), (REJECTED, "not-a-prompt", False, {"messageId": "m2"})),
        (forked, fork(messageId="zz"), (REJECTED, "unknown-message", False, {"messageId": "zz"})),
        (
            forked,
            fork(messageId="m4", activityId="a1"),
            (CONFLICT, "not-on-branch", False, {"messageId": "m4"}),
        ),
        (
            forked,
            fork(activityId="a3"),
            (CONFLICT, "not-on-branch", False, {"activityId": "a3"}),
        ),
        (
            forked,
            fork(activityId="zz"),
            (REJECTED, "unknown-activity", False, {"activityId": "zz"}),
        ),
        (forked, start("m3"), (CONFLICT, "not-on-branch", False, {"messageId": "m3"})),
        (forked, start("m2"), (REJECTED, "not-a-prompt", False, {"messageId": "m2"})),
        (forked, start("zz"), (REJECTED, "unknown-message", False, {"messageId": "zz"})),
        (forked, start("m1", kind="resume-run"), (CONFLICT, "recovery-gone", False, {})),
        (busy, start("m1", 77), (CONFLICT, "run-active", True, {"activeRun": RUN})),
        (
            settled,
            start("m1"),
            (CONFLICT, "run-settled", False, {"lastRun": {**RUN, "startedAt": 90}}),
        ),
        (
            forked,
            command(
                "c",
                "open-segment",
                segment={"id": "runtime-segment-s", "frameworkId": "codex", "startedAt": 1},
            ),
            (REJECTED, "segment-id-reused", False, {}),
        ),
        (
            forked,
            append("c", flat("new", responseToMessageId="m4"), after="m2", branch="b2"),
            (REJECTED, "invalid-message", False, {"check": "response-target-invalid"}),
        ),
    ],
)
def test_a_refusal_is_told_with_its_status_and_code(
    given: Any, refused: Command, answer: tuple[Status, str, bool, dict[str, Any]]
) -> None:
    assert told(given(), refused) == answer


def test_a_fork_before_the_activitys_prompt_is_told() -> None:
    given = session(flat("m1"), flat("m2"), activities=[tool("a2", "m2")])
    refused = command(
        "c",
        "fork-activity",
        branchId="b2",
        parentBranchId=ROOT,
        messageId="m1",
        activityId="a2",
    )

    assert told(given, refused) == (REJECTED, "fork-before-prompt", False, {})


def test_another_command_under_the_same_id_is_told_with_its_place() -> None:
    first, other = to_b2("n1", "m2"), to_b2("n2", "n1")

    assert told(forked(), first, other)[:2] == (REJECTED, "command-id-reused")


def test_what_a_batch_itself_brought_is_not_unknown() -> None:
    stale = append("c2", flat("new"), after="m2", branch="b3")

    assert told(forked(), {**fork(), "id": "c1"}, stale)[:2] == (CONFLICT, "branch-moved")


def test_a_child_frame_in_view_is_a_conflict() -> None:
    error = ConversationRefusedError(Check.VIEW_NOT_ROOT)

    answer = outcome_of(error, NoFacts())

    assert (answer.status, answer.code) == (CONFLICT, "view-not-root")


def test_a_value_of_the_wrong_shape_is_told_with_every_issue() -> None:
    with pytest.raises(ConversationError) as caught:
        sanitize([to_b2("n", "m2"), {"kind": "start-run", "id": "c7", "timestamp": -1}])

    answer = outcome_of(caught.value, NoFacts())

    assert (answer.status, answer.code) == (REJECTED, "invalid-command")
    assert answer.details == {
        "index": 1,
        "commandId": "c7",
        "issues": [
            {"path": "/commands/1/timestamp", "message": "expected 0 or more"},
            {"path": "/commands/1/run", "message": "required, but missing"},
        ],
    }


def test_a_prompt_that_was_not_submitted_is_told() -> None:
    with pytest.raises(ConversationError) as caught:
        sanitize([to_b2("n", "m2")], {"messages": []})

    assert outcome_of(caught.value, NoFacts()).code == "message-missing"


def test_a_stored_session_that_does_not_hold_is_damaged() -> None:
    error = ConversationMaterializationError(
        "messages", ConversationRefusedError(Check.MESSAGE_CYCLE)
    )

    answer = outcome_of(error, NoFacts())

    assert (answer.code, answer.details["check"]) == ("session-damaged", "message-cycle")


@pytest.mark.parametrize(
    ("change", "details"),
    [
        ({"status": "busy"}, ("shape", "schema")),
        ({"messages": [flat("m1"), flat("m1")]}, ("activities", "message-cycle")),
    ],
)
def test_a_session_that_cannot_be_imported_says_in_which_phase(
    change: Session, details: tuple[str, str]
) -> None:
    given = {key: value for key, value in session().items() if key != "conversationGraph"}

    with pytest.raises(ConversationError) as caught:
        materialize(check_session_shape({**given, **change}))

    code, found = import_refusal(caught.value)
    assert (code, found["phase"], found["check"]) == ("invalid-session", *details)


def test_a_runtimes_call_is_told_apart_by_whether_its_run_is_known() -> None:
    unknown = ConversationError(Check.RUN_UNKNOWN, promptMessageId="m1", startedAt=1)
    foreign = ConversationError(Check.EVENT_MESSAGE_FOREIGN, messageId="m1")

    assert events_refusal(unknown)[0] == "session-state"
    assert events_refusal(foreign) == (
        "invalid-events",
        {"check": "event-message-foreign", "messageId": "m1"},
    )


def test_every_check_of_a_batch_has_an_answer() -> None:
    for check in Check:
        answer = outcome_of(ConversationRefusedError(check), NoFacts())
        assert {"index", "commandId"} <= set(answer.details)
        assert answer.code in SESSION_CODES
        assert answer.message[0].isupper()
        assert answer.message.endswith(".")


@pytest.mark.parametrize(
    ("refused", "thing"),
    [
        (append("c", flat("new"), after="m2", branch="zz"), "branch"),
        (to_b2("new", "zz"), "message"),
        (fork(parentBranchId="zz"), "branch"),
        (fork(activityId="zz"), "activity"),
        (start("zz"), "message"),
    ],
)
def test_what_is_not_there_is_told_as_that(refused: Command, thing: str) -> None:
    graph = SessionGraph.from_session(forked())
    with graph.edit() as edit, pytest.raises(ConversationError) as caught:
        apply_commands(edit, [refused])

    answer = outcome_of(caught.value, SessionFacts(graph))

    assert answer.message == f"There is no such {thing} in this session."
