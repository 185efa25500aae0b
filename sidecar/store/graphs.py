"""Projects between the file and memory: loading, catching up, and the way to another version.

Every function runs inside a transaction its caller opened.
"""

import gc
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Final

from protocol.changes import Thing
from protocol.graph import SubgraphId
from sidecar.core.changes import Change, in_order
from sidecar.core.graph import ProjectGraph
from sidecar.store import records
from sidecar.store.codec import Codec
from sidecar.store.database import Transaction
from sidecar.store.deltas import ChangeText
from sidecar.store.kinds import KINDS
from sidecar.store.projects import ProjectRow
from sidecar.store.tables import MAX_RANK
from sidecar.store.walks import changes_between

FREEZE_FROM: Final = 20_000
"""Things of a graph from which on the garbage collector is told to leave it alone."""


def load_graph(tx: Transaction, codec: Codec, project: ProjectRow) -> ProjectGraph:
    """Return the current version of a project."""
    graph = ProjectGraph()
    lists = records.list_names(tx, project.project_key)
    count = 0
    with _without_collector():
        # Definitions come before what stands in them.
        for (scope, kind), list_key in sorted(lists.items(), key=lambda item: item[0][1]):
            for key, id_, text in records.rows(tx, list_key):
                thing = codec.decode(KINDS[kind], text)
                graph.put(KINDS[kind], _scope(scope), id_, thing, key & MAX_RANK)
                count += 1
    if count >= FREEZE_FROM:
        gc.freeze()
    return graph


def catch_up(
    tx: Transaction, codec: Codec, project: ProjectRow, graph: ProjectGraph, number: int
) -> list[ChangeText]:
    """Bring a graph from version ``number`` to the current one; return what changed."""
    texts = changes_between(tx, project, number, project.current_revision)
    for change in as_changes(codec, graph, texts):
        graph.put(change.kind, change.scope, change.id, change.after, change.after_rank)
    return texts


def target_changes(
    tx: Transaction, codec: Codec, project: ProjectRow, graph: ProjectGraph, number: int
) -> list[Change]:
    """Return the changes that turn the current graph into version ``number``."""
    texts = changes_between(tx, project, project.current_revision, number)
    return as_changes(codec, graph, texts)


def as_changes(codec: Codec, graph: ProjectGraph, texts: Iterable[ChangeText]) -> list[Change]:
    """Return changes of a graph that stands where they begin, as a peer applies them."""
    return in_order(_change(codec, graph, text) for text in texts)


def size_of(graph: ProjectGraph) -> int:
    """Return how many things a graph holds."""
    scopes = graph.scopes.values()
    inside = sum(len(scope.nodes) + len(scope.edges) + len(scope.groups) for scope in scopes)
    return inside + len(graph.components) + len(graph.subgraphs)


def _change(codec: Codec, graph: ProjectGraph, text: ChangeText) -> Change:
    scope = _scope(text.scope)
    before: Thing | None = None
    if text.before is not None:
        before, _ = graph.get(text.kind, scope, text.id)
    after = None if text.after is None else codec.decode(text.kind, text.after)
    return Change(text.kind, scope, text.id, before, after, text.before_rank, text.after_rank)


def _scope(scope: str | None) -> SubgraphId | None:
    return None if scope is None else SubgraphId(scope)


@contextmanager
def _without_collector() -> Generator[None]:
    """Decode without the cycle collector: it would walk all that was made, again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
