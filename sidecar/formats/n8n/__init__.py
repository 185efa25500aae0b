"""The format of n8n workflow files: nodes, and connections between their names.

Facts: the editor's import and export of workflows, and the workflow files of its own tests.
"""

from sidecar.formats.n8n.reading import read
from sidecar.formats.n8n.writing import write

__all__ = ["read", "write"]
