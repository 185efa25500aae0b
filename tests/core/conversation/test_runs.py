"""A runtime's writes, the ends of runs, and sessions whose runtime is gone."""

from typing import Any

import pytest

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import (
    ConversationRefusedError,
    ConversationRunError,
    ConversationSchemaError,
)
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.materialize import materialize
from sidecar.core.conversation.run_end import (
    Outcome,
    Settlement,
    WaitingFor,
    interrupt,
    settle,
)
from sidecar.core.conversation.run_events import Ignored, RunEvents, record_events
from sidecar.core.conversation.session_commands import apply_commands
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.values import JsonObject, Session
from tests.core.conversation.examples import ROOT, append, command, flat, reply, session

RUN = {"promptMessageId": "m3", "startedAt": 40}


def running(*more: JsonObject, **fields: Any) -> SessionGraph:
    """Two turns, the second of which is at work."""
    graph = SessionGraph.from_session(
        session(flat("m1"), reply("m2", "m1"), flat("m3"), *more, **fields)
    )
    do(graph, command("c1", "start-run", run=RUN))
    return graph


def do(graph: SessionGraph, *commands: JsonObject) -> None:
    with graph.edit() as edit:
        apply_commands(edit, commands)
        edit.commit()


def events(**call: Any) -> RunEvents:
    return RunEvents(prompt_message_id="m3", started_at=40, **call)


def write(graph: SessionGraph, call: RunEvents, *, now: float = 50) -> Ignored | None:
    with graph.edit() as edit:
        ignored = record_events(edit, call, now=now)
        edit.commit()
    return ignored


def end(graph: SessionGraph, outcome: Outcome, *, now: float = 60, **more: Any) -> str:
    settlement = Settlement(prompt_message_id="m3", started_at=40, outcome=outcome, **more)
    with graph.edit() as edit:
        told = settle(edit, settlement, now=now)
        edit.commit()
    return told


def flat_message(graph: SessionGraph, identity: str) -> JsonObject:
    return next(one for one in graph.to_session()["messages"] if one["id"] == identity)


def test_a_reply_grows_behind_the_prompt_and_answers_it() -> None:
    graph = running()

    write(graph, events(messages=[{"id": "r1", "content": "Hel"}]))
    write(graph, events(append_text=[("r1", "lo"), ("r1", "!")]), now=55)

    assert flat_message(graph, "r1") == {
        **reply("r1", "m3"),
        "content": "Hello!",
        "status": "streaming",
        "createdAt": 50,
        "updatedAt": 55,
    }
    assert graph.root_branch["headMessageId"] == "r1"
    assert graph.root_branch["updatedAt"] == graph.fields["updatedAt"] == 55


def test_graph_keys_of_a_runtimes_messages_are_dropped() -> None:
    graph = running()

    write(graph, events(messages=[{"id": "r1", "parentMessageId": "m1", "agentFrameId": "f9"}]))

    node = graph.whole(Kind.MESSAGE, "r1")
    assert (node["parentMessageId"], node["agentFrameId"]) == ("m3", "root-frame-s")


def test_arrival_decides_and_not_the_time_of_a_message() -> None:
    graph = running()
    write(graph, events(messages=[{"id": "r1", "content": "new", "updatedAt": 90}]))

    write(graph, events(messages=[{"id": "r1", "content": "newer", "updatedAt": 5}]))

    assert flat_message(graph, "r1")["content"] == "newer"


def test_a_run_writes_on_its_own_branch_while_another_frame_is_in_view() -> None:
    graph = running()
    branch = graph.run_branch()["id"]

    write(graph, events(messages=[{"id": "r1"}]))

    assert graph.whole(Kind.MESSAGE, "r1")["introducedOnBranchId"] == branch == ROOT


@pytest.mark.parametrize(
    ("call", "check"),
    [
        ({"messages": [{"id": "r1", "role": "user"}]}, Check.EVENT_NOT_AGENT),
        ({"messages": [{"id": "m3", "role": "agent"}]}, Check.EVENT_NOT_AGENT),
        ({"messages": [{"id": "m1", "content": "x"}]}, Check.EVENT_MESSAGE_FOREIGN),
        ({"messages": [{"id": "m2", "content": "x"}]}, Check.EVENT_MESSAGE_FOREIGN),
        ({"append_text": [("zz", "x")]}, Check.EVENT_MESSAGE_FOREIGN),
        ({"append_text": [("m3", "x")]}, Check.EVENT_NOT_AGENT),
        ({"activities": [{"id": "a", "promptMessageId": "m1"}]}, Check.EVENT_ACTIVITY_FOREIGN),
        ({"activities": [{"id": "old"}]}, Check.EVENT_ACTIVITY_FOREIGN),
        ({"activities": [{"id": "a", "activityGroupId": "g"}]}, Check.ACTIVITY_GROUP_INVALID),
        ({"activity_groups": [{"id": "g", "activityIds": ["zz"]}]}, Check.GROUP_MEMBER_INVALID),
        (
            {"activities": [{"id": "a"}], "activity_groups": [{"id": "g", "activityIds": ["a"]}]},
            Check.GROUP_MEMBER_INVALID,
        ),
        ({"runtime_segment_id": "zz"}, Check.RESPONSE_SEGMENT_FOREIGN),
        (
            {"messages": [{"id": "r1", "responseToMessageId": "m2"}]},
            Check.RESPONSE_TARGET_INVALID,
        ),
    ],
)
def test_a_call_that_does_not_fit_is_not_written_at_all(call: Any, check: Check) -> None:
    graph = running(activities=[old_activity()])
    before = graph.to_session()
    call = {**call, "messages": [{"id": "first"}, *call.get("messages", [])]}

    with graph.edit() as edit:
        with pytest.raises(ConversationRefusedError) as caught:
            record_events(edit, events(**call), now=50)
        edit.commit()

    assert caught.value.check is check
    assert graph.to_session() == before


def old_activity() -> JsonObject:
    return {"id": "old", "createdAt": 10, "sortIndex": 0, "promptMessageId": "m1"}


def test_faults_of_shape_are_named_before_anything_is_written() -> None:
    graph = running()

    with graph.edit() as edit, pytest.raises(ConversationSchemaError) as caught:
        record_events(edit, events(messages=[{"id": ""}], status="idle"), now=50)

    assert {issue.path for issue in caught.value.issues} == {("status",), ("messages", 0, "id")}


def test_an_activity_and_its_group_come_in_one_call() -> None:
    graph = running()

    write(
        graph,
        events(
            activities=[{"id": "a1", "activityGroupId": "g1"}, {"id": "a2"}],
            activity_groups=[{"id": "g1", "title": "Reading", "activityIds": ["a1"]}],
        ),
    )

    after = graph.to_session()
    assert [(one["id"], one["sortIndex"]) for one in after["activities"]] == [("a1", 0), ("a2", 1)]
    assert after["activityGroups"][0]["activityIds"] == ["a1"]


def test_a_member_that_leaves_its_group_must_say_so() -> None:
    graph = running()
    grouped = [{"id": "a1", "activityGroupId": "g1"}]
    write(graph, events(activities=grouped, activity_groups=[{"id": "g1", "activityIds": ["a1"]}]))

    emptied = [{"id": "g1", "activityIds": []}]
    with graph.edit() as edit, pytest.raises(ConversationRefusedError) as caught:
        record_events(edit, events(activity_groups=emptied), now=51)
    write(
        graph,
        events(activities=[{"id": "a1", "activityGroupId": None}], activity_groups=emptied),
    )

    assert caught.value.check is Check.ACTIVITY_GROUP_INVALID
    assert graph.whole(Kind.GROUP, "g1")["activityIds"] == []


def test_a_repeated_call_and_a_late_one_are_ignored() -> None:
    graph = running()
    assert write(graph, events(event_seq=2, messages=[{"id": "r1"}])) is None

    repeated = write(graph, events(event_seq=2, messages=[{"id": "r2"}]))
    end(graph, Outcome.COMPLETED)
    late = write(graph, events(event_seq=3, messages=[{"id": "r3"}]))

    assert (repeated, late) == (Ignored.REPEATED, Ignored.RUN_ENDED)
    assert [one["id"] for one in graph.to_session()["messages"]] == ["m1", "m2", "m3", "r1"]


def test_a_new_run_counts_its_calls_from_the_start() -> None:
    graph = running()
    write(graph, events(event_seq=9))
    end(graph, Outcome.COMPLETED)
    do(graph, command("c2", "start-run", run={**RUN, "startedAt": 41}))

    call = RunEvents(prompt_message_id="m3", started_at=41, event_seq=1, messages=[{"id": "r1"}])

    assert write(graph, call) is None
    assert graph.index.message("r1") is not None


def test_a_started_run_remembers_its_branch_and_the_graph_run_beside_it() -> None:
    graph = SessionGraph.from_session(session(flat("m3")))

    do(graph, command("c1", "start-run", run=RUN, graphRunId="r7"))

    runs = graph.head.runs
    assert (runs.branch_id, runs.graph_run_id, runs.event_seq) == (ROOT, "r7", None)
    assert "graphRunId" not in str(graph.to_session())


def test_events_of_a_run_that_never_was_are_an_error() -> None:
    graph = running()
    foreign = RunEvents(prompt_message_id="m3", started_at=41, messages=[{"id": "r1"}])

    with graph.edit() as edit, pytest.raises(ConversationRunError):
        record_events(edit, foreign, now=50)


def test_admission_consumes_the_marker_of_its_prompt_alone() -> None:
    marker = {"kind": "resume-required", "cause": "cancelled", "promptMessageId": "m3"}
    graph = running(resumeRecovery=marker, pendingHistoryReplay={"kind": "all"})

    write(graph, events(admitted=True))
    assert "resumeRecovery" not in graph.fields
    assert graph.fields["pendingHistoryReplay"] == {"kind": "all"}

    write(graph, events(history_accepted=True))
    assert "pendingHistoryReplay" not in graph.fields


def test_a_call_that_says_nothing_new_changes_nothing() -> None:
    graph = running()
    call = events(messages=[{"id": "r1", "content": "x"}], status="running")
    write(graph, call)

    with graph.edit() as edit:
        assert record_events(edit, call, now=70) is None
        assert (edit.changes(), edit.changed) == ([], False)


@pytest.mark.parametrize(
    ("outcome", "status", "replies", "activities", "cause", "interrupted"),
    [
        (Outcome.COMPLETED, "idle", "complete", "completed", None, False),
        (Outcome.CANCELLED, "idle", "complete", "failed", "cancelled", True),
        (Outcome.CONNECTION_LOST, "error", "error", "failed", "connection-lost", True),
        (Outcome.ERROR, "error", "error", "failed", None, False),
        (Outcome.WAITING, "waiting-plan-approval", "complete", "in_progress", None, False),
    ],
)
def test_an_outcome_ends_a_run_as_the_table_says(
    outcome: Outcome,
    status: str,
    replies: str,
    activities: str,
    cause: str | None,
    *,
    interrupted: bool,
) -> None:
    marker = {"kind": "resume-required", "promptMessageId": "m3"}
    graph = running(resumeRecovery=marker)
    tool = {"id": "a1", "status": "in_progress", "activityGroupId": "g1"}
    group = {"id": "g1", "activityIds": ["a1"]}
    write(graph, events(messages=[{"id": "r1"}], activities=[tool], activity_groups=[group]))

    end(graph, outcome, waiting_for=WaitingFor.PLAN_APPROVAL, error="no route")

    after = graph.to_session()
    assert after["status"] == status
    assert "activeRun" not in after
    assert after["runtimeTranscriptLastRun"] == RUN
    assert after["messages"][-1]["status"] == replies
    assert after["activities"][0]["status"] == activities
    assert ("completedAt" in after["activityGroups"][0]) is (outcome is not Outcome.WAITING)
    assert (after.get("resumeRecovery") or {}).get("cause") == cause
    assert after["messages"][2].get("interrupted", False) is interrupted
    assert after.get("error") == ("no route" if status == "error" else None)


def test_the_first_outcome_is_kept() -> None:
    graph = running()
    assert end(graph, Outcome.CANCELLED) == "cancelled"
    before = graph.to_session()

    assert end(graph, Outcome.COMPLETED, now=99) == "cancelled"

    assert graph.to_session() == before


def test_a_run_that_is_not_at_work_cannot_be_settled() -> None:
    graph = running()
    other = Settlement(prompt_message_id="m3", started_at=39, outcome=Outcome.COMPLETED)

    with graph.edit() as edit, pytest.raises(ConversationRunError):
        settle(edit, other, now=60)


@pytest.mark.parametrize(
    ("status", "recovery", "outcome"),
    [
        ("idle", None, "completed"),
        ("error", None, "error"),
        ("waiting-for-user", None, "waiting"),
        ("idle", "cancelled", "cancelled"),
        ("error", "app-restart", "interrupted"),
    ],
)
def test_an_imported_session_tells_how_its_last_run_ended(
    status: str, recovery: str | None, outcome: str
) -> None:
    marker = {"kind": "resume-required", "cause": recovery, "promptMessageId": "m3"}
    extra: Session = {} if recovery is None else {"resumeRecovery": marker}
    given = session(flat("m3"), runtimeTranscriptLastRun=RUN, **{**extra, "status": status})

    assert end(SessionGraph.from_session(given), Outcome.COMPLETED) == outcome


def test_a_session_whose_owner_is_gone_becomes_interrupted_and_can_go_on() -> None:
    graph = running()
    write(
        graph, events(messages=[{"id": "r1"}], activities=[{"id": "a1", "status": "in_progress"}])
    )

    with graph.edit() as edit:
        assert interrupt(edit, now=70)
        edit.commit()

    after = graph.to_session()
    assert after["status"] == "error"
    assert after["error"]
    assert after["runtimeTranscriptLastRun"] == RUN
    assert after["resumeRecovery"] == {
        "kind": "resume-required",
        "cause": "app-restart",
        "promptMessageId": "m3",
    }
    assert after["messages"][-1]["status"] == "error"
    assert after["messages"][2]["interrupted"] is True
    assert after["activities"][0]["status"] == "failed"
    assert materialize(after)["messages"] == after["messages"]
    do(graph, append("c9", flat("m9"), after="r1"))
    assert graph.root_branch["headMessageId"] == "m9"


def test_an_interrupted_turn_resumes_once_however_often_it_is_sent() -> None:
    graph = running()
    with graph.edit() as edit:
        interrupt(edit, now=70)
        edit.commit()
    resume = {"promptMessageId": "m3", "startedAt": 71}

    for number in range(3):
        do(graph, command(f"resume{number}", "resume-run", run=resume))

    assert graph.active_run == resume
    assert [one["id"] for one in graph.to_session()["messages"]] == ["m1", "m2", "m3"]


@pytest.mark.parametrize("status", ["idle", "waiting-for-user", "waiting-permission", "error"])
def test_a_session_without_a_run_is_not_interrupted(status: str) -> None:
    graph = SessionGraph.from_session({**session(flat("m1")), "status": status})

    with graph.edit() as edit:
        assert not interrupt(edit, now=70)
        assert edit.changes() == []


def test_a_running_session_without_a_run_is_interrupted_without_a_prompt() -> None:
    replay = {"kind": "before-message", "messageId": "gone"}
    given = {**session(flat("m1")), "status": "running", "pendingHistoryReplay": replay}
    graph = SessionGraph.from_session(given)

    with graph.edit() as edit:
        assert interrupt(edit, now=70)
        edit.commit()

    assert graph.fields["resumeRecovery"] == {"kind": "resume-required", "cause": "app-restart"}
    assert "pendingHistoryReplay" not in graph.fields
