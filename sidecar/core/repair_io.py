"""The ports of a definition, each with an id of its own over both directions."""

from collections.abc import Iterable

from attrs import evolve

from protocol.graph import Port, PortId, SubgraphDefinition
from sidecar.core.repair_edges import Boundary
from sidecar.core.repair_notes import free_id


def repaired_io(definition: SubgraphDefinition) -> Boundary:
    """Return the ports of a definition, and what the outputs that got other ids were called.

    A port of a boundary is named by its id alone, so an input and an output cannot share one.
    """
    taken: set[str] = set()
    inputs, _ = _distinct(definition.inputs, taken)
    outputs, renames = _distinct(definition.outputs, taken)
    return Boundary(inputs, outputs, renames)


def _distinct(
    ports: Iterable[Port], taken: set[str]
) -> tuple[tuple[Port, ...], dict[PortId, PortId]]:
    made: list[Port] = []
    renames: dict[PortId, PortId] = {}
    for port in ports:
        port_id = port.port_id
        if port_id in taken:
            port_id = PortId(free_id(port_id, taken))
        taken.add(port_id)
        renames.setdefault(port.port_id, port_id)
        made.append(port if port_id == port.port_id else evolve(port, port_id=port_id))
    return tuple(made), renames
