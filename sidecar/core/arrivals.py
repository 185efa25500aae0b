"""What a file or an inline definition brings into the project, under ids never used before.

Definitions that the project has already may stand for equal ones; everything else is added.
"""

from collections.abc import Mapping, Sequence

from attrs import frozen

from protocol.changes import IdMapping, Thing
from protocol.graph import Edge, Graph, Group, Node, Subgraph, SubgraphDefinition, SubgraphId
from sidecar.core.copies import NewIds, check_room, minted
from sidecar.core.definitions import depths, referenced
from sidecar.core.edit import Edit
from sidecar.core.reuse import Reuse

FileUses = dict[SubgraphId, list[SubgraphId]]


@frozen
class Contents:
    """The things of one scope, in list order."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    groups: tuple[Group, ...]


def uses_of(definitions: Sequence[SubgraphDefinition]) -> FileUses:
    """Return which of some definitions each of them holds instances of."""
    known = {one.subgraph_id for one in definitions}
    return {one.subgraph_id: used_among(one.nodes, known) for one in definitions}


def used_among(nodes: Sequence[Node], known: set[SubgraphId]) -> list[SubgraphId]:
    named = (referenced(node) for node in nodes)
    return list(dict.fromkeys(one for one in named if one is not None and one in known))


def add_definitions(
    edit: Edit, definitions: Sequence[SubgraphDefinition], *, reuse: bool
) -> dict[str, SubgraphId]:
    """Add definitions, which may refer to each other; return what each is called here.

    With ``reuse``, one that is equal to one of the project's is not added.  ``size-limit``.
    """
    by_id = {one.subgraph_id: one for one in definitions}
    uses = uses_of(definitions)
    known = Reuse(edit) if reuse else None
    found: dict[str, SubgraphId] = {}
    new: set[SubgraphId] = set()
    for old in depths(by_id, uses.__getitem__):
        equal = None if known is None else known.find(by_id[old], found)
        if equal is None:
            found[old] = SubgraphId(edit.ports.new_id())
            new.add(old)
        else:
            found[old] = equal
    check_room(edit, sum(1 + _count(by_id[old]) for old in new))
    for one in definitions:
        new_id = found[one.subgraph_id]
        edit.report.id_map.append(
            IdMapping(kind="subgraph", scope=None, old=one.subgraph_id, new=new_id)
        )
        if one.subgraph_id in new:
            edit.put(without_contents(one, new_id))
            contents = under_new_ids(edit, one, found, scope=one.subgraph_id)
            put_contents(edit.within(new_id), contents)
        else:
            _report_equal(edit, one, new_id)
    return found


def under_new_ids(
    edit: Edit,
    whole: Graph | SubgraphDefinition,
    subgraphs: Mapping[str, SubgraphId],
    *,
    scope: str | None,
) -> Contents:
    """Return what stands in a scope of a file under new ids, which are reported."""
    check_room(edit, _count(whole))
    ids = minted(
        edit.ports.new_id,
        nodes=whole.nodes,
        edges=whole.edges,
        groups=whole.groups,
        subgraphs=subgraphs,
    )
    edit.report.id_map.extend(ids.mappings(scope))
    return Contents(
        tuple(ids.node(node) for node in whole.nodes),
        tuple(ids.edge(edge) for edge in whole.edges),
        tuple(ids.group(group) for group in whole.groups),
    )


def put_contents(edit: Edit, contents: Contents) -> None:
    things: tuple[Thing, ...] = (*contents.nodes, *contents.edges, *contents.groups)
    for thing in things:
        edit.put(thing)


def without_contents(whole: SubgraphDefinition, subgraph_id: SubgraphId) -> Subgraph:
    """Return a definition as the thing that a project keeps of it, under an id."""
    return Subgraph(
        subgraph_id=subgraph_id,
        name=whole.name,
        description=whole.description,
        inputs=whole.inputs,
        outputs=whole.outputs,
        input_anchor=whole.input_anchor,
        output_anchor=whole.output_anchor,
        native=whole.native,
    )


def _report_equal(edit: Edit, whole: SubgraphDefinition, existing: SubgraphId) -> None:
    """Report which thing of an equal definition stands for which one of the file's."""
    here = edit.graph.scopes[existing]
    ids = NewIds(
        nodes={
            one.node_id: same.node_id
            for one, same in zip(whole.nodes, here.nodes.ordered(), strict=True)
        },
        edges={
            one.edge_id: same.edge_id
            for one, same in zip(whole.edges, here.edges.ordered(), strict=True)
        },
        groups={
            one.group_id: same.group_id
            for one, same in zip(whole.groups, here.groups.ordered(), strict=True)
        },
    )
    edit.report.id_map.extend(ids.mappings(whole.subgraph_id))


def _count(whole: Graph | SubgraphDefinition) -> int:
    return len(whole.nodes) + len(whole.edges) + len(whole.groups)
