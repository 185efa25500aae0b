"""What a write did to a session, as answers and notifications carry it."""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Raw

from sidecar.core.conversation.kinds import LISTS, Kind
from sidecar.core.conversation.records import ACTIVITIES, GROUPS, MESSAGES
from sidecar.core.conversation.session_graph import COMMAND_IDS, GRAPH
from sidecar.core.conversation.things import Change
from sidecar.core.conversation.values import JsonObject, without
from sidecar.store.sessions import bodies
from sidecar.store.sessions.bodies import Large

_FLAT: Final = (MESSAGES, ACTIVITIES, GROUPS, COMMAND_IDS)


def changes_of(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """Return changes in their wire form: each thing as it is now, large values left out."""
    return [_change(change) for change in changes]


def session_value(fields: JsonObject) -> JsonObject:
    """Return a session's own fields, without any of its lists."""
    graph = without(fields[GRAPH], LISTS.values())
    return {**without(fields, _FLAT), GRAPH: graph}


def omitted_of(activity_id: str, large: Iterable[Large]) -> list[dict[str, Any]]:
    """Return what was left out of an activity: where, and how many bytes of JSON text."""
    return [
        {"activityId": activity_id, "path": pointer(one.name), "bytes": one.size} for one in large
    ]


def pointer(name: str) -> str:
    """Return the JSON Pointer of a member."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _change(change: Change) -> dict[str, Any]:
    wire: dict[str, Any] = {"kind": change.kind.value, "id": change.id}
    if change.kind is Kind.SESSION:
        return {**wire, "value": session_value(change.after)}
    if change.kind is not Kind.ACTIVITY:
        return {**wire, "value": change.after}
    body = bodies.body_of(change.kind, change.after)
    wire |= {"value": Raw(body.text)}
    if body.large:
        large = (Large(name, len(text)) for name, text in body.large.items())
        wire["omitted"] = omitted_of(change.id, large)
    return wire
