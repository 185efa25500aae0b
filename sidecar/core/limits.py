"""The bounds of a graph, in one place."""

from typing import Final

MAX_COORDINATE: Final = 1e7
"""Pixels from the origin, on either axis."""
MAX_FRAME: Final = 4e7
"""Pixels of a side of a frame: it may go round things from one limit to the other."""
MAX_NAME: Final = 255
"""Characters of a name."""
MAX_ID: Final = 128
"""Characters of an id that a caller proposes."""
MAX_ANNOTATION: Final = 64 * 1024
"""Bytes of UTF-8."""
MAX_CODE: Final = 1024 * 1024
"""Bytes of UTF-8 of a process's code."""
MAX_JSON_DEPTH: Final = 64
MAX_SUBGRAPH_DEPTH: Final = 32
MAX_THINGS: Final = 1_000_000
"""Nodes, edges, groups and definitions of a project together."""
MAX_IMPORT: Final = 64 * 1024 * 1024
"""Characters of a content given as text."""
