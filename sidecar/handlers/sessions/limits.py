"""Answers that would be longer than a message may be.

Of a question they are refused, and say by how much; of what is done already they leave out what
can be asked for.
"""

from msgspec import Raw

from protocol.errors import RequestFailedError
from sidecar.handlers.context import Context
from sidecar.store.sessions.rows import SessionRow

_ENVELOPE = 64 * 1024
"""Bytes that the rest of an answer takes at most."""


def within_limit(ctx: Context, answer: bytes) -> bytes:
    """Return an answer, or raise ``too-large``."""
    if len(answer) > ctx.max_answer:
        raise too_large(ctx, len(answer))
    return answer


def room_for(ctx: Context, row: SessionRow) -> int:
    """Return how many bytes an answer about a session has room for beside its summary."""
    return ctx.max_answer - len(row.summary) - min(_ENVELOPE, ctx.max_answer // 16)


def unless_too_large(text: bytes, room: int) -> Raw | None:
    """Return a part of an answer, None where there is no room for it."""
    return Raw(text) if len(text) <= room else None


def too_large(ctx: Context, size: int) -> RequestFailedError:
    """Return the error for an answer of (at least) so many bytes."""
    return RequestFailedError(
        "too-large",
        "The answer would be larger than a message may be. Ask for less at once.",
        {"bytes": size, "limit": ctx.max_answer},
    )
