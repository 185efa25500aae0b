"""Short texts that name a version in a history list."""

from collections.abc import Iterable
from typing import Final, assert_never

from protocol import commands as c
from protocol.graph import Node, NodeId
from sidecar.core.changes import Change

MAX_LABEL: Final = 120


def label_of(payload: c.Payload, changes: Iterable[Change]) -> str:
    """Return what a command did, in a few words, with the names that things had."""
    text = _label(payload, {ch.id: ch for ch in changes if ch.kind == "node" and ch.id is not None})
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 1] + "…"


def _label(payload: c.Payload, nodes: dict[str, Change]) -> str:
    match payload:
        case c.AddNode():
            return f"Add {payload.name or payload.component_id}"
        case c.RemoveNode():
            return f"Remove {_name(nodes, payload.node_id)}"
        case c.MoveNode():
            return f"Move {_name(nodes, payload.node_id)}"
        case c.MoveNodes():
            return f"Move {_count(len(payload.moves or payload.node_ids or ()), 'node')}"
        case c.RenameNode():
            return f"Rename {_name(nodes, payload.node_id)}"
        case c.Connect():
            return "Connect"
        case c.RemoveEdge():
            return "Disconnect"
        case c.RetargetEdge():
            return "Reconnect"
        case c.SetParameter():
            what = payload.name or ", ".join(payload.values or ()) or "parameters"
            return (
                f"{'Reset' if payload.unset else 'Set'} {what} of {_name(nodes, payload.node_id)}"
            )
        case c.AnnotateNode():
            return f"Annotate {_name(nodes, payload.node_id)}"
        case c.SetComponent():
            return f"Change component {payload.component_id}"
        case c.SetProcess():
            return "Change what a node executes"
        case c.ImportWorkflow():
            return f"Import {payload.group_name or 'workflow'}"
        case c.OpenNative():
            return f"Open {payload.title or payload.path or 'workflow'}"
        case c.CreateSubgraph():
            return f"Create subgraph {payload.name or ''}".rstrip()
        case c.InsertSubgraph():
            return f"Insert subgraph {payload.name or ''}".rstrip()
        case c.DissolveSubgraph():
            return "Dissolve subgraph"
        case c.RenameSubgraph():
            return f"Rename subgraph to {payload.name}"
        case c.AddSubgraphIo():
            return f"Add {payload.direction} {payload.name}"
        case c.RemoveSubgraphIo():
            return "Remove a subgraph port"
        case c.RenameSubgraphIo():
            return f"Rename a subgraph port to {payload.name}"
        case c.EditInSubgraph():
            return _label(payload.payload, nodes)
        case c.AddGroup():
            return f"Add group {payload.name}"
        case c.RemoveGroup():
            return "Ungroup"
        case c.RenameGroup():
            return f"Rename group to {payload.name}"
        case c.RestoreRevision():
            return "Restore an earlier version"
        case _:
            assert_never(payload)


def _name(nodes: dict[str, Change], node_id: NodeId) -> str:
    change = nodes.get(node_id)
    node = change and (change.before or change.after)
    if isinstance(node, Node):
        return node.name or node.component_id
    return "a node"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
