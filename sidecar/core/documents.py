"""The rules of import-workflow and open-native: a foreign workflow beside what is there, or for it."""

import hashlib
import json

from attrs import evolve

from protocol.changes import Placed
from protocol.commands import Content, ImportWorkflow, OpenNative
from protocol.graph import (
    Document,
    Graph,
    Group,
    GroupId,
    Position,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.core.arrivals import (
    Contents,
    add_definitions,
    put_contents,
    under_new_ids,
    used_among,
    uses_of,
)
from sidecar.core.blocks import Shift
from sidecar.core.boxes import TITLE_HEIGHT, Box, bounding_box
from sidecar.core.checks import check_position
from sidecar.core.definitions import check_depth, deepest, depths, height, remove_definition
from sidecar.core.edit import Edit
from sidecar.core.errors import RejectedError
from sidecar.core.frames import PADDING, frame_of
from sidecar.core.graph import box_of
from sidecar.core.importing import Incoming, empty_workflow, read_content
from sidecar.core.names import clean_name, clean_optional_name
from sidecar.core.placement import NoFreePlaceError, is_free, place_block
from sidecar.core.sameness import identical

AUTO = "auto"


def import_workflow(edit: Edit, payload: ImportWorkflow) -> None:
    """Add a foreign workflow to the scope, as one block on free space, in a group if asked."""
    group_name = clean_optional_name(payload.group_name, "/groupName")
    if payload.position is not None:
        check_position(payload.position, "/position")
    incoming = read_content(edit, payload.content, payload.format)
    graph = incoming.graph
    if not graph.nodes:
        raise empty_workflow()
    used = _used_definitions(graph)
    uses = uses_of(used)
    check_depth(height(edit.graph, edit.scope) + deepest(uses, uses.__getitem__))
    subgraphs = add_definitions(edit, used, reuse=True)
    contents = under_new_ids(edit, graph, subgraphs, scope=None)
    _add_components(edit, incoming)
    contents = _on_free_space(edit, contents, payload.position, placed=incoming.placed)
    if group_name is not None:
        contents = _wrapped(edit, contents, group_name)
    put_contents(edit, contents)


def open_native(edit: Edit, payload: OpenNative) -> None:
    """Put what a file holds in the place of the project's graph, components, document and title."""
    title = clean_optional_name(payload.title, "/title")
    incoming = read_content(edit, payload.content, payload.format)
    graph = incoming.graph
    uses = uses_of(graph.subgraphs)
    check_depth(deepest(uses, uses.__getitem__))
    _clear(edit)
    subgraphs = add_definitions(edit, graph.subgraphs, reuse=False)
    put_contents(edit, under_new_ids(edit, graph, subgraphs, scope=None))
    _replace_components(edit, incoming)
    edit.put(_document(edit, payload, incoming))
    edit.put(title or _title(edit, incoming))


def _used_definitions(graph: Graph) -> list[SubgraphDefinition]:
    """Return the definitions that the root needs: one without instances would be lost at once."""
    by_id = {one.subgraph_id: one for one in graph.subgraphs}
    uses = uses_of(graph.subgraphs)
    needed = depths(used_among(graph.nodes, set(by_id)), uses.__getitem__)
    return [one for one in graph.subgraphs if one.subgraph_id in needed]


def _add_components(edit: Edit, incoming: Incoming) -> None:
    for component in incoming.state.components:
        existing = edit.graph.components.get(component.component_id)
        if existing is None:
            edit.put(component)
        elif not identical(existing, component):
            edit.warn(
                "component-kept",
                f"The project's own component {component.component_id} stays as it is.",
                "",
            )


def _on_free_space(
    edit: Edit, contents: Contents, wanted: Position | None, *, placed: bool
) -> Contents:
    """Return a block where it was asked for or where its file has it, else where there is room."""
    shift = _shift(edit, contents, wanted)
    nodes = tuple(shift.node(node) for node in contents.nodes)
    corner = _outer(contents, frames=False)
    asked = (
        wanted is not None
        and Shift(wanted.x - corner.x, wanted.y - TITLE_HEIGHT - corner.y) == shift
    )
    if not asked and (shift or not placed):
        edit.report.placed.extend(
            Placed(node_id=node.node_id, position=node.position) for node in nodes
        )
    return Contents(
        nodes,
        tuple(shift.edge(edge) for edge in contents.edges),
        tuple(shift.group(group) for group in contents.groups),
    )


def _shift(edit: Edit, contents: Contents, wanted: Position | None) -> Shift:
    index = edit.graph.boxes(edit.scope)
    outer = _outer(contents, frames=wanted is None)
    if wanted is None and is_free(index, outer):
        return Shift(0, 0)
    last = edit.here.nodes.last()
    boxes = [box_of(node) for node in contents.nodes]
    if wanted is None:
        boxes.append(outer)
    try:
        dx, dy = place_block(
            index,
            boxes,
            last=None if last is None else box_of(last),
            at=None if wanted is None else (wanted.x, wanted.y),
        )
    except NoFreePlaceError as error:
        raise RejectedError("size-limit", "No free place is left for the workflow.") from error
    return Shift(dx, dy)


def _outer(contents: Contents, *, frames: bool) -> Box:
    """Return the box around a block, frames of groups included or not."""
    boxes = [box_of(node) for node in contents.nodes]
    if frames:
        boxes += [
            Box(one.bounds.x, one.bounds.y, one.bounds.width, one.bounds.height)
            for one in contents.groups
            if one.bounds is not None
        ]
    return bounding_box(boxes)


def _wrapped(edit: Edit, contents: Contents, name: str) -> Contents:
    """Return a block with one more group around all of it."""
    grouped = {member for group in contents.groups for member in group.node_ids}
    frame = _outer(contents, frames=True).grown(PADDING)
    around = Group(
        group_id=GroupId(edit.ports.new_id()),
        name=name,
        node_ids=tuple(one.node_id for one in contents.nodes if one.node_id not in grouped),
        bounds=frame_of(frame),
    )
    inner = tuple(
        evolve(group, parent_group_id=around.group_id) if group.parent_group_id is None else group
        for group in contents.groups
    )
    return Contents(contents.nodes, contents.edges, (around, *inner))


def _clear(edit: Edit) -> None:
    workspace, here = edit.workspace, edit.here
    for edge_id in list(here.edges):
        workspace.remove("edge", edit.scope, edge_id)
    for group_id in list(here.groups):
        workspace.remove("group", edit.scope, group_id)
    for node_id in list(here.nodes):
        workspace.remove("node", edit.scope, node_id)
    for subgraph_id in list(edit.graph.subgraphs):
        remove_definition(edit, SubgraphId(subgraph_id))


def _replace_components(edit: Edit, incoming: Incoming) -> None:
    """Put the file's components in the file's order, those of the project away."""
    first = edit.graph.components.next_rank()
    new = {one.component_id: one for one in incoming.state.components}
    for component_id in list(edit.graph.components):
        if component_id not in new:
            edit.workspace.remove("component", None, component_id)
    for number, component in enumerate(new.values()):
        edit.put(component, first + number)


def _document(edit: Edit, payload: OpenNative, incoming: Incoming) -> Document:
    read = incoming.state.document
    if read is None:
        named = "graph" if payload.format == AUTO else payload.format
        read = Document(document_id="", format=named)
    path = read.path if payload.path is None else payload.path
    return evolve(
        read,
        document_id=edit.ports.new_id(),
        path=path,
        content_hash=_content_hash(payload.content),
    )


def _content_hash(content: Content) -> str:
    """Return the SHA-256 of a file's text as it was sent, or of the compact JSON of its value."""
    text = (
        content
        if isinstance(content, str)
        else json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _title(edit: Edit, incoming: Incoming) -> str:
    """Return the file's title, or the one there was where the file has none that can be."""
    try:
        return clean_name(incoming.state.title)
    except RejectedError:
        edit.warn("title-kept", "The file has no possible title.", "")
        return edit.graph.title
