"""A project as a React Flow file; definitions are flattened."""

from protocol.changes import Notice
from protocol.graph import Json, JsonObject, ProjectState
from sidecar.formats.dropped import woven
from sidecar.formats.flat import flattened
from sidecar.formats.ids import id_key, residue
from sidecar.formats.react_flow.file import FlowFile
from sidecar.formats.react_flow.names import FORMAT, ROOT_ORDER
from sidecar.formats.residue import restored
from sidecar.formats.values import id_text


def write(state: ProjectState) -> tuple[JsonObject, list[Notice]]:
    """Return the file of a project, and what of the project it does not hold."""
    native = residue(state.document.native if state.document else None, FORMAT)
    patch: JsonObject = native[FORMAT] if native else {}
    file = FlowFile(flattened(state.graph))
    made = made_root(file, patch)
    if native is None:
        made = {**made, "viewport": {"x": 0, "y": 0, "zoom": 1}}
    return restored(made, patch, ROOT_ORDER), []


def made_root(file: FlowFile, patch: JsonObject) -> JsonObject:
    """Return a file without its own residue, all things in it with theirs."""
    graph, dropped = file.graph, patch.get("dropped", {})
    # A parent must stand before its children, so frames come first where no file orders them.
    frames = [(file.group_ids[group.group_id], file.group(group)) for group in graph.groups]
    nodes = [(file.ids[node.node_id], file.node(node)) for node in graph.nodes]
    edges = [(file.edge_ids[edge.edge_id], file.edge(edge)) for edge in graph.edges]
    ordered = _arranged(frames, nodes, patch.get("order"))
    present = {id_text(id_) for id_ in (*file.ids.values(), *file.group_ids.values())}
    there = {id_key(id_): item for id_, item in edges}

    def alive(part: JsonObject) -> bool:
        item = part["item"]
        if "beside" in part:
            first = there.get(id_key(part["beside"]))
            return first is not None and _ends(first) == _ends(item)
        if "had" not in part:
            return True
        ends = [id_text(item.get(key)) in present for key in ("source", "target")]
        return bool(ends == part["had"])

    return {
        "nodes": woven(ordered, dropped.get("nodes", [])),
        "edges": woven(edges, dropped.get("edges", []), alive),
    }


def _ends(edge: JsonObject) -> list[Json]:
    return [edge.get("source"), edge.get("target")]


_Items = list[tuple[Json, Json]]


def _arranged(frames: _Items, nodes: _Items, order: Json) -> _Items:
    """Return nodes and frames in the file's order, new frames first, new nodes last."""
    if not isinstance(order, list):
        return [*frames, *nodes]
    waiting: dict[bytes, _Items] = {}
    for id_, item in [*frames, *nodes]:
        waiting.setdefault(id_key(id_), []).append((id_, item))
    known: _Items = [waiting[key].pop(0) for key in map(id_key, order) if waiting.get(key)]
    left = {key for key, items in waiting.items() if items}
    new = [[pair for pair in items if id_key(pair[0]) in left] for items in (frames, nodes)]
    return [*new[0], *known, *new[1]]
