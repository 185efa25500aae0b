"""What stands around a command while it is carried out, and what it did."""

from protocol.changes import Effects
from sidecar.core.changes import Change
from sidecar.core.edit import Ports
from sidecar.core.values import value
from sidecar.core.workspace import Workspace
from sidecar.handlers.answers import Command
from sidecar.handlers.context import Context
from sidecar.handlers.unit import Unit
from sidecar.store import used_ids
from sidecar.store.cache import OpenProject
from sidecar.store.database import Transaction
from sidecar.store.runs import RunRow
from sidecar.store.steps import Heads


@value(kw_only=True)
class Scene:
    """A command in front of its project."""

    ctx: Context
    unit: Unit
    command: Command
    project: OpenProject
    run: RunRow | None
    """The project's open run."""

    @property
    def tx(self) -> Transaction:
        return self.unit.tx

    def ports(self) -> Ports:
        """Return what the rules may ask of the world."""
        key = self.project.row.project_key
        return Ports(
            new_id=self.ctx.new_id,
            retired=lambda kind, id_: used_ids.is_retired(self.tx, key, kind, id_),
            read=self.ctx.read,
        )

    def workspace(self) -> Workspace:
        """Return a fresh workspace that is taken back if the unit is."""
        workspace = Workspace(self.project.graph)
        self.unit.on_rollback.append(workspace.rollback)
        return workspace


@value(kw_only=True)
class Carried:
    """What a command did to the graph, before anything is written.

    ``kind`` and ``label`` name the version; ``heads`` None lets the steps follow as for an edit.
    """

    changes: list[Change]
    effects: Effects
    kind: str
    label: str
    restored_from: str | None = None
    heads: Heads | None = None
    extends_step: bool = False
    """Whether undo takes this version and the one before it back together."""
    always: bool = False
    """Whether a version is written although nothing differs."""
