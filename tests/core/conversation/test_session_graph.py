"""A session in memory: what an edit tells, what it costs, what it keeps in memory."""

import sys
from typing import Any

import pytest

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.kinds import Kind
from sidecar.core.conversation.reading import Cursor, newest_page, older_page, versions_of
from sidecar.core.conversation.session_commands import apply_commands
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.values import Command, JsonObject
from tests.core.conversation.bodies import Bodies
from tests.core.conversation.examples import ROOT, append, command, flat, reply, session, tool


def conversation(length: int) -> list[JsonObject]:
    return [flat(f"m{n}") if n % 2 == 0 else reply(f"m{n}", f"m{n - 1}") for n in range(length)]


def calls_of_an_append(length: int) -> int:
    """How many Python calls one append makes, a measure that does not depend on the machine."""
    graph = SessionGraph.from_session(
        session(*conversation(length), activities=[tool(f"a{n}", "m0") for n in range(length // 5)])
    )
    appended = append("c1", flat("new"), after=f"m{length - 1}")
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        with graph.edit() as edit:
            apply_commands(edit, [appended])
            edit.changes()
            edit.commit()
    finally:
        sys.setprofile(None)
    return calls


def test_an_append_costs_the_same_in_a_long_session_as_in_a_short_one() -> None:
    assert calls_of_an_append(10_000) <= 1.5 * calls_of_an_append(10)


def test_an_append_tells_exactly_what_it_touched() -> None:
    known: JsonObject = {"runtimeConversationCommandIds": ["c0"], "activityGroups": []}
    graph = SessionGraph.from_session(session(flat("m1"), **known))

    with graph.edit() as edit:
        applied = apply_commands(edit, [append("c1", flat("m2"), after="m1", at=30)])
        changes = edit.changes()
        fields = edit.changed_fields()

    assert applied.acknowledged == ("c1",)
    assert [(one.kind, one.id, one.rank) for one in changes] == [
        (Kind.SESSION, "s", 0),
        (Kind.MESSAGE, "m2", 1),
        (Kind.BRANCH, ROOT, 0),
    ]
    branch = changes[2]
    assert branch.before is not None
    assert (branch.before["headMessageId"], branch.after["headMessageId"]) == ("m1", "m2")
    assert fields == {"updatedAt": (20, 30)}


def test_leaving_an_edit_without_a_commit_takes_everything_back() -> None:
    graph = SessionGraph.from_session(session(flat("m1")))
    before = graph.to_session()

    with graph.edit() as edit:
        apply_commands(edit, [append("c1", flat("m2"), after="m1")])
        assert graph.knows("c1")

    assert graph.to_session() == before
    assert not graph.knows("c1")


def test_a_batch_of_known_commands_writes_nothing() -> None:
    graph = SessionGraph.from_session(session(flat("m1"), runtimeConversationCommandIds=["c0"]))

    with graph.edit() as edit:
        applied = apply_commands(edit, [command("c0", "rename")])
        assert (applied.acknowledged, applied.new) == (("c0",), ())
        assert (edit.changes(), edit.head_changed) == ([], False)


def on_record(contents: dict[str, Command]) -> Any:
    return lambda one: contents[one["id"]] == one if one["id"] in contents else None


def test_a_command_of_any_age_that_is_on_record_is_acknowledged_without_effect() -> None:
    graph = SessionGraph.from_session(session(flat("m1")))
    first = append("c1", flat("m2"), after="m1")

    with graph.edit() as edit:
        again = apply_commands(edit, [first, first], recorded=on_record({"c1": first}))
        assert (again.acknowledged, again.new, edit.changes()) == (("c1",), (), [])
        assert not graph.knows("c1")


def test_another_command_under_an_id_on_record_is_refused() -> None:
    graph = SessionGraph.from_session(session(flat("m1")))
    first, other = (append("c1", flat(one), after="m1") for one in ("m2", "m3"))

    with graph.edit() as edit, pytest.raises(ConversationRefusedError) as caught:
        apply_commands(edit, [other], recorded=on_record({"c1": first}))

    assert caught.value.check is Check.COMMAND_ID_USED


def test_bodies_are_loaded_for_what_is_read_or_changed_and_for_nothing_else() -> None:
    bodies = Bodies()
    huge = tool("a1", "m1", rawOutput="x" * 1000)
    graph = bodies.open(session(flat("m1"), reply("m2", "m1"), activities=[huge]))

    with graph.edit() as edit:
        apply_commands(edit, [append("c1", flat("m3"), after="m2")])
        bodies.write(edit.changes())
        edit.commit()

    assert bodies.reads == 0
    assert "rawOutput" not in (graph.index.activity("a1") or {})
    assert "content" not in (graph.index.message("m3") or {})
    assert graph.whole(Kind.ACTIVITY, "a1")["rawOutput"] == "x" * 1000
    assert graph.whole(Kind.MESSAGE, "m3")["content"] == "text of m3"


def test_a_cursor_survives_appends_and_forks() -> None:
    graph = SessionGraph.from_session(session(*conversation(10)))
    page = newest_page(graph, limit=4)
    assert page.message_ids == ("m6", "m7", "m8", "m9")
    assert page.before == Cursor(ROOT, "m6")

    fork = command("c2", "fork-message", branchId="b2", parentBranchId=ROOT, messageId="m4")
    with graph.edit() as edit:
        apply_commands(edit, [append("c1", flat("new"), after="m9"), fork])
        edit.commit()

    assert older_page(graph, page.before, limit=4).message_ids == ("m2", "m3", "m4", "m5")
    assert newest_page(graph, limit=9).message_ids == ("m0", "m1", "m2", "m3")


def test_a_cursor_of_another_branch_is_refused() -> None:
    graph = SessionGraph.from_session(session(*conversation(4)))

    for cursor in (Cursor("zz", "m1"), Cursor(ROOT, "zz")):
        with pytest.raises(ConversationRefusedError):
            older_page(graph, cursor, limit=4)


def test_an_edited_prompt_has_both_versions() -> None:
    graph = SessionGraph.from_session(session(*conversation(4)))
    fork = command("c1", "fork-message", branchId="b2", parentBranchId=ROOT, messageId="m2")
    with graph.edit() as edit:
        apply_commands(edit, [fork, append("c2", flat("m2b"), after="m1", branch="b2")])
        edit.commit()

    found = [(one.message_id, one.branch_id) for one in versions_of(graph, "m2b")]

    assert found == [("m2", ROOT), ("m2b", "b2")]


def test_two_prompts_of_one_millisecond_are_told_apart_when_one_is_edited() -> None:
    graph = SessionGraph.from_session(session(flat("m1", at=9), flat("m2", at=9)))
    fork = command("c1", "fork-message", branchId="b2", parentBranchId=ROOT, messageId="m2")

    with graph.edit() as edit:
        apply_commands(edit, [fork, append("c2", flat("m2b", at=9), after="m1", branch="b2")])
        edit.commit()

    assert graph.whole(Kind.MESSAGE, "m2b")["supersedesMessageId"] == "m2"
    assert [one["id"] for one in graph.to_session()["messages"]] == ["m1", "m2b"]


def test_flat_lists_of_an_imported_session_stay_as_they_came_until_something_is_written() -> None:
    given = session(flat("m1"), activities=[tool("a1", "m1")])
    graph = SessionGraph.from_session(given)
    assert graph.to_session()["activities"] == [tool("a1", "m1")]
    assert "activityGroups" not in graph.to_session()

    with graph.edit() as edit:
        apply_commands(edit, [append("c1", flat("m2"), after="m1")])
        edit.commit()

    after = graph.to_session()
    assert "promptMessageId" not in after["activities"][0]
    assert after["activityGroups"] == []
