"""Walks over a whole graph: a branch's transcript, the view's transcript, a branch's ancestry.

Every walk ends: one that meets an element twice is refused.
"""

from typing import Any

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.lookup import Find
from sidecar.core.conversation.records import BRANCHES, FRAMES, MESSAGES, by_id, first
from sidecar.core.conversation.values import Graph, JsonObject, reference


def resolve_path(graph: Graph, branch_id: str | None) -> list[JsonObject]:
    """The branch's message nodes, oldest first (3.3)."""
    branch = first(graph[BRANCHES], branch_id)
    if branch is None:
        raise ConversationRefusedError(Check.BRANCH_NOT_FOUND, branchId=branch_id)
    return path_to(by_id(graph[MESSAGES]), branch)


def path_to(messages: dict[Any, JsonObject], branch: JsonObject) -> list[JsonObject]:
    """The nodes from the oldest to the branch's head, looked up in an index."""
    path: list[JsonObject] = []
    seen: set[str] = set()
    message_id = reference(branch, "headMessageId")
    while message_id is not None:
        if message_id in seen:
            raise ConversationRefusedError(Check.MESSAGE_CYCLE, messageId=message_id)
        seen.add(message_id)
        message = messages.get(message_id)
        if message is None or message.get("agentFrameId") != branch.get("agentFrameId"):
            raise ConversationRefusedError(Check.BRANCH_MESSAGE_INVALID, messageId=message_id)
        path.append(message)
        message_id = reference(message, "parentMessageId")
    path.reverse()
    return path


def resolve_active(graph: Graph) -> list[JsonObject]:
    """The transcript of the active branch of the frame in view (3.4)."""
    frame = first(graph[FRAMES], graph["activeFrameId"])
    if frame is None:
        raise ConversationRefusedError(Check.VIEW_FRAME_NOT_FOUND, frameId=graph["activeFrameId"])
    return resolve_path(graph, frame.get("activeBranchId"))


def active_frame(graph: Graph) -> JsonObject:
    """The frame in view, or the refusal that merging and branching give."""
    frame = first(graph[FRAMES], graph["activeFrameId"])
    if frame is None:
        raise ConversationRefusedError(Check.ACTIVE_FRAME_MISSING)
    return frame


def active_branch(graph: Graph, frame: JsonObject) -> JsonObject:
    branch = first(graph[BRANCHES], frame.get("activeBranchId"))
    if branch is None:
        raise ConversationRefusedError(Check.ACTIVE_BRANCH_MISSING)
    return branch


def ancestry(find: Find, identity: str | None, parent_key: str) -> list[JsonObject]:
    """The record and its ancestors, root first; an unknown parent ends the walk."""
    chain: list[JsonObject] = []
    seen: set[str] = set()
    while identity is not None:
        record = find(identity)
        if record is None:
            break
        if identity in seen:
            raise ConversationRefusedError(Check.WALK_CYCLE, id=identity)
        seen.add(identity)
        chain.append(record)
        identity = reference(record, parent_key)
    chain.reverse()
    return chain
