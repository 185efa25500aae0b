"""One command at work: each kind of payload and the rule that carries it out."""

from typing import assert_never

from protocol import commands as c
from sidecar.core.components import set_component
from sidecar.core.dissolve import dissolve_subgraph
from sidecar.core.documents import import_workflow, open_native
from sidecar.core.edges import connect, remove_edge, retarget_edge
from sidecar.core.edit import Edit
from sidecar.core.errors import RejectedError
from sidecar.core.groups import add_group, remove_group, rename_group
from sidecar.core.nodes import (
    add_node,
    annotate_node,
    move_node,
    move_nodes,
    remove_node,
    rename_node,
)
from sidecar.core.parameters import set_parameter
from sidecar.core.processes import set_process
from sidecar.core.subgraph_create import create_subgraph
from sidecar.core.subgraph_insert import insert_subgraph
from sidecar.core.subgraph_io import add_subgraph_io, remove_subgraph_io, rename_subgraph_io
from sidecar.core.subgraphs import rename_subgraph


def apply(edit: Edit, payload: c.Payload) -> None:  # noqa: PLR0915 -- a line for each kind
    """Change the graph as the payload asks, or raise; what was changed by then stays changed.

    Raises :class:`~sidecar.core.errors.RejectedError`.  A restore is no rule: its ready changes
    are applied to the workspace.
    """
    match payload:
        case c.AddNode():
            add_node(edit, payload)
        case c.RemoveNode():
            remove_node(edit, payload)
        case c.MoveNode():
            move_node(edit, payload)
        case c.MoveNodes():
            move_nodes(edit, payload)
        case c.RenameNode():
            rename_node(edit, payload)
        case c.Connect():
            connect(edit, payload)
        case c.RemoveEdge():
            remove_edge(edit, payload)
        case c.RetargetEdge():
            retarget_edge(edit, payload)
        case c.SetParameter():
            set_parameter(edit, payload)
        case c.AnnotateNode():
            annotate_node(edit, payload)
        case c.SetComponent():
            set_component(edit, payload)
        case c.SetProcess():
            set_process(edit, payload)
        case c.AddGroup():
            add_group(edit, payload)
        case c.RemoveGroup():
            remove_group(edit, payload)
        case c.RenameGroup():
            rename_group(edit, payload)
        case c.CreateSubgraph():
            create_subgraph(edit, payload)
        case c.DissolveSubgraph():
            dissolve_subgraph(edit, payload)
        case c.RenameSubgraph():
            rename_subgraph(edit, payload)
        case c.AddSubgraphIo():
            add_subgraph_io(edit, payload)
        case c.RemoveSubgraphIo():
            remove_subgraph_io(edit, payload)
        case c.RenameSubgraphIo():
            rename_subgraph_io(edit, payload)
        case c.ImportWorkflow():
            import_workflow(edit, payload)
        case c.OpenNative():
            open_native(edit, payload)
        case c.InsertSubgraph():
            insert_subgraph(edit, payload)
        case c.EditInSubgraph():
            _edit_in_subgraph(edit, payload)
        case c.RestoreRevision():
            raise TypeError("a restore is made of ready changes, not by a rule")
        case _:
            assert_never(payload)


def _edit_in_subgraph(edit: Edit, payload: c.EditInSubgraph) -> None:
    subgraph_id = edit.subgraph(payload.subgraph_id).subgraph_id
    kind = c.KIND_OF[type(payload.payload)]
    if kind in c.FORBIDDEN_INSIDE:
        raise RejectedError(
            "forbidden-in-subgraph",
            f"{kind} may not run inside a definition.",
            {"kind": kind, "scope": subgraph_id},
        )
    try:
        apply(edit.within(subgraph_id), payload.payload)
    except RejectedError as error:
        error.details.setdefault("scope", subgraph_id)
        error.stand_below("/payload")
        raise
