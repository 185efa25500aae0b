"""Graphs kept in memory, each checked against its project's row before it is used.

A cached graph is what the file says, or what an open transaction made of it: whoever edits one
takes the edits back (and ``head``) when the transaction fails.
"""

from collections import OrderedDict
from typing import Final

from attrs import define

from sidecar.core.graph import ProjectGraph
from sidecar.store import graphs, projects, revisions
from sidecar.store.codec import Codec
from sidecar.store.database import Transaction
from sidecar.store.faults import StorageError
from sidecar.store.projects import ProjectRow
from sidecar.store.revisions import RevisionRow
from sidecar.store.writing import Head

MAX_THINGS: Final = 500_000
"""Things of all cached graphs together; the project in use is kept whatever its size."""


@define
class OpenProject:
    """A project in memory: where it stands, and its graph.

    ``head`` is a value: whoever writes a version sets it to the one that was written, and back to
    the one before where the transaction fails.
    """

    head: Head
    graph: ProjectGraph

    @property
    def row(self) -> ProjectRow:
        return self.head.project

    @property
    def revision(self) -> RevisionRow:
        return self.head.revision


class GraphCache:
    """The projects used last."""

    def __init__(self, codec: Codec, *, max_things: int = MAX_THINGS) -> None:
        self._codec = codec
        self._max_things = max_things
        self._projects: OrderedDict[str, OpenProject] = OrderedDict()

    def open(self, tx: Transaction, project_id: str) -> OpenProject | None:
        """Return a project as this transaction sees it, None where there is none.

        What another process committed since the last time is read and applied.
        """
        row = projects.find(tx, project_id)
        if row is None:
            self.forget(project_id)
            return None
        cached = self._projects.get(project_id)
        if cached is None or not self._refresh(tx, cached, row):
            cached = self._load(tx, row)
        self._projects.move_to_end(project_id)
        return cached

    def forget(self, project_id: str) -> None:
        """Drop a project whose graph is not to be trusted, or not needed."""
        self._projects.pop(project_id, None)

    def clear(self) -> None:
        self._projects.clear()

    def __contains__(self, project_id: str) -> bool:
        return project_id in self._projects

    def _refresh(self, tx: Transaction, cached: OpenProject, row: ProjectRow) -> bool:
        """Bring a cached project to its row; False where only loading it again will do."""
        if cached.row.project_key != row.project_key:
            return False
        if cached.row.current_revision_id == row.current_revision_id:
            cached.head = Head(row, cached.revision)
            return True
        known = revisions.at(tx, row.project_key, cached.revision.number)
        if known is None or known.chain != cached.revision.chain:
            return False
        try:
            graphs.catch_up(tx, self._codec, row, cached.graph, known.number)
        except StorageError:
            self.forget(row.project_id)
            raise
        cached.head = Head(row, revisions.current(tx, row))
        return True

    def _load(self, tx: Transaction, row: ProjectRow) -> OpenProject:
        self.forget(row.project_id)
        graph = graphs.load_graph(tx, self._codec, row)
        loaded = OpenProject(Head(row, revisions.current(tx, row)), graph)
        self._projects[row.project_id] = loaded
        self._evict()
        return loaded

    def _evict(self) -> None:
        sizes = {name: graphs.size_of(kept.graph) for name, kept in self._projects.items()}
        total = sum(sizes.values())
        while total > self._max_things and len(self._projects) > 1:
            name, _ = self._projects.popitem(last=False)
            total -= sizes[name]
