"""What a new subgraph is made of: nodes, groups wholly inside, edges in, out and within.

Everything here is read from the graph before anything of it changes.
"""

from collections.abc import Collection, Iterable, Iterator

from attrs import field, frozen

from protocol.commands import CreateSubgraph
from protocol.graph import Edge, EdgeId, Endpoint, GroupId, Node, NodeId
from sidecar.core.checks import bad_shape
from sidecar.core.edit import Edit


@frozen(kw_only=True)
class Selection:
    """Nodes by rank; groups that move along, outermost first; edges by rank.

    ``incoming`` holds the edges from outside by source, ``outgoing`` those to outside by source.
    ``common`` is the innermost group that stays and holds all nodes.
    """

    nodes: dict[NodeId, Node]
    groups: list[GroupId]
    common: GroupId | None
    inner: list[Edge] = field(factory=list)
    incoming: dict[Endpoint, list[Edge]] = field(factory=dict)
    outgoing: dict[Endpoint, list[Edge]] = field(factory=dict)


def selection_of(edit: Edit, payload: CreateSubgraph) -> Selection:
    """Return what a payload selects; ``unknown-node``, ``unknown-group``, ``cross-scope``."""
    nodes = _nodes(edit, payload)
    groups = _groups_inside(edit, nodes, payload.group_ids)
    selection = Selection(nodes=nodes, groups=groups, common=_common(edit, nodes, set(groups)))
    edge_ids: dict[EdgeId, None] = {}
    for node_id in nodes:
        edge_ids.update(edit.graph.edges_of_node.get(node_id, {}))
    for edge in edit.graph.by_rank(edit.scope, edge_ids):
        if edge.source.node_id not in nodes:
            selection.incoming.setdefault(edge.source, []).append(edge)
        elif edge.target.node_id not in nodes:
            selection.outgoing.setdefault(edge.source, []).append(edge)
        else:
            selection.inner.append(edge)
    return selection


def descendants(edit: Edit, group_ids: Iterable[GroupId]) -> list[GroupId]:
    """Return groups and all groups inside them, outer ones before inner ones, each once."""
    found: dict[GroupId, None] = {}
    waiting = list(group_ids)[::-1]
    while waiting:
        group_id = waiting.pop()
        if group_id not in found:
            found[group_id] = None
            waiting.extend(edit.graph.child_groups.get(group_id, ()))
    return list(found)


def outwards(edit: Edit, group_id: GroupId | None) -> Iterator[GroupId]:
    """Yield a group and the groups around it, innermost first."""
    while group_id is not None:
        yield group_id
        group_id = edit.here.groups[group_id].parent_group_id


def _nodes(edit: Edit, payload: CreateSubgraph) -> dict[NodeId, Node]:
    if not payload.node_ids and not payload.group_ids:
        raise bad_shape("/nodeIds", "expected at least one node or group")
    chosen = {node_id: edit.node(node_id) for node_id in payload.node_ids}
    for group_id in descendants(edit, [edit.group(one).group_id for one in payload.group_ids]):
        for node_id in edit.here.groups[group_id].node_ids:
            chosen[node_id] = edit.here.nodes[node_id]
    if not chosen:
        raise bad_shape("/groupIds", "the groups hold no node")
    return dict(sorted(chosen.items(), key=lambda item: edit.here.nodes.ranks[item[0]]))


def _groups_inside(
    edit: Edit, nodes: Collection[NodeId], named: Collection[GroupId]
) -> list[GroupId]:
    """Return the groups of which no member stays, outer ones first.

    An empty group goes along where it was named, or stands in a group that goes.
    """
    touched = dict.fromkeys([*named, *_direct_groups(edit, nodes)])
    tops = dict.fromkeys(list(outwards(edit, group_id))[-1] for group_id in touched)
    order = descendants(edit, tops)
    whole: set[GroupId] = set()
    for group_id in reversed(order):
        children = edit.graph.child_groups.get(group_id, ())
        members = edit.here.groups[group_id].node_ids
        if all(one in nodes for one in members) and all(one in whole for one in children):
            whole.add(group_id)
    around = {one for group_id in touched for one in outwards(edit, group_id)}
    return descendants(edit, [one for one in order if one in whole and one in around])


def _common(edit: Edit, nodes: Collection[NodeId], going: Collection[GroupId]) -> GroupId | None:
    chains: dict[GroupId | None, list[GroupId]] = {}
    for node_id in nodes:
        group_id = edit.graph.group_of_node.get(node_id)
        if group_id not in chains:
            chains[group_id] = [one for one in outwards(edit, group_id) if one not in going]
    first, *others = chains.values()
    return next((one for one in first if all(one in chain for chain in others)), None)


def _direct_groups(edit: Edit, nodes: Iterable[NodeId]) -> list[GroupId]:
    found = (edit.graph.group_of_node.get(node_id) for node_id in nodes)
    return [group_id for group_id in found if group_id is not None]
