"""The kinds of things that a session in memory is made of, whole or without their bodies.

A stub holds just what the rules of a session ask of a message or an activity; texts and tool
output stay where a loader finds them.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from attrs import frozen

from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.records import (
    ACTIVITIES,
    ACTIVITY_GRAPH_KEYS,
    MESSAGE_GRAPH_KEYS,
)
from sidecar.core.conversation.values import JsonObject

STUB_KEYS: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.MESSAGE: (
        "id",
        "role",
        "status",
        "createdAt",
        "updatedAt",
        "responseToMessageId",
        *MESSAGE_GRAPH_KEYS,
    ),
    Kind.ACTIVITY: (
        "id",
        "status",
        "sortIndex",
        "createdAt",
        "updatedAt",
        "activityGroupId",
        *ACTIVITY_GRAPH_KEYS,
    ),
}
Load: TypeAlias = Callable[[Kind, str], JsonObject]


@frozen
class Thing:
    """One thing of a session's graph; `rank` orders its list, `whole` tells a stub from a value."""

    rank: int
    value: JsonObject
    whole: bool = True


@frozen
class Change:
    """What one edit did to one thing; values are whole, `before` is None where it is new.

    Of a session the values are `Head.fields`.
    """

    kind: Kind
    id: str
    rank: int
    before: JsonObject | None
    after: JsonObject


@frozen
class RunRecord:
    """What is known of runs beside the session's JSON, and never exported.

    `branch_id`, `event_seq` and `graph_run_id` are of the run that started last; `outcome` is the
    first one of the run that ended last.
    """

    branch_id: str | None = None
    event_seq: float | None = None
    outcome: str | None = None
    graph_run_id: str | None = None


@frozen
class Head:
    """All of a session but its things and its command ids.

    `fields` is the session's JSON with its lists emptied, so that every key keeps its place.
    `projected` tells that the flat lists follow from the graph; until the first write to an
    imported session they do not, and `fields` has `activities` and `activityGroups` as they came.
    `borrowed` names, for each of these activities, the members that are null there since the
    graph's activity of the same id has them: what tools gave is kept once.
    """

    fields: JsonObject
    projected: bool = True
    borrowed: tuple[tuple[str, ...], ...] = ()
    runs: RunRecord = RunRecord()

    def completed(self, place: int, lender: JsonObject | None) -> JsonObject:
        """The flat activity of a place as it came; `lender` is the graph's of the same id."""
        flat: JsonObject = self.fields[ACTIVITIES][place]
        names = self.borrowed[place] if self.borrowed else ()
        return {**flat, **{name: lender[name] for name in names}} if lender else flat


def stub(kind: Kind, value: JsonObject) -> JsonObject:
    """The keys that rules ask for; other kinds than messages and activities stay whole."""
    keys = STUB_KEYS.get(kind)
    return value if keys is None else {key: value[key] for key in keys if key in value}


def differs(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one is not other and one != other
