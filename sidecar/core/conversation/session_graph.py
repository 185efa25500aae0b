"""A session in memory: what a command or an event touches costs what it touches, not the session.

It must come from a session that validates, and every edit keeps it so. Values are never mutated,
so what was read from it stays as it was.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from sidecar.core.conversation.kinds import LISTS, Kind
from sidecar.core.conversation.paths import path_to
from sidecar.core.conversation.records import (
    ACTIVITIES,
    BRANCHES,
    GROUPS,
    MESSAGES,
    by_id,
    first,
    project,
)
from sidecar.core.conversation.session_edit import SessionEdit
from sidecar.core.conversation.session_index import SessionIndex
from sidecar.core.conversation.things import Head, Load, RunRecord, Thing, stub
from sidecar.core.conversation.values import Graph, JsonObject, Session
from sidecar.core.conversation.visibility import resolve_activities

COMMAND_IDS: Final = "runtimeConversationCommandIds"
GRAPH: Final = "conversationGraph"
_FLAT: Final = (ACTIVITIES, GROUPS)


class SessionGraph:
    """One session: `head` (its own fields), `command_ids` (the last 256), `index` (its things)."""

    def __init__(
        self,
        head: Head,
        command_ids: Iterable[str],
        things: Iterable[tuple[Kind, Thing]],
        *,
        load: Load | None = None,
    ) -> None:
        """From parts that were stored; things of one kind come in the order of their ranks.

        `load` gives the whole value of a thing that is only a stub. With it, messages and
        activities are reduced to stubs when an edit that touched them is committed.
        """
        self.head = head
        self.command_ids = tuple(command_ids)
        self.index = SessionIndex(head.fields[GRAPH]["rootFrameId"], things)
        self._load = load

    @classmethod
    def from_session(cls, session: Session, *, load: Load | None = None) -> "SessionGraph":
        """From a session's JSON as `materialize` leaves it, which has validated it."""
        graph: Graph = session[GRAPH]
        projected = _is_projected(session)
        borrowed = () if projected else _borrowed(session)
        head = Head(
            _emptied(session, projected=projected, borrowed=borrowed),
            projected,
            borrowed,
            RunRecord(_run_branch(session)),
        )
        things = (
            (kind, Thing(rank, value))
            for kind, name in LISTS.items()
            for rank, value in enumerate(graph[name])
        )
        return cls(head, session.get(COMMAND_IDS) or (), things, load=load)

    def to_session(self) -> Session:
        """The session's JSON with every key where it was; loads what is not in memory."""
        fields = dict(self.head.fields)
        graph = {**fields[GRAPH]}
        for kind, name in LISTS.items():
            graph[name] = [self.whole(kind, thing.value["id"]) for thing in self.index.things(kind)]
        fields[GRAPH] = graph
        if COMMAND_IDS in fields:
            fields[COMMAND_IDS] = list(self.command_ids)
        branch = self.active_branch
        transcript = path_to(by_id(graph[MESSAGES]), branch)
        fields[MESSAGES] = [project(message) for message in transcript]
        if self.head.borrowed:
            lenders = by_id(graph[ACTIVITIES])
            fields[ACTIVITIES] = [
                self.head.completed(place, lenders.get(flat["id"]))
                for place, flat in enumerate(fields[ACTIVITIES])
            ]
        if self.head.projected:
            activities, groups = resolve_activities(graph)
            fields |= {ACTIVITIES: activities, GROUPS: groups}
        return fields

    def edit(self) -> "SessionEdit":
        """Begin an edit: `with session.edit() as edit: ...; edit.commit()`."""
        return SessionEdit(self)

    def whole(self, kind: Kind, identity: str) -> JsonObject:
        """The whole value of a known thing, loaded if only a stub of it is in memory."""
        thing = self.index.thing(kind, identity)
        assert thing is not None, f"no {kind} {identity!r}"
        if thing.whole or self._load is None:
            return thing.value
        return self._load(kind, identity)

    def ids(self, kind: Kind) -> Iterator[str]:
        """In list order."""
        return (thing.value["id"] for thing in self.index.things(kind))

    def release(self, kind: Kind, identity: str) -> None:
        """Keep just a stub of a thing whose value is stored; without a loader nothing happens."""
        thing = self.index.thing(kind, identity)
        if self._load is not None and thing is not None and thing.whole:
            reduced = stub(kind, thing.value)
            whole = reduced is thing.value
            self.index.put(kind, identity, Thing(thing.rank, reduced, whole))

    # What a session says of itself.

    @property
    def id(self) -> str:
        identity: str = self.head.fields["id"]
        return identity

    @property
    def fields(self) -> JsonObject:
        return self.head.fields

    @property
    def active_run(self) -> JsonObject | None:
        return self.head.fields.get("activeRun") or None

    @property
    def last_run(self) -> JsonObject | None:
        return self.head.fields.get("runtimeTranscriptLastRun") or None

    @property
    def root_frame_id(self) -> str:
        return self.index.root_frame_id

    @property
    def active_frame_id(self) -> str:
        """The frame in view."""
        frame_id: str = self.head.fields[GRAPH]["activeFrameId"]
        return frame_id

    @property
    def active_branch(self) -> JsonObject:
        """The branch that the frame in view shows."""
        return self.shown_branch(self.active_frame_id)

    @property
    def root_branch(self) -> JsonObject:
        """The branch that the root frame shows, on which commands work."""
        return self.shown_branch(self.root_frame_id)

    def shown_branch(self, frame_id: str) -> JsonObject:
        frame = self.index.frame(frame_id)
        branch = None if frame is None else self.index.branch(frame["activeBranchId"])
        assert branch is not None, "a valid graph has an active branch in every frame"
        return branch

    def run_branch(self) -> JsonObject:
        """The branch that the active run works on; the shown one where none is on record."""
        return self.index.branch(self.head.runs.branch_id) or self.root_branch

    def knows(self, command_id: str) -> bool:
        return command_id in self.command_ids


def _borrowed(session: Session) -> tuple[tuple[str, ...], ...]:
    """For each flat activity the members that it has in common with the graph's, not just alike."""
    known = by_id(session[GRAPH][ACTIVITIES])
    return tuple(
        tuple(
            name
            for name, member in flat.items()
            if name != "id"
            and not (member is None or isinstance(member, (bool, int, float)))
            and known.get(flat["id"], {}).get(name) is member
        )
        for flat in session.get(ACTIVITIES) or ()
    )


def _emptied(
    session: Session, *, projected: bool, borrowed: tuple[tuple[str, ...], ...]
) -> JsonObject:
    """The session with its lists emptied; keys keep their places."""
    fields = {**session, GRAPH: {**session[GRAPH], **{name: [] for name in LISTS.values()}}}
    fields[MESSAGES] = []
    if projected:
        fields |= {key: [] for key in _FLAT}
    elif any(borrowed):
        fields[ACTIVITIES] = [
            {**flat, **dict.fromkeys(names)}
            for flat, names in zip(session[ACTIVITIES], borrowed, strict=True)
        ]
    if COMMAND_IDS in fields:
        fields[COMMAND_IDS] = []
    return fields


def _is_projected(session: Session) -> bool:
    activities, groups = resolve_activities(session[GRAPH])
    derived: dict[str, Any] = {ACTIVITIES: activities, GROUPS: groups}
    return all(session.get(key) == value for key, value in derived.items())


def _run_branch(session: Session) -> str | None:
    """Where an imported active run works: the shown branch, or the newest that has its prompt."""
    run = session.get("activeRun")
    if not run:
        return None
    graph = session[GRAPH]
    messages = by_id(graph[MESSAGES])
    root = next(one for one in graph["frames"] if one["id"] == graph["rootFrameId"])
    shown = first(graph[BRANCHES], root["activeBranchId"])
    candidates = [shown, *reversed(graph[BRANCHES])]
    for branch in candidates:
        if branch is None or branch["agentFrameId"] != root["id"]:
            continue
        if any(one["id"] == run["promptMessageId"] for one in path_to(messages, branch)):
            identity: str = branch["id"]
            return identity
    shown_id: str = root["activeBranchId"]
    return shown_id
