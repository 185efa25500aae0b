"""The format in which ComfyUI is asked to run a workflow: ``{id: {class_type, inputs, _meta}}``.

It has neither positions nor groups nor definitions: writing flattens definitions, leaves out
disabled nodes and notes, and joins links through what only passes on.
"""

from sidecar.formats.comfyui_api.reading import read
from sidecar.formats.comfyui_api.writing import write

__all__ = ["read", "write"]
