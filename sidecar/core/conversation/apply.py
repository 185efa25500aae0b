"""Applying a batch of commands to a whole session (6): the reference for the indexed form.

A batch is applied as a whole or refused as a whole; the given session is never changed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sidecar.core.conversation.branching import activate, fork_activity, fork_message
from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import (
    ConversationDeferredError,
    ConversationError,
    ConversationRefusedError,
    ConversationSchemaError,
    Issue,
)
from sidecar.core.conversation.materialize import materialize
from sidecar.core.conversation.paths import resolve_active
from sidecar.core.conversation.records import (
    BRANCHES,
    FRAMES,
    MESSAGES,
    SEGMENTS,
    first,
    project,
    user_id,
)
from sidecar.core.conversation.replays import is_same_append, is_same_fork, is_same_segment
from sidecar.core.conversation.runs import (
    FORKED,
    RunStep,
    replaying_history,
    run_step,
    started,
)
from sidecar.core.conversation.sanitize import FRAMEWORKS
from sidecar.core.conversation.segments import ensure_segment
from sidecar.core.conversation.sync_messages import sync_messages
from sidecar.core.conversation.values import (
    ABSENT,
    Command,
    Graph,
    JsonObject,
    Session,
    is_finite_number,
    same_value,
    strictly_equal,
)
from sidecar.core.conversation.visibility import resolve_activities

KNOWN_COMMANDS: Final = 256


def apply(authority: Session, commands: Sequence[Command]) -> Session:
    """The session after the batch.

    Raises ConversationMaterializationError where the authority itself does not hold, otherwise a
    ConversationError that names the command of the batch at fault.
    """
    session = materialize(authority)
    known = dict.fromkeys(authority.get("runtimeConversationCommandIds") or ())
    batch: dict[str, Command] = {}
    for place, command in enumerate(commands):
        try:
            if is_repeated(batch, command) or command["id"] in known:
                continue
            session = _projected(_applied(session, command))
        except ConversationError as error:
            error.concerning(place, command)
            raise
        known[command["id"]] = None
    return {**session, "runtimeConversationCommandIds": [*known][-KNOWN_COMMANDS:]}


def is_repeated(batch: dict[str, Command], command: Command) -> bool:
    """Whether the batch had this command already; another one under its id is refused."""
    earlier = batch.setdefault(command["id"], command)
    if not same_value(earlier, command):
        raise ConversationRefusedError(Check.COMMAND_ID_USED)
    return earlier is not command


def check_identity(command: Command) -> None:
    if not command["id"] or not is_finite_number(command["timestamp"]):
        raise ConversationRefusedError(Check.COMMAND_IDENTITY)


def check_framework(segment: JsonObject) -> None:
    if segment.get("frameworkId") not in FRAMEWORKS:
        expected = f"expected one of {', '.join(FRAMEWORKS)}"
        raise ConversationSchemaError([Issue("invalid_value", (), expected)])


def changed(session: Session, fields: Mapping[str, Any]) -> Session:
    """The session with some fields set; ABSENT removes one."""
    merged = {**session, **fields}
    return {key: value for key, value in merged.items() if value is not ABSENT}


def _applied(session: Session, command: Command) -> Session:
    check_identity(command)
    graph = session["conversationGraph"]
    branch = _root_branch(graph)
    rule = _RULES.get(command["kind"])
    if rule is None:
        raise ConversationRefusedError(Check.COMMAND_UNKNOWN)
    after = rule(session, branch, command)
    later = max(session["updatedAt"], command["timestamp"])
    return {**after, "updatedAt": later}


def _projected(session: Session) -> Session:
    graph = session["conversationGraph"]
    activities, groups = resolve_activities(graph)
    return {
        **session,
        "messages": [project(message) for message in resolve_active(graph)],
        "activities": activities,
        "activityGroups": groups,
    }


def _root_branch(graph: Graph) -> JsonObject:
    """The root frame's active branch, the one that commands work on."""
    root = first(graph[FRAMES], graph["rootFrameId"])
    if root is None or root["kind"] != "root" or root["originBindingState"] != "root":
        raise ConversationRefusedError(Check.ROOT_FRAME_DAMAGED)
    if graph["activeFrameId"] != graph["rootFrameId"]:
        raise ConversationRefusedError(Check.VIEW_NOT_ROOT)
    branch = first(graph[BRANCHES], root["activeBranchId"])
    if branch is None or branch["agentFrameId"] != root["id"]:
        raise ConversationRefusedError(Check.ROOT_BRANCH_DAMAGED)
    return branch


def _append_user(session: Session, branch: JsonObject, command: Command) -> Session:
    graph, message = session["conversationGraph"], command["message"]
    if message.get("role") != "user":
        raise ConversationRefusedError(Check.NOT_A_USER_MESSAGE)
    existing = first(graph[MESSAGES], message["id"])
    if existing is not None:
        if not is_same_append(existing, command, root_frame_id=graph["rootFrameId"]):
            raise ConversationRefusedError(Check.MESSAGE_ID_USED)
        return session
    if session.get("activeRun"):
        raise ConversationDeferredError(Check.APPEND_WHILE_RUNNING)
    if not is_at_head(branch, command):
        raise ConversationRefusedError(Check.BRANCH_MOVED)
    transcript = [project(one) for one in resolve_active(graph)]
    merged = sync_messages(graph, [*transcript, message], updated_at=command["timestamp"])
    return {**session, "conversationGraph": merged}


def is_at_head(branch: JsonObject, command: Command) -> bool:
    """Whether an append names the branch and its head; an absent parent is not null."""
    return branch["id"] == command["branchId"] and strictly_equal(
        branch.get("headMessageId", ABSENT), command.get("parentMessageId", ABSENT)
    )


def _fork(session: Session, branch: JsonObject, command: Command) -> Session:
    graph = session["conversationGraph"]
    existing = first(graph[BRANCHES], command["branchId"])
    if existing is not None:
        if not is_same_fork(existing, command, root_frame_id=graph["rootFrameId"]):
            raise ConversationRefusedError(Check.BRANCH_ID_USED)
        return session
    if branch["id"] != command["parentBranchId"]:
        raise ConversationRefusedError(Check.FORK_NOT_POSSIBLE)
    if session.get("activeRun"):
        raise ConversationDeferredError(Check.FORK_NOT_POSSIBLE)
    return changed(session, {**FORKED, "conversationGraph": _forked(graph, command)})


def _forked(graph: Graph, command: Command) -> Graph:
    if command["kind"] == "fork-message":
        return fork_message(
            graph,
            message_id=command["messageId"],
            branch_id=command["branchId"],
            now=command["timestamp"],
        )
    return fork_activity(
        graph,
        message_id=command["messageId"],
        activity_id=command["activityId"],
        branch_id=command["branchId"],
        now=command["timestamp"],
    )


def _select_branch(session: Session, branch: JsonObject, command: Command) -> Session:
    graph = session["conversationGraph"]
    for identity in (command["branchId"], command["previousBranchId"]):
        known = first(graph[BRANCHES], identity)
        if known is None or known["agentFrameId"] != graph["rootFrameId"]:
            raise ConversationRefusedError(Check.SELECTED_BRANCH_FOREIGN, branchId=identity)
    if branch["id"] == command["branchId"]:
        return session
    if session.get("activeRun") or branch["id"] != command["previousBranchId"]:
        raise ConversationRefusedError(Check.SELECT_NOT_POSSIBLE)
    moved = activate(graph, command["branchId"])
    return {**session, "conversationGraph": moved, "branchContextResetRequired": True}


def _open_segment(session: Session, _branch: JsonObject, command: Command) -> Session:
    graph, segment = session["conversationGraph"], command["segment"]
    existing = first(graph[SEGMENTS], segment["id"])
    if existing is not None:
        if not is_same_segment(existing, command, root_frame_id=graph["rootFrameId"]):
            raise ConversationRefusedError(Check.SEGMENT_ID_USED)
        return session
    check_framework(segment)
    opened = ensure_segment(graph, segment, force_new=True)
    return {**session, **replaying_history(session), "conversationGraph": opened}


def _run(session: Session, _branch: JsonObject, command: Command) -> Session:
    run = command["run"]
    transcript = resolve_active(session["conversationGraph"])
    if user_id(first(transcript, run["promptMessageId"])) is None:
        raise ConversationRefusedError(Check.RUN_PROMPT_OFF_BRANCH)
    if run_step(session, command) is RunStep.REPEATS:
        return session
    return changed(session, started(session, run))


_RULES: Final[Mapping[str, Callable[[Session, JsonObject, Command], Session]]] = {
    "append-user": _append_user,
    "fork-message": _fork,
    "fork-activity": _fork,
    "select-branch": _select_branch,
    "open-segment": _open_segment,
    "start-run": _run,
    "resume-run": _run,
}
