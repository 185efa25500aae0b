"""Versions written, read back, walked and restored, on real files."""

import pytest
from attrs import evolve

from protocol.converter import make_trusting_converter
from protocol.graph import Subgraph, SubgraphId
from protocol.json_text import canonical, loads
from sidecar.core.workspace import Workspace
from sidecar.store import revisions, steps, used_ids
from sidecar.store.revisions import RevisionGoneError
from sidecar.store.steps import Step
from sidecar.store.walks import changes_between
from tests.store.builders import PROJECT, EditOf, Store, edge, node, put_node, remove_node


def in_memory(store: Store) -> bytes:
    with store.database.read() as tx:
        state = store.opened(tx).graph.state()
    value = make_trusting_converter().unstructure(state)
    del value["schemaVersion"]
    return canonical(value)


def test_a_new_project_is_empty_and_has_one_version(store: Store) -> None:
    state = store.state()

    assert state == {
        "title": "Title",
        "document": None,
        "components": [],
        "graph": {"nodes": [], "edges": [], "groups": [], "subgraphs": []},
    }
    with store.database.read() as tx:
        assert [row.number for row in revisions.page(tx, store.opened(tx).row)] == [1]


def define_subgraph(workspace: Workspace) -> None:
    inside = SubgraphId("inside")
    workspace.put("subgraph", None, inside, Subgraph(subgraph_id=inside, name="Inside"))
    workspace.put("node", inside, "inner", node("inner"))


def test_the_file_says_what_memory_says_definitions_included(store: Store) -> None:
    store.edit(put_node("a", seed=2**70), put_node("b"), define_subgraph)
    store.edit(lambda workspace: workspace.put("edge", None, "e", edge("e", "a", "b")))

    assert canonical(store.state()) == in_memory(store)
    store.cache.clear()
    assert canonical(store.state()) == in_memory(store)


def test_every_version_can_be_had(store: Store) -> None:
    edits: list[EditOf] = [
        put_node("a", steps=1),
        put_node("b"),
        put_node("a", steps=2),
        define_subgraph,
        remove_node("a"),
        lambda workspace: workspace.put("title", None, None, "Other"),
        put_node("a", steps=3),
    ]
    states = [store.state()]
    for edit in edits:
        store.edit(edit)
        states.append(store.state())

    assert [store.state(number) for number in range(1, len(states) + 1)] == states


def test_a_restore_equals_its_target_order_included(store: Store) -> None:
    store.edit(put_node("a"), put_node("b"), put_node("c"))
    target = store.state()
    store.edit(remove_node("a"))
    store.edit(put_node("d"), remove_node("c"))

    store.restore(2)

    assert store.state() == target
    assert canonical(store.state()) == in_memory(store)


def test_changes_between_two_versions_run_both_ways(store: Store) -> None:
    store.edit(put_node("a", steps=1))
    store.edit(put_node("a", steps=2), put_node("b"))
    store.edit(remove_node("b"))

    with store.database.read() as tx:
        row = store.opened(tx).row
        (forth,) = changes_between(tx, row, 2, 4)
        (back,) = changes_between(tx, row, 4, 2)
        middle = {change.id: change for change in changes_between(tx, row, 2, 3)}

    assert forth.before is not None
    assert forth.after is not None
    assert loads(forth.before)["parameters"] == {"steps": 1}
    assert loads(forth.after)["parameters"] == {"steps": 2}
    assert (back.before, back.after) == (forth.after, forth.before)
    assert middle["b"].before is None


def test_ids_of_what_is_gone_are_remembered(store: Store) -> None:
    store.edit(put_node("a"), put_node("b"))
    store.edit(remove_node("a"))

    with store.database.read() as tx:
        key = store.opened(tx).row.project_key
        assert used_ids.is_retired(tx, key, "node", "a")
        assert not used_ids.is_retired(tx, key, "node", "b")
        assert not used_ids.is_retired(tx, key, "edge", "a")


def test_a_run_is_one_step_until_a_person_edits(store: Store) -> None:
    first = store.edit(put_node("a"), run_id="run")
    second = store.edit(put_node("b"), run_id="run")
    person = store.edit(put_node("c"))
    third = store.edit(put_node("d"), run_id="run")

    assert first.head.revision.heads.undo == Step(1, "run", "Edit", 1)
    assert second.head.revision.heads.undo == Step(1, "run", "Edit", 2)
    assert person.head.revision.heads.undo == Step(3, None, "Edit", 1)
    assert third.head.revision.heads.undo == Step(4, "run", "Edit", 1)


def test_undo_and_redo_walk_the_steps(store: Store) -> None:
    store.edit(put_node("a"))
    store.edit(put_node("b"))

    def heads_at(number: int) -> steps.Heads:
        with store.database.read() as tx:
            found = revisions.at(tx, store.opened(tx).row.project_key, number)
        assert found is not None
        return found.heads

    def current() -> revisions.RevisionRow:
        with store.database.read() as tx:
            return store.opened(tx).revision

    store.restore(2, steps.after_undo(current(), heads_at(2)))
    assert current().heads == steps.Heads(Step(1, None, "Edit", 1), Step(3, None, "Edit", 1))
    store.restore(1, steps.after_undo(current(), heads_at(1)))
    assert current().heads == steps.Heads(None, Step(4, None, "Edit", 1))
    store.restore(4, steps.after_redo(heads_at(4)))
    assert current().heads.redo == Step(3, None, "Edit", 1)
    store.restore(3, steps.after_redo(heads_at(3)))

    assert current().heads == steps.Heads(Step(2, None, "Edit", 1), None)


def test_versions_are_found_by_id(store: Store) -> None:
    written = store.edit(put_node("a"))

    with store.database.read() as tx:
        row = store.opened(tx).row
        assert revisions.visible(tx, row, "revision-1") == written.head.revision
        assert written.head.revision.parent_revision_id == "first"
        with pytest.raises(RevisionGoneError) as caught:
            revisions.visible(tx, row, "nowhere")
    assert caught.value.code == "unknown-revision"


def test_a_project_changed_by_another_process_is_caught_up(store: Store) -> None:
    other = Store(store.database.sibling())
    store.edit(put_node("a"), put_node("b"))
    assert other.state() == store.state()
    before = store.database.data_version()

    other.edit(remove_node("a"), put_node("c"))
    other.edit(put_node("b", steps=3))

    assert store.database.data_version() != before
    assert in_memory(store) == in_memory(other)
    store.edit(put_node("d"))
    assert in_memory(other) == in_memory(store)
    other.database.close()


def test_two_things_may_swap_places(store: Store) -> None:
    store.edit(put_node("a"), put_node("b"))
    other = Store(store.database.sibling())
    other.state()

    def swap(workspace: Workspace) -> None:
        nodes = [workspace.graph.get("node", None, name)[0] for name in ("a", "b")]
        for name in ("a", "b"):
            workspace.remove("node", None, name)
        for name, value, rank in zip(("a", "b"), nodes, (1, 0), strict=True):
            assert value is not None
            workspace.put("node", None, name, value, rank)

    store.edit(swap)

    assert canonical(store.state()) == in_memory(store) == in_memory(other)
    store.restore(2)
    assert canonical(store.state()) == in_memory(store) == in_memory(other)
    assert store.state() == store.state(2)
    other.database.close()


def test_an_edit_taken_back_leaves_no_trace(store: Store) -> None:
    store.edit(put_node("a"))
    before = store.state()

    with store.database.read() as tx:
        opened = store.opened(tx)
    workspace = Workspace(opened.graph)
    put_node("b")(workspace)
    workspace.rollback()

    assert store.state() == before
    assert canonical(before) == in_memory(store)


def test_projects_do_not_mix(store: Store) -> None:
    store.create("second")
    store.edit(put_node("a"))
    store.edit(put_node("z"), project_id="second")
    store.edit(put_node("z", steps=1), project_id="second")

    assert [n["nodeId"] for n in store.state()["graph"]["nodes"]] == ["a"]  # type: ignore[index]
    assert store.state(1, "second") == store.state(1, PROJECT)


def test_a_cached_graph_of_a_project_made_again_elsewhere_is_not_trusted(store: Store) -> None:
    store.edit(put_node("a"))
    with store.database.read() as tx:
        opened = store.opened(tx)
    opened.head = evolve(
        opened.head, revision=evolve(opened.revision, chain=bytes(16), revision_id="ghost")
    )
    opened.head = evolve(opened.head, project=evolve(opened.row, current_revision_id="ghost"))
    put_node("ghost")(Workspace(opened.graph))

    assert canonical(store.state()) == in_memory(store)
