"""Where a new node of a command stands."""

from protocol.changes import Placed
from protocol.commands import Near
from protocol.graph import NodeId, Position, Size
from sidecar.core.boxes import DEFAULT_HEIGHT, DEFAULT_WIDTH
from sidecar.core.checks import check_position
from sidecar.core.edit import Edit
from sidecar.core.errors import RejectedError
from sidecar.core.graph import box_of
from sidecar.core.placement import NoFreePlaceError, place


def check_place(edit: Edit, position: Position | None, near: Near | None) -> None:
    """Refuse an impossible position, or a neighbour that is not there."""
    if position is not None:
        check_position(position, "/position")
    if near is not None:
        edit.node(near.node_id)


def place_node(
    edit: Edit, node_id: NodeId, size: Size | None, position: Position | None, near: Near | None
) -> Position:
    """Return where a new node goes; it is reported where the caller did not say so.

    A person's position is kept whatever is there; the assistant's only where it is free.
    """
    if position is not None and edit.actor == "manual":
        return position
    found = _free(edit, size, position, near)
    if found != position:
        edit.report.placed.append(Placed(node_id=node_id, position=found))
    return found


def _free(edit: Edit, size: Size | None, position: Position | None, near: Near | None) -> Position:
    last = edit.here.nodes.last()
    try:
        x, y = place(
            edit.graph.boxes(edit.scope),
            (DEFAULT_WIDTH, DEFAULT_HEIGHT) if size is None else (size.width, size.height),
            near=None if near is None else box_of(edit.node(near.node_id)),
            side="right" if near is None else near.side,
            last=None if last is None else box_of(last),
            at=None if position is None else (position.x, position.y),
        )
    except NoFreePlaceError as error:
        raise RejectedError("size-limit", "No free place is left for the node.") from error
    return Position(x, y)
