"""Answers that would be longer than a message may be are refused, and say by how much."""

from protocol.errors import RequestFailedError
from sidecar.handlers.context import Context


def within_limit(ctx: Context, answer: bytes) -> bytes:
    """Return an answer, or raise ``too-large``."""
    if len(answer) > ctx.max_answer:
        raise too_large(ctx, len(answer))
    return answer


def too_large(ctx: Context, size: int) -> RequestFailedError:
    """Return the error for an answer of (at least) so many bytes."""
    return RequestFailedError(
        "too-large",
        "The answer would be larger than a message may be. Ask for less at once.",
        {"bytes": size, "limit": ctx.max_answer},
    )
