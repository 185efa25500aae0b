"""The indexed session against the whole-session functions, on random sessions and batches."""

import contextlib
import copy
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.core.conversation.branching import select_frame as select_frame_whole
from sidecar.core.conversation.errors import ConversationError
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.lineage import Lineage
from sidecar.core.conversation.materialize import materialize
from sidecar.core.conversation.paths import resolve_path
from sidecar.core.conversation.reading import (
    branch_tree,
    execution_context,
    newest_page,
    older_page,
    shown_on,
    versions_of,
)
from sidecar.core.conversation.run_end import interrupt, settle
from sidecar.core.conversation.run_events import record_events
from sidecar.core.conversation.segments import execution_context as context_whole
from sidecar.core.conversation.session_commands import apply_commands
from sidecar.core.conversation.session_edit import SessionEdit
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.session_writes import select_frame
from sidecar.core.conversation.things import Change
from sidecar.core.conversation.validation import validate
from sidecar.core.conversation.values import JsonObject, Session
from sidecar.core.conversation.visibility import resolve_activities
from tests.core.conversation.bodies import Bodies
from tests.core.conversation.lockstep import expected_batch, found_batch, verdict
from tests.core.conversation.strategies import Writer, random_session

Write: TypeAlias = Callable[[SessionEdit], Any]

SEEDS = st.integers(0, 2**32)
THOROUGH = settings(max_examples=120, deadline=None)


@THOROUGH
@given(SEEDS)
def test_random_batches_give_the_same_session_and_the_same_verdict(seed: int) -> None:
    rng = Random(seed)
    session, writer = random_session(rng), Writer(rng)
    graph = SessionGraph.from_session(session)
    for _ in range(12):
        batch = writer.batch(session)
        expected = expected_batch(session, batch)

        assert found_batch(graph, batch) == expected

        session = expected[0]
    check_reading(graph, session)


@THOROUGH
@given(SEEDS)
def test_an_edit_that_is_not_committed_leaves_no_trace(seed: int) -> None:
    rng = Random(seed)
    session, writer = random_session(rng), Writer(rng)
    graph = SessionGraph.from_session(session)
    for _ in range(6):
        before = copy.deepcopy(graph.to_session())
        with graph.edit() as edit:
            for _ in range(4):
                write = random_write(writer, graph.to_session())
                with contextlib.suppress(ConversationError):
                    write(edit)
        assert graph.to_session() == before
        check_reading(graph, before)
        batch = writer.batch(before)
        assert found_batch(graph, batch) == expected_batch(before, batch)


@THOROUGH
@given(SEEDS)
def test_runs_leave_a_valid_session_whether_bodies_are_in_memory_or_loaded(seed: int) -> None:
    rng = Random(seed)
    session, writer, bodies = random_session(rng), Writer(rng), Bodies()
    loading, plain = bodies.open(session), SessionGraph.from_session(session)
    for _ in range(12):
        write = random_write(writer, plain.to_session())

        told = committed(plain, write, Bodies())
        assert committed(loading, write, bodies) == told

        after = plain.to_session()
        assert loading.to_session() == after
        validate(after["conversationGraph"])
        check_agreement(after)
        check_reading(loading, after)


def random_write(writer: Writer, session: Session) -> Write:
    """One write with everything chosen, so that it can be done to two sessions alike."""
    kinds = ["commands", "events", "events", "events"] if session.get("activeRun") else ["commands"]
    kind = writer.rng.choice([*kinds, *kinds, "start", "end", "restart"])
    if kind == "commands":
        batch = writer.batch(session)
        return lambda edit: apply_commands(edit, batch).acknowledged
    if kind == "start":
        start = writer.of_kind(session, "start-run")
        return lambda edit: apply_commands(edit, [start]).acknowledged
    if kind == "events":
        events = writer.events(session)
        return lambda edit: record_events(edit, events, now=90)
    if kind == "restart":
        return lambda edit: interrupt(edit, now=95)
    settlement = writer.settlement(session)
    return lambda edit: settle(edit, settlement, now=94)


def committed(graph: SessionGraph, write: Write, bodies: Bodies) -> Any:
    """What a write answers, after its changes went to the store; a refusal changes nothing."""
    with graph.edit() as edit:
        try:
            told = write(edit)
        except ConversationError as error:
            assert edit.changes() == []
            return verdict(error)
        check_changes(graph, edit.changes())
        bodies.write(edit.changes())
        edit.commit()
    return told


def check_changes(graph: SessionGraph, changes: Sequence[Change]) -> None:
    """Changes name each thing once, with its place and its whole value."""
    assert len({(one.kind, one.id) for one in changes}) == len(changes)
    for change in changes:
        if change.kind is Kind.SESSION:
            assert change.after == graph.head.fields
            continue
        names = list(graph.ids(change.kind))
        assert names[change.rank] == change.id
        assert change.after == graph.whole(change.kind, change.id)
        assert change.before != change.after


def check_agreement(session: Session) -> None:
    """Materializing changes the shown branch's time and nothing else."""
    graph = session["conversationGraph"]
    again = materialize(session)
    branches = {one["id"]: one for one in graph["branches"]}
    stamped = [one for one in again["conversationGraph"]["branches"] if one != branches[one["id"]]]
    assert len(stamped) <= 1
    assert {**again["conversationGraph"], "branches": None} == {**graph, "branches": None}
    assert again["messages"] == session["messages"]


def check_reading(graph: SessionGraph, session: Session) -> None:
    """Pages, versions, the tree and contexts against naive walks over the whole session."""
    whole = session["conversationGraph"]
    tree = {node.branch["id"]: node for node in branch_tree(graph)}
    for branch in whole["branches"]:
        path = [one["id"] for one in resolve_path(whole, branch["id"])]
        assert all_pages(graph, branch["id"]) == path
        assert tree[branch["id"]].message_count == len(path)
        written = [one for one in whole["messages"] if one["introducedOnBranchId"] == branch["id"]]
        assert tree[branch["id"]].own_message_count == len(written)
    shown = shown_on(graph, graph.active_branch["id"], [one["id"] for one in session["messages"]])
    activities, groups = resolve_activities(whole)
    assert list(shown.activity_ids) == [one["id"] for one in activities]
    assert list(shown.groups) == groups
    for message in whole["messages"]:
        check_versions(graph, whole["messages"], message)
        same_context(graph, whole, message["id"])
    same_context(graph, whole, "zz")


def all_pages(graph: SessionGraph, branch_id: str) -> list[str]:
    page = newest_page(graph, branch_id=branch_id, limit=2)
    found = list(page.message_ids)
    while page.before is not None:
        page = older_page(graph, page.before, limit=2)
        found = [*page.message_ids, *found]
    return found


def check_versions(graph: SessionGraph, messages: list[JsonObject], message: JsonObject) -> None:
    root = message.get("revisionRootMessageId")
    expected = [
        (one["id"], one["introducedOnBranchId"])
        for one in messages
        if (one.get("revisionRootMessageId") == root if root else one is message)
    ]
    found = [(one.message_id, one.branch_id) for one in versions_of(graph, message["id"])]
    assert found == expected


def same_context(graph: SessionGraph, whole: JsonObject, prompt_id: str) -> None:
    assert execution_context(graph, prompt_id) == context_whole(whole, prompt_id)


@THOROUGH
@given(SEEDS)
def test_frames_come_into_view_by_the_same_rules(seed: int) -> None:
    session = random_session(Random(seed))
    for frame_id in ("f1", "root-frame-s", "zz"):
        graph = SessionGraph.from_session(session)
        expected: Any
        try:
            expected = select_frame_whole(session["conversationGraph"], frame_id)
        except ConversationError as error:
            expected = verdict(error)
        found: Any
        with graph.edit() as edit:
            try:
                select_frame(edit, frame_id)
                found = graph.to_session()["conversationGraph"]
            except ConversationError as error:
                found = verdict(error)
        assert found == expected


@given(st.lists(st.integers(0, 60), max_size=60), st.data())
def test_ancestors_are_those_of_a_naive_walk(parents: list[int], data: st.DataObject) -> None:
    above: dict[str, str | None] = {}
    for place, parent in enumerate(parents):
        above[f"n{place}"] = f"n{parent}" if parent < place else None
    names = [*above, "zz"]
    shuffled = data.draw(st.permutations(list(above.items())))
    lineage = Lineage(shuffled)
    for one in names:
        chain = set()
        node: str | None = one if one in above else None
        while node is not None:
            chain.add(node)
            node = above[node]
        assert {other for other in names if lineage.descends(one, other)} == chain
        if one in above:
            assert lineage.depth(one) == len(chain) - 1
