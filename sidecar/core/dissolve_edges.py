"""Edges of a dissolved instance: its definition's own ones, and those joined through its boundary.

An outer edge keeps its id, with its label and bends, on one of the edges that it becomes; single
inputs stay single, the first edge in list order wins, and what is lost is reported.
"""

from attrs import evolve

from protocol.changes import ScopedEdge
from protocol.graph import Edge, EdgeId, Endpoint, NodeId, Position
from sidecar.core.blocks import Shift
from sidecar.core.copies import NewIds
from sidecar.core.edit import Edit
from sidecar.core.endpoints import occupant, same_pair, target_port
from sidecar.core.joins import Join, at_boundary, joins


class Rejoin:
    """Reads the edges around and inside of an instance, and puts them back without it.

    Between the two the caller takes away the instance, and puts the contents in its place.
    """

    def __init__(  # noqa: PLR0913 -- what the edges of the contents are shown with
        self,
        edit: Edit,
        instance_id: NodeId,
        inner: list[Edge],
        *,
        ids: NewIds,
        shift: Shift,
        last: bool,
    ) -> None:
        self._edit = edit
        self._inner = inner
        self._ids = ids
        self._shift = shift
        self._last = last
        outer = edit.graph.node_edges(edit.scope, instance_id)
        ranks = edit.here.edges.ranks
        self._outer = {edge.edge_id: (edge, ranks[edge.edge_id]) for edge in outer}
        # Outer edges come back at their old ranks, which nothing else may take meanwhile.
        self._first_rank = edit.here.edges.next_rank()
        self._joins = joins(instance_id, outer, inner)
        self._free = {edge.edge_id for edge in inner if at_boundary(edge)} if last else set()
        self._free |= set(self._outer)
        self._alive: set[EdgeId] = set()

    def take_out(self) -> None:
        """Remove the edges at the instance."""
        for edge, _ in self._outer.values():
            self._edit.remove_edge(edge)

    def put(self) -> None:
        """Put the edges back where the contents now stand, and report those that went."""
        for edge in self._inner:
            if not at_boundary(edge):
                self._append(self._ids.edge(self._shift.edge(edge)))
        lost = [join for join in self._joins if not self._put_join(join)]
        for edge, _ in self._outer.values():
            if edge.edge_id not in self._alive:
                self._edit.report.dropped.append(ScopedEdge(scope=self._edit.scope, edge=edge))
        for join in lost:
            if all(edge.edge_id in self._alive for edge in join.edges if self._is_outer(edge)):
                self._edit.warn(
                    "input-occupied",
                    f"{join.first.edge_id} could not lead on to all that it fed: "
                    "an input takes one edge.",
                )

    def _put_join(self, join: Join) -> bool:
        """Put one edge, unless its input is taken; one that is there already stands for it."""
        edit, source, target = self._edit, self._end(join, 0), self._end(join, -1)
        if same_pair(edit, source, target) is None:
            if occupant(edit, target, target_port(edit, target)) is not None:
                return False
            self._put_edge(join, source, target)
        self._alive.update(edge.edge_id for edge in join.edges if self._is_outer(edge))
        return True

    def _put_edge(self, join: Join, source: Endpoint, target: Endpoint) -> None:
        base = self._base(join)
        kept = base.edge_id in self._free
        self._free.discard(base.edge_id)
        shown = [edge for edge in join.edges if edge is base or not self._is_outer(edge)]
        edge = evolve(
            base,
            edge_id=base.edge_id if kept else EdgeId(self._edit.ports.new_id()),
            source=source,
            target=target,
            label=next((one.label for one in [base, *shown] if one.label is not None), None),
            waypoints=tuple(bend for one in shown for bend in self._bends(one)),
        )
        if self._is_outer(edge):
            self._edit.put(edge, self._outer[edge.edge_id][1])
        else:
            self._append(edge)

    def _append(self, edge: Edge) -> None:
        self._edit.put(edge, max(self._first_rank, self._edit.here.edges.next_rank()))

    def _base(self, join: Join) -> Edge:
        """Return the edge that a joined one goes on as: an outer one that is free, else an inner.

        Where both are outer ones that have gone on already, the last one is copied.
        """
        outer = [edge for edge in join.edges if self._is_outer(edge)]
        inner = [edge for edge in join.edges if not self._is_outer(edge)]
        free = [edge for edge in reversed(outer) if edge.edge_id in self._free]
        return (free or inner or outer)[0]

    def _bends(self, edge: Edge) -> tuple[Position, ...]:
        return edge.waypoints if self._is_outer(edge) else self._shift.edge(edge).waypoints

    def _end(self, join: Join, index: int) -> Endpoint:
        edge = join.edges[index]
        end = edge.source if index == 0 else edge.target
        return end if self._is_outer(edge) else self._ids.end(end)

    def _is_outer(self, edge: Edge) -> bool:
        return edge.edge_id in self._outer
