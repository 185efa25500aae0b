"""Runtime segments and where a run would be recorded (3.14, 3.15)."""

from typing import Final

from attrs import frozen

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.paths import active_frame, ancestry, resolve_path
from sidecar.core.conversation.records import (
    BRANCHES,
    SEGMENTS,
    by_id,
    first,
    newest_segment,
    replaced,
)
from sidecar.core.conversation.values import (
    ABSENT,
    Graph,
    JsonObject,
    reference,
    same_key,
)

_IDENTITY: Final = ("frameworkId", "providerId", "backendId", "model")
_TAKEN: Final = (*_IDENTITY, "startedAt")


def ensure_segment(graph: Graph, segment: JsonObject, *, force_new: bool = False) -> Graph:
    """The graph whose frame in view is served by this segment; nothing is validated."""
    frame = active_frame(graph)
    newest = newest_segment(graph, frame["id"])
    if not force_new and newest is not None and _same_context(newest, segment):
        return graph
    ended = {} if newest is None else {newest["id"]: ended_segment(newest, segment["startedAt"])}
    added = stored_segment(segment, frame["id"])
    return {**graph, SEGMENTS: replaced(graph[SEGMENTS], ended, [added])}


def stored_segment(segment: JsonObject, frame_id: str) -> JsonObject:
    """The segment as it is stored: of what is given, only the known keys."""
    taken = {key: segment[key] for key in _TAKEN if segment.get(key, ABSENT) is not ABSENT}
    return {"id": segment["id"], "agentFrameId": frame_id, **taken}


def ended_segment(segment: JsonObject, ended_at: float) -> JsonObject:
    if segment.get("endedAt") is not None:
        return segment
    return {**segment, "endedAt": ended_at}


def _same_context(one: JsonObject, other: JsonObject) -> bool:
    return all(same_key(one, other, key) for key in _IDENTITY)


@frozen
class ExecutionContext:
    """Where a run of a prompt would be recorded; ancestries begin with the oldest."""

    root_frame_id: str
    agent_frame_id: str
    message_branch_id: str
    message_branch_ancestry: tuple[str, ...]
    message_ancestry: tuple[str, ...]
    prompt_message_id: str
    runtime_segment_id: str


def execution_context(graph: Graph, prompt_message_id: str) -> ExecutionContext:
    """The context of the view for a prompt, which need not be on the transcript yet."""
    frame = active_frame(graph)
    branch = first(graph[BRANCHES], frame["activeBranchId"])
    if branch is None:
        raise ConversationRefusedError(Check.CONTEXT_INCOMPLETE)
    path = resolve_path(graph, branch["id"])
    prompt = first(path, prompt_message_id)
    newest = newest_segment(graph, frame["id"])
    own = None if prompt is None else reference(prompt, "runtimeSegmentId")
    segment = own or (None if newest is None else newest["id"])
    if segment is None:
        raise ConversationRefusedError(Check.CONTEXT_INCOMPLETE)
    chain = ancestry(by_id(graph[BRANCHES]).get, branch["id"], "parentBranchId")
    transcript = [message["id"] for message in path]
    return ExecutionContext(
        root_frame_id=graph["rootFrameId"],
        agent_frame_id=frame["id"],
        message_branch_id=branch["id"],
        message_branch_ancestry=tuple(one["id"] for one in chain),
        message_ancestry=(*transcript, *([] if prompt else [prompt_message_id])),
        prompt_message_id=prompt_message_id,
        runtime_segment_id=segment,
    )
