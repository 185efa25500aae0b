"""Forking and showing branches of a whole graph (3.11 to 3.13); every result is validated."""

from typing import Any

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.paths import (
    active_branch,
    active_frame,
    ancestry,
    resolve_path,
)
from sidecar.core.conversation.records import (
    ACTIVITIES,
    BRANCHES,
    FRAMES,
    by_id,
    first,
    updated,
    user_id,
)
from sidecar.core.conversation.validation import validate
from sidecar.core.conversation.values import Graph, JsonObject, reference
from sidecar.core.conversation.visibility import resolve_activities


def fork_message(graph: Graph, *, message_id: str, branch_id: str, now: float) -> Graph:
    """A new branch in view that replaces a prompt of the shown transcript."""
    frame = active_frame(graph)
    branch = active_branch(graph, frame)
    path = resolve_path(graph, branch["id"])
    target = first(path, message_id)
    if user_id(target) is None or target is None:
        raise ConversationRefusedError(Check.PROMPT_NOT_ACTIVE, messageId=message_id)
    fork = edit_branch(branch, target, branch_id=branch_id, now=now)
    return _with_branch(graph, frame, fork)


def fork_activity(
    graph: Graph, *, message_id: str, activity_id: str, branch_id: str, now: float
) -> Graph:
    """A new branch in view that goes on after a message, without an activity and later ones."""
    frame = active_frame(graph)
    branch = active_branch(graph, frame)
    path = resolve_path(graph, branch["id"])
    if first(path, message_id) is None:
        raise ConversationRefusedError(Check.FORK_MESSAGE_NOT_ACTIVE, messageId=message_id)
    activity = first(graph[ACTIVITIES], activity_id)
    visible, _ = resolve_activities(graph)
    if activity is None or first(visible, activity_id) is None:
        raise ConversationRefusedError(Check.FORK_ACTIVITY_NOT_ACTIVE, activityId=activity_id)
    fork = cut_branch(
        branch, message_id=message_id, activity_id=activity_id, branch_id=branch_id, now=now
    )
    return _with_branch(graph, frame, fork)


def activate(graph: Graph, branch_id: str) -> Graph:
    """The branch becomes its frame's active one; the view follows as far as it can."""
    branch = first(graph[BRANCHES], branch_id)
    if branch is None:
        raise ConversationRefusedError(Check.BRANCH_UNKNOWN, branchId=branch_id)
    frame = first(graph[FRAMES], branch.get("agentFrameId"))
    if frame is None:
        raise ConversationRefusedError(Check.BRANCH_FRAME_UNKNOWN, branchId=branch_id)
    moved = updated(graph, FRAMES, {**frame, "activeBranchId": branch_id})
    shown = {**moved, "activeFrameId": _frame_in_view(moved, frame["id"])}
    validate(shown)
    return shown


def select_frame(graph: Graph, frame_id: str) -> Graph:
    """Put a frame in view; it must have begun at messages that the frames above show."""
    if first(graph[FRAMES], frame_id) is None:
        raise ConversationRefusedError(Check.FRAME_UNKNOWN, frameId=frame_id)
    shown = {**graph, "activeFrameId": frame_id}
    validate(shown)
    return shown


def edit_branch(
    parent: JsonObject, target: JsonObject, *, branch_id: str, now: float
) -> JsonObject:
    """The branch that replaces `target` and ends, so far, right before it."""
    point: dict[str, Any] = {}
    if "parentMessageId" in target:
        point = {
            "forkMessageId": target["parentMessageId"],
            "headMessageId": target["parentMessageId"],
        }
    return {**_branch(parent, branch_id, now), **point, "supersededMessageId": target["id"]}


def cut_branch(
    parent: JsonObject, *, message_id: str, activity_id: str, branch_id: str, now: float
) -> JsonObject:
    return {
        **_branch(parent, branch_id, now),
        "forkMessageId": message_id,
        "headMessageId": message_id,
        "forkActivityId": activity_id,
    }


def _branch(parent: JsonObject, branch_id: str, now: float) -> JsonObject:
    return {
        "id": branch_id,
        "agentFrameId": parent.get("agentFrameId"),
        "parentBranchId": parent["id"],
        "createdAt": now,
        "updatedAt": now,
    }


def _with_branch(graph: Graph, frame: JsonObject, branch: JsonObject) -> Graph:
    if first(graph[BRANCHES], branch["id"]) is not None:
        raise ConversationRefusedError(Check.BRANCH_EXISTS, branchId=branch["id"])
    shown = updated(graph, FRAMES, {**frame, "activeBranchId": branch["id"]})
    forked = {**shown, BRANCHES: [*graph[BRANCHES], branch]}
    validate(forked)
    return forked


def _frame_in_view(graph: Graph, changed_id: str) -> str:
    """The deepest frame of the view's chain that still has its origin shown above it."""
    chain = ancestry(by_id(graph[FRAMES]).get, graph["activeFrameId"], "parentFrameId")
    places = [place for place, frame in enumerate(chain) if frame["id"] == changed_id]
    if not places:
        return changed_id
    kept = chain[places[0]]
    for child in chain[places[0] + 1 :]:
        origin = reference(child, "originMessageId")
        transcript = {one["id"] for one in resolve_path(graph, kept.get("activeBranchId"))}
        if child.get("originBindingState") != "validated" or origin not in transcript:
            break
        kept = child
    identity: str = kept["id"]
    return identity
