"""The ports of n8n nodes: what connections use, and what the type is known to have."""

from attrs import define, evolve, field

from protocol.graph import Node, NodeId, Port
from sidecar.formats.n8n.names import INPUTS, MAIN, OUTPUTS, STICKY_NOTE, is_start, make_port

Counts = dict[str, int]
"""Ports by kind of connection."""


@define
class Used:
    """How many ports of each kind the connections of a file use, by node."""

    inputs: dict[NodeId, Counts] = field(factory=dict)
    outputs: dict[NodeId, Counts] = field(factory=dict)

    def input(self, node_id: NodeId, kind: str, index: int) -> None:
        _raise(self.inputs.setdefault(node_id, {}), kind, index + 1)

    def output(self, node_id: NodeId, kind: str, index: int) -> None:
        _raise(self.outputs.setdefault(node_id, {}), kind, index + 1)


def _raise(counts: Counts, kind: str, count: int) -> None:
    counts[kind] = max(counts.get(kind, 0), count)


def with_ports(node: Node, used: Used) -> Node:
    """Return a node with its ports; a note has none."""
    if node.component_id == STICKY_NOTE:
        inputs, outputs = Counts(), Counts()
    else:
        inputs, outputs = _usual(node, used)
    for counts, known in ((inputs, used.inputs), (outputs, used.outputs)):
        for kind, count in known.get(node.node_id, {}).items():
            _raise(counts, kind, count)
    return evolve(node, inputs=_ports(inputs, multiple=True), outputs=_ports(outputs))


def _usual(node: Node, used: Used) -> tuple[Counts, Counts]:
    """Return what a node of its type has; one that only serves another has no main ports."""
    given = {kind for kind, count in used.outputs.get(node.node_id, {}).items() if count}
    if given and MAIN not in given:
        return {}, {}
    inputs = 0 if is_start(node.component_id) else INPUTS.get(node.component_id, 1)
    return {MAIN: inputs}, {MAIN: OUTPUTS.get(node.component_id, 1)}


def _ports(counts: Counts, *, multiple: bool = False) -> tuple[Port, ...]:
    return tuple(
        make_port(kind, index, multiple=multiple)
        for kind, count in counts.items()
        for index in range(count)
    )
