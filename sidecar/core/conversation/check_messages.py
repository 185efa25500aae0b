"""Checks of single messages and branches against the rest of a graph (3.9 M, O, R and S)."""

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.lookup import Lookup
from sidecar.core.conversation.values import ABSENT, JsonObject, reference, same_key


def check_message_place(graph: Lookup, message: JsonObject) -> None:
    """M: the introduction branch, segment and parent are of the message's frame and line up."""
    branch_id = message.get("introducedOnBranchId")
    if not _of_frame(graph.branch(branch_id), message):
        raise _refused(Check.MESSAGE_BRANCH_INVALID, message)
    segment_id = reference(message, "runtimeSegmentId")
    if segment_id is not None and not _of_frame(graph.segment(segment_id), message):
        raise _refused(Check.MESSAGE_SEGMENT_INVALID, message)
    parent_id = reference(message, "parentMessageId")
    if parent_id is None:
        return
    parent = graph.message(parent_id)
    if parent is None or not _of_frame(parent, message):
        raise _refused(Check.MESSAGE_PARENT_INVALID, message)
    if not graph.branch_descends(branch_id, parent.get("introducedOnBranchId")):
        raise _refused(Check.MESSAGE_OFF_BRANCH_PATH, message)


def check_branch(graph: Lookup, branch: JsonObject) -> None:
    """O: the head is the branch's, and what it was forked from lies on both paths."""
    head_id = reference(branch, "headMessageId")
    if head_id is not None:
        _check_head(graph, branch, head_id)
    forks = reference(branch, "forkMessageId") or reference(branch, "forkActivityId")
    if forks is not None and reference(branch, "parentBranchId") is None:
        raise _refused(Check.FORK_WITHOUT_PARENT, branch)
    _check_fork_message(graph, branch, head_id)
    _check_fork_activity(graph, branch, head_id)
    _check_superseded(graph, branch)


def check_view(graph: Lookup, frame_id: str) -> None:
    """R: from the frame in view up, each frame began at a message that its parent shows."""
    frame = graph.frame(frame_id)
    while frame is not None and frame["id"] != graph.root_frame_id:
        parent = graph.frame(reference(frame, "parentFrameId") or "")
        if not _origin_shown(graph, frame, parent):
            raise _refused(Check.VIEW_ORIGIN_OFF_BRANCH, frame)
        frame = parent


def check_message_links(graph: Lookup, message: JsonObject) -> None:
    """S: what the message answers, and which earlier version it replaces."""
    _check_response(graph, message)
    _check_revision_root(graph, message)
    _check_supersedes(graph, message)


def _check_head(graph: Lookup, branch: JsonObject, head_id: str) -> None:
    head = graph.message(head_id)
    if head is None or not _of_frame(head, branch):
        raise ConversationRefusedError(Check.BRANCH_MESSAGE_INVALID, messageId=head_id)
    if not graph.branch_descends(branch["id"], head.get("introducedOnBranchId")):
        raise _refused(Check.MESSAGE_OFF_BRANCH_PATH, head)


def _check_fork_message(graph: Lookup, branch: JsonObject, head_id: str | None) -> None:
    fork_id = reference(branch, "forkMessageId")
    if fork_id is None:
        return
    fork = graph.message(fork_id)
    on_path = (
        fork is not None
        and head_id is not None
        and _of_frame(fork, branch)
        and graph.message_descends(head_id, fork_id)
    )
    if fork is None or not on_path:
        raise _refused(Check.FORK_OFF_PATH, branch)
    parent_id, parent_head = _parent_and_head(graph, branch)
    if (
        parent_id is None
        or parent_head is None
        or not graph.message_descends(parent_head, fork_id)
        or not graph.branch_descends(parent_id, fork.get("introducedOnBranchId"))
    ):
        raise _refused(Check.FORK_OFF_PARENT_PATH, branch)


def _check_fork_activity(graph: Lookup, branch: JsonObject, head_id: str | None) -> None:
    activity_id = reference(branch, "forkActivityId")
    if activity_id is None:
        return
    activity = graph.activity(activity_id)
    if activity is None:
        raise _refused(Check.FORK_ACTIVITY_MISSING, branch)
    prompt_id, at_branch = activity.get("promptMessageId"), activity.get("messageBranchId")
    if (
        head_id is None
        or not _of_frame(activity, branch)
        or not graph.message_descends(head_id, prompt_id)
        or not graph.branch_descends(branch["id"], at_branch)
    ):
        raise _refused(Check.FORK_ACTIVITY_OFF_PATH, branch)
    parent_id, parent_head = _parent_and_head(graph, branch)
    if (
        parent_id is None
        or parent_head is None
        or not graph.message_descends(parent_head, prompt_id)
        or not graph.branch_descends(parent_id, at_branch)
    ):
        raise _refused(Check.FORK_ACTIVITY_OFF_PARENT_PATH, branch)


def _check_superseded(graph: Lookup, branch: JsonObject) -> None:
    identity = reference(branch, "supersededMessageId")
    if identity is None:
        return
    superseded = graph.message(identity)
    parent_id, parent_head = _parent_and_head(graph, branch)
    if (
        superseded is None
        or parent_id is None
        or parent_head is None
        or not _of_frame(superseded, branch)
        or not same_key(superseded, branch, "parentMessageId", "forkMessageId")
        or not graph.message_descends(parent_head, identity)
    ):
        raise _refused(Check.REVISION_CHAIN_INVALID, branch)
    if superseded.get("role") != "user" or same_key(
        branch, branch, "headMessageId", "forkMessageId"
    ):
        return
    entry = graph.first_entry(branch["id"], branch.get("forkMessageId", ABSENT))
    if (
        entry is None
        or entry.get("role") != "user"
        or not same_key(entry, branch, "supersedesMessageId", "supersededMessageId")
    ):
        raise _refused(Check.REVISION_CHAIN_INVALID, branch)


def _parent_and_head(graph: Lookup, branch: JsonObject) -> tuple[str | None, str | None]:
    """The parent branch's id and its head's id, None where it or the head message is missing."""
    parent_id = reference(branch, "parentBranchId")
    parent = None if parent_id is None else graph.branch(parent_id)
    head_id = None if parent is None else reference(parent, "headMessageId")
    if head_id is not None and graph.message(head_id) is None:
        head_id = None
    return parent_id, head_id


def _origin_shown(graph: Lookup, frame: JsonObject, parent: JsonObject | None) -> bool:
    origin_id = reference(frame, "originMessageId")
    if frame.get("originBindingState") != "validated" or origin_id is None or parent is None:
        return False
    branch = graph.branch(parent.get("activeBranchId"))
    head_id = None if branch is None else reference(branch, "headMessageId")
    return (
        head_id is not None
        and graph.message(origin_id) is not None
        and graph.message_descends(head_id, origin_id)
    )


def _check_response(graph: Lookup, message: JsonObject) -> None:
    target_id = reference(message, "responseToMessageId")
    if target_id is None:
        return
    target = graph.message(target_id)
    if (
        target is None
        or target_id == message["id"]
        or not _of_frame(target, message)
        or not graph.message_descends(message["id"], target_id)
        or (message["role"] == "agent" and target.get("role") != "user")
    ):
        raise _refused(Check.RESPONSE_TARGET_INVALID, message)


def _check_revision_root(graph: Lookup, message: JsonObject) -> None:
    root_id = reference(message, "revisionRootMessageId")
    if root_id is None:
        return
    root = graph.message(root_id)
    if (
        message.get("role") != "user"
        or root is None
        or root.get("role") != "user"
        or not _of_frame(root, message)
        or (root_id != message["id"] and reference(message, "supersedesMessageId") is None)
    ):
        raise _refused(Check.REVISION_ROOT_INVALID, message)


def _check_supersedes(graph: Lookup, message: JsonObject) -> None:
    identity = reference(message, "supersedesMessageId")
    if identity is None:
        return
    superseded = graph.message(identity)
    branch = graph.branch(message.get("introducedOnBranchId"))
    if (
        superseded is None
        or branch is None
        or message.get("role") != "user"
        or superseded.get("role") != "user"
        or not _of_frame(superseded, message)
        or branch.get("supersededMessageId") != identity
        or message.get("revisionRootMessageId")
        != (reference(superseded, "revisionRootMessageId") or identity)
    ):
        raise _refused(Check.REVISION_CHAIN_INVALID, message)


def _of_frame(record: JsonObject | None, other: JsonObject) -> bool:
    return record is not None and record["agentFrameId"] == other.get("agentFrameId")


def _refused(check: Check, record: JsonObject) -> ConversationRefusedError:
    return ConversationRefusedError(check, id=record["id"])
