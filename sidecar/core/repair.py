"""A graph that was read from a file made fit for a project: each repair is one warning.

Ids are still the file's; what comes out is unique per kind and scope, and keeps every invariant
but those that only the project can tell (ids used before, definitions around the scope).
"""

from collections.abc import Iterable, Mapping

from attrs import evolve, frozen

from protocol.changes import Notice
from protocol.graph import Edge, Graph, Group, Node, Position, SubgraphDefinition
from sidecar.core.repair_edges import Boundary, repaired_edges
from sidecar.core.repair_groups import repaired_groups
from sidecar.core.repair_io import repaired_io
from sidecar.core.repair_nodes import repaired_nodes
from sidecar.core.repair_notes import Notes, fits_world


@frozen
class Repaired:
    """A graph without faults, and what was done about those it had."""

    graph: Graph
    notices: list[Notice]


def repaired(graph: Graph, path: str = "/graph", *, exact: bool = True) -> Repaired:
    """Return a graph with its faults repaired; ``path`` is where its JSON Pointers begin.

    ``exact`` tells whether what was read has the form of the graph.
    """
    notes = Notes(exact)
    definitions = _with_own_ids(graph.subgraphs, notes, f"{path}/subgraphs")
    known: dict[str, Boundary] = {one.subgraph_id: repaired_io(one) for one in definitions}
    subgraphs = [
        _definition(one, known, notes, f"{path}/subgraphs/{number}")
        for number, one in enumerate(definitions)
    ]
    root = _contents(graph, None, known, notes, path)
    whole = Graph(
        nodes=root.nodes, edges=root.edges, groups=root.groups, subgraphs=tuple(subgraphs)
    )
    return Repaired(whole, notes.notices)


def repaired_definition(
    definition: SubgraphDefinition, known: Mapping[str, Boundary], path: str
) -> tuple[SubgraphDefinition, list[Notice]]:
    """Return one definition with its faults repaired; ``known`` are those it may refer to."""
    notes = Notes()
    own = repaired_io(definition)
    return _definition(definition, {**known, definition.subgraph_id: own}, notes, path), (
        notes.notices
    )


@frozen
class _Contents:
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    groups: tuple[Group, ...]


def _with_own_ids(
    definitions: Iterable[SubgraphDefinition], notes: Notes, path: str
) -> list[SubgraphDefinition]:
    taken: set[str] = set()
    return [
        evolve(one, subgraph_id=notes.own_id(one.subgraph_id, taken, f"{path}/{number}"))
        for number, one in enumerate(definitions)
    ]


def _definition(
    definition: SubgraphDefinition, known: Mapping[str, Boundary], notes: Notes, path: str
) -> SubgraphDefinition:
    boundary = known[definition.subgraph_id]
    inside = _contents(definition, boundary, known, notes, path)
    return evolve(
        definition,
        inputs=boundary.inputs,
        outputs=boundary.outputs,
        nodes=inside.nodes,
        edges=inside.edges,
        groups=inside.groups,
        input_anchor=_anchor(definition.input_anchor, notes, f"{path}/inputAnchor"),
        output_anchor=_anchor(definition.output_anchor, notes, f"{path}/outputAnchor"),
    )


def _contents(
    contents: Graph | SubgraphDefinition,
    boundary: Boundary | None,
    known: Mapping[str, Boundary],
    notes: Notes,
    path: str,
) -> _Contents:
    nodes = repaired_nodes(contents.nodes, known, notes, f"{path}/nodes")
    edges = repaired_edges(contents.edges, nodes, boundary, notes, f"{path}/edges")
    groups = repaired_groups(contents.groups, nodes.nodes, notes, f"{path}/groups")
    return _Contents(tuple(nodes.nodes), tuple(edges), tuple(groups))


def _anchor(anchor: Position, notes: Notes, path: str) -> Position:
    if fits_world(anchor.x, anchor.y):
        return anchor
    notes.add("position-repaired", "The anchor was at no possible place.", path)
    return Position(0, 0)
