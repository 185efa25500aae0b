"""Merging a flat transcript into the graph's frame in view (3.7); the result is validated."""

from collections.abc import Iterable
from typing import Any

from attrs import define, field

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.paths import active_branch, active_frame, path_to
from sidecar.core.conversation.records import (
    BRANCHES,
    MESSAGES,
    SEGMENTS,
    by_id,
    first,
    newest_segment,
    replaced,
)
from sidecar.core.conversation.validation import validate
from sidecar.core.conversation.values import (
    ABSENT,
    Graph,
    JsonObject,
    present,
    reference,
    strictly_equal,
    without,
)


def sync_messages(
    graph: Graph,
    projection: Iterable[JsonObject],
    *,
    updated_at: float,
    response_segment_id: str | None = None,
) -> Graph:
    """The graph with the flat messages merged in: newer payloads copied, unknown ones appended."""
    frame = active_frame(graph)
    branch = active_branch(graph, frame)
    require_segment(graph, frame, response_segment_id, Check.RESPONSE_SEGMENT_FOREIGN)
    merge = _Merge.into(graph, frame, branch, response_segment_id)
    for message in projection:
        merge.take(message)
    stamped = {**branch, **present(headMessageId=merge.new_head), "updatedAt": updated_at}
    merged = {
        **graph,
        MESSAGES: replaced(graph[MESSAGES], merge.changed, merge.added.values()),
        BRANCHES: replaced(graph[BRANCHES], {branch["id"]: stamped}, ()),
    }
    validate(merged)
    return merged


def require_segment(
    graph: Graph, frame: JsonObject, segment_id: str | None, check: Check
) -> JsonObject | None:
    """The explicitly named segment, which must be one of the frame."""
    if not segment_id:
        return None
    segment = first(graph[SEGMENTS], segment_id)
    if segment is None or segment.get("agentFrameId") != frame["id"]:
        raise ConversationRefusedError(check, segmentId=segment_id)
    return segment


def new_node(
    message: JsonObject,
    *,
    branch: JsonObject,
    tail: Any,
    superseded: JsonObject | None,
    segment_id: str | None,
) -> JsonObject:
    """The node of a flat message appended behind `tail`, the raw head id or ABSENT.

    `superseded` is the message that the branch replaces, or None where the tail is past the fork.
    """
    dropped = ["agentFrameId", "introducedOnBranchId", "parentMessageId", "runtimeSegmentId"]
    node: JsonObject = {
        **without(message, dropped),
        "agentFrameId": branch.get("agentFrameId"),
        "introducedOnBranchId": branch["id"],
        **({} if tail is ABSENT else {"parentMessageId": tail}),
        **present(runtimeSegmentId=segment_id),
    }
    if message.get("role") != "user":
        return node
    if superseded is None:
        return {**node, "revisionRootMessageId": message["id"]}
    root = reference(superseded, "revisionRootMessageId") or superseded["id"]
    return {**node, "revisionRootMessageId": root, "supersedesMessageId": superseded["id"]}


@define
class _Merge:
    branch: JsonObject
    known: dict[str, JsonObject]
    transcript: set[str]
    tail: Any
    explicit_segment: str | None
    newest_segment: str | None
    changed: dict[str, JsonObject] = field(factory=dict)
    added: dict[str, JsonObject] = field(factory=dict)

    @classmethod
    def into(
        cls, graph: Graph, frame: JsonObject, branch: JsonObject, response_segment_id: str | None
    ) -> "_Merge":
        known = by_id(graph[MESSAGES])
        newest = newest_segment(graph, frame["id"])
        return cls(
            branch=branch,
            known=known,
            transcript={message["id"] for message in path_to(known, branch)},
            tail=branch.get("headMessageId", ABSENT),
            explicit_segment=response_segment_id or None,
            newest_segment=None if newest is None else newest["id"],
        )

    @property
    def new_head(self) -> str | None:
        return next(reversed(self.added), None)

    def take(self, message: JsonObject) -> None:
        known = self.known.get(message["id"])
        if known is None:
            self._append(message)
        elif message["id"] not in self.transcript:
            raise ConversationRefusedError(Check.MESSAGE_ON_OTHER_BRANCH, messageId=message["id"])
        elif message["updatedAt"] > known["updatedAt"]:
            self._store({**known, **message})

    def _append(self, message: JsonObject) -> None:
        node = new_node(
            message,
            branch=self.branch,
            tail=self.tail,
            superseded=self._superseded(),
            segment_id=self._segment(message),
        )
        self.added[node["id"]] = node
        self.transcript.add(node["id"])
        self.tail = node["id"]
        self._store(node)

    def _store(self, node: JsonObject) -> None:
        kept = self.added if node["id"] in self.added else self.changed
        kept[node["id"]] = node
        self.known[node["id"]] = node

    def _superseded(self) -> JsonObject | None:
        identity = reference(self.branch, "supersededMessageId")
        if identity is None or not strictly_equal(
            self.tail, self.branch.get("forkMessageId", ABSENT)
        ):
            return None
        return self.known.get(identity, {"id": identity})

    def _segment(self, message: JsonObject) -> str | None:
        target = reference(message, "responseToMessageId")
        if message.get("role") != "agent" or target is None:
            return self.newest_segment
        answered = self.known.get(target, {})
        return (
            self.explicit_segment or reference(answered, "runtimeSegmentId") or self.newest_segment
        )
