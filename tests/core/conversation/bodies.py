"""A stand-in for the store: the whole values of things, written from changes, read on demand."""

from collections.abc import Iterable

from attrs import define, field

from sidecar.core.conversation.kinds import LISTS, Kind
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.things import Change, Thing, stub
from sidecar.core.conversation.values import JsonObject, Session


@define
class Bodies:
    """Rows by kind and id, and how often one was read."""

    rows: dict[tuple[Kind, str], tuple[int, JsonObject]] = field(factory=dict)
    reads: int = 0

    def load(self, kind: Kind, identity: str) -> JsonObject:
        self.reads += 1
        return self.rows[kind, identity][1]

    def write(self, changes: Iterable[Change]) -> None:
        for change in changes:
            if change.kind is not Kind.SESSION:
                self.rows[change.kind, change.id] = (change.rank, change.after)

    def open(self, session: Session) -> SessionGraph:
        """The session from parts, with stubs of what can be loaded."""
        whole = SessionGraph.from_session(session)
        parts: list[tuple[Kind, Thing]] = []
        for kind in LISTS:
            for thing in whole.index.things(kind):
                self.rows[kind, thing.value["id"]] = (thing.rank, thing.value)
                reduced = stub(kind, thing.value)
                parts.append((kind, Thing(thing.rank, reduced, reduced is thing.value)))
        return SessionGraph(whole.head, whole.command_ids, parts, load=self.load)
