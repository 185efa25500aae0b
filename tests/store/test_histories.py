"""Random histories: every version that is kept is what it was, whatever was pruned around it."""

import itertools
import random
from pathlib import Path
from typing import Any, cast

import pytest

from protocol.graph import Component, ComponentId, Document, Group, GroupId, Subgraph, SubgraphId
from protocol.json_text import canonical, loads
from sidecar.core.workspace import Workspace
from sidecar.store import projects, revisions
from sidecar.store.database import Transaction
from sidecar.store.history import HistoryLimits
from sidecar.store.projects import ProjectRow
from sidecar.store.pruning import prune_step
from sidecar.store.revisions import RevisionGoneError
from sidecar.store.wire_changes import changes_between_json
from tests.store.builders import PROJECT, Store, edge, node
from tests.store.host import Host

SCOPES = (None, SubgraphId("one"), SubgraphId("two"))
NAMES = tuple("abcdef")


def random_edit(rng: random.Random, workspace: Workspace) -> None:
    graph = workspace.graph
    scopes = [scope for scope in SCOPES if scope is None or scope in graph.subgraphs]
    scope = rng.choice(scopes)
    name = rng.choice(NAMES) if scope is None else f"{scope}-{rng.choice(NAMES)}"
    contents = graph.scopes[scope]
    match rng.randrange(10):
        case 0 | 1 | 2 | 3:
            note = rng.choice(("", "é" * 30, "long " * 40))
            workspace.put("node", scope, name, node(name, seed=rng.randrange(2**66), note=note))
        case 4 if name in contents.nodes:
            workspace.remove("node", scope, name)
        case 5:
            workspace.put("edge", scope, name, edge(name, rng.choice(NAMES), rng.choice(NAMES)))
        case 6:
            group = Group(group_id=GroupId(name), name=f"Group {rng.randrange(9)}")
            workspace.put("group", scope, name, group)
        case 7 if scope is None:
            toggle_definition(rng, workspace)
        case 8:
            edit_document(rng, workspace)
        case 9 if len(contents.nodes) > 1:
            shuffle(rng, workspace, scope)
        case _:
            workspace.put("title", None, None, f"Title {rng.randrange(9)}")


def toggle_definition(rng: random.Random, workspace: Workspace) -> None:
    scope = rng.choice(SCOPES[1:])
    graph = workspace.graph
    if scope not in graph.subgraphs:
        workspace.put("subgraph", None, scope, Subgraph(subgraph_id=scope, name="Definition"))
        return
    for kind in ("node", "edge", "group"):
        for name in list(graph.table(kind, scope)):
            workspace.remove(kind, scope, name)
    workspace.remove("subgraph", None, scope)


def edit_document(rng: random.Random, workspace: Workspace) -> None:
    if workspace.graph.document is not None and rng.random() < 0.5:
        workspace.remove("document", None, None)
    else:
        document = Document(document_id=f"document-{rng.randrange(9)}", format="comfyui")
        workspace.put("document", None, None, document)
    name = ComponentId(rng.choice(NAMES))
    component = Component(component_id=name, name=f"Name {rng.randrange(9)}", kind="builtin")
    workspace.put("component", None, name, component)


def shuffle(rng: random.Random, workspace: Workspace, scope: SubgraphId | None) -> None:
    table = workspace.graph.scopes[scope].nodes
    names = list(table)
    ranks = [table.ranks[name] for name in names]
    values = [table[name] for name in names]
    rng.shuffle(ranks)
    for name in names:
        workspace.remove("node", scope, name)
    for name, value, rank in zip(names, values, ranks, strict=True):
        workspace.put("node", scope, name, value, rank)


class History:
    """A store, and what every version of it was."""

    def __init__(self, path: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.store = Store.at(path)
        self.store.create()
        self.states = {1: self.store.state()}
        self.ids = {1: "first"}

    def step(self) -> None:
        current = max(self.states)
        visible = sorted(number for number in self.states if self.is_visible(number))
        if self.rng.random() < 0.15:
            number = self.rng.choice(visible)
            written = self.store.restore(number)
            assert canonical(self.store.state()) == canonical(self.states[number])
        else:
            count = self.rng.choice((1, 1, 2, 5))
            edits = [lambda work: random_edit(self.rng, work)] * count
            written = self.store.edit(*edits)
        self.states[current + 1] = self.store.state()
        self.ids[current + 1] = written.head.revision.revision_id

    def is_visible(self, number: int) -> bool:
        with self.store.database.read() as tx:
            return revisions.is_visible(tx, self.row(tx), number)

    def row(self, tx: Transaction) -> ProjectRow:
        found = projects.find(tx, PROJECT)
        assert found is not None
        return found

    def keep(self, number: int) -> None:
        """Make a version the base of an open draft."""
        with self.store.database.write() as tx:
            tx.execute(
                "INSERT INTO drafts VALUES (NULL, ?, ?, 'Draft', x'', NULL, ?, '', x'', 'open',"
                " NULL, 1)",
                (f"draft-{number}-{self.rng.random()}", self.row(tx).project_key, number),
            )

    def release(self) -> None:
        with self.store.database.write() as tx:
            tx.execute("UPDATE drafts SET status = 'discarded' WHERE draft_key % 2 = 0")

    def prune(self) -> None:
        with self.store.database.read() as tx:
            key = self.row(tx).project_key
        while prune_step(self.store.database, key, budget=self.rng.choice((1, 2, 50))):
            pass


def check_versions(history: History) -> None:
    with history.store.database.read() as tx:
        row = history.row(tx)
        listed = [found.number for found in revisions.page(tx, row, limit=500)]
        assert listed == sorted(listed, reverse=True)
        for number, state in history.states.items():
            if number in listed:
                found = revisions.visible(tx, row, history.ids[number])
                assert found.parent_revision_id == history.ids.get(number - 1)
                assert canonical(history.store.state(number)) == canonical(state)
            else:
                with pytest.raises(RevisionGoneError) as caught:
                    revisions.visible(tx, row, history.ids[number])
                assert caught.value.code == "pruned-revision"


def check_differences(history: History, *, most: int) -> None:
    with history.store.database.read() as tx:
        row = history.row(tx)
        numbers = [found.number for found in revisions.page(tx, row, limit=500)]
        pairs = list(itertools.product(numbers, numbers))
        for old, new in history.rng.sample(pairs, min(most, len(pairs))):
            host = Host(cast("dict[str, Any]", history.states[old]))
            host.apply(loads(changes_between_json(tx, row, old, new)))
            assert canonical(host.state()) == canonical(history.states[new])


@pytest.mark.parametrize("seed", range(6))
def test_a_host_that_applies_changes_holds_the_other_version(path: Path, seed: int) -> None:
    history = History(path, seed)
    for _ in range(25):
        history.step()

    check_versions(history)
    check_differences(history, most=60)
    history.store.database.close()


@pytest.mark.parametrize("seed", range(6))
def test_what_pruning_keeps_is_exact(path: Path, seed: int) -> None:
    history = History(path, seed + 100)
    history.store.limits = HistoryLimits(max_revisions=12, min_revisions=4, max_bytes=1 << 30)
    for turn in range(60):
        history.step()
        if turn % 15 == 7:
            history.keep(max(history.states) - 2)
        if turn == 40:
            history.release()
        if turn % 10 == 9:
            history.prune()
            check_versions(history)

    check_differences(history, most=40)
    with history.store.database.read() as tx:
        kept = tx.execute("SELECT count(*) FROM graph_revisions").get
        assert kept == len(revisions.page(tx, history.row(tx), limit=500))
        assert kept < 25
    history.store.database.close()


def test_few_bytes_keep_few_versions_but_never_fewer_than_the_least(path: Path) -> None:
    history = History(path, 1)
    history.store.limits = HistoryLimits(max_revisions=100, min_revisions=5, max_bytes=4_000)
    for _ in range(40):
        history.step()

    with history.store.database.read() as tx:
        row = history.row(tx)
        assert 5 <= row.current_revision - row.floor + 1 <= 4_000 // 400
    check_versions(history)
    history.store.database.close()
