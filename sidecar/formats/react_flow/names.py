"""Words of the React Flow format and of Langflow's use of it."""

from typing import Final

from sidecar.formats.residue import KeyOrder

FORMAT: Final = "react-flow"
GROUP: Final = "group"
DEFAULT_TYPE: Final = "default"

SOURCE: Final = "source"
"""The output at which edges without a handle begin."""
TARGET: Final = "target"
"""The input at which edges without a handle end."""

PARENT_KEYS: Final = ("parentId", "parentNode")
"""Where a node names its parent; the second one until version 11."""
DEFAULT_FRAME: Final = (400, 300)

NODE_ORDER: Final = KeyOrder.of(
    ("id", "type", "position", "data", "parentId", "parentNode", "width", "height")
)
EDGE_ORDER: Final = KeyOrder.of(
    ("id", "source", "target", "sourceHandle", "targetHandle", "type", "label", "data", "hidden")
)
ROOT_ORDER: Final = KeyOrder.of(("nodes", "edges", "viewport"))
