"""Runs one vector of the session format: JSON in, JSON out.

`run(op, input)` gives `{"ok": value}` or `{"error": {"name": ..., ...}}`; errors of ours carry
their check as well.
"""

from collections.abc import Callable
from typing import Any

from sidecar.core.conversation.apply import apply
from sidecar.core.conversation.branching import activate, fork_activity, fork_message
from sidecar.core.conversation.errors import (
    ConversationDeferredError,
    ConversationError,
    ConversationMaterializationError,
    ConversationSchemaError,
)
from sidecar.core.conversation.linear import LinearSeed, create_linear, rebind
from sidecar.core.conversation.materialize import materialize
from sidecar.core.conversation.nested import materialize_nested, parse_nested
from sidecar.core.conversation.paths import resolve_active, resolve_path
from sidecar.core.conversation.records import project
from sidecar.core.conversation.sanitize import sanitize
from sidecar.core.conversation.segments import ensure_segment, execution_context
from sidecar.core.conversation.sync_activities import sync_activities
from sidecar.core.conversation.sync_messages import sync_messages
from sidecar.core.conversation.validation import validate
from sidecar.core.conversation.values import ABSENT, JsonObject, Session
from sidecar.core.conversation.visibility import resolve_activities


def run(op: str, given: dict[str, Any]) -> dict[str, Any]:
    """The result of one operation, or how it was refused."""
    try:
        return {"ok": OPERATIONS[op](given)}
    except ConversationError as error:
        return {"error": described(error)}


def described(error: ConversationError) -> dict[str, Any]:
    told: dict[str, Any] = {"name": _name(error), "check": error.check.value}
    if isinstance(error, ConversationSchemaError):
        told["issues"] = [{"code": one.code, "path": list(one.path)} for one in error.issues]
    if isinstance(error, ConversationMaterializationError):
        told |= {"phase": error.phase, "cause": described(error.cause)}
    return told


def _name(error: ConversationError) -> str:
    match error:
        case ConversationSchemaError():
            return "ZodError"
        case ConversationMaterializationError():
            return "ConversationGraphMaterializationError"
        case ConversationDeferredError():
            return "SessionConversationCommandDeferredError"
        case _:
            return "Error"


def _create_linear(given: dict[str, Any]) -> JsonObject:
    seed = given["seed"]
    return create_linear(
        LinearSeed(
            session_id=seed["sessionId"],
            messages=seed["messages"],
            created_at=seed["createdAt"],
            updated_at=seed["updatedAt"],
            framework_id=seed.get("frameworkId"),
            provider_id=seed.get("providerId"),
            backend_id=seed.get("backendId"),
            model=seed.get("model"),
        )
    )


def _resolve_activities(given: dict[str, Any]) -> JsonObject:
    activities, groups = resolve_activities(given["graph"])
    return {"activities": activities, "activityGroups": groups}


def _parse_nested(given: dict[str, Any]) -> JsonObject | None:
    parsed = parse_nested(given["value"])
    if parsed is None:
        return None
    return {"controlInvocationId": parsed[0], "delegationCallId": parsed[1]}


def _context(given: dict[str, Any]) -> JsonObject:
    context = execution_context(given["graph"], given["promptMessageId"])
    return {
        "rootFrameId": context.root_frame_id,
        "agentFrameId": context.agent_frame_id,
        "messageBranchId": context.message_branch_id,
        "messageBranchAncestry": list(context.message_branch_ancestry),
        "messageAncestry": list(context.message_ancestry),
        "promptMessageId": context.prompt_message_id,
        "runtimeSegmentId": context.runtime_segment_id,
    }


def _validate(given: dict[str, Any]) -> bool:
    validate(given["graph"])
    return True


def _apply_steps(given: dict[str, Any]) -> JsonObject:
    session: Session = given["session"]
    told: list[JsonObject] = []
    for step in given["steps"]:
        if "patch" in step:
            session = patched(session, step["patch"])
            told.append({"patched": True})
            continue
        try:
            session = apply(session, step["commands"])
        except ConversationError as error:
            told.append({"error": described(error)})
        else:
            told.append({"ok": _summary(session)})
    return {"steps": told, "session": session}


def patched(session: Session, patch: dict[str, Any]) -> Session:
    """The session after a host's own change: set, then unset, then push."""
    changed = {**session, **patch.get("set", {})}
    for key in patch.get("unset", ()):
        changed.pop(key, None)
    for key, items in patch.get("push", {}).items():
        changed[key] = [*changed.get(key, ()), *items]
    return changed


def _summary(session: Session) -> JsonObject:
    graph = session["conversationGraph"]
    root = next(one for one in graph["frames"] if one["id"] == graph["rootFrameId"])
    branch = next(one for one in graph["branches"] if one["id"] == root["activeBranchId"])
    return {
        "branch": branch["id"],
        "head": branch.get("headMessageId"),
        "counts": [
            len(graph["branches"]),
            len(graph["messages"]),
            len(graph["activities"]),
            len(graph["runtimeSegments"]),
            len(session["messages"]),
            len(session.get("activities", ())),
            len(session["runtimeConversationCommandIds"]),
        ],
        "run": session.get("activeRun"),
        "status": session["status"],
        "updatedAt": session["updatedAt"],
    }


OPERATIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "createLinear": _create_linear,
    "rebind": lambda x: rebind(x["graph"], x["previousSessionId"], x["sessionId"]),
    "resolvePath": lambda x: [one["id"] for one in resolve_path(x["graph"], x["branchId"])],
    "resolveActive": lambda x: [one["id"] for one in resolve_active(x["graph"])],
    "project": lambda x: project(x["message"]),
    "resolveActivities": _resolve_activities,
    "syncMessages": lambda x: sync_messages(
        x["graph"],
        x["projection"],
        updated_at=x["updatedAt"],
        response_segment_id=x.get("responseRuntimeSegmentId"),
    ),
    "syncActivities": lambda x: sync_activities(
        x["graph"],
        x["activities"],
        x["activityGroups"],
        response_segment_id=x.get("responseRuntimeSegmentId"),
    ),
    "validate": _validate,
    "parseNested": _parse_nested,
    "materializeNested": lambda x: materialize_nested(x["graph"]),
    "forkMessage": lambda x: fork_message(
        x["graph"], message_id=x["messageId"], branch_id=x["branchId"], now=x["now"]
    ),
    "forkActivity": lambda x: fork_activity(
        x["graph"],
        message_id=x["messageId"],
        activity_id=x["activityId"],
        branch_id=x["branchId"],
        now=x["now"],
    ),
    "activate": lambda x: activate(x["graph"], x["branchId"]),
    "ensureSegment": lambda x: ensure_segment(
        x["graph"], x["segment"], force_new=x["segment"].get("forceNew") is True
    ),
    "context": _context,
    "materialize": lambda x: materialize(x["session"]),
    "sanitize": lambda x: sanitize(x.get("value", ABSENT), x.get("submitted")),
    "apply": lambda x: apply(x["session"], x["commands"]),
    "applySteps": _apply_steps,
}
