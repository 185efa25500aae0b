"""listSessions: summaries, those with the newest transcript write first."""

from collections.abc import Iterator
from itertools import islice

from msgspec import Raw

from protocol.json_text import dumps
from protocol.sessions import ListSessionsParams
from sidecar.handlers import paging
from sidecar.handlers.context import Context
from sidecar.handlers.projects import unknown_project
from sidecar.handlers.sessions.limits import within_limit
from sidecar.store import projects
from sidecar.store.database import Transaction
from sidecar.store.sessions import rows
from sidecar.store.sessions.rows import SessionRow


def list_sessions(ctx: Context, tx: Transaction, params: ListSessionsParams) -> bytes:
    """List sessions; ``query`` is part of the title, upper and lower case being one."""
    limit = paging.limit_of(params.limit)
    place = paging.place_of("sessions", params.before)
    project_key = project_key_of(tx, params.project_id)
    found = rows.page(tx, project_key=project_key, before=place[0] if place else None)
    wanted = list(islice(_wanted(found, params), limit + 1))
    shown, before = paging.page_of("sessions", wanted, limit, lambda row: (row.transcript_time,))
    items = [Raw(row.summary) for row in shown]
    return within_limit(ctx, dumps({"items": items, "before": before}))


def project_key_of(tx: Transaction, project_id: str | None) -> int | None:
    """Return the key of a project that a list is narrowed to, or raise ``unknown-project``."""
    if project_id is None:
        return None
    found = projects.find(tx, project_id)
    if found is None:
        raise unknown_project(project_id)
    return found.project_key


def _wanted(found: Iterator[SessionRow], params: ListSessionsParams) -> Iterator[SessionRow]:
    part = (params.query or "").casefold()
    for row in found:
        if row.archived == params.archived and part in (row.title or "").casefold():
            yield row
