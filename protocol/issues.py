"""What is wrong with params, told with JSON Pointers: the faults of the strict converter."""

from collections.abc import Iterator
from typing import Final

from cattrs.errors import (
    AttributeValidationNote,
    BaseValidationError,
    ForbiddenExtraKeysError,
    IterableValidationNote,
)

from protocol.errors import Issue
from protocol.names import camel, escape_pointer

MAX_FAULTS: Final = 1_000
"""Faults of one request that are told; to keep millions of them would take gigabytes."""


class BadKindError(ValueError):
    """A payload whose kind is missing, unreadable or not allowed here."""


class UnknownKindError(BadKindError):
    """A payload of a kind that does not exist."""


class ForbiddenKindError(BadKindError):
    """A payload that may not run inside a definition."""


def issues_of(error: BaseException, path: str = "") -> Iterator[Issue]:
    """Yield one :class:`Issue` for each fault below a structuring error."""
    if isinstance(error, BaseValidationError):
        for child in error.exceptions:
            yield from issues_of(child, path + _step(child))
    elif isinstance(error, ForbiddenExtraKeysError):
        for key in sorted(error.extra_fields):
            yield Issue(f"{path}/{escape_pointer(key)}", "unknown key")
    elif isinstance(error, KeyError):
        yield Issue(path, "required, but missing")
    elif isinstance(error, BadKindError):
        yield Issue(f"{path}/kind", str(error))
    else:
        yield Issue(path, _sentence(error))


def _step(error: BaseException) -> str:
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return f"/{camel(note.name)}"
        if isinstance(note, IterableValidationNote):
            return f"/{escape_pointer(str(note.index))}"
    return ""


def _sentence(error: BaseException) -> str:
    if isinstance(error, TypeError | ValueError):
        return str(error)
    # A bug of a hook must not show a value; its type is enough to find it.
    return f"cannot be read ({type(error).__name__})"
