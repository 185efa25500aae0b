"""Merging flat activities and groups into the graph's frame in view (3.8); nothing is validated."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from attrs import define, field

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.paths import active_branch, active_frame, path_to
from sidecar.core.conversation.records import (
    ACTIVITIES,
    ACTIVITY_GRAPH_KEYS,
    GROUP_GRAPH_KEYS,
    GROUPS,
    MESSAGES,
    by_id,
    newest_segment,
    replaced,
)
from sidecar.core.conversation.sync_messages import require_segment
from sidecar.core.conversation.values import Graph, JsonObject, reference


def sync_activities(
    graph: Graph,
    activities: Iterable[JsonObject],
    groups: Iterable[JsonObject],
    *,
    response_segment_id: str | None = None,
) -> Graph:
    """The graph with the flat things merged in; one without a prompt or segment is skipped."""
    frame = active_frame(graph)
    branch = active_branch(graph, frame)
    explicit = require_segment(graph, frame, response_segment_id, Check.ACTIVITY_SEGMENT_FOREIGN)
    path = path_to(by_id(graph[MESSAGES]), branch)
    newest = newest_segment(graph, frame["id"])
    merge = _Merge(
        branch=branch,
        prompts=_Prompts(path),
        explicit_segment=None if explicit is None else explicit["id"],
        newest_segment=None if newest is None else newest["id"],
        activities=_Table.of(graph[ACTIVITIES]),
        groups=_Table.of(graph[GROUPS]),
    )
    for activity in activities:
        merge.take_activity(activity)
    for group in groups:
        merge.take_group(group)
    return {
        **graph,
        ACTIVITIES: merge.activities.result(graph[ACTIVITIES]),
        GROUPS: merge.groups.result(graph[GROUPS]),
    }


class _Prompts:
    """The transcript's user messages, found by id or by the time of what they caused."""

    def __init__(self, path: Sequence[JsonObject]) -> None:
        self.on_path = {message["id"]: message for message in path}
        self.users = {one["id"]: one for one in path if one["role"] == "user"}
        self.last = next(reversed(self.users.values()), None)
        # Prompts by time, with the last of them in transcript order up to each time.
        ordered = sorted(enumerate(self.users.values()), key=lambda item: item[1]["createdAt"])
        self.times = [message["createdAt"] for _, message in ordered]
        self.latest: list[tuple[int, JsonObject]] = []
        for place, message in ordered:
            best = self.latest[-1] if self.latest else (place, message)
            self.latest.append(max(best, (place, message), key=lambda item: item[0]))

    def at(self, time: float) -> JsonObject | None:
        """The last prompt not after this time, or else the last prompt of all."""
        place = bisect_right(self.times, time)
        return self.latest[place - 1][1] if place else self.last


@define
class _Table:
    known: dict[str, JsonObject]
    changed: dict[str, JsonObject] = field(factory=dict)
    added: dict[str, JsonObject] = field(factory=dict)

    @classmethod
    def of(cls, records: Iterable[JsonObject]) -> "_Table":
        return cls(by_id(records))

    def put(self, record: JsonObject) -> None:
        identity = record["id"]
        fresh = identity in self.added or identity not in self.known
        (self.added if fresh else self.changed)[identity] = record
        self.known[identity] = record

    def result(self, records: Sequence[JsonObject]) -> list[JsonObject]:
        return replaced(records, self.changed, self.added.values())


@define
class _Merge:
    branch: JsonObject
    prompts: _Prompts
    explicit_segment: str | None
    newest_segment: str | None
    activities: _Table
    groups: _Table

    def take_activity(self, flat: JsonObject) -> None:
        prompt = self._named(flat)
        if prompt is None and reference(flat, "promptMessageId") is None:
            prompt = self.prompts.at(flat["createdAt"])
        if prompt is None:
            return
        known = self.activities.known.get(flat["id"])
        segment = self._segment(known, prompt)
        if segment is None:
            return
        if known is not None:
            self.activities.put({**known, **flat, **_kept(known, ACTIVITY_GRAPH_KEYS)})
            return
        place = self._place(prompt)
        self.activities.put({**flat, **place, "runtimeSegmentId": segment})

    def take_group(self, flat: JsonObject) -> None:
        prompt = self._named(flat)
        if prompt is None and reference(flat, "promptMessageId") is None:
            prompt = self._prompt_of_members(flat)
        if prompt is None:
            return
        known = self.groups.known.get(flat["id"])
        if known is not None:
            self.groups.put({**known, **flat, **_kept(known, GROUP_GRAPH_KEYS)})
            return
        self.groups.put({**flat, **self._place(prompt)})

    def _named(self, flat: JsonObject) -> JsonObject | None:
        return self.prompts.users.get(reference(flat, "promptMessageId") or "")

    def _segment(self, known: JsonObject | None, prompt: JsonObject) -> str | None:
        return (
            reference(known or {}, "runtimeSegmentId")
            or self.explicit_segment
            or reference(prompt, "runtimeSegmentId")
            or self.newest_segment
        )

    def _prompt_of_members(self, flat: JsonObject) -> JsonObject | None:
        known = self.activities.known
        member = next((known[one] for one in flat["activityIds"] if one in known), None)
        if member is None:
            return self.prompts.at(flat["createdAt"])
        return self.prompts.on_path.get(member.get("promptMessageId"))

    def _place(self, prompt: JsonObject) -> JsonObject:
        return {
            "agentFrameId": self.branch.get("agentFrameId"),
            "messageBranchId": self.branch["id"],
            "promptMessageId": prompt["id"],
        }


def _kept(known: JsonObject, keys: Iterable[str]) -> JsonObject:
    return {key: known[key] for key in keys if key in known}
