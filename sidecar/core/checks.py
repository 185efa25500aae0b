"""What the shape of single values must be, beyond what their types say."""

from collections.abc import Iterable, Sequence
from typing import Any

from protocol.graph import Bounds, Port, Position, Size
from sidecar.core.edit import check_id
from sidecar.core.errors import RejectedError
from sidecar.core.limits import MAX_ANNOTATION, MAX_COORDINATE, MAX_FRAME, MAX_JSON_DEPTH


def bad_shape(path: str, message: str) -> RejectedError:
    """Return the refusal of a payload whose shape is wrong at a JSON Pointer."""
    return RejectedError(
        "invalid-command",
        "The command does not have the required form.",
        {"issues": [{"path": path, "message": message}]},
    )


def check_position(position: Position, path: str, *, limit: float = MAX_COORDINATE) -> None:
    """Refuse a position that is not finite or too far out: ``invalid-position``."""
    # Comparing works for integers of any size, and is false for NaN.
    for axis in (position.x, position.y):
        if not -limit <= axis <= limit:
            raise RejectedError(
                "invalid-position",
                "A position is at most 10,000,000 pixels away from the origin on either axis.",
                {"path": path},
            )


def check_positions(positions: Iterable[Position], path: str) -> None:
    for number, position in enumerate(positions):
        check_position(position, f"{path}/{number}")


def check_size(size: Size, path: str) -> None:
    """Refuse a size that is negative, not finite or beyond all positions."""
    _check_lengths(size, path, MAX_COORDINATE)


def check_frame(frame: Bounds, path: str) -> None:
    """Refuse a frame at no possible place, or of a size that no frame grows to."""
    check_position(Position(frame.x, frame.y), path)
    _check_lengths(frame, path, MAX_FRAME)


def check_distinct(ids: Sequence[str], path: str) -> None:
    seen: set[str] = set()
    for number, id_ in enumerate(ids):
        if id_ in seen:
            raise bad_shape(f"{path}/{number}", "this id is there twice")
        seen.add(id_)


def check_ports(ports: Sequence[Port], path: str) -> None:
    """Refuse ports with impossible or repeated ids."""
    for number, port in enumerate(ports):
        check_id(port.port_id, f"{path}/{number}/portId")
    check_distinct([port.port_id for port in ports], path)


def check_depth(value: Any, path: str) -> None:
    """Refuse JSON that is nested too deep: ``size-limit``."""
    if not fits_depth(value, MAX_JSON_DEPTH):
        raise RejectedError(
            "size-limit",
            f"Values may be nested {MAX_JSON_DEPTH} levels deep.",
            {"path": path, "limit": MAX_JSON_DEPTH},
        )


def check_text(text: str, path: str, *, limit: int) -> None:
    """Refuse a text of more bytes (UTF-8) than there may be: ``size-limit``."""
    # A text has at most four bytes a character; most need not be encoded to know.
    if 4 * len(text) > limit and len(text.encode("utf-8", "surrogatepass")) > limit:
        raise RejectedError(
            "size-limit", f"The text may have {limit} bytes.", {"path": path, "limit": limit}
        )


def clean_annotation(annotation: str | None, path: str = "/annotation") -> str | None:
    """Return a note as it is kept: an empty one is none.  ``size-limit``."""
    if annotation is not None:
        check_text(annotation, path, limit=MAX_ANNOTATION)
    return annotation or None


def _check_lengths(sides: Size | Bounds, path: str, limit: float) -> None:
    for name, length in (("width", sides.width), ("height", sides.height)):
        if not 0 <= length <= limit:
            raise bad_shape(f"{path}/{name}", f"expected 0 to {limit:,.0f}")


def fits_depth(value: Any, levels: int) -> bool:
    """Return whether arrays and objects are nested ``levels`` deep at most."""
    if isinstance(value, dict):
        return levels > 0 and all(fits_depth(item, levels - 1) for item in value.values())
    if isinstance(value, list | tuple):
        return levels > 0 and all(fits_depth(item, levels - 1) for item in value)
    return True
