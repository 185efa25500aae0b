"""Who is who in one scope of a ComfyUI file: native ids, link mentions, slot indexes.

Reading and writing build the same view, so that the residue of a file is what writing lacks.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from protocol.graph import (
    SUBGRAPH_PREFIX,
    Edge,
    EdgeId,
    Endpoint,
    Group,
    Json,
    JsonObject,
    Node,
    NodeId,
    Port,
    PortId,
)
from sidecar.formats.comfyui.links import LinkEnds
from sidecar.formats.comfyui.names import FORMAT, INPUT_ID, OUTPUT_ID
from sidecar.formats.comfyui.slots import written_order
from sidecar.formats.ids import Counter, native_ids, residue
from sidecar.formats.values import id_text

End = tuple[NodeId | None, PortId]
"""A node's port, or, without a node, a port of the definition's boundary."""


@frozen(kw_only=True)
class Slots:
    """What a node's slot lists are made of: ports, and entries the model does not hold."""

    inputs: list[Any]
    outputs: list[Any]


@frozen(kw_only=True)
class View:
    """One scope as it is written."""

    node_ids: Mapping[NodeId, Json]
    edge_ids: Mapping[EdgeId, Json]
    group_ids: Mapping[str, Json]
    slots: Mapping[NodeId, Slots]
    incoming: Mapping[End, list[Json]]
    outgoing: Mapping[End, list[Json]]
    ends: Mapping[EdgeId, LinkEnds]
    room: Mapping[tuple[str, str | None], int]
    """How many slots there are: by ``source`` or ``target``, and a node's or boundary's id."""

    def link_into(self, node_id: NodeId, port_id: PortId) -> Json:
        links = self.incoming.get((node_id, port_id))
        return links[0] if links else None

    def links_from(self, node_id: NodeId, port_id: PortId) -> Json:
        return self.outgoing.get((node_id, port_id))


@frozen(kw_only=True)
class Boundary:
    """The ports of a definition, by whose order its links count."""

    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()


@frozen(kw_only=True)
class Counters:
    """Fresh ids for one whole file."""

    nodes: Counter
    links: Counter
    groups: Counter
    reroutes: Counter


def make_view(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    groups: Sequence[Group],
    *,
    boundary: Boundary,
    counters: Counters,
) -> View:
    """Return the view of a scope; what has no usable native id gets a fresh one."""
    touched = {end.node_id for edge in edges for end in (edge.source, edge.target)}
    node_ids = native_ids(
        nodes,
        FORMAT,
        key=_node_id,
        touched=lambda node: node.node_id in touched,
        fresh=lambda _: counters.nodes.mint(),
    )
    edge_ids = native_ids(
        edges, FORMAT, key=lambda edge: edge.edge_id, fresh=lambda _: counters.links.mint()
    )
    group_ids = native_ids(
        groups, FORMAT, key=lambda group: group.group_id, fresh=lambda _: counters.groups.mint()
    )
    incoming: dict[End, list[Json]] = {}
    outgoing: dict[End, list[Json]] = {}
    for edge in edges:
        outgoing.setdefault(_end(edge.source), []).append(edge_ids[edge.edge_id])
        incoming.setdefault(_end(edge.target), []).append(edge_ids[edge.edge_id])
    linked = incoming.keys() | outgoing.keys()
    slots = {node.node_id: slots_of(node, linked) for node in nodes}
    indexes = _indexes(slots, boundary)
    return View(
        node_ids=node_ids,
        edge_ids=edge_ids,
        group_ids=group_ids,
        slots=slots,
        incoming=incoming,
        outgoing=outgoing,
        ends={edge.edge_id: _ends(edge, node_ids, indexes) for edge in edges},
        room=_room(slots, node_ids, boundary),
    )


def slots_of(node: Node, linked: Container[End] = ()) -> Slots:
    """Return what a node's slots are made of, in the order in which they are written.

    A port that the file left out of an instance is written as soon as something is linked to it.
    """
    native = residue(node.native, FORMAT)
    patch = native[FORMAT] if native else {}
    if not node.component_id.startswith(SUBGRAPH_PREFIX):
        return Slots(inputs=list(node.inputs), outputs=list(node.outputs))

    def used(port: Port) -> bool:
        return (node.node_id, port.port_id) in linked

    return Slots(
        inputs=written_order(node.inputs, patch.get("inputs"), used),
        outputs=written_order(node.outputs, patch.get("outputs"), used),
    )


def written_slots(listed: list[Any]) -> list[Any]:
    """Return a slot list without what stands at its end only because links name it."""
    end = len(listed)
    while end and isinstance(listed[end - 1], Port) and is_padding(listed[end - 1]):
        end -= 1
    return listed[:end]


def is_padding(port: Port) -> bool:
    """Whether a port stands only for a slot that the file's links name and its node lacks."""
    return bool(port.native) and bool((port.native or {}).get(FORMAT, {}).get("padding"))


def _node_id(node: Node) -> NodeId:
    return node.node_id


def _end(end: Endpoint) -> End:
    return end.node_id, end.port_id


def _indexes(slots: Mapping[NodeId, Slots], boundary: Boundary) -> dict[tuple[str, End], int]:
    found: dict[tuple[str, End], int] = {}
    for node_id, own in slots.items():
        for side, listed in (("source", own.outputs), ("target", own.inputs)):
            for index, item in enumerate(listed):
                if isinstance(item, Port):
                    found[side, (node_id, item.port_id)] = index
    for index, port in enumerate(boundary.inputs):
        found["source", (None, port.port_id)] = index
    for index, port in enumerate(boundary.outputs):
        found["target", (None, port.port_id)] = index
    return found


def _room(
    slots: Mapping[NodeId, Slots], node_ids: Mapping[NodeId, Json], boundary: Boundary
) -> dict[tuple[str, str | None], int]:
    found: dict[tuple[str, str | None], int] = {
        ("source", str(INPUT_ID)): len(boundary.inputs),
        ("target", str(OUTPUT_ID)): len(boundary.outputs),
    }
    for node_id, own in slots.items():
        id_ = id_text(node_ids[node_id])
        found.setdefault(("source", id_), len(own.outputs))
        found.setdefault(("target", id_), len(own.inputs))
    return found


def _ends(
    edge: Edge, node_ids: Mapping[NodeId, Json], indexes: dict[tuple[str, End], int]
) -> LinkEnds:
    source, target = edge.source, edge.target
    return LinkEnds(
        origin=INPUT_ID if source.node_id is None else node_ids[source.node_id],
        origin_slot=indexes["source", _end(source)],
        target=OUTPUT_ID if target.node_id is None else node_ids[target.node_id],
        target_slot=indexes["target", _end(target)],
    )


def counters_of(natives: Iterable[tuple[str, JsonObject | None]]) -> Counters:
    """Return counters above every native id of a file, given as kind and native."""
    counters = Counters(nodes=Counter(), links=Counter(), groups=Counter(), reroutes=Counter())
    by_kind = {"node": counters.nodes, "edge": counters.links, "group": counters.groups}
    for kind, native in natives:
        known = residue(native, FORMAT)
        if known is not None:
            by_kind[kind].see([known.get("id")])
    return counters
