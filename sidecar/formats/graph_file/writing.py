"""A project as a file of this model: the whole state, nothing is left out."""

from protocol.changes import Notice
from protocol.graph import JsonObject, ProjectState
from sidecar.formats.graph_file.file import GraphFile, patch_of
from sidecar.formats.graph_file.reading import made_root
from sidecar.formats.residue import restored


def write(state: ProjectState) -> tuple[JsonObject, list[Notice]]:
    """Return the file of a project."""
    file = GraphFile(state.graph)
    document = state.document
    if document is None or document.format != "graph":
        patch: JsonObject = {"document": file.converter.unstructure(document)} if document else {}
        return made_root(state, file, patch), []
    patch = patch_of(document.native)
    return restored(made_root(state, file, patch), patch), []
