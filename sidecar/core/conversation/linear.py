"""The graph of a session that has a flat transcript only, and its renaming with the session (3.1, 3.2).

Nothing is checked here: validation finds duplicate ids.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from attrs import frozen

from sidecar.core.conversation.records import (
    ACTIVITIES,
    BRANCHES,
    FRAMES,
    GROUPS,
    MESSAGES,
    SEGMENTS,
)
from sidecar.core.conversation.values import Graph, JsonObject, present

DEFAULT_FRAMEWORK: Final = "claude-code"

Rename: TypeAlias = Callable[[JsonObject], JsonObject]


@frozen(kw_only=True)
class LinearSeed:
    """What a linear graph is made from; times are milliseconds."""

    session_id: str
    messages: Sequence[JsonObject]
    created_at: float
    updated_at: float
    framework_id: str | None = None
    provider_id: str | None = None
    backend_id: str | None = None
    model: str | None = None


@frozen
class GeneratedIds:
    """The ids that a linear graph derives from its session's id."""

    frame: str
    branch: str
    segment: str

    @classmethod
    def of(cls, session_id: str) -> "GeneratedIds":
        return cls(
            frame=f"root-frame-{session_id}",
            branch=f"message-branch-{session_id}",
            segment=f"runtime-segment-{session_id}",
        )


def create_linear(seed: LinearSeed) -> Graph:
    """One root frame, one branch and one segment that hold the messages in order."""
    ids = GeneratedIds.of(seed.session_id)
    nodes = _nodes(seed.messages, ids)
    return {
        "schemaVersion": 1,
        "rootFrameId": ids.frame,
        "activeFrameId": ids.frame,
        FRAMES: [_frame(seed, ids)],
        BRANCHES: [_branch(seed, ids, nodes[-1]["id"] if nodes else None)],
        MESSAGES: nodes,
        ACTIVITIES: [],
        GROUPS: [],
        SEGMENTS: [_segment(seed, ids)],
    }


def rebind(graph: Graph, previous_session_id: str, session_id: str) -> Graph:
    """The graph with its generated ids renamed after the session's id changed."""
    old, new = GeneratedIds.of(previous_session_id), GeneratedIds.of(session_id)
    if previous_session_id == session_id or graph["rootFrameId"] != old.frame:
        return graph
    frame = {old.frame: new.frame}
    branch = {old.branch: new.branch}
    segment = {old.segment: new.segment}
    renames: dict[str, dict[str, dict[str, str]]] = {
        FRAMES: {"id": frame, "parentFrameId": frame, "activeBranchId": branch},
        BRANCHES: {"id": branch, "agentFrameId": frame, "parentBranchId": branch},
        MESSAGES: {
            "agentFrameId": frame,
            "introducedOnBranchId": branch,
            "runtimeSegmentId": segment,
        },
        ACTIVITIES: {
            "agentFrameId": frame,
            "messageBranchId": branch,
            "runtimeSegmentId": segment,
        },
        GROUPS: {"agentFrameId": frame, "messageBranchId": branch},
        SEGMENTS: {"id": segment, "agentFrameId": frame},
    }
    lists = {
        name: [_renamed(record, fields) for record in graph[name]]
        for name, fields in renames.items()
    }
    return {**_renamed(graph, {"rootFrameId": frame, "activeFrameId": frame}), **lists}


def _renamed(record: JsonObject, fields: dict[str, dict[str, str]]) -> JsonObject:
    return {
        key: fields[key].get(value, value) if key in fields and isinstance(value, str) else value
        for key, value in record.items()
    }


def _nodes(messages: Sequence[JsonObject], ids: GeneratedIds) -> list[JsonObject]:
    nodes: list[JsonObject] = []
    for message in messages:
        user = message["role"] == "user"
        nodes.append(
            {
                **message,
                "agentFrameId": ids.frame,
                "introducedOnBranchId": ids.branch,
                **present(
                    parentMessageId=nodes[-1]["id"] if nodes else None,
                    revisionRootMessageId=message["id"] if user else None,
                ),
                "runtimeSegmentId": ids.segment,
            }
        )
    return nodes


def _frame(seed: LinearSeed, ids: GeneratedIds) -> JsonObject:
    return {
        "id": ids.frame,
        "originBindingState": "root",
        "kind": "root",
        "status": "completed",
        "activeBranchId": ids.branch,
        "createdAt": seed.created_at,
        "completedAt": seed.updated_at,
    }


def _branch(seed: LinearSeed, ids: GeneratedIds, head: str | None) -> JsonObject:
    return {
        "id": ids.branch,
        "agentFrameId": ids.frame,
        **present(headMessageId=head),
        "createdAt": seed.created_at,
        "updatedAt": seed.updated_at,
    }


def _segment(seed: LinearSeed, ids: GeneratedIds) -> JsonObject:
    return {
        "id": ids.segment,
        "agentFrameId": ids.frame,
        "frameworkId": seed.framework_id or DEFAULT_FRAMEWORK,
        **present(providerId=seed.provider_id, backendId=seed.backend_id, model=seed.model),
        "startedAt": seed.created_at,
    }
