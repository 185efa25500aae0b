"""Checks of single activities and groups against the rest of a graph (3.9 T, U and V)."""

from collections.abc import Iterable

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.lookup import Lookup
from sidecar.core.conversation.values import JsonObject, reference

_PLACE = ("agentFrameId", "messageBranchId", "promptMessageId")


def check_group(graph: Lookup, group: JsonObject) -> None:
    """T: the group stands on a branch of its frame, below its prompt, and its members exist."""
    _check_place(graph, group, branch=Check.GROUP_BRANCH_INVALID, prompt=Check.GROUP_PROMPT_INVALID)
    for member in group["activityIds"]:
        if graph.activity(member) is None:
            raise _refused(Check.GROUP_MEMBER_INVALID, group)


def check_activity(graph: Lookup, activity: JsonObject) -> None:
    """U: the activity stands on a branch, has a segment, and its group knows it."""
    _check_place(
        graph, activity, branch=Check.ACTIVITY_BRANCH_INVALID, prompt=Check.ACTIVITY_PROMPT_INVALID
    )
    segment = graph.segment(reference(activity, "runtimeSegmentId") or "")
    if segment is None or segment.get("agentFrameId") != activity.get("agentFrameId"):
        raise _refused(Check.ACTIVITY_SEGMENT_INVALID, activity)
    group_id = reference(activity, "activityGroupId")
    if group_id is None:
        return
    group = graph.group(group_id)
    if (
        group is None
        or not _same_place(group, activity)
        or activity["id"] not in group["activityIds"]
    ):
        raise _refused(Check.ACTIVITY_GROUP_INVALID, activity)


def check_group_members(
    graph: Lookup, group: JsonObject, members: Iterable[str] | None = None
) -> None:
    """V: every member, or each of those given, names this group and stands where it stands."""
    for member in group["activityIds"] if members is None else members:
        activity = graph.activity(member)
        if (
            activity is None
            or activity.get("activityGroupId") != group["id"]
            or not _same_place(group, activity)
        ):
            raise _refused(Check.GROUP_MEMBER_INVALID, group)


def _check_place(graph: Lookup, record: JsonObject, *, branch: Check, prompt: Check) -> None:
    stands_on = graph.branch(record.get("messageBranchId"))
    if stands_on is None or stands_on.get("agentFrameId") != record.get("agentFrameId"):
        raise _refused(branch, record)
    message = graph.message(record.get("promptMessageId"))
    head_id = reference(stands_on, "headMessageId")
    if (
        message is None
        or message.get("role") != "user"
        or message.get("agentFrameId") != record.get("agentFrameId")
        or head_id is None
        or graph.message(head_id) is None
        or not graph.message_descends(head_id, message["id"])
    ):
        raise _refused(prompt, record)


def _same_place(group: JsonObject, activity: JsonObject) -> bool:
    return all(group[key] == activity[key] for key in _PLACE)


def _refused(check: Check, record: JsonObject) -> ConversationRefusedError:
    return ConversationRefusedError(check, id=record["id"])
