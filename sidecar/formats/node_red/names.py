"""Words of the Node-RED format, and which node types have which ports."""

from typing import Final, Literal

from protocol.graph import JsonObject
from sidecar.formats.residue import KeyOrder

FORMAT: Final = "node-red"

TABS: Final = frozenset({"tab", "workspace"})
SUBFLOW: Final = "subflow"
GROUP: Final = "group"
STRUCTURES: Final = TABS | {SUBFLOW, GROUP}
"""Types of entries that are no nodes."""
JUNCTION: Final = "junction"
INSTANCE_PREFIX: Final = "subflow:"
LINK_IN: Final = "link in"
LINK_CALL: Final = "link call"
LINK_SOURCES: Final = frozenset({"link out", LINK_CALL})
LINK_TYPES: Final = LINK_SOURCES | {LINK_IN}

INPUT: Final = "input"
LINK: Final = "link"
"""The port of a link node at which its virtual wires end."""

NO_INPUT: Final = frozenset(
    {"inject", "catch", "status", "complete", "comment", "link in", "file in", "watch", "unknown"}
)
NO_OUTPUT: Final = frozenset({"comment"})
STRUCTURE: Final = frozenset({"id", "type", "z", "g", "d", "x", "y", "wires", "name", "info"})
"""Keys of a node that are not its own properties."""

MOST_OUTPUTS: Final = 256
NODE_WIDTH: Final = 120
NODE_HEIGHT: Final = 30
OUTPUT_HEIGHT: Final = 15
JUNCTION_SIDE: Final = 10

NODE_ORDER: Final = KeyOrder.of(("id", "type", "z", "d", "g", "name"), ("x", "y", "wires"))
GROUP_ORDER: Final = KeyOrder.of(
    ("id", "type", "z", "g", "name", "style", "nodes"), ("x", "y", "w", "h")
)
SUBFLOW_ORDER: Final = KeyOrder.of(
    ("id", "type", "name", "info", "category", "in", "out", "env", "meta", "color")
)
IO_ORDER: Final = KeyOrder.of(("x", "y", "wires"))


def is_link(type_: str, port_id: str, side: Literal["source", "target"]) -> bool:
    """Whether an edge at a port is one of the links that link nodes list, and no wire."""
    return port_id == LINK and (type_ in LINK_SOURCES if side == "source" else type_ == LINK_IN)


def has_input(type_: str) -> bool:
    """Whether nodes of a type take messages by wire, as far as the type tells."""
    return type_ not in NO_INPUT and not type_.endswith(" in")


def is_config(raw: JsonObject) -> bool:
    """Whether an entry is a configuration node: it stands on no canvas and has no wires."""
    return not any(key in raw for key in ("x", "y", "wires"))
