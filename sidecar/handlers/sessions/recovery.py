"""Sessions whose process is gone are interrupted when the next one starts."""

from typing import Final

from protocol.errors import RequestFailedError
from sidecar.core.conversation.run_end import interrupt
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.access import Write, editing, finish
from sidecar.handlers.unit import Unit
from sidecar.store.owners import owner_of
from sidecar.store.sessions import rows
from sidecar.store.sessions.rows import SessionRow

_UNREADABLE: Final = (RequestFailedError, TypeError, ValueError, LookupError)
"""What a session raises whose rows say what no version of this program wrote."""


def interrupt_stale(ctx: Context, unit: Unit) -> list[str]:
    """Interrupt the sessions whose process is gone; return their ids.

    A damaged one is left as it is: whoever opens it is told.
    """
    interrupted = []
    for row in rows.at_work(unit.tx):
        if not _is_gone(ctx, row):
            continue
        try:
            edited = editing(ctx, unit, row.session_id)
            done = interrupt(edited.edit, now=ctx.now())
        except _UNREADABLE:
            continue
        if done:
            finish(ctx, unit, edited, Write("settled"))
            interrupted.append(row.session_id)
    return interrupted


def _is_gone(ctx: Context, row: SessionRow) -> bool:
    return row.owner is not None and ctx.owners.is_gone(owner_of(row.owner))
