"""For every version it is known which explanations hold."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import evolve

from protocol.graph import Position, Subgraph, SubgraphId
from sidecar.core.workspace import Workspace
from sidecar.store import contents, explanations
from sidecar.store.explanations import ExplanationRow
from sidecar.store.writing import Written
from tests.store.builders import Store, node, put_node, remove_node
from tests.store.test_histories import History, random_edit

INSIDE = SubgraphId("inside")
Held = list[tuple[str, str]]


def explain(store: Store, kind: str, id_: str | None, *, name: str = "x") -> None:
    with store.database.write() as tx:
        opened = store.opened(tx)
        key = opened.row.project_key
        digest = contents.subject_digest(tx, key, opened.graph, kind, id_)
        assert digest is not None
        row = ExplanationRow(
            project_key=key,
            explanation_id=name,
            subject_kind=kind,
            subject_id=id_,
            text="Why",
            author="ai",
            created_revision=opened.revision.number,
            created_revision_id=opened.revision.revision_id,
            explained_digest=digest,
            current_digest=digest,
        )
        explanations.put(tx, row)


def follow(store: Store, written: Written) -> bool:
    with store.database.write() as tx:
        graph = store.opened(tx).graph
        return explanations.follow(tx, written.head, graph, written.changes)


def held(store: Store, number: int | None = None) -> Held:
    with store.database.read() as tx:
        row = store.opened(tx).row
        at = row.current_revision if number is None else number
        found = explanations.holding_at(tx, row.project_key, at)
    return [(explanation.explanation_id, state) for explanation, state in found]


def move(workspace: Workspace) -> None:
    value = workspace.graph.scopes[None].nodes["a"]
    workspace.put("node", None, "a", evolve(value, position=Position(7, 7), collapsed=True))


def test_a_node_explained_is_current_until_its_content_changes(store: Store) -> None:
    store.edit(put_node("a", steps=1), put_node("b"))
    explain(store, "node", "a")

    assert not follow(store, store.edit(move))
    assert held(store) == [("x", "current")]
    assert follow(store, store.edit(put_node("a", steps=2)))
    assert held(store) == [("x", "outdated")]
    assert follow(store, store.edit(remove_node("a")))
    assert held(store) == []
    assert follow(store, store.restore(3))
    assert [held(store, number) for number in range(1, 7)] == [
        [],
        [("x", "current")],
        [("x", "current")],
        [("x", "outdated")],
        [],
        [("x", "current")],
    ]


def test_what_changes_its_scope_is_still_there(store: Store) -> None:
    def into_definition(workspace: Workspace) -> None:
        value, _ = workspace.graph.get("node", None, "a")
        assert value is not None
        workspace.remove("node", None, "a")
        workspace.put("subgraph", None, INSIDE, Subgraph(subgraph_id=INSIDE, name="Inside"))
        workspace.put("node", INSIDE, "a", value)

    store.edit(put_node("a"))
    explain(store, "node", "a")

    assert not follow(store, store.edit(into_definition))
    assert held(store) == [("x", "current")]


def test_a_definition_is_outdated_by_what_changes_inside(store: Store) -> None:
    def define(workspace: Workspace) -> None:
        workspace.put("subgraph", None, INSIDE, Subgraph(subgraph_id=INSIDE, name="Inside"))
        workspace.put("node", INSIDE, "inner", node("inner"))

    def undefine(workspace: Workspace) -> None:
        workspace.remove("node", INSIDE, "inner")
        workspace.remove("subgraph", None, INSIDE)

    store.edit(define)
    explain(store, "subgraph", INSIDE)

    follow(store, store.edit(put_node("outside")))
    assert held(store) == [("x", "current")]
    inner = node("inner", steps=9)
    follow(store, store.edit(lambda workspace: workspace.put("node", INSIDE, "inner", inner)))
    assert held(store) == [("x", "outdated")]
    follow(store, store.edit(undefine))
    assert held(store) == []
    follow(store, store.restore(2))
    assert held(store) == [("x", "current")]


def test_the_same_id_replaces_and_removal_is_final(store: Store) -> None:
    store.edit(put_node("a"))
    explain(store, "node", "a")
    explain(store, "graph", None, name="y")
    follow(store, store.edit(put_node("a", steps=1)))
    explain(store, "node", "a")

    assert held(store) == [("y", "outdated"), ("x", "current")]
    assert held(store, 2) == [("y", "current")]
    with store.database.write() as tx:
        key = store.opened(tx).row.project_key
        assert explanations.remove(tx, key, "x")
        assert not explanations.remove(tx, key, "x")
    follow(store, store.restore(2))
    assert held(store) == [("y", "current")]


@pytest.mark.parametrize("seed", range(3))
def test_digests_kept_along_equal_digests_of_what_is_there(path: Path, seed: int) -> None:
    history = History(path, seed + 50)
    store = history.store
    for _ in range(8):
        history.step()
    subjects = explain_all(store)
    for _ in range(25):
        written = step(history)
        follow(store, written)
        with store.database.read() as tx:
            opened = store.opened(tx)
            key = opened.row.project_key
            for name, (kind, id_) in subjects:
                row = explanations.find(tx, key, name)
                assert row is not None
                now = contents.subject_digest(tx, key, opened.graph, kind, id_)
                assert row.current_digest == now
    store.database.close()


def step(history: History) -> Written:
    if history.rng.random() < 0.2:
        return history.store.restore(history.rng.choice(sorted(history.states)))
    return history.store.edit(lambda work: random_edit(history.rng, work))


def explain_all(store: Store) -> Sequence[tuple[str, tuple[str, str | None]]]:
    with store.database.read() as tx:
        graph = store.opened(tx).graph
    subjects: list[tuple[str, str | None]] = [("graph", None)]
    for kind in ("node", "edge", "group"):
        subjects += [(kind, id_) for id_ in graph.scope_of[kind]]
    subjects += [("subgraph", id_) for id_ in graph.subgraphs]
    named = [(f"about-{place}", subject) for place, subject in enumerate(subjects)]
    for name, (kind, id_) in named:
        explain(store, kind, id_, name=name)
    return named


def test_what_is_explained_again_in_the_same_words_is_left_as_it_is(store: Store) -> None:
    """A request that is sent again writes nothing twice, and is no news to other processes."""
    store.edit(put_node("a"))
    explain(store, "node", "a")
    explain(store, "graph", None, name="y")
    before = keys(store)

    explain(store, "node", "a")

    assert keys(store) == before
    store.edit(put_node("b"))
    explain(store, "node", "a")
    assert keys(store) != before


def keys(store: Store) -> list[int]:
    with store.database.read() as tx:
        return [key for (key,) in tx.execute("SELECT explanation_key FROM explanations ORDER BY 1")]
