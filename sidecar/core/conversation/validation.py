"""Validation of a whole graph (3.9): linear in its size, the first failing check wins."""

from collections.abc import Sequence
from typing import Any

from sidecar.core.conversation.check_activities import (
    check_activity,
    check_group,
    check_group_members,
)
from sidecar.core.conversation.check_messages import (
    check_branch,
    check_message_links,
    check_message_place,
    check_view,
)
from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.forest import Forest
from sidecar.core.conversation.lookup import Find
from sidecar.core.conversation.records import (
    ACTIVITIES,
    BRANCHES,
    FRAMES,
    GROUPS,
    MESSAGES,
    SEGMENTS,
    by_id,
)
from sidecar.core.conversation.values import ABSENT, Graph, JsonObject, reference, strictly_equal


def validate(graph: Graph) -> None:
    """Raise ConversationRefusedError with the first check of 3.9 that the graph fails."""
    _check_identities(graph)
    index = GraphIndex(graph)
    _check_frames(graph, index)
    _check_branch_links(graph, index)
    _check_messages(graph, index)
    for group in graph[GROUPS]:
        check_group(index, group)
    for activity in graph[ACTIVITIES]:
        check_activity(index, activity)
    for group in graph[GROUPS]:
        check_group_members(index, group)


class GraphIndex:
    """The lookups that one validation needs, made once from the whole graph."""

    def __init__(self, graph: Graph) -> None:
        self._frames = by_id(graph[FRAMES])
        self._branches = by_id(graph[BRANCHES])
        self._messages = by_id(graph[MESSAGES])
        self._root_frame_id: str = graph["rootFrameId"]
        self.frame: Find = self._frames.get
        self.branch: Find = self._branches.get
        self.message: Find = self._messages.get
        self.activity: Find = by_id(graph[ACTIVITIES]).get
        self.group: Find = by_id(graph[GROUPS]).get
        self.segment: Find = by_id(graph[SEGMENTS]).get
        self.branches = _forest(graph[BRANCHES], "parentBranchId")
        self.messages = _forest(graph[MESSAGES], "parentMessageId")
        self._entries: dict[tuple[str | None, Any], JsonObject] = {}
        for message in graph[MESSAGES]:
            self._note_entry(message)

    @property
    def root_frame_id(self) -> str:
        return self._root_frame_id

    def branch_descends(self, branch_id: str | None, ancestor_id: str | None) -> bool:
        return self.branches.is_ancestor(ancestor_id, branch_id)

    def message_descends(self, message_id: str | None, ancestor_id: str | None) -> bool:
        return self.messages.is_ancestor(ancestor_id, message_id)

    def first_entry(self, branch_id: str | None, parent: Any) -> JsonObject | None:
        return self._entries.get((branch_id, parent))

    def _note_entry(self, message: JsonObject) -> None:
        parent = self._messages.get(reference(message, "parentMessageId") or "")
        branch_id = message.get("introducedOnBranchId")
        if parent is None or parent.get("introducedOnBranchId") != branch_id:
            key = (branch_id, message.get("parentMessageId", ABSENT))
            self._entries.setdefault(key, message)


def _forest(records: Sequence[JsonObject], parent_key: str) -> Forest:
    return Forest((record["id"], reference(record, parent_key)) for record in records)


def _check_identities(graph: Graph) -> None:
    """A to G but for the root frame's own form."""
    if not strictly_equal(graph.get("schemaVersion"), 1):
        raise ConversationRefusedError(Check.GRAPH_VERSION)
    frames = by_id(graph[FRAMES])
    if len(frames) != len(graph[FRAMES]) or _repeats(graph[BRANCHES]):
        raise ConversationRefusedError(Check.DUPLICATE_IDS)
    root = frames.get(graph["rootFrameId"])
    if root is None or _repeats(graph[MESSAGES]) or _repeats(graph[ACTIVITIES]):
        raise ConversationRefusedError(Check.DUPLICATE_OR_MISSING_ROOT)
    if graph["activeFrameId"] not in frames:
        raise ConversationRefusedError(Check.ACTIVE_FRAME_INVALID)
    if (
        root.get("kind") != "root"
        or root.get("originBindingState") != "root"
        or reference(root, "parentFrameId")
        or reference(root, "originMessageId")
    ):
        raise ConversationRefusedError(Check.ROOT_FRAME_INVALID)
    if _repeats(graph[GROUPS]):
        raise ConversationRefusedError(Check.DUPLICATE_GROUP_IDS)
    if _repeats(graph[SEGMENTS]):
        raise ConversationRefusedError(Check.DUPLICATE_SEGMENT_IDS)


def _repeats(records: Sequence[JsonObject]) -> bool:
    return len({record["id"] for record in records}) != len(records)


def _check_frames(graph: Graph, index: GraphIndex) -> None:
    """H and I."""
    for frame in graph[FRAMES]:
        branch = index.branch(frame.get("activeBranchId"))
        if branch is None or branch.get("agentFrameId") != frame["id"]:
            raise ConversationRefusedError(Check.FRAME_BRANCH_INVALID, id=frame["id"])
        if frame["id"] != index.root_frame_id:
            _check_child_frame(index, frame)
    frames = _forest(graph[FRAMES], "parentFrameId")
    if not frames.is_whole():
        raise ConversationRefusedError(Check.FRAME_CYCLE)


def _check_child_frame(index: GraphIndex, frame: JsonObject) -> None:
    binding = frame.get("originBindingState")
    if frame["kind"] == "root" or binding == "root":
        raise ConversationRefusedError(Check.NON_ROOT_FRAME_INVALID, id=frame["id"])
    parent_id = reference(frame, "parentFrameId")
    if parent_id is None:
        raise ConversationRefusedError(Check.FRAME_DETACHED, id=frame["id"])
    has_origin = reference(frame, "originMessageId") is not None
    if (binding == "validated" and not has_origin) or (
        binding == "legacy-unavailable" and has_origin
    ):
        raise ConversationRefusedError(Check.FRAME_ORIGIN_INVALID, id=frame["id"])
    if index.frame(parent_id) is None:
        raise ConversationRefusedError(Check.FRAME_PARENT_MISSING, id=frame["id"])


def _check_branch_links(graph: Graph, index: GraphIndex) -> None:
    """J, K and L."""
    for branch in graph[BRANCHES]:
        if index.frame(branch.get("agentFrameId")) is None:
            raise ConversationRefusedError(Check.BRANCH_FRAME_MISSING, id=branch["id"])
        parent_id = reference(branch, "parentBranchId")
        parent = None if parent_id is None else index.branch(parent_id)
        if parent_id is not None and (
            parent is None or parent.get("agentFrameId") != branch.get("agentFrameId")
        ):
            raise ConversationRefusedError(Check.BRANCH_PARENT_INVALID, id=branch["id"])
    if not index.branches.is_whole():
        raise ConversationRefusedError(Check.BRANCH_CYCLE)
    for segment in graph[SEGMENTS]:
        if index.frame(segment.get("agentFrameId")) is None:
            raise ConversationRefusedError(Check.SEGMENT_FRAME_MISSING, id=segment["id"])


def _check_messages(graph: Graph, index: GraphIndex) -> None:
    """M to S."""
    for message in graph[MESSAGES]:
        check_message_place(index, message)
    if not index.messages.is_whole():
        raise ConversationRefusedError(Check.MESSAGE_CYCLE)
    for branch in graph[BRANCHES]:
        check_branch(index, branch)
    _check_reachable(graph, index)
    for frame in graph[FRAMES]:
        _check_origin(index, frame)
    check_view(index, graph["activeFrameId"])
    for message in graph[MESSAGES]:
        check_message_links(index, message)


def _check_reachable(graph: Graph, index: GraphIndex) -> None:
    """P: every message is a head or above one."""
    reached: set[str] = set()
    for branch in graph[BRANCHES]:
        message_id = reference(branch, "headMessageId")
        while message_id is not None and message_id not in reached:
            reached.add(message_id)
            message = index.message(message_id)
            message_id = None if message is None else reference(message, "parentMessageId")
    for message in graph[MESSAGES]:
        if message["id"] not in reached:
            raise ConversationRefusedError(Check.MESSAGE_UNREACHABLE, messageId=message["id"])


def _check_origin(index: GraphIndex, frame: JsonObject) -> None:
    """Q: a validated child frame began at a message of its parent frame."""
    if frame["id"] == index.root_frame_id or frame.get("originBindingState") != "validated":
        return
    origin = index.message(frame.get("originMessageId"))
    if origin is None or origin.get("agentFrameId") != frame.get("parentFrameId"):
        raise ConversationRefusedError(Check.FRAME_ORIGIN_INVALID, id=frame["id"])
