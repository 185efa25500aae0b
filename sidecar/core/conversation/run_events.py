"""What a runtime writes while a run is at work: replies, activities and groups of exactly that run.

The order of arrival decides, times do not. A call is written as a whole or not at all.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, Final

from attrs import evolve, frozen

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import (
    ConversationRunError,
    ConversationSchemaError,
    Issue,
)
from sidecar.core.conversation.event_activities import write_activities
from sidecar.core.conversation.event_messages import write_messages
from sidecar.core.conversation.event_places import EventPlace
from sidecar.core.conversation.records import user_id
from sidecar.core.conversation.runs import is_run, resumable
from sidecar.core.conversation.session_edit import SessionEdit
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.session_shape import activity_issues, group_issues, message_issues
from sidecar.core.conversation.values import ABSENT, JsonObject, is_finite_number

RUNNING_STATUSES: Final = (
    "running",
    "waiting-for-user",
    "waiting-permission",
    "waiting-plan-approval",
)


@frozen(kw_only=True)
class RunEvents:
    """One call of a runtime. Things are flat: graph keys in them are dropped.

    `append_text` has pairs of a reply's id and the text to add to its content; `event_seq` orders
    the calls of one run; `admitted` and `history_accepted` tell what the provider has taken.
    """

    prompt_message_id: str
    started_at: float
    event_seq: float | None = None
    runtime_segment_id: str | None = None
    admitted: bool = False
    history_accepted: bool = False
    status: str | None = None
    messages: Sequence[JsonObject] = ()
    append_text: Sequence[tuple[str, str]] = ()
    activities: Sequence[JsonObject] = ()
    activity_groups: Sequence[JsonObject] = ()

    @property
    def run(self) -> JsonObject:
        return {"promptMessageId": self.prompt_message_id, "startedAt": self.started_at}


class Ignored(Enum):
    """Why a call had no effect."""

    RUN_ENDED = "run-ended"
    REPEATED = "repeated"


def record_events(edit: SessionEdit, events: RunEvents, *, now: float) -> Ignored | None:
    """Write a runtime's call into the session, or tell why it is ignored.

    Raises ConversationRunError for a run the session does not know; ConversationSchemaError or
    ConversationRefusedError for things that do not fit, in which case nothing is written.
    """
    session = edit.session
    ignored = _ignored(session, events)
    if ignored is not None:
        return ignored
    issues = list(_issues(events))
    if issues:
        raise ConversationSchemaError(issues)
    with edit.whole_or_nothing():
        _write(edit, events, now=now)
    return None


def has_ended(session: SessionGraph, run: JsonObject) -> bool:
    """Whether a run of a known prompt is over: no run starts before one that has ended."""
    last = session.last_run
    return (
        last is not None
        and run["startedAt"] <= last["startedAt"]
        and user_id(session.index.message(run["promptMessageId"])) is not None
    )


def _ignored(session: SessionGraph, events: RunEvents) -> Ignored | None:
    active = session.active_run
    if active is None or not is_run(active, events.run):
        if has_ended(session, events.run):
            return Ignored.RUN_ENDED
        raise ConversationRunError(Check.RUN_UNKNOWN, **events.run)
    last = session.head.runs.event_seq
    if events.event_seq is not None and last is not None and events.event_seq <= last:
        return Ignored.REPEATED
    return None


def _write(edit: SessionEdit, events: RunEvents, *, now: float) -> None:
    session = edit.session
    mark = edit.mark()
    place = EventPlace.of(
        session,
        prompt_id=events.prompt_message_id,
        segment_id=events.runtime_segment_id,
        now=now,
    )
    write_messages(edit, place, events.messages, events.append_text)
    write_activities(edit, place, events.activities, events.activity_groups)
    if edit.mark() != mark:
        edit.project_lists()
    edit.set_fields(_fields(session, events))
    if edit.mark() != mark and now > session.fields["updatedAt"]:
        edit.set_fields({"updatedAt": now})
    if events.event_seq is not None:
        edit.set_runs(evolve(session.head.runs, event_seq=events.event_seq))


def _fields(session: SessionGraph, events: RunEvents) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if events.status is not None and events.status != session.fields["status"]:
        fields["status"] = events.status
    if events.admitted and resumable(session.fields, events.prompt_message_id):
        fields["resumeRecovery"] = ABSENT
    if events.history_accepted:
        fields |= {"pendingHistoryReplay": ABSENT, "branchContextResetRequired": ABSENT}
    return {
        key: value for key, value in fields.items() if value is not ABSENT or key in session.fields
    }


def _issues(events: RunEvents) -> Iterator[Issue]:
    if events.status is not None and events.status not in RUNNING_STATUSES:
        expected = f"expected one of {', '.join(RUNNING_STATUSES)}"
        yield Issue("invalid_value", ("status",), expected)
    if events.event_seq is not None and not is_finite_number(events.event_seq):
        yield Issue("invalid_type", ("eventSeq",), "expected a number")
    things = (
        ("messages", events.messages, message_issues),
        ("activities", events.activities, activity_issues),
        ("activityGroups", events.activity_groups, group_issues),
    )
    for name, values, check in things:
        for place, value in enumerate(values):
            yield from (issue.below(name, place) for issue in check(value))
