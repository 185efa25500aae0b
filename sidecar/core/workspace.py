"""A journalled edit of a :class:`~sidecar.core.graph.ProjectGraph`: all of it, or no trace."""

from protocol.changes import Thing, ThingKind
from sidecar.core.changes import Change, Key, folded
from sidecar.core.errors import InvariantError
from sidecar.core.graph import ProjectGraph, Scope


class Workspace:
    """Edits a graph in place and remembers how to take everything back.

    Several workspaces may be stacked on one graph; they are rolled back newest first.
    """

    __slots__ = ("_journal", "graph")

    def __init__(self, graph: ProjectGraph) -> None:
        self.graph = graph
        self._journal: list[Change] = []

    def put(
        self, kind: ThingKind, scope: Scope, id_: str | None, value: Thing, rank: int | None = None
    ) -> None:
        """Set or replace one thing; a new one stands last in its list unless ``rank`` says where."""
        before, before_rank = self.graph.get(kind, scope, id_)
        if rank is None:
            if id_ is None:
                rank = 0
            elif before is None:
                rank = self.graph.table(kind, scope).next_rank()
            else:
                rank = before_rank
        self._record(Change(kind, scope, id_, before, value, before_rank, rank))

    def remove(self, kind: ThingKind, scope: Scope, id_: str | None) -> None:
        """Remove one thing, which must be there."""
        before, before_rank = self.graph.get(kind, scope, id_)
        self._record(Change(kind, scope, id_, before, None, before_rank, 0))

    def apply(self, change: Change) -> None:
        """Make one ready change: what a restore or another process's commit brings."""
        self._record(change)

    def changes(self, since: int = 0) -> list[Change]:
        """Return what was done since a :meth:`mark`, one change a thing, as a peer applies it."""
        return folded(self._journal[since:])

    def touched(self, since: int = 0) -> set[Key]:
        """Return the keys of all things touched since a :meth:`mark`."""
        return {change.key for change in self._journal[since:]}

    def mark(self) -> int:
        """Return a place in the journal."""
        return len(self._journal)

    def rollback(self, to: int = 0) -> None:
        """Take everything back, newest first."""
        while len(self._journal) > to:
            change = self._journal.pop()
            self.graph.put(change.kind, change.scope, change.id, change.before, change.before_rank)

    def was_removed(self, kind: ThingKind, id_: str) -> bool:
        """Return whether something of that id went away since the workspace began."""
        return any(
            change.id == id_ and change.kind == kind and change.after is None
            for change in self._journal
        )

    def _record(self, change: Change) -> None:
        if change.before is None and change.id in self.graph.scope_of.get(change.kind, ()):
            raise InvariantError(f"I3: a {change.kind} appears twice: {change.id}")
        self._journal.append(change)
        self.graph.put(change.kind, change.scope, change.id, change.after, change.after_rank)
