"""Edges of a file: both ends there, from an output to an input, no two alike, one a single input."""

from collections.abc import Iterable

from attrs import evolve, field, frozen

from protocol.graph import Edge, Endpoint, Node, NodeId, Port, PortId, Position
from sidecar.core.repair_notes import Notes, fits_world


@frozen
class Renames:
    """The ids that the ports of an instance have now, by those that they have in the file."""

    inputs: dict[PortId, PortId] = field(factory=dict)
    outputs: dict[PortId, PortId] = field(factory=dict)


@frozen
class Boundary:
    """The ports of a definition, and the new ids of its outputs by those of the file."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    renames: dict[PortId, PortId] = field(factory=dict)


@frozen
class RepairedNodes:
    """The nodes of one scope, and the ports of instances that go by other ids."""

    nodes: list[Node]
    renames: dict[NodeId, Renames]


def repaired_edges(
    edges: Iterable[Edge],
    nodes: RepairedNodes,
    boundary: Boundary | None,
    notes: Notes,
    path: str,
) -> list[Edge]:
    """Return the edges of one scope that may stay; of two that exclude each other, the first."""
    ends = _Ends(nodes, boundary)
    taken: set[str] = set()
    pairs: set[tuple[Endpoint, Endpoint]] = set()
    occupied: set[Endpoint] = set()
    made: list[Edge] = []
    for number, raw in enumerate(edges):
        here = f"{path}/{number}"
        source, target = ends.source(raw.source), ends.target(raw.target)
        if source is None or target is None:
            side = "source" if source is None else "target"
            notes.add("edge-dropped", "The edge ends at nothing.", f"{here}/{side}")
            continue
        if (source, target) in pairs:
            notes.add("edge-dropped", "Another edge joins the same ports.", here)
            continue
        if target in occupied:
            notes.add("edge-dropped", "The input takes one edge and has one.", here)
            continue
        pairs.add((source, target))
        if not ends.takes_many(target):
            occupied.add(target)
        edge_id = notes.own_id(raw.edge_id, taken, here)
        edge = evolve(raw, edge_id=edge_id, source=source, target=target)
        made.append(_bent(edge, notes, here))
    return made


class _Ends:
    """What edges of one scope may end at."""

    def __init__(self, nodes: RepairedNodes, boundary: Boundary | None) -> None:
        self._renames = nodes.renames
        self._output_ids = {} if boundary is None else boundary.renames
        self._sources: set[Endpoint] = set()
        self._many: dict[Endpoint, bool] = {}
        for node in nodes.nodes:
            for port in node.outputs:
                self._sources.add(Endpoint(node_id=node.node_id, port_id=port.port_id))
            for port in node.inputs:
                end = Endpoint(node_id=node.node_id, port_id=port.port_id)
                self._many[end] = port.multiple
        if boundary is not None:
            for port in boundary.inputs:
                self._sources.add(Endpoint(boundary="input", port_id=port.port_id))
            for port in boundary.outputs:
                end = Endpoint(boundary="output", port_id=port.port_id)
                self._many[end] = port.multiple

    def source(self, end: Endpoint) -> Endpoint | None:
        renames = self._of(end)
        found = end if renames is None else _renamed(end, renames.outputs)
        return found if found in self._sources else None

    def target(self, end: Endpoint) -> Endpoint | None:
        renames = self._of(end)
        found: Endpoint | None = end
        if renames is not None:
            found = _renamed(end, renames.inputs)
        elif end.boundary == "output":
            found = _renamed(end, self._output_ids)
        return found if found in self._many else None

    def takes_many(self, target: Endpoint) -> bool:
        return self._many[target]

    def _of(self, end: Endpoint) -> Renames | None:
        return None if end.node_id is None else self._renames.get(end.node_id)


def _renamed(end: Endpoint, renames: dict[PortId, PortId]) -> Endpoint | None:
    new = renames.get(end.port_id)
    return None if new is None else evolve(end, port_id=new)


def _bent(edge: Edge, notes: Notes, path: str) -> Edge:
    bends: tuple[Position, ...] = tuple(
        bend for bend in edge.waypoints if fits_world(bend.x, bend.y)
    )
    if len(bends) == len(edge.waypoints):
        return edge
    notes.add("position-repaired", "A bend of the edge was at no possible place.", path)
    return evolve(edge, waypoints=bends)
