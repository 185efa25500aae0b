"""The things of the root, or of one subflow, of a flow file while it is read."""

from attrs import define, field

from protocol.graph import Edge, Group, JsonObject, Node, Port
from sidecar.formats.node_red.flow import Entry


@define
class Scope:
    subflow: JsonObject | None = None
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    nodes: list[Node] = field(factory=list)
    node_entries: list[Entry] = field(factory=list)
    edges: list[Edge] = field(factory=list)
    groups: list[Group] = field(factory=list)
    group_entries: list[Entry] = field(factory=list)
    by_id: dict[str, Node] = field(factory=dict)
    """Nodes by the file's id, which means the first entry of the whole file that has it."""
    dropped: dict[str, dict[str, list[JsonObject]]] = field(factory=dict)
    """Wires that lead nowhere, by node and index of the output."""
