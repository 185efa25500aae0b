"""Bringing a session's graph and its flat lists into agreement (4), as import and creation need.

Members of a known group that the view hides stay in it, where the format loses them: a fork at an
activity inside a group must not leave a session that cannot be read again.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sidecar.core.conversation.errors import (
    ConversationError,
    ConversationMaterializationError,
)
from sidecar.core.conversation.linear import LinearSeed, create_linear
from sidecar.core.conversation.nested import materialize_nested, parse_nested
from sidecar.core.conversation.paths import resolve_active
from sidecar.core.conversation.records import (
    ACTIVITIES,
    GROUPS,
    by_id,
    project,
)
from sidecar.core.conversation.sync_activities import sync_activities
from sidecar.core.conversation.sync_messages import sync_messages
from sidecar.core.conversation.values import Graph, JsonObject, Session, without
from sidecar.core.conversation.visibility import resolve_activities


def materialize(session: Session) -> Session:
    """The session with a validated graph and the transcript that the graph shows.

    Raises ConversationMaterializationError with the phase and the check that failed.
    """
    graph = session.get("conversationGraph")
    if graph is None:
        with _phase("create"):
            graph = create_linear(linear_seed(session))
    else:
        with _phase("messages"):
            graph = sync_messages(graph, session["messages"], updated_at=session["updatedAt"])
    with _phase("activities"):
        merged = _with_activities(session, graph)
        transcript = resolve_active(merged)
    flat = session.get("activities") or []
    return {
        **session,
        "conversationGraph": merged,
        "messages": [project(message) for message in transcript],
        "activities": [*flat, *_delegations(merged, flat, transcript)],
    }


def linear_seed(session: Session) -> LinearSeed:
    configuration = session.get("agentConfiguration") or {}
    return LinearSeed(
        session_id=session["id"],
        messages=session["messages"],
        created_at=session["createdAt"],
        updated_at=session["updatedAt"],
        framework_id=session.get("agentFrameworkId"),
        provider_id=configuration.get("providerId"),
        backend_id=session.get("agentBackendId"),
        model=session.get("agentModel"),
    )


@contextmanager
def _phase(name: str) -> Iterator[None]:
    try:
        yield
    except ConversationError as error:
        raise ConversationMaterializationError(name, error) from error


def _with_activities(session: Session, graph: Graph) -> Graph:
    groups = session.get("activityGroups") or []
    kept = _with_hidden_members(graph, groups) if groups else []
    merged = sync_activities(graph, session.get("activities") or [], kept)
    return materialize_nested(merged)


def _with_hidden_members(graph: Graph, groups: Iterable[JsonObject]) -> list[JsonObject]:
    known = by_id(graph[GROUPS])
    if not known:
        return list(groups)
    shown = {activity["id"] for activity in resolve_activities(graph)[0]}
    hidden = {activity["id"] for activity in graph[ACTIVITIES]} - shown
    return [_completed(group, known.get(group["id"]), hidden.__contains__) for group in groups]


def _completed(
    flat: JsonObject, known: JsonObject | None, is_hidden: Callable[[str], bool]
) -> JsonObject:
    """The flat group with the hidden members behind those that precede them in the graph."""
    if known is None or not any(is_hidden(member) for member in known["activityIds"]):
        return flat
    members: list[str] = [one for one in flat["activityIds"] if not is_hidden(one)]
    place = 0
    for member in known["activityIds"]:
        if is_hidden(member):
            members.insert(place, member)
            place += 1
        elif member in members:
            place = members.index(member) + 1
    return {**flat, "activityIds": members}


def _delegations(
    graph: Graph, flat: Iterable[JsonObject], transcript: Iterable[JsonObject]
) -> list[Any]:
    """The nested delegations of the transcript that the flat list does not have."""
    listed = {activity["id"] for activity in flat}
    prompts = {message["id"] for message in transcript}
    return [
        without(activity, ("agentFrameId", "messageBranchId", "runtimeSegmentId"))
        for activity in graph[ACTIVITIES]
        if parse_nested(activity["id"]) is not None
        and activity["id"] not in listed
        and activity["promptMessageId"] in prompts
    ]
