"""The format ``graph``: a project state, or a graph alone, of this model as JSON."""

from sidecar.formats.graph_file.reading import read
from sidecar.formats.graph_file.writing import write

__all__ = ["read", "write"]
