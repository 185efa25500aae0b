"""Ids that callers propose for records beside the graph."""

from protocol.errors import InvalidParamsError, Issue
from sidecar.core.edit import check_id
from sidecar.core.errors import RejectedError


def checked_id(proposed: str | None, path: str) -> str | None:
    """Return a proposed id, or raise for one that cannot be; ``path`` points at it."""
    if proposed is not None:
        try:
            check_id(proposed)
        except RejectedError as error:
            raise InvalidParamsError([Issue(path, error.message)]) from error
    return proposed
