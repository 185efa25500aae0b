"""A run's activities and groups; those touched must fit together when the call is written."""

from collections.abc import Iterable, Sequence

from attrs import define, field

from sidecar.core.conversation.check_activities import (
    check_activity,
    check_group,
    check_group_members,
)
from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.event_places import EventPlace
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.records import ACTIVITY_GRAPH_KEYS, GROUP_GRAPH_KEYS
from sidecar.core.conversation.session_edit import SessionEdit
from sidecar.core.conversation.session_index import SessionIndex
from sidecar.core.conversation.values import (
    JsonObject,
    present,
    reference,
    same_value,
    without,
)


def write_activities(
    edit: SessionEdit,
    place: EventPlace,
    activities: Sequence[JsonObject],
    groups: Sequence[JsonObject],
) -> None:
    """Write a call's activities, then its groups, then check what they touch."""
    touched = _Touched()
    for activity in activities:
        _write_activity(edit, place, activity, touched)
    for group in groups:
        _write_group(edit, place, group, touched)
    touched.check(place.index)


@define
class _Touched:
    """What was written, and the groups and members that it belonged or belongs to."""

    activities: dict[str, None] = field(factory=dict)
    groups: dict[str, None] = field(factory=dict)
    members: dict[str, None] = field(factory=dict)
    groups_of: dict[tuple[str, str], None] = field(factory=dict)

    def activity(self, before: JsonObject | None, after: JsonObject) -> None:
        self.activities[after["id"]] = None
        for value in (before or {}, after):
            group_id = reference(value, "activityGroupId")
            if group_id is not None:
                self.groups_of[group_id, after["id"]] = None

    def group(self, before: JsonObject | None, after: JsonObject) -> None:
        self.groups[after["id"]] = None
        for value in (before or {}, after):
            self.members |= dict.fromkeys(value.get("activityIds", ()))

    def check(self, index: SessionIndex) -> None:
        """T to V of validation, for what may have changed alone."""
        groups = _known(index.group(one) for one in self.groups)
        for group in groups:
            check_group(index, group)
        for activity in _known(index.activity(one) for one in self.activities | self.members):
            check_activity(index, activity)
        for group in groups:
            check_group_members(index, group)
        for group_id, activity_id in self.groups_of:
            listing = index.group(group_id)
            if listing is not None and activity_id in listing["activityIds"]:
                check_group_members(index, listing, [activity_id])


def _known(found: Iterable[JsonObject | None]) -> list[JsonObject]:
    return [one for one in found if one is not None]


def _write_activity(
    edit: SessionEdit, place: EventPlace, given: JsonObject, touched: _Touched
) -> None:
    identity = given["id"]
    _require_prompt(place, given, Check.EVENT_ACTIVITY_FOREIGN)
    flat = without(given, ACTIVITY_GRAPH_KEYS)
    if place.index.activity(identity) is None:
        added = _new_activity(place, flat)
        edit.add(Kind.ACTIVITY, added)
        touched.activity(None, added)
        return
    known = edit.session.whole(Kind.ACTIVITY, identity)
    if not place.owns(known):
        raise ConversationRefusedError(Check.EVENT_ACTIVITY_FOREIGN, activityId=identity)
    merged = {**known, **flat}
    if not same_value(known, merged):
        edit.replace(Kind.ACTIVITY, merged)
        touched.activity(known, merged)


def _write_group(
    edit: SessionEdit, place: EventPlace, given: JsonObject, touched: _Touched
) -> None:
    identity = given["id"]
    _require_prompt(place, given, Check.EVENT_GROUP_FOREIGN)
    flat = without(given, GROUP_GRAPH_KEYS)
    known = place.index.group(identity)
    if known is None:
        added = _new_group(place, flat)
        edit.add(Kind.GROUP, added)
        touched.group(None, added)
        return
    if not place.owns(known):
        raise ConversationRefusedError(Check.EVENT_GROUP_FOREIGN, groupId=identity)
    merged = {**known, **flat}
    if not same_value(known, merged):
        edit.replace(Kind.GROUP, merged)
        touched.group(known, merged)


def _require_prompt(place: EventPlace, given: JsonObject, check: Check) -> None:
    named = reference(given, "promptMessageId")
    if named is not None and named != place.prompt_id:
        raise ConversationRefusedError(check, id=given["id"], promptMessageId=named)


def _new_activity(place: EventPlace, flat: JsonObject) -> JsonObject:
    return {
        "id": flat["id"],
        "kind": "tool",
        "title": "",
        "status": "pending",
        "sortIndex": _next_sort_index(place, Kind.ACTIVITY),
        "eventIds": [],
        "createdAt": place.now,
        "updatedAt": place.now,
        **flat,
        "agentFrameId": place.branch["agentFrameId"],
        "messageBranchId": place.branch_id,
        "promptMessageId": place.prompt_id,
        **present(runtimeSegmentId=place.segment_for(place.prompt_id)),
    }


def _new_group(place: EventPlace, flat: JsonObject) -> JsonObject:
    return {
        "id": flat["id"],
        "title": "",
        "sortIndex": _next_sort_index(place, Kind.GROUP),
        "activityIds": [],
        "createdAt": place.now,
        "updatedAt": place.now,
        **flat,
        "agentFrameId": place.branch["agentFrameId"],
        "messageBranchId": place.branch_id,
        "promptMessageId": place.prompt_id,
    }


def _next_sort_index(place: EventPlace, kind: Kind) -> float:
    """One behind the newest thing of the prompt, whose index hosts give in growing order."""
    newest = place.index.newest_of_prompt(kind, place.prompt_id)
    return 0 if newest is None else newest.get("sortIndex", 0) + 1
