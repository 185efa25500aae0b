"""One edit of a session in memory: all of it, or no trace.

Everything is done in place and remembered, so that a refusal, a failed transaction or leaving the
`with` block without `commit()` takes it back.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from attrs import evolve, frozen

from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.records import ACTIVITIES, GROUPS, MESSAGES
from sidecar.core.conversation.things import Change, Head, RunRecord, Thing
from sidecar.core.conversation.values import ABSENT, JsonObject, same_value

if TYPE_CHECKING:
    from sidecar.core.conversation.session_graph import SessionGraph

_DERIVED: Final = (MESSAGES, ACTIVITIES, GROUPS)


@frozen
class _Entry:
    kind: Kind
    id: str
    before: Thing | None


class SessionEdit:
    """A journal over a session; `session` shows the edited state at once."""

    def __init__(self, session: "SessionGraph") -> None:
        self.session = session
        self._journal: list[_Entry | Head | tuple[str, ...]] = []
        self._head = session.head
        self._befores: dict[tuple[Kind, str], JsonObject | None] = {}
        self._committed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._committed:
            self.rollback()

    # The end of an edit.

    def commit(self) -> None:
        """Keep what was done; call it when the store has kept it."""
        self._committed = True
        for kind, identity in self._touched():
            self.session.release(kind, identity)

    def rollback(self, to: int = 0) -> None:
        """Take everything back that was done since a mark."""
        while len(self._journal) > to:
            entry = self._journal.pop()
            if isinstance(entry, Head):
                self.session.head = entry
            elif isinstance(entry, tuple):
                self.session.command_ids = entry
            elif entry.before is None:
                self.session.index.remove(entry.kind, entry.id)
            else:
                self.session.index.put(entry.kind, entry.id, entry.before)

    def mark(self) -> int:
        return len(self._journal)

    @contextmanager
    def whole_or_nothing(self) -> Iterator[None]:
        """Take back what the block did if it raises; what came before it stays."""
        mark = self.mark()
        try:
            yield
        except BaseException:
            self.rollback(mark)
            raise

    # What was done.

    @property
    def changed(self) -> bool:
        """Whether anything that a host can see differs from before."""
        return bool(self.changes())

    @property
    def head_changed(self) -> bool:
        """Whether the session's own row has to be written, be it for what hosts do not see."""
        return self.session.head is not self._head

    def changes(self) -> list[Change]:
        """What differs from before, a change a thing: the session first, then as first touched."""
        found: list[Change] = []
        if self.session.head.fields is not self._head.fields:
            before, after = self._head.fields, self.session.head.fields
            if not same_value(before, after):
                found.append(Change(Kind.SESSION, self.session.id, 0, before, after))
        for kind, identity in self._touched():
            thing = self.session.index.thing(kind, identity)
            assert thing is not None
            before_value = self._befores[kind, identity]
            if before_value is not thing.value:
                found.append(Change(kind, identity, thing.rank, before_value, thing.value))
        return found

    def changed_fields(self) -> dict[str, tuple[Any, Any]]:
        """The session's own keys that differ, each with its value before and after or ABSENT."""
        before, after = self._head.fields, self.session.head.fields
        return {
            key: (before.get(key, ABSENT), after.get(key, ABSENT))
            for key in {**before, **after}
            if not same_value(before.get(key, ABSENT), after.get(key, ABSENT))
        }

    # What rules do.

    def add(self, kind: Kind, value: JsonObject) -> None:
        """Append a new thing to its list."""
        identity, index = value["id"], self.session.index
        self._journal.append(_Entry(kind, identity, None))
        self._befores.setdefault((kind, identity), None)
        index.put(kind, identity, Thing(index.next_rank(kind), value))

    def replace(self, kind: Kind, value: JsonObject) -> None:
        """Exchange the whole value of a known thing."""
        identity, index = value["id"], self.session.index
        before = index.thing(kind, identity)
        assert before is not None
        if (kind, identity) not in self._befores:
            self._befores[kind, identity] = self.session.whole(kind, identity)
        self._journal.append(_Entry(kind, identity, before))
        index.put(kind, identity, Thing(before.rank, value))

    def set_fields(self, fields: Mapping[str, Any]) -> None:
        """Set keys of the session itself; ABSENT removes one."""
        if not fields:
            return
        merged = {**self.session.head.fields, **fields}
        kept = {key: value for key, value in merged.items() if value is not ABSENT}
        self._set_head(evolve(self.session.head, fields=kept))

    def set_view(self, frame_id: str) -> None:
        graph = {**self.session.head.fields["conversationGraph"], "activeFrameId": frame_id}
        self.set_fields({"conversationGraph": graph})

    def set_runs(self, runs: RunRecord) -> None:
        if runs != self.session.head.runs:
            self._set_head(evolve(self.session.head, runs=runs))

    def set_command_ids(self, command_ids: Iterable[str]) -> None:
        self._journal.append(self.session.command_ids)
        self.session.command_ids = tuple(command_ids)

    def project_lists(self) -> None:
        """From now on the flat lists follow from the graph; all three keys are there."""
        head = self.session.head
        if not head.projected or any(key not in head.fields for key in _DERIVED):
            fields = {**head.fields, **{key: [] for key in _DERIVED}}
            self._set_head(evolve(head, fields=fields, projected=True, borrowed=()))

    def _set_head(self, head: Head) -> None:
        self._journal.append(self.session.head)
        self.session.head = head

    def _touched(self) -> list[tuple[Kind, str]]:
        """Things that the journal still knows of, as first touched."""
        live = {
            (entry.kind, entry.id): None for entry in self._journal if isinstance(entry, _Entry)
        }
        return list(live)
