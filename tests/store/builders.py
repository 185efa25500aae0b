"""Projects in real files, edited through the same pieces the engine uses."""

from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import define, field

from protocol.graph import ComponentId, Edge, EdgeId, Endpoint, Node, NodeId, PortId, Position
from protocol.json_text import loads
from sidecar.core.changes import Change
from sidecar.core.workspace import Workspace
from sidecar.store import states, steps
from sidecar.store.cache import GraphCache, OpenProject
from sidecar.store.codec import Codec
from sidecar.store.database import Database, IsRecorded, Transaction
from sidecar.store.graphs import target_changes
from sidecar.store.history import DEFAULT_LIMITS, HistoryLimits
from sidecar.store.steps import Heads
from sidecar.store.writing import About, NewProject, Written, create_project, write_revision

PROJECT = "project"
EditOf = Callable[[Workspace], None]


def node(name: str, **parameters: object) -> Node:
    return Node(
        node_id=NodeId(name),
        component_id=ComponentId("KSampler"),
        position=Position(10, 20.5),
        parameters=parameters,
    )


def edge(name: str, source: str, target: str) -> Edge:
    return Edge(
        edge_id=EdgeId(name),
        source=Endpoint(node_id=NodeId(source), port_id=PortId("out")),
        target=Endpoint(node_id=NodeId(target), port_id=PortId("in")),
    )


def put_node(name: str, **parameters: object) -> EditOf:
    return lambda workspace: workspace.put("node", None, name, node(name, **parameters))


def remove_node(name: str) -> EditOf:
    return lambda workspace: workspace.remove("node", None, name)


@define
class Store:
    """A database with what stands around it."""

    database: Database
    codec: Codec = field(factory=Codec)
    cache: GraphCache = field(init=False)
    limits: HistoryLimits = DEFAULT_LIMITS

    def __attrs_post_init__(self) -> None:
        self.cache = GraphCache(self.codec)

    @classmethod
    def at(cls, path: Path, *, vfs: str | None = None) -> "Store":
        return cls(Database.open(str(path), busy_timeout_ms=100, vfs=vfs))

    def create(self, project_id: str = PROJECT) -> None:
        new = NewProject(project_id=project_id, title="Title", revision_id="first", created_at=1)
        with self.database.write() as tx:
            create_project(tx, self.codec, new)

    def opened(self, tx: Transaction, project_id: str = PROJECT) -> OpenProject:
        found = self.cache.open(tx, project_id)
        assert found is not None
        return found

    def edit(
        self,
        *edits: EditOf,
        run_id: str | None = None,
        extends_step: bool = False,
        project_id: str = PROJECT,
        is_recorded: IsRecorded | None = None,
        after: Callable[[Transaction, Written], None] = lambda _, __: None,
    ) -> Written:
        """Write one version of several edits; memory is as it was where that fails."""
        workspace: Workspace | None = None
        try:
            with self.database.write(is_recorded) as tx:
                opened = self.opened(tx, project_id)
                heads = steps.after_edit(
                    opened.revision, run_id=run_id, label="Edit", extends_step=extends_step
                )
                workspace = Workspace(opened.graph)
                for each in edits:
                    each(workspace)
                written = self._write(tx, opened, workspace.changes(), heads, run_id)
                after(tx, written)
        except BaseException:
            if workspace is not None:
                workspace.rollback()
            raise
        opened.head = written.head
        return written

    def restore(self, number: int, heads: Heads | None = None) -> Written:
        """Write a version that equals an earlier one."""
        with self.database.write() as tx:
            opened = self.opened(tx)
            changes = target_changes(tx, self.codec, opened.row, opened.graph, number)
            workspace = Workspace(opened.graph)
            for change in changes:
                workspace.apply(change)
            heads = heads or steps.after_edit(opened.revision, run_id=None, label="Restore")
            written = self._write(tx, opened, changes, heads, None)
        opened.head = written.head
        return written

    def state(self, number: int | None = None, project_id: str = PROJECT) -> object:
        """Return a version's state as decoded JSON, the current one's by default."""
        with self.database.read() as tx:
            row = self.opened(tx, project_id).row
            if number is None:
                return loads(states.current_state(tx, row).json())
            return loads(states.state_at(tx, row, number).json())

    def _write(
        self,
        tx: Transaction,
        opened: OpenProject,
        changes: Sequence[Change],
        heads: Heads,
        run_id: str | None,
    ) -> Written:
        number = opened.revision.number
        about = About(
            revision_id=f"revision-{number}",
            action_id=f"action-{number}",
            actor="manual" if run_id is None else "ai",
            run_id=run_id,
            kind="edit",
            label="Edit",
            created_at=1_000 + number,
            heads=heads,
        )
        return write_revision(tx, self.codec, opened.head, changes, about, limits=self.limits)
