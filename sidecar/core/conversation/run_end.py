"""How a run ends: settled by its runtime, or interrupted because its owner is gone."""

import enum
from typing import Any, Final

from attrs import evolve, frozen

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRunError
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.records import user_id
from sidecar.core.conversation.runs import LAST_RUN, is_run
from sidecar.core.conversation.session_edit import SessionEdit
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.values import ABSENT, JsonObject, reference

INTERRUPTED: Final = "interrupted"
INTERRUPTED_TEXT: Final = "The app was closed before the answer was complete."
_OPEN: Final = ("pending", "in_progress")


class Outcome(enum.StrEnum):
    """How a runtime says that its run ended."""

    COMPLETED = "completed"
    CANCELLED = "cancelled"
    CONNECTION_LOST = "connection-lost"
    ERROR = "error"
    WAITING = "waiting"


class WaitingFor(enum.StrEnum):
    """What a parked run waits for."""

    USER = "user"
    PERMISSION = "permission"
    PLAN_APPROVAL = "plan-approval"

    @property
    def status(self) -> str:
        return "waiting-for-user" if self is WaitingFor.USER else f"waiting-{self.value}"


@frozen
class _Row:
    """What an outcome makes of a session; None leaves the activities, or the marker's cause, be."""

    status: str
    replies: str
    activities: str | None
    recovery: str | None


_TABLE: Final[dict[Outcome, _Row]] = {
    Outcome.COMPLETED: _Row("idle", "complete", "completed", None),
    Outcome.CANCELLED: _Row("idle", "complete", "failed", "cancelled"),
    Outcome.CONNECTION_LOST: _Row("error", "error", "failed", "connection-lost"),
    Outcome.ERROR: _Row("error", "error", "failed", None),
    Outcome.WAITING: _Row("waiting", "complete", None, None),
}
_APP_RESTART: Final = _Row("error", "error", "failed", "app-restart")


@frozen(kw_only=True)
class Settlement:
    """How a runtime says that one run ended.

    `waiting_for` is used for WAITING, where it defaults to the user; `error` for the two failures.
    """

    prompt_message_id: str
    started_at: float
    outcome: Outcome
    waiting_for: WaitingFor | None = None
    error: str | None = None

    @property
    def run(self) -> JsonObject:
        return {"promptMessageId": self.prompt_message_id, "startedAt": self.started_at}


def settle(edit: SessionEdit, settlement: Settlement, *, now: float) -> str:
    """End the active run and tell its outcome; of a run that ended before, the first one.

    Raises ConversationRunError if the run is neither active nor the last one that ended.
    """
    session, run, outcome = edit.session, settlement.run, settlement.outcome
    active = session.active_run
    if active is None or not is_run(active, run):
        if session.last_run is not None and is_run(session.last_run, run):
            return session.head.runs.outcome or _told_outcome(session, run)
        raise ConversationRunError(Check.RUN_UNKNOWN, **run)
    row = _TABLE[outcome]
    if outcome is Outcome.WAITING:
        row = evolve(row, status=(settlement.waiting_for or WaitingFor.USER).status)
    with edit.whole_or_nothing():
        failed = row.status == "error"
        _end(edit, active, row, now=now, error=settlement.error if failed else None)
        edit.set_runs(evolve(session.head.runs, event_seq=None, outcome=outcome.value))
    return outcome.value


def interrupt(edit: SessionEdit, *, now: float) -> bool:
    """Turn a session whose runtime is gone into an interrupted one; tell whether it was one.

    Sessions that wait without a run stay as they are.
    """
    session = edit.session
    run = session.active_run
    if run is None and session.fields["status"] != "running":
        return False
    with edit.whole_or_nothing():
        _end(edit, run, _APP_RESTART, now=now, error=INTERRUPTED_TEXT)
        _close_replies(edit, list(session.index.streaming), "error", now=now)
        edit.set_fields(_without_lost_prompts(session))
        edit.set_runs(evolve(session.head.runs, event_seq=None, outcome=INTERRUPTED))
    return True


def _end(
    edit: SessionEdit, run: JsonObject | None, row: _Row, *, now: float, error: str | None
) -> None:
    session = edit.session
    if run is not None:
        prompt_id = run["promptMessageId"]
        _close_replies(edit, _replies(session, prompt_id), row.replies, now=now)
        if row.activities is not None:
            _close_activities(edit, prompt_id, row.activities, now=now)
            _close_groups(edit, prompt_id, now=now)
        if row.recovery is not None:
            _mark_interrupted(edit, prompt_id, now=now)
    edit.project_lists()
    edit.set_fields(_ended_fields(session, run, row, now=now, error=error))


def _ended_fields(
    session: SessionGraph, run: JsonObject | None, row: _Row, *, now: float, error: str | None
) -> dict[str, Any]:
    fields = session.fields
    recovery: Any = ABSENT
    if row.recovery is not None:
        named = {} if run is None else {"promptMessageId": run["promptMessageId"]}
        recovery = {"kind": "resume-required", "cause": row.recovery, **named}
    return {
        "status": row.status,
        "activeRun": ABSENT,
        **({} if run is None else {LAST_RUN: run}),
        "resumeRecovery": recovery,
        **({} if error is None else {"error": error}),
        "updatedAt": max(fields["updatedAt"], now),
    }


def _replies(session: SessionGraph, prompt_id: str) -> list[str]:
    """The streaming messages below the prompt on the run's branch."""
    index, branch = session.index, session.run_branch()
    return [
        one
        for one in index.streaming
        if index.is_on_path(branch, one) and index.message_descends(one, prompt_id)
    ]


def _close_replies(edit: SessionEdit, message_ids: list[str], status: str, *, now: float) -> None:
    for message_id in message_ids:
        message = edit.session.whole(Kind.MESSAGE, message_id)
        edit.replace(Kind.MESSAGE, _touched(message, now, status=status))


def _close_activities(edit: SessionEdit, prompt_id: str, status: str, *, now: float) -> None:
    for activity_id in _own(edit, Kind.ACTIVITY, prompt_id):
        stub = edit.session.index.activity(activity_id)
        if stub is not None and stub.get("status") in _OPEN:
            activity = edit.session.whole(Kind.ACTIVITY, activity_id)
            edit.replace(Kind.ACTIVITY, _touched(activity, now, status=status))


def _close_groups(edit: SessionEdit, prompt_id: str, *, now: float) -> None:
    for group_id in _own(edit, Kind.GROUP, prompt_id):
        group = edit.session.whole(Kind.GROUP, group_id)
        if group.get("completedAt") is None:
            edit.replace(Kind.GROUP, _touched(group, now, completedAt=now))


def _own(edit: SessionEdit, kind: Kind, prompt_id: str) -> list[str]:
    """The prompt's things on the run's branch."""
    index, branch_id = edit.session.index, edit.session.run_branch()["id"]
    found = ((one, index.thing(kind, one)) for one in index.of_prompt(kind, prompt_id))
    return [
        one
        for one, thing in found
        if thing is not None and thing.value["messageBranchId"] == branch_id
    ]


def _mark_interrupted(edit: SessionEdit, prompt_id: str, *, now: float) -> None:
    if edit.session.index.message(prompt_id) is None:
        return
    prompt = edit.session.whole(Kind.MESSAGE, prompt_id)
    if prompt.get("interrupted") is not True:
        edit.replace(Kind.MESSAGE, _touched(prompt, now, interrupted=True))


def _touched(value: JsonObject, now: float, **changes: Any) -> JsonObject:
    return {**value, **changes, "updatedAt": max(value.get("updatedAt", now), now)}


def _without_lost_prompts(session: SessionGraph) -> dict[str, Any]:
    """A marker or a history replay must name a prompt of the shown transcript."""
    changes: dict[str, Any] = {}
    recovery = session.fields.get("resumeRecovery") or {}
    if "promptMessageId" in recovery and not _is_shown(session, recovery, "promptMessageId"):
        kept = {key: value for key, value in recovery.items() if key != "promptMessageId"}
        changes["resumeRecovery"] = kept
    replay = session.fields.get("pendingHistoryReplay") or {}
    if replay.get("kind") == "before-message" and not _is_shown(session, replay, "messageId"):
        changes["pendingHistoryReplay"] = ABSENT
    return changes


def _is_shown(session: SessionGraph, record: JsonObject, key: str) -> bool:
    index, message_id = session.index, reference(record, key)
    shown = index.is_on_path(session.active_branch, message_id)
    return shown and user_id(index.message(message_id)) is not None


def _told_outcome(session: SessionGraph, run: JsonObject) -> str:
    """What an imported session tells of how its last run ended."""
    status = session.fields["status"]
    recovery = session.fields.get("resumeRecovery") or {}
    if recovery.get("promptMessageId") == run["promptMessageId"]:
        cause = recovery.get("cause")
        return INTERRUPTED if cause == "app-restart" else str(cause)
    if status == "error":
        return Outcome.ERROR.value
    return Outcome.WAITING.value if status.startswith("waiting") else Outcome.COMPLETED.value
