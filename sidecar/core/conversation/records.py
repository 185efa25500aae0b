"""Names of the graph's keys and lists, and how records are found and replaced in them.

Nothing here mutates a value that it is given.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sidecar.core.conversation.values import Graph, JsonObject, without

FRAMES: Final = "frames"
BRANCHES: Final = "branches"
MESSAGES: Final = "messages"
ACTIVITIES: Final = "activities"
GROUPS: Final = "activityGroups"
SEGMENTS: Final = "runtimeSegments"
GRAPH_LISTS: Final = (FRAMES, BRANCHES, MESSAGES, ACTIVITIES, GROUPS, SEGMENTS)

MESSAGE_GRAPH_KEYS: Final = (
    "agentFrameId",
    "introducedOnBranchId",
    "parentMessageId",
    "revisionRootMessageId",
    "supersedesMessageId",
    "runtimeSegmentId",
)
ACTIVITY_GRAPH_KEYS: Final = (
    "agentFrameId",
    "messageBranchId",
    "promptMessageId",
    "runtimeSegmentId",
)
GROUP_GRAPH_KEYS: Final = ("agentFrameId", "messageBranchId", "promptMessageId")


def project(node: JsonObject) -> JsonObject:
    """A message node as its flat message, without the six graph keys (3.5)."""
    return without(node, MESSAGE_GRAPH_KEYS)


def project_activity(activity: JsonObject) -> JsonObject:
    return without(activity, ACTIVITY_GRAPH_KEYS)


def project_group(group: JsonObject, *, shown: Sequence[str]) -> JsonObject:
    """A group as its flat form, with the members that are shown."""
    return {**without(group, GROUP_GRAPH_KEYS), "activityIds": list(shown)}


def first(records: Iterable[JsonObject], identity: object) -> JsonObject | None:
    return next((record for record in records if record["id"] == identity), None)


def by_id(records: Iterable[JsonObject]) -> dict[Any, JsonObject]:
    """An index over a list; of records that share an id it keeps the last."""
    return {record["id"]: record for record in records}


def replaced(
    records: Sequence[JsonObject], changes: Mapping[str, JsonObject], added: Iterable[JsonObject]
) -> list[JsonObject]:
    """The list with some records exchanged in place and new ones at the end."""
    return [*(changes.get(record["id"], record) for record in records), *added]


def updated(graph: Graph, key: str, record: JsonObject) -> Graph:
    """The graph with the record of this id exchanged in one of its lists."""
    return {**graph, key: replaced(graph[key], {record["id"]: record}, ())}


def newest_segment(graph: Graph, frame_id: str) -> JsonObject | None:
    """The frame's last segment in list order; start times play no part."""
    segments: list[JsonObject] = graph[SEGMENTS]
    return next((one for one in reversed(segments) if one["agentFrameId"] == frame_id), None)


def user_id(record: Mapping[str, Any] | None) -> str | None:
    """The record's id if it is a user's message."""
    return record["id"] if record is not None and record.get("role") == "user" else None
