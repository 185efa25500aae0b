"""A project as an n8n workflow file; definitions are flattened, groups do not nest."""

from collections.abc import Iterator

from attrs import evolve

from protocol.changes import Notice
from protocol.graph import JsonObject, ProjectState
from sidecar.formats.dropped import woven
from sidecar.formats.flat import flattened
from sidecar.formats.ids import residue
from sidecar.formats.n8n.file import N8nFile
from sidecar.formats.n8n.names import FORMAT, ROOT_ORDER
from sidecar.formats.residue import restored


def write(state: ProjectState) -> tuple[JsonObject, list[Notice]]:
    """Return the file of a project, and what of the project it does not hold."""
    native = residue(state.document.native if state.document else None, FORMAT)
    patch: JsonObject = native[FORMAT] if native else {}
    flat = evolve(state, graph=flattened(state.graph))
    file = N8nFile(flat.graph)
    made = made_root(flat, file, patch)
    if native is None:
        made = {**made, "active": False, "settings": {}}
    written = restored(made, patch, ROOT_ORDER)
    pinned = written.get("pinData")
    if isinstance(pinned, dict) and file.new_names.keys() & pinned.keys():
        data = {file.new_names.get(name, name): value for name, value in pinned.items()}
        written = {**written, "pinData": data}
    return written, list(_losses(file))


def made_root(state: ProjectState, file: N8nFile, patch: JsonObject) -> JsonObject:
    """Return a file without its own residue, all things in it with theirs."""
    dropped = patch.get("dropped", {})
    nodes = [(file.ids[node.node_id], file.node(node)) for node in state.graph.nodes]
    made: JsonObject = {
        "name": state.title,
        "nodes": woven(nodes, dropped.get("nodes", [])),
        "connections": file.connections(patch.get("sources", [])),
    }
    groups = woven(file.groups(), dropped.get("nodeGroups", []))
    return {**made, "nodeGroups": groups} if groups else made


def _losses(file: N8nFile) -> Iterator[Notice]:
    if file.changed:
        message = "Names that were there twice got a number."
        yield Notice(code="names-changed", message=message)
    if len(file.groups()) < len(file.graph.groups):
        message = "Groups without nodes of their own are not in the file."
        yield Notice(code="not-exported", message=message)
