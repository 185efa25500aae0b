"""The format of Node-RED flow files: one list of tabs, subflows, groups, nodes and wires.

Facts: the editor's import and export of flows, and the flow files that it ships.
"""

from sidecar.formats.node_red.reading import read
from sidecar.formats.node_red.writing import write

__all__ = ["read", "write"]
