"""Reading a session in memory: transcripts page by page, what they show, the tree of branches.

A page costs what is on it; only a whole execution context walks a whole transcript.
"""

from collections.abc import Iterable

from attrs import frozen

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.paths import ancestry
from sidecar.core.conversation.segments import ExecutionContext
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.values import JsonObject, reference
from sidecar.core.conversation.visibility import BranchView, shown_activities, shown_groups


@frozen
class Cursor:
    """Where the next older page begins: right above this message of this branch."""

    branch_id: str
    message_id: str


@frozen
class Page:
    """Messages of one branch, oldest first; `before` leads to older ones."""

    branch_id: str
    message_ids: tuple[str, ...]
    before: Cursor | None


@frozen
class Shown:
    """What a branch shows of some prompts: ids of activities in list order, and flat groups."""

    activity_ids: tuple[str, ...]
    groups: tuple[JsonObject, ...]


@frozen
class Version:
    """One version of a prompt and the branch that it was written on."""

    message_id: str
    branch_id: str


@frozen
class BranchNode:
    """A branch in the tree; counts are of its transcript and of the messages written on it."""

    branch: JsonObject
    message_count: int
    own_message_count: int
    is_active: bool
    has_active_run: bool


def newest_page(session: SessionGraph, *, limit: int, branch_id: str | None = None) -> Page:
    """The newest messages of a branch; without an id, of the branch in view."""
    branch = session.active_branch if branch_id is None else _branch(session, branch_id)
    return _page(session, branch, reference(branch, "headMessageId"), limit)


def older_page(session: SessionGraph, before: Cursor, *, limit: int) -> Page:
    """The page above a cursor, which appends do not move."""
    branch = _branch(session, before.branch_id)
    if not session.index.is_on_path(branch, before.message_id):
        raise ConversationRefusedError(Check.BRANCH_MESSAGE_INVALID, messageId=before.message_id)
    message = session.index.message(before.message_id) or {}
    return _page(session, branch, reference(message, "parentMessageId"), limit)


def shown_on(session: SessionGraph, branch_id: str, message_ids: Iterable[str]) -> Shown:
    """The activities and groups of these prompts that a branch shows."""
    index = session.index
    prompts = dict.fromkeys(message_ids)
    view = BranchView.of(branch_id, find_branch=index.branch, find_activity=index.activity)
    found = shown_activities(view, _of_prompts(session, Kind.ACTIVITY, prompts), prompts)
    shown = {activity["id"]: None for activity in found}
    groups = shown_groups(view, _of_prompts(session, Kind.GROUP, prompts), prompts, shown)
    return Shown(tuple(shown), tuple(groups))


def versions_of(session: SessionGraph, message_id: str) -> tuple[Version, ...]:
    """All versions of a message, the oldest first; a reply has one."""
    message = _message(session, message_id)
    versions = (session.index.message(one) for one in session.index.revisions(message))
    return tuple(
        Version(one["id"], one["introducedOnBranchId"]) for one in versions if one is not None
    )


def branch_tree(session: SessionGraph) -> tuple[BranchNode, ...]:
    """Every branch, in list order."""
    index, run = session.index, session.active_run
    busy = session.run_branch()["id"] if run else None
    return tuple(
        BranchNode(
            branch=thing.value,
            message_count=index.length(thing.value),
            own_message_count=index.introduced[thing.value["id"]],
            is_active=session.shown_branch(thing.value["agentFrameId"]) is thing.value,
            has_active_run=thing.value["id"] == busy,
        )
        for thing in index.things(Kind.BRANCH)
    )


def execution_context(session: SessionGraph, prompt_message_id: str) -> ExecutionContext:
    """Where a run of a prompt would be recorded (3.15)."""
    index, branch = session.index, session.active_branch
    on_path = index.is_on_path(branch, prompt_message_id)
    prompt = index.message(prompt_message_id) if on_path else None
    newest = index.newest_segment(session.active_frame_id)
    own = None if prompt is None else reference(prompt, "runtimeSegmentId")
    segment = own or (None if newest is None else newest["id"])
    if segment is None:
        raise ConversationRefusedError(Check.CONTEXT_INCOMPLETE)
    chain = ancestry(index.branch, branch["id"], "parentBranchId")
    page = _page(session, branch, reference(branch, "headMessageId"), index.length(branch))
    return ExecutionContext(
        root_frame_id=session.root_frame_id,
        agent_frame_id=session.active_frame_id,
        message_branch_id=branch["id"],
        message_branch_ancestry=tuple(one["id"] for one in chain),
        message_ancestry=(*page.message_ids, *([] if on_path else [prompt_message_id])),
        prompt_message_id=prompt_message_id,
        runtime_segment_id=segment,
    )


def _page(session: SessionGraph, branch: JsonObject, newest: str | None, limit: int) -> Page:
    found: list[str] = []
    message_id = newest
    while message_id is not None and len(found) < limit:
        found.append(message_id)
        message_id = reference(_message(session, message_id), "parentMessageId")
    before = Cursor(branch["id"], found[-1]) if found and message_id is not None else None
    return Page(branch["id"], tuple(reversed(found)), before)


def _of_prompts(session: SessionGraph, kind: Kind, prompts: Iterable[str]) -> list[JsonObject]:
    """The things of the prompts in list order; activities may be stubs."""
    index = session.index
    ids = (one for prompt in prompts for one in index.of_prompt(kind, prompt))
    found = [thing for thing in (index.thing(kind, one) for one in ids) if thing is not None]
    return [thing.value for thing in sorted(found, key=lambda thing: thing.rank)]


def _branch(session: SessionGraph, branch_id: str) -> JsonObject:
    branch = session.index.branch(branch_id)
    if branch is None:
        raise ConversationRefusedError(Check.BRANCH_NOT_FOUND, branchId=branch_id)
    return branch


def _message(session: SessionGraph, message_id: str) -> JsonObject:
    message = session.index.message(message_id)
    if message is None:
        raise ConversationRefusedError(Check.BRANCH_MESSAGE_INVALID, messageId=message_id)
    return message
