"""Root activities for delegations that a control call made in child frames (3.10).

Where the format orders ties by the rules of a locale, code points decide here.
"""

import re
from collections.abc import Iterable
from typing import Final

from attrs import define, field

from sidecar.core.conversation.paths import resolve_path
from sidecar.core.conversation.records import (
    ACTIVITIES,
    FRAMES,
    MESSAGES,
    by_id,
)
from sidecar.core.conversation.validation import validate
from sidecar.core.conversation.values import Graph, JsonObject, reference

SEPARATOR: Final = "\0delegate\0"
_CALL: Final = re.compile(r"[1-9][0-9]{0,15}")


def parse_nested(value: str) -> tuple[str, str] | None:
    """The control invocation and the delegation call of a nested invocation id, or None."""
    control, separator, call = value.partition(SEPARATOR)
    if not separator or not control or SEPARATOR in value[1 + len(control) :]:
        return None
    return (control, call) if _CALL.fullmatch(call) else None


def materialize_nested(graph: Graph) -> Graph:
    """The graph with the missing activities added, or the same graph where none is missing."""
    validate(graph)
    candidates = _candidates(graph)
    if not candidates:
        return graph
    extended = {**graph, ACTIVITIES: [*graph[ACTIVITIES], *_activities(graph, candidates)]}
    validate(extended)
    return extended


@define
class _Candidate:
    invocation_id: str
    source: JsonObject
    created_at: float
    frame_ids: set[str] = field(factory=set)


def _candidates(graph: Graph) -> list[_Candidate]:
    qualified = _Qualified(graph)
    found: dict[str, _Candidate] = {}
    dropped: set[str] = set()
    for prompt in sorted(qualified.prompts(), key=lambda one: (one["createdAt"], one["id"])):
        caller = prompt["delegatedCallerSource"]
        invocation_id = caller["toolInvocationId"]
        source = qualified.source(prompt)
        if source is None or invocation_id in dropped:
            continue
        candidate = found.setdefault(
            invocation_id, _Candidate(invocation_id, source, prompt["createdAt"])
        )
        if candidate.source["id"] != source["id"]:
            del found[invocation_id]
            dropped.add(invocation_id)
            continue
        candidate.frame_ids.add(prompt["agentFrameId"])
    return sorted(found.values(), key=lambda one: (one.created_at, one.invocation_id))


class _Qualified:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.frames = by_id(graph[FRAMES])
        self.messages = by_id(graph[MESSAGES])
        self.activities = by_id(graph[ACTIVITIES])
        self.paths: dict[str | None, set[str]] = {}

    def prompts(self) -> Iterable[JsonObject]:
        return (message for message in self.graph[MESSAGES] if self._delegated(message))

    def _delegated(self, message: JsonObject) -> bool:
        caller = message.get("delegatedCallerSource")
        if message.get("role") != "user" or not isinstance(caller, dict):
            return False
        invocation_id = caller.get("toolInvocationId")
        if not isinstance(invocation_id, str) or invocation_id in self.activities:
            return False
        frame = self.frames[message["agentFrameId"]]
        return (
            parse_nested(invocation_id) is not None
            and frame["kind"] == "delegate"
            and frame.get("parentFrameId") == self.graph["rootFrameId"]
        )

    def source(self, prompt: JsonObject) -> JsonObject | None:
        identity = prompt["delegatedCallerSource"].get("rootMessageId")
        source = self.messages.get(identity) if isinstance(identity, str) else None
        if (
            source is None
            or source.get("role") != "user"
            or source.get("agentFrameId") != self.graph["rootFrameId"]
            or reference(source, "runtimeSegmentId") is None
            or source["id"] not in self._path(source.get("introducedOnBranchId"))
        ):
            return None
        return source

    def _path(self, branch_id: str | None) -> set[str]:
        if branch_id not in self.paths:
            self.paths[branch_id] = {one["id"] for one in resolve_path(self.graph, branch_id)}
        return self.paths[branch_id]


def _activities(graph: Graph, candidates: Iterable[_Candidate]) -> list[JsonObject]:
    highest: dict[str, float] = {}
    for activity in graph[ACTIVITIES]:
        prompt_id = activity.get("promptMessageId")
        highest[prompt_id] = max(highest.get(prompt_id, -1), activity["sortIndex"])
    added: list[JsonObject] = []
    for candidate in candidates:
        prompt_id = candidate.source["id"]
        highest[prompt_id] = highest.get(prompt_id, -1) + 1
        added.append(_activity(candidate, graph["rootFrameId"], highest[prompt_id]))
    return added


def _activity(candidate: _Candidate, root_frame_id: str, sort_index: float) -> JsonObject:
    nested = parse_nested(candidate.invocation_id)
    assert nested is not None
    control, call = nested
    frame_ids = sorted(candidate.frame_ids, key=lambda one: one.encode("utf-16-be"))
    return {
        "id": candidate.invocation_id,
        "kind": "tool",
        "title": "Delegate subagent",
        "status": "completed",
        "sortIndex": sort_index,
        "eventIds": [],
        "createdAt": candidate.created_at,
        "updatedAt": candidate.created_at,
        "providerToolName": "host.delegate",
        "toolKind": "other",
        "rawInput": {"controlInvocationId": control, "delegationCallId": call},
        "rawOutput": {"children": [{"frameId": frame_id} for frame_id in frame_ids]},
        "agentFrameId": root_frame_id,
        "messageBranchId": candidate.source.get("introducedOnBranchId"),
        "promptMessageId": candidate.source["id"],
        "runtimeSegmentId": candidate.source.get("runtimeSegmentId"),
    }
