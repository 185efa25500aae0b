"""The format of ComfyUI workflow files, version 0.4 and 1.0.

Facts: the editor's own schema of workflow files, and 759 workflows that Comfy publishes.
"""

from sidecar.formats.comfyui.reading import read
from sidecar.formats.comfyui.writing import write

__all__ = ["read", "write"]
