"""Short texts that name a version in a history list."""

from collections.abc import Iterable
from typing import Final, assert_never

from protocol import commands as c
from protocol.graph import SUBGRAPH_PREFIX, ComponentId, Node, NodeId
from sidecar.core.changes import Change
from sidecar.core.graph import ProjectGraph
from sidecar.core.values import value

MAX_LABEL: Final = 120


def label_of(payload: c.Payload, changes: Iterable[Change], graph: ProjectGraph) -> str:
    """Return what a command did, in a few words, with the names that things had.

    ``graph`` is the one that the command left.
    """
    nodes = {ch.id: ch for ch in changes if ch.kind == "node" and ch.id is not None}
    text = _label(payload, _Names(graph, nodes))
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 1] + "…"


@value
class _Names:
    """What things are called: nodes as they were before, where they were there."""

    graph: ProjectGraph
    nodes: dict[str, Change]

    def of_node(self, node_id: NodeId) -> str:
        change = self.nodes.get(node_id)
        node = change and (change.before or change.after)
        if isinstance(node, Node):
            return node.name or self.of_component(node.component_id)
        return "a node"

    def of_component(self, component_id: ComponentId) -> str:
        if component_id.startswith(SUBGRAPH_PREFIX):
            subgraph = self.graph.subgraphs.get(component_id.removeprefix(SUBGRAPH_PREFIX))
            return subgraph.name if subgraph else "a subgraph"
        component = self.graph.components.get(component_id)
        return component.name if component else component_id


def _label(payload: c.Payload, names: _Names) -> str:
    match payload:
        case c.AddNode():
            return f"Add {payload.name or names.of_component(payload.component_id)}"
        case c.RemoveNode():
            return f"Remove {names.of_node(payload.node_id)}"
        case c.MoveNode():
            return f"Move {names.of_node(payload.node_id)}"
        case c.MoveNodes():
            return f"Move {_count(len(payload.moves or payload.node_ids or ()), 'node')}"
        case c.RenameNode():
            return f"Rename {names.of_node(payload.node_id)}"
        case c.Connect():
            return "Connect"
        case c.RemoveEdge():
            return "Disconnect"
        case c.RetargetEdge():
            return "Reconnect"
        case c.SetParameter():
            what = payload.name or ", ".join(payload.values or ()) or "parameters"
            return (
                f"{'Reset' if payload.unset else 'Set'} {what} of {names.of_node(payload.node_id)}"
            )
        case c.AnnotateNode():
            return f"Annotate {names.of_node(payload.node_id)}"
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
            return _label(payload.payload, names)
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


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
