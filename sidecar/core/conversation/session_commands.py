"""Applying a batch of commands to a session in memory (6), with the verdicts of the whole form.

What is checked is what a command touches; everything else was valid and stays so. A batch without
a new command writes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from attrs import frozen

from sidecar.core.conversation.apply import (
    KNOWN_COMMANDS,
    check_framework,
    check_identity,
    is_at_head,
    is_repeated,
)
from sidecar.core.conversation.branching import cut_branch, edit_branch
from sidecar.core.conversation.check_messages import check_branch
from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import (
    ConversationDeferredError,
    ConversationError,
    ConversationRefusedError,
)
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.records import user_id
from sidecar.core.conversation.replays import is_same_append, is_same_fork, is_same_segment
from sidecar.core.conversation.runs import (
    FORKED,
    RunStep,
    replaying_history,
    run_step,
    started,
)
from sidecar.core.conversation.segments import ended_segment, stored_segment
from sidecar.core.conversation.session_edit import SessionEdit
from sidecar.core.conversation.session_writes import append_node, superseded_by
from sidecar.core.conversation.sync_messages import new_node
from sidecar.core.conversation.things import RunRecord
from sidecar.core.conversation.values import (
    ABSENT,
    Command,
    JsonObject,
)
from sidecar.core.conversation.visibility import BranchView

Recorded: TypeAlias = Callable[[Command], bool | None]


@frozen
class Applied:
    """What a batch came to: all its ids are on record now, these commands were new."""

    acknowledged: tuple[str, ...]
    new: tuple[Command, ...]


def nothing_recorded(_command: Command) -> None:
    return None


def apply_commands(
    edit: SessionEdit, commands: Sequence[Command], *, recorded: Recorded = nothing_recorded
) -> Applied:
    """Apply a batch as a whole, or raise a ConversationError and leave the edit as it was.

    `recorded` tells of commands that were acknowledged at any time: True for the same content,
    False for another one under the id, None for an id that is not on record.
    """
    with edit.whole_or_nothing():
        return _applied(edit, commands, recorded)


def _applied(edit: SessionEdit, commands: Sequence[Command], recorded: Recorded) -> Applied:
    known = dict.fromkeys(edit.session.command_ids)
    batch: dict[str, Command] = {}
    new: list[Command] = []
    for place, command in enumerate(commands):
        try:
            if _is_known(batch, known, command, recorded):
                continue
            _apply(edit, command, is_first=not new)
        except ConversationError as error:
            error.concerning(place, command)
            raise
        known[command["id"]] = None
        new.append(command)
    if new:
        edit.set_command_ids([*known][-KNOWN_COMMANDS:])
        edit.project_lists()
        if "runtimeConversationCommandIds" not in edit.session.fields:
            edit.set_fields({"runtimeConversationCommandIds": []})
    return Applied(tuple(batch), tuple(new))


def _is_known(
    batch: dict[str, Command], known: Mapping[str, None], command: Command, recorded: Recorded
) -> bool:
    if is_repeated(batch, command):
        return True
    on_record = recorded(command)
    if on_record is False:
        raise ConversationRefusedError(Check.COMMAND_ID_USED)
    return on_record is True or command["id"] in known


def _apply(edit: SessionEdit, command: Command, *, is_first: bool) -> None:
    session = edit.session
    check_identity(command)
    if session.active_frame_id != session.root_frame_id:
        raise ConversationRefusedError(Check.VIEW_NOT_ROOT)
    if is_first:
        _stamp(edit)
    rule = _RULES.get(command["kind"])
    if rule is None:
        raise ConversationRefusedError(Check.COMMAND_UNKNOWN)
    fields = rule(edit, session.root_branch, command)
    later = max(session.fields["updatedAt"], command["timestamp"])
    if later != session.fields["updatedAt"]:
        fields = {**fields, "updatedAt": later}
    edit.set_fields(fields)


def _stamp(edit: SessionEdit) -> None:
    """The shown branch takes the session's time, as saving does in the public program."""
    branch, time = edit.session.root_branch, edit.session.fields["updatedAt"]
    if branch.get("updatedAt") != time:
        edit.replace(Kind.BRANCH, {**branch, "updatedAt": time})


def _append_user(edit: SessionEdit, branch: JsonObject, command: Command) -> Mapping[str, Any]:
    session, message = edit.session, command["message"]
    if message.get("role") != "user":
        raise ConversationRefusedError(Check.NOT_A_USER_MESSAGE)
    if session.index.message(message["id"]) is not None:
        existing = session.whole(Kind.MESSAGE, message["id"])
        if not is_same_append(existing, command, root_frame_id=session.root_frame_id):
            raise ConversationRefusedError(Check.MESSAGE_ID_USED)
        return {}
    if session.active_run:
        raise ConversationDeferredError(Check.APPEND_WHILE_RUNNING)
    if not is_at_head(branch, command):
        raise ConversationRefusedError(Check.BRANCH_MOVED)
    segment = session.index.newest_segment(branch["agentFrameId"])
    node = new_node(
        message,
        branch=branch,
        tail=branch.get("headMessageId", ABSENT),
        superseded=superseded_by(edit, branch),
        segment_id=None if segment is None else segment["id"],
    )
    append_node(edit, branch, node, now=command["timestamp"])
    return {}


def _fork(edit: SessionEdit, branch: JsonObject, command: Command) -> Mapping[str, Any]:
    session = edit.session
    existing = session.index.branch(command["branchId"])
    if existing is not None:
        if not is_same_fork(existing, command, root_frame_id=session.root_frame_id):
            raise ConversationRefusedError(Check.BRANCH_ID_USED)
        return {}
    if branch["id"] != command["parentBranchId"]:
        raise ConversationRefusedError(Check.FORK_NOT_POSSIBLE)
    if session.active_run:
        raise ConversationDeferredError(Check.FORK_NOT_POSSIBLE)
    fork = _edited if command["kind"] == "fork-message" else _cut
    added = fork(edit, branch, command)
    edit.add(Kind.BRANCH, added)
    _show(edit, added["id"])
    check_branch(session.index, added)
    return FORKED


def _edited(edit: SessionEdit, branch: JsonObject, command: Command) -> JsonObject:
    index, message_id = edit.session.index, command["messageId"]
    target = index.message(message_id) if index.is_on_path(branch, message_id) else None
    if target is None or user_id(target) is None:
        raise ConversationRefusedError(Check.PROMPT_NOT_ACTIVE, messageId=message_id)
    return edit_branch(branch, target, branch_id=command["branchId"], now=command["timestamp"])


def _cut(edit: SessionEdit, branch: JsonObject, command: Command) -> JsonObject:
    index = edit.session.index
    message_id, activity_id = command["messageId"], command["activityId"]
    if not index.is_on_path(branch, message_id):
        raise ConversationRefusedError(Check.FORK_MESSAGE_NOT_ACTIVE, messageId=message_id)
    activity = index.activity(activity_id)
    view = BranchView.of(branch["id"], find_branch=index.branch, find_activity=index.activity)
    if (
        activity is None
        or not index.is_on_path(branch, activity["promptMessageId"])
        or not view.shows_activity(activity)
    ):
        raise ConversationRefusedError(Check.FORK_ACTIVITY_NOT_ACTIVE, activityId=activity_id)
    return cut_branch(
        branch,
        message_id=message_id,
        activity_id=activity_id,
        branch_id=command["branchId"],
        now=command["timestamp"],
    )


def _select_branch(edit: SessionEdit, branch: JsonObject, command: Command) -> Mapping[str, Any]:
    session = edit.session
    for identity in (command["branchId"], command["previousBranchId"]):
        known = session.index.branch(identity)
        if known is None or known["agentFrameId"] != session.root_frame_id:
            raise ConversationRefusedError(Check.SELECTED_BRANCH_FOREIGN, branchId=identity)
    if branch["id"] == command["branchId"]:
        return {}
    if session.active_run or branch["id"] != command["previousBranchId"]:
        raise ConversationRefusedError(Check.SELECT_NOT_POSSIBLE)
    _show(edit, command["branchId"])
    return {"branchContextResetRequired": True}


def _show(edit: SessionEdit, branch_id: str) -> None:
    root = edit.session.index.frame(edit.session.root_frame_id)
    assert root is not None
    edit.replace(Kind.FRAME, {**root, "activeBranchId": branch_id})


def _open_segment(edit: SessionEdit, branch: JsonObject, command: Command) -> Mapping[str, Any]:
    session, segment = edit.session, command["segment"]
    existing = session.index.segment(segment["id"])
    if existing is not None:
        if not is_same_segment(existing, command, root_frame_id=session.root_frame_id):
            raise ConversationRefusedError(Check.SEGMENT_ID_USED)
        return {}
    check_framework(segment)
    newest = session.index.newest_segment(branch["agentFrameId"])
    ended = None if newest is None else ended_segment(newest, segment["startedAt"])
    if ended is not None and ended is not newest:
        edit.replace(Kind.SEGMENT, ended)
    edit.add(Kind.SEGMENT, stored_segment(segment, branch["agentFrameId"]))
    return replaying_history(session.fields)


def _run(edit: SessionEdit, branch: JsonObject, command: Command) -> Mapping[str, Any]:
    session, run = edit.session, command["run"]
    prompt_id = run["promptMessageId"]
    prompt = session.index.message(prompt_id)
    if not session.index.is_on_path(branch, prompt_id) or user_id(prompt) is None:
        raise ConversationRefusedError(Check.RUN_PROMPT_OFF_BRANCH, messageId=prompt_id)
    if run_step(session.fields, command) is RunStep.REPEATS:
        return {}
    graph_run_id = command.get("graphRunId")
    edit.set_runs(
        RunRecord(branch["id"], outcome=session.head.runs.outcome, graph_run_id=graph_run_id)
    )
    return started(session.fields, run)


_RULES: Final[Mapping[str, Callable[[SessionEdit, JsonObject, Command], Mapping[str, Any]]]] = {
    "append-user": _append_user,
    "fork-message": _fork,
    "fork-activity": _fork,
    "select-branch": _select_branch,
    "open-segment": _open_segment,
    "start-run": _run,
    "resume-run": _run,
}
