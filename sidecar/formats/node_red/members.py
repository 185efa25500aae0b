"""Which nodes and groups stand in which groups of a flow file; contradictions are repaired."""

from attrs import evolve

from protocol.graph import GroupId, Json, NodeId
from sidecar.formats.node_red.scope import Scope
from sidecar.formats.repairs import Repairs


def read_members(scope: Scope, repairs: Repairs) -> None:
    """Give the groups of a scope their members and parents.

    A group's list counts first, then what a node or group says itself.
    """
    groups = {
        e.id: g.group_id
        for e, g in zip(scope.group_entries, scope.groups, strict=True)
        if not e.twin
    }
    owner, parent = _listed(scope, groups, repairs)
    for node, entry in zip(scope.nodes, scope.node_entries, strict=True):
        said = groups.get(_text(entry.raw.get("g")))
        if said is not None and node.node_id not in owner:
            repairs.add("group-member", "The group did not list the node.", entry.index, "g")
            owner[node.node_id] = said
    for group, entry in zip(scope.groups, scope.group_entries, strict=True):
        said = groups.get(_text(entry.raw.get("g")))
        if said is not None and group.group_id not in parent:
            parent[group.group_id] = said
    _break_rings(parent)
    members: dict[GroupId, list[NodeId]] = {}
    for node_id, group_id in owner.items():
        members.setdefault(group_id, []).append(node_id)
    scope.groups = [
        evolve(
            group,
            node_ids=tuple(members.get(group.group_id, ())),
            parent_group_id=parent.get(group.group_id),
        )
        for group in scope.groups
    ]


def _listed(
    scope: Scope, groups: dict[str, GroupId], repairs: Repairs
) -> tuple[dict[NodeId, GroupId], dict[GroupId, GroupId]]:
    owner: dict[NodeId, GroupId] = {}
    parent: dict[GroupId, GroupId] = {}
    for group, entry in zip(scope.groups, scope.group_entries, strict=True):
        listed = entry.raw.get("nodes")
        for place, item in enumerate(listed if isinstance(listed, list) else []):
            name = _text(item)
            node, inner = scope.by_id.get(name), groups.get(name)
            if node is not None and node.node_id not in owner:
                owner[node.node_id] = group.group_id
            elif node is None and inner is not None and inner not in parent:
                parent[inner] = group.group_id
            else:
                message = "The group's member is not there, or stands in another group."
                repairs.add("group-member", message, entry.index, "nodes", place)
    return owner, parent


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _break_rings(parent: dict[GroupId, GroupId]) -> None:
    done: set[GroupId] = set()
    for start in list(parent):
        trail: dict[GroupId, None] = {}
        at: GroupId | None = start
        while at is not None and at not in done and at not in trail:
            trail[at] = None
            at = parent.get(at)
        if at is not None and at in trail:
            del parent[at]
        done.update(trail)
