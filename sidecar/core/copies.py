"""Things under other ids: what copies, files and inline definitions have in common.

The ids inside a thing (edge ends, members, parents) follow the same table as its own.
"""

from collections.abc import Callable, Iterable, Mapping

from attrs import evolve, field, frozen

from protocol.changes import IdKind, IdMapping
from protocol.graph import Edge, EdgeId, Endpoint, Group, GroupId, Node, NodeId, SubgraphId
from sidecar.core.definitions import instance_component, referenced
from sidecar.core.edit import Edit
from sidecar.core.errors import RejectedError
from sidecar.core.limits import MAX_THINGS


@frozen
class NewIds:
    """The new ids of the things of one scope, by kind and old id.

    ``subgraphs`` are those of the definitions that instances name; one that is not there stays.
    """

    nodes: dict[str, NodeId] = field(factory=dict)
    edges: dict[str, EdgeId] = field(factory=dict)
    groups: dict[str, GroupId] = field(factory=dict)
    subgraphs: Mapping[str, SubgraphId] = field(factory=dict)

    def node(self, node: Node) -> Node:
        definition = self.subgraphs.get(referenced(node) or "")
        component = node.component_id if definition is None else instance_component(definition)
        return evolve(node, node_id=self.nodes[node.node_id], component_id=component)

    def edge(self, edge: Edge) -> Edge:
        return evolve(
            edge,
            edge_id=self.edges[edge.edge_id],
            source=self.end(edge.source),
            target=self.end(edge.target),
        )

    def end(self, end: Endpoint) -> Endpoint:
        return end if end.node_id is None else evolve(end, node_id=self.nodes[end.node_id])

    def group(self, group: Group) -> Group:
        parent = group.parent_group_id
        return evolve(
            group,
            group_id=self.groups[group.group_id],
            node_ids=tuple(self.nodes[member] for member in group.node_ids),
            parent_group_id=None if parent is None else self.groups[parent],
        )

    def mappings(self, scope: str | None) -> list[IdMapping]:
        """Return what became of each id; ``scope`` names the subgraph on the old side."""
        tables: list[tuple[IdKind, dict[str, str]]] = [
            ("node", dict(self.nodes)),
            ("edge", dict(self.edges)),
            ("group", dict(self.groups)),
        ]
        return [
            IdMapping(kind=kind, scope=scope, old=old, new=new)
            for kind, table in tables
            for old, new in table.items()
        ]


def minted(
    new_id: Callable[[], str],
    *,
    nodes: Iterable[Node],
    edges: Iterable[Edge],
    groups: Iterable[Group],
    subgraphs: Mapping[str, SubgraphId] | None = None,
) -> NewIds:
    """Return a new id for each thing."""
    return NewIds(
        nodes={node.node_id: NodeId(new_id()) for node in nodes},
        edges={edge.edge_id: EdgeId(new_id()) for edge in edges},
        groups={group.group_id: GroupId(new_id()) for group in groups},
        subgraphs=subgraphs or {},
    )


def check_room(edit: Edit, number: int) -> None:
    """Refuse more things than a project may have: ``size-limit``."""
    count = edit.graph.count() + number
    if count > MAX_THINGS:
        raise RejectedError(
            "size-limit",
            f"A project may have {MAX_THINGS} nodes, edges, groups and subgraphs.",
            {"limit": MAX_THINGS, "count": count},
        )
