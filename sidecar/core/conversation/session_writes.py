"""Writes that commands and a runtime's events share: a message behind a head, a frame in view."""

from sidecar.core.conversation.check_messages import (
    check_branch,
    check_message_links,
    check_message_place,
    check_view,
)
from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.session_edit import SessionEdit
from sidecar.core.conversation.values import JsonObject, reference, same_key


def select_frame(edit: SessionEdit, frame_id: str) -> None:
    """Put a frame in view; it must have begun at messages that the frames above show."""
    session = edit.session
    if session.index.frame(frame_id) is None:
        raise ConversationRefusedError(Check.FRAME_UNKNOWN, frameId=frame_id)
    check_view(session.index, frame_id)
    if frame_id != session.active_frame_id:
        edit.set_view(frame_id)
        edit.project_lists()


def append_node(edit: SessionEdit, branch: JsonObject, node: JsonObject, *, now: float) -> None:
    """Add a message behind a branch's head and check what that touches."""
    index = edit.session.index
    edit.add(Kind.MESSAGE, node)
    moved = {**branch, "headMessageId": node["id"], "updatedAt": now}
    edit.replace(Kind.BRANCH, moved)
    check_message_place(index, node)
    check_branch(index, moved)
    check_message_links(index, node)


def superseded_by(edit: SessionEdit, branch: JsonObject) -> JsonObject | None:
    """The message that the next prompt of the branch replaces, if the branch is at its fork."""
    identity = reference(branch, "supersededMessageId")
    if identity is None or not same_key(branch, branch, "headMessageId", "forkMessageId"):
        return None
    return edit.session.index.message(identity) or {"id": identity}
