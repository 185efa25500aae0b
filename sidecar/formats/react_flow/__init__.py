"""The format of React Flow graphs, and of Langflow's flows in it.

Facts: the library's node and edge types, and how Langflow writes handles.
"""

from sidecar.formats.react_flow.reading import read
from sidecar.formats.react_flow.writing import write

__all__ = ["read", "write"]
