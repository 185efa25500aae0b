"""One command on a graph: all of it, or no trace."""

from protocol.changes import Effects
from protocol.commands import Payload
from protocol.graph import Node
from sidecar.core.apply import apply
from sidecar.core.changes import Change
from sidecar.core.edit import Actor, Edit, Ports
from sidecar.core.errors import RejectedError
from sidecar.core.graph import ProjectGraph
from sidecar.core.invariants import check_touched
from sidecar.core.limits import MAX_THINGS
from sidecar.core.values import value
from sidecar.core.workspace import Workspace


@value
class Outcome:
    """What a command did.  The workspace can still take it back."""

    workspace: Workspace
    changes: list[Change]
    effects: Effects

    @property
    def changed(self) -> bool:
        return bool(self.changes)


def run(
    graph: ProjectGraph,
    payload: Payload,
    ports: Ports,
    actor: Actor,
    *,
    workspace: Workspace | None = None,
) -> Outcome:
    """Carry out a command on the graph in place.

    Given a workspace of that graph, the command is stacked on what was done in it, and ``changes``
    and ``effects`` are those of this command alone.  Where the command is refused
    (:class:`~sidecar.core.errors.RejectedError`) or a rule breaks an invariant
    (:class:`~sidecar.core.errors.InvariantError`), the graph is as it was, and so is the workspace.
    """
    workspace = workspace or Workspace(graph)
    if workspace.graph is not graph:
        raise ValueError("a workspace of another graph")
    start = workspace.mark()
    edit = Edit(workspace=workspace, ports=ports, actor=actor, start=start)
    things = graph.count()
    try:
        apply(edit, payload)
        _check_count(things, graph.count())
        changes = workspace.changes(start)
        if not changes:
            # What was put in the place of an equal thing may be spelled differently.
            workspace.rollback(start)
        check_touched(
            graph,
            workspace.touched(start),
            steady=_steady(changes),
            before={change.key: change.before for change in changes},
        )
        return Outcome(workspace, changes, edit.effects(changes))
    except BaseException:
        workspace.rollback(start)
        raise


def _steady(changes: list[Change]) -> set[str]:
    """Return the ids of nodes that kept component and ports, however large what hangs on them."""
    return {
        change.before.node_id
        for change in changes
        if isinstance(change.before, Node)
        and isinstance(change.after, Node)
        and change.before.component_id == change.after.component_id
        and change.before.inputs is change.after.inputs
        and change.before.outputs is change.after.outputs
    }


def _check_count(before: int, after: int) -> None:
    # A graph that is too large already may still be made smaller.
    if after > MAX_THINGS and after > before:
        raise RejectedError(
            "size-limit",
            f"A project holds {MAX_THINGS} nodes, edges, groups and subgraphs at most.",
            {"limit": MAX_THINGS, "count": after},
        )
