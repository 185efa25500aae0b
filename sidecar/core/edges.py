"""The rules of edges: connect, remove-edge, retarget-edge."""

from typing import Any

from attrs import evolve, frozen

from protocol import commands as c
from protocol.graph import Edge, EdgeId, Endpoint, Port
from sidecar.core.checks import bad_shape, check_positions
from sidecar.core.cycles import find_path
from sidecar.core.edit import Edit, check_id
from sidecar.core.endpoints import check_end, occupant, same_pair, source_port, target_port
from sidecar.core.errors import RejectedError
from sidecar.core.typing_rules import fits


def connect(edit: Edit, payload: c.Connect) -> None:
    """Join an output and an input; the same pair again changes nothing."""
    check_end(edit, payload.source, "/source")
    check_end(edit, payload.target, "/target")
    if payload.edge_id is not None:
        check_id(payload.edge_id, "/edgeId")
    check_positions(payload.waypoints, "/waypoints")
    ends = _resolved(edit, payload.source, payload.target)
    _refuse_self(edit, ends)
    if same_pair(edit, ends.source, ends.target) is not None:
        return
    edge_id = EdgeId(edit.new_id("edge", payload.edge_id))
    _check_fit(edit, ends)
    _make_room(edit, ends, payload.on_occupied)
    edit.put(
        Edge(
            edge_id=edge_id,
            source=ends.source,
            target=ends.target,
            label=payload.label,
            waypoints=payload.waypoints,
        )
    )


def remove_edge(edit: Edit, payload: c.RemoveEdge) -> None:
    edit.remove_edge(_named(edit, payload))


def retarget_edge(edit: Edit, payload: c.RetargetEdge) -> None:
    """Give an edge another end, or two; it stays the same edge in all else."""
    if payload.source is None and payload.target is None:
        raise bad_shape("", "expected source or target, or both")
    for end, path in ((payload.source, "/source"), (payload.target, "/target")):
        if end is not None:
            check_end(edit, end, path)
    edge = edit.edge(payload.edge_id)
    ends = _resolved(edit, payload.source or edge.source, payload.target or edge.target)
    if (ends.source, ends.target) == (edge.source, edge.target):
        return
    _refuse_self(edit, ends)
    other = same_pair(edit, ends.source, ends.target)
    if other is not None:
        raise RejectedError(
            "duplicate-edge", "Another edge joins these ports.", {"edgeId": other.edge_id}
        )
    _check_fit(edit, ends, but=edge)
    _make_room(edit, ends, payload.on_occupied, but=edge)
    kept = edge.data_type if ends.source == edge.source else None
    edit.put(evolve(edge, source=ends.source, target=ends.target, data_type=kept))


def joinable(edit: Edit, source: Endpoint, target: Endpoint) -> bool:
    """Return whether an edge between two existing ports would fit, replacing nothing."""
    try:
        ends = _resolved(edit, source, target)
        _refuse_self(edit, ends)
        _check_fit(edit, ends)
    except RejectedError:
        return False
    return same_pair(edit, source, target) is None and (
        occupant(edit, target, ends.target_port) is None
    )


@frozen
class _Ends:
    """Two ends and the ports that they name."""

    source: Endpoint
    target: Endpoint
    source_port: Port
    target_port: Port

    @property
    def details(self) -> dict[str, Any]:
        return {"source": _details(self.source), "target": _details(self.target)}


def _resolved(edit: Edit, source: Endpoint, target: Endpoint) -> _Ends:
    for end in (source, target):
        if end.node_id is not None:
            edit.node(end.node_id)
    return _Ends(source, target, source_port(edit, source), target_port(edit, target))


def _refuse_self(edit: Edit, ends: _Ends) -> None:
    if edit.acyclic and ends.source.node_id is not None and _same_node(ends):
        raise RejectedError(
            "self-connection",
            "A node cannot feed itself in this format.",
            {"nodeId": ends.source.node_id},
        )


def _same_node(ends: _Ends) -> bool:
    return ends.source.node_id == ends.target.node_id


def _check_fit(edit: Edit, ends: _Ends, *, but: Edge | None = None) -> None:
    given, taken = ends.source_port.data_type, ends.target_port.data_type
    if not fits(given, taken):
        raise RejectedError(
            "type-mismatch",
            f"A port of type {given} does not fit one of type {taken}.",
            {"sourceType": given, "targetType": taken, **ends.details},
        )
    if edit.acyclic:
        _refuse_cycle(edit, ends, but)


def _refuse_cycle(edit: Edit, ends: _Ends, but: Edge | None) -> None:
    first, last = ends.target.node_id, ends.source.node_id
    if first is None or last is None:
        return
    without = None if but is None else but.edge_id
    path = find_path(edit.graph, edit.scope, first, last, without=without)
    if path is not None:
        raise RejectedError(
            "would-create-cycle",
            "This edge would close a cycle, which this format does not allow.",
            {"path": [last, *path]},
        )


def _make_room(
    edit: Edit, ends: _Ends, on_occupied: c.OnOccupied, *, but: Edge | None = None
) -> None:
    there = occupant(edit, ends.target, ends.target_port, but=but)
    if there is None:
        return
    if on_occupied == "error":
        raise RejectedError(
            "port-occupied",
            "The input takes one edge and has one.",
            {"edgeId": there.edge_id, "target": _details(ends.target)},
        )
    edit.replace_edge(there)


def _named(edit: Edit, payload: c.RemoveEdge) -> Edge:
    if payload.edge_id is not None:
        if payload.source is not None or payload.target is not None:
            raise bad_shape("", "expected edgeId, or source and target, not both")
        return edit.edge(payload.edge_id)
    if payload.source is None or payload.target is None:
        raise bad_shape("", "expected edgeId, or source and target")
    for end, path in ((payload.source, "/source"), (payload.target, "/target")):
        check_end(edit, end, path)
        if end.node_id is not None:
            edit.node(end.node_id)
    found = same_pair(edit, payload.source, payload.target)
    if found is None:
        raise RejectedError(
            "unknown-edge",
            "No edge joins these ports.",
            {"source": _details(payload.source), "target": _details(payload.target)},
        )
    return found


def _details(end: Endpoint) -> dict[str, Any]:
    if end.node_id is not None:
        return {"nodeId": end.node_id, "portId": end.port_id}
    return {"boundary": end.boundary, "portId": end.port_id}
