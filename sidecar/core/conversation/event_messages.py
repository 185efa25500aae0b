"""A run's replies: added behind the branch's head, updated in place, grown by text."""

from collections.abc import Sequence

from sidecar.core.conversation.check_messages import check_message_links
from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.event_places import EventPlace
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.records import project
from sidecar.core.conversation.session_edit import SessionEdit
from sidecar.core.conversation.session_writes import append_node, superseded_by
from sidecar.core.conversation.sync_messages import new_node
from sidecar.core.conversation.values import ABSENT, JsonObject, reference, same_value


def write_messages(
    edit: SessionEdit,
    place: EventPlace,
    messages: Sequence[JsonObject],
    append_text: Sequence[tuple[str, str]],
) -> None:
    """Write a call's messages, then its texts; refuses what is not of the run."""
    mark = edit.mark()
    for message in messages:
        flat = project(message)
        if place.index.message(flat["id"]) is None:
            _add(edit, place, flat)
        else:
            _update(edit, place, flat)
    for message_id, text in append_text:
        _grow(edit, place, message_id, text)
    if edit.mark() != mark:
        _touch_branch(edit, place)


def _add(edit: SessionEdit, place: EventPlace, flat: JsonObject) -> None:
    message = {
        "id": flat["id"],
        "role": "agent",
        "content": "",
        "status": "streaming",
        "eventIds": [],
        "createdAt": place.now,
        "updatedAt": place.now,
        **flat,
        "responseToMessageId": reference(flat, "responseToMessageId") or place.prompt_id,
    }
    if message["role"] != "agent":
        raise ConversationRefusedError(Check.EVENT_NOT_AGENT, messageId=message["id"])
    branch = place.branch
    node = new_node(
        message,
        branch=branch,
        tail=branch.get("headMessageId", ABSENT),
        superseded=superseded_by(edit, branch),
        segment_id=place.segment_for(message["responseToMessageId"]),
    )
    append_node(edit, branch, node, now=branch["updatedAt"])


def _update(edit: SessionEdit, place: EventPlace, flat: JsonObject) -> None:
    known = _own(edit, place, flat["id"])
    if flat.get("role", known["role"]) != known["role"]:
        raise ConversationRefusedError(Check.EVENT_NOT_AGENT, messageId=flat["id"])
    _replace(edit, known, {**known, **flat})


def _grow(edit: SessionEdit, place: EventPlace, message_id: str, text: str) -> None:
    known = _own(edit, place, message_id)
    if known["role"] != "agent":
        raise ConversationRefusedError(Check.EVENT_NOT_AGENT, messageId=message_id)
    content = known.get("content") or ""
    updated_at = max(known["updatedAt"], place.now)
    if text:
        _replace(edit, known, {**known, "content": content + text, "updatedAt": updated_at})


def _own(edit: SessionEdit, place: EventPlace, message_id: str) -> JsonObject:
    """The whole message, if it is the run's prompt or one of its replies."""
    message = place.index.message(message_id)
    if message is None or (message_id != place.prompt_id and not place.owns_reply(message)):
        raise ConversationRefusedError(Check.EVENT_MESSAGE_FOREIGN, messageId=message_id)
    return edit.session.whole(Kind.MESSAGE, message_id)


def _replace(edit: SessionEdit, known: JsonObject, message: JsonObject) -> None:
    if not same_value(known, message):
        edit.replace(Kind.MESSAGE, message)
        check_message_links(edit.session.index, message)


def _touch_branch(edit: SessionEdit, place: EventPlace) -> None:
    branch = place.branch
    if place.now > branch["updatedAt"]:
        edit.replace(Kind.BRANCH, {**branch, "updatedAt": place.now})
