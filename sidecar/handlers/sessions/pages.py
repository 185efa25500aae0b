"""getSession: a page of a branch, a page of the graph's lists, or the summary."""

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import field, frozen
from msgspec import Raw

from protocol.errors import RequestFailedError
from protocol.json_text import dumps
from protocol.sessions import GetSessionParams
from sidecar.core.conversation.errors import ConversationError
from sidecar.core.conversation.kinds import LISTS, Kind
from sidecar.core.conversation.reading import (
    Cursor,
    Page,
    newest_page,
    older_page,
    shown_on,
    versions_of,
)
from sidecar.core.conversation.things import STUB_KEYS
from sidecar.core.conversation.values import JsonObject
from sidecar.handlers import paging
from sidecar.handlers.context import Context
from sidecar.handlers.sessions import cursors
from sidecar.handlers.sessions.access import opened, project_of
from sidecar.handlers.sessions.changes import omitted_of
from sidecar.handlers.sessions.limits import within_limit
from sidecar.store import revisions
from sidecar.store.database import Transaction
from sidecar.store.projects import ProjectRow
from sidecar.store.revisions import RevisionGoneError
from sidecar.store.sessions import bodies, prompts
from sidecar.store.sessions.cache import OpenSession
from sidecar.store.sessions.damage import damaged_session
from sidecar.store.sessions.exports import flat_of
from sidecar.store.sessions.tables import thing_key

_PROMPT = "promptMessageId"


def get_session(ctx: Context, tx: Transaction, params: GetSessionParams) -> bytes:
    """Show a session; ``too-large`` where a page would be longer than a message may be."""
    limit = paging.limit_of(params.limit)
    session = opened(ctx, tx, params.session_id)
    if params.view == "summary":
        return dumps({"session": Raw(session.row.summary)})
    if params.view == "graph":
        return within_limit(ctx, _graph_page(tx, session, params.before, limit))
    return within_limit(ctx, _branch_page(tx, session, _page_of(session, params, limit)))


def newest_page_json(tx: Transaction, session: OpenSession, limit: int) -> bytes:
    """Return the newest page of the branch in view."""
    return _branch_page(tx, session, newest_page(session.graph, limit=limit))


def _page_of(session: OpenSession, params: GetSessionParams, limit: int) -> Page:
    branch_id = params.branch_id
    if branch_id is not None and session.graph.index.branch(branch_id) is None:
        raise unknown_branch(branch_id)
    if params.before is None:
        return newest_page(session.graph, limit=limit, branch_id=branch_id)
    place = cursors.decode("page", params.before, str, str)
    if branch_id not in (None, place[0]):
        raise cursors.not_a_cursor()
    try:
        return older_page(session.graph, Cursor(*place), limit=limit)
    except ConversationError as error:
        raise cursors.not_a_cursor() from error


def _branch_page(tx: Transaction, session: OpenSession, page: Page) -> bytes:
    shown = shown_on(session.graph, page.branch_id, page.message_ids)
    collected = _Collected(tx, session)
    project = project_of(tx, session.row)
    before = page.before
    return dumps(
        {
            "session": Raw(session.row.summary),
            "branchId": page.branch_id,
            "messages": [collected.flat(Kind.MESSAGE, one) for one in page.message_ids],
            "nodes": [_node(tx, session, project, one) for one in page.message_ids],
            "activities": [collected.flat(Kind.ACTIVITY, one) for one in shown.activity_ids],
            "activityGroups": list(shown.groups),
            "omitted": collected.omitted,
            "before": before and cursors.encode("page", before.branch_id, before.message_id),
        }
    )


@frozen
class _Collected:
    """Whole things of an answer, and what was left out of them."""

    tx: Transaction
    session: OpenSession
    omitted: list[dict[str, Any]] = field(factory=list)

    def whole(self, kind: Kind, identity: str) -> Raw:
        return Raw(self._body(kind, identity))

    def flat(self, kind: Kind, identity: str) -> Raw:
        """A thing without its graph keys; of an activity its prompt stays."""
        text = flat_of(kind, self._body(kind, identity))
        if kind is not Kind.ACTIVITY:
            return Raw(text)
        stub = self.session.graph.index.activity(identity) or {}
        return Raw(b"%b,%b:%b}" % (text[:-1], dumps(_PROMPT), dumps(stub[_PROMPT])))

    def _body(self, kind: Kind, identity: str) -> bytes:
        text, large = body(self.tx, self.session, kind, identity)
        self.omitted.extend(omitted_of(identity, large))
        return text


def body(
    tx: Transaction, session: OpenSession, kind: Kind, identity: str
) -> tuple[bytes, list[bodies.Large]]:
    """Return a message or an activity as JSON text, and which large values it lacks."""
    place = session.place_of(kind, identity)
    assert place is not None
    found = bodies.read(tx, thing_key(session.key, *place))
    if found is None:
        raise damaged_session(session.row.session_id, kind.value)
    return found


def unknown_branch(branch_id: str) -> RequestFailedError:
    return RequestFailedError(
        "unknown-branch", "There is no such branch in this session.", {"branchId": branch_id}
    )


def _node(
    tx: Transaction, session: OpenSession, project: ProjectRow, message_id: str
) -> dict[str, Any]:
    message = session.graph.index.message(message_id)
    assert message is not None
    found = None
    if message["role"] == "user":
        found = prompts.find(tx, session.key, message_id)
    return {
        "messageId": message_id,
        "parentMessageId": message.get("parentMessageId") or None,
        "introducedOnBranchId": message["introducedOnBranchId"],
        "versions": [
            {"messageId": one.message_id, "branchId": one.branch_id}
            for one in versions_of(session.graph, message_id)
        ],
        "startRevisionId": found and found.start,
        "endRevisionId": found and found.end,
        "restorable": found is not None and _is_kept(tx, project, found.start),
    }


def _is_kept(tx: Transaction, project: ProjectRow, revision_id: str | None) -> bool:
    if revision_id is None:
        return False
    try:
        revisions.visible(tx, project, revision_id)
    except RevisionGoneError:
        return False
    return True


def _graph_page(tx: Transaction, session: OpenSession, before: str | None, limit: int) -> bytes:
    """Return the next things of the graph's lists, one list after another."""
    start = (0, -1) if before is None else cursors.decode("graph", before, int, int)
    collected = _Collected(tx, session)
    lists: dict[str, list[Any]] = {name: [] for name in LISTS.values()}
    last: tuple[int, int] | None = None
    for count, (number, rank, kind, value) in enumerate(_from(session, start)):
        if count == limit:
            break
        whole = collected.whole(kind, value["id"]) if kind in STUB_KEYS else value
        lists[LISTS[kind]].append(whole)
        last = (number, rank)
    else:
        last = None
    return dumps(
        {
            "session": Raw(session.row.summary),
            **lists,
            "omitted": collected.omitted,
            "before": None if last is None else cursors.encode("graph", *last),
        }
    )


def _from(
    session: OpenSession, start: Iterable[int]
) -> Iterator[tuple[int, int, Kind, JsonObject]]:
    after = tuple(start)
    for number, kind in enumerate(LISTS):
        if number < after[0]:
            continue
        for thing in session.graph.index.things(kind):
            if (number, thing.rank) > after:
                yield number, thing.rank, kind, thing.value
