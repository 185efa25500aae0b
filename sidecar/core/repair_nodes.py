"""Nodes of a file: own ids, possible places and sizes, instances with their definition's ports."""

from collections.abc import Iterable, Mapping

from attrs import evolve

from protocol.graph import Node, NodeId, Port, PortId, Position
from sidecar.core.boxes import DEFAULT_HEIGHT, DEFAULT_WIDTH, BoxIndex
from sidecar.core.definitions import referenced
from sidecar.core.errors import RejectedError
from sidecar.core.graph import box_of
from sidecar.core.instances import followed
from sidecar.core.placement import NoFreePlaceError, place
from sidecar.core.repair_edges import Boundary, Renames, RepairedNodes
from sidecar.core.repair_notes import Notes, fits_world, is_length


def repaired_nodes(
    nodes: Iterable[Node], known: Mapping[str, Boundary], notes: Notes, path: str
) -> RepairedNodes:
    """Return the nodes of one scope, and which ports of instances go by other ids now."""
    taken: set[str] = set()
    made: list[Node] = []
    lost: list[int] = []
    renames: dict[NodeId, Renames] = {}
    for number, raw in enumerate(nodes):
        here = f"{path}/{number}"
        node = evolve(raw, node_id=notes.own_id(raw.node_id, taken, here))
        node = _sized(node, notes, here)
        if not fits_world(node.position.x, node.position.y):
            notes.add("position-repaired", "The node stood at no possible place.", here)
            lost.append(number)
        definition = referenced(node)
        boundary = None if definition is None else known.get(definition)
        if boundary is not None:
            node, renames[node.node_id] = _as_instance(node, boundary)
        elif definition is not None and node.status != "missing":
            notes.add("unknown-subgraph", f"The file has no definition {definition}.", here)
            node = evolve(node, status="missing")
        made.append(node)
    return RepairedNodes(_all_placed(made, lost), renames)


def _sized(node: Node, notes: Notes, path: str) -> Node:
    if node.size is None or (is_length(node.size.width) and is_length(node.size.height)):
        return node
    notes.add("size-repaired", "The size of the node was not possible.", path)
    return evolve(node, size=None)


def _as_instance(node: Node, boundary: Boundary) -> tuple[Node, Renames]:
    inputs, input_ids = _followed(node.inputs, boundary.inputs)
    outputs, output_ids = _followed(node.outputs, boundary.outputs)
    return evolve(node, inputs=inputs, outputs=outputs), Renames(input_ids, output_ids)


def _followed(
    own: tuple[Port, ...], theirs: tuple[Port, ...]
) -> tuple[tuple[Port, ...], dict[PortId, PortId]]:
    """Return the definition's ports, and which of them each of the instance's own ones is.

    The same id is the same port; of the rest, the same name.
    """
    ids = {port.port_id for port in theirs}
    renames = {port.port_id: port.port_id for port in own if port.port_id in ids}
    by_name = {port.name: port.port_id for port in reversed(theirs) if port.port_id not in renames}
    for port in own:
        if port.port_id not in renames and port.name in by_name:
            renames[port.port_id] = by_name.pop(port.name)
    # What the instance says of a port of its own stays as the file has it.
    known = {
        renames[port.port_id]: evolve(port, port_id=renames[port.port_id])
        for port in own
        if port.port_id in renames
    }
    missing = {port.port_id: port for port in followed(theirs)}
    return tuple(known.get(port.port_id, missing[port.port_id]) for port in theirs), renames


def _all_placed(nodes: list[Node], lost: list[int]) -> list[Node]:
    """Return the nodes with those that stood nowhere on free space beside the others."""
    if not lost:
        return nodes
    index = BoxIndex()
    missing = set(lost)
    last = None
    for number, node in enumerate(nodes):
        if number not in missing:
            last = box_of(node)
            index.add(str(number), last)
    for number in lost:
        node = nodes[number]
        size = (
            (DEFAULT_WIDTH, DEFAULT_HEIGHT)
            if node.size is None
            else (node.size.width, node.size.height)
        )
        try:
            x, y = place(index, size, last=last)
        except NoFreePlaceError as error:
            raise RejectedError("size-limit", "No free place is left for a node.") from error
        nodes[number] = evolve(node, position=Position(x, y))
        last = box_of(nodes[number])
        index.add(str(number), last)
    return nodes
