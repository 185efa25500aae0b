"""A React Flow file, read; a Langflow file is one too.

The residue of everything is the file less what writing makes.
"""

from protocol.graph import (
    Document,
    Graph,
    JsonObject,
    ProjectState,
)
from sidecar.core.edit import Reading
from sidecar.core.errors import RejectedError
from sidecar.formats.react_flow.entries import Entries
from sidecar.formats.react_flow.file import FlowFile
from sidecar.formats.react_flow.names import (
    EDGE_ORDER,
    FORMAT,
    NODE_ORDER,
    ROOT_ORDER,
)
from sidecar.formats.react_flow.sealing import with_patch
from sidecar.formats.react_flow.writing import made_root
from sidecar.formats.repairs import Repairs
from sidecar.formats.residue import difference
from sidecar.formats.values import display_name


def read(content: JsonObject, at: str = "") -> Reading:
    """Return what a file holds; raises ``empty-workflow``."""
    reader = Entries(content, Repairs(at))
    reader.read()
    if not (reader.nodes or reader.groups):
        raise RejectedError("empty-workflow", "There is nothing in this file.", {})
    placed = not reader.nodes or reader.unplaced < len(reader.nodes)
    return Reading(state=sealed(reader), notices=tuple(reader.repairs.notices), placed=placed)


def sealed(reader: Entries) -> ProjectState:
    """Return the state with every thing's residue: the file less what writing makes."""
    draft = Graph(
        nodes=tuple(reader.nodes), edges=tuple(reader.edges.edges), groups=tuple(reader.groups)
    )
    file = FlowFile(draft)
    graph = Graph(
        nodes=tuple(
            with_patch(node, difference(file.made_node(node), raw, NODE_ORDER))
            for node, raw in zip(draft.nodes, reader.raw_nodes, strict=True)
        ),
        edges=tuple(
            with_patch(edge, difference(file.made_edge(edge), raw, EDGE_ORDER))
            for edge, raw in zip(draft.edges, reader.edges.raws, strict=True)
        ),
        groups=tuple(
            with_patch(group, difference(file.made_group(group), raw, NODE_ORDER))
            for group, raw in zip(draft.groups, reader.raw_groups, strict=True)
        ),
    )
    dropped = reader.items.dropped
    patch: JsonObject = {"dropped": dropped} if dropped else {}
    usual = [
        *(raw.get("id") for raw in reader.raw_groups),
        *(r.get("id") for r in reader.raw_nodes),
    ]
    order = [item.raw.get("id") for item in reader.items.listed]
    patch |= {"order": order} if order != usual else {}
    # Ids and handles are those of the draft; the things have their residue now.
    file.graph = graph
    made = made_root(file, patch)
    patch |= difference(made, reader.content, ROOT_ORDER)
    document = Document(document_id="", format=FORMAT, native={FORMAT: patch})
    title = display_name(reader.content.get("name")) or "Untitled"
    return ProjectState(title=title, document=document, graph=graph)
