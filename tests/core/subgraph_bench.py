"""A bench on which commands are tried out: after each one, what must always hold is checked."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from attrs import define, field

from protocol.changes import Effects
from protocol.graph import (
    Component,
    Edge,
    Group,
    Node,
    ProjectState,
    Subgraph,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.core.changes import reversed_changes
from sidecar.core.edit import Actor, Ports, Reading
from sidecar.core.errors import RejectedError
from sidecar.core.graph import ProjectGraph
from sidecar.core.invariants import check_all
from sidecar.core.workspace import Workspace
from tests.core.builders import as_scope, counter, do, graph, no_read, show, text
from tests.core.rebuild import assert_indexes_match, ranks


@define
class Bench:
    """A project, the file that it reads next, and the ids that were used in it."""

    graph: ProjectGraph
    reading: Reading | None = None
    new_id: Callable[[], str] = field(factory=counter)
    gone: set[tuple[str, str]] = field(factory=set)

    def do(
        self, kind: str, *, scope: str | None = None, actor: Actor = "manual", **fields: Any
    ) -> Effects:
        """Carry out a command and return what it reports, after looking at what it left."""
        before, ranks_before = text(self.graph), ranks(self.graph)
        if scope is not None:
            fields = {"subgraphId": scope, "payload": {"kind": kind, **fields}}
            kind = "edit-in-subgraph"
        outcome = do(self.graph, kind, actor=actor, world=self.world(), **fields)
        after, ranks_after = text(self.graph), ranks(self.graph)

        self.check()
        back = Workspace(self.graph)
        for change in reversed_changes(outcome.changes):
            back.apply(change)
        assert text(self.graph) == before
        assert ranks(self.graph) == ranks_before
        self.check()
        for change in outcome.changes:
            back.apply(change)
        assert text(self.graph) == after
        assert ranks(self.graph) == ranks_after
        self.gone |= {
            (change.kind, change.id)
            for change in outcome.changes
            if change.after is None and change.id is not None
        }
        return outcome.effects

    def refused(self, kind: str, *, scope: str | None = None, **fields: Any) -> RejectedError:
        """Return why a command is refused; nothing must be left of it."""
        before, ranks_before = text(self.graph), ranks(self.graph)
        if scope is not None:
            fields = {"subgraphId": scope, "payload": {"kind": kind, **fields}}
            kind = "edit-in-subgraph"
        with pytest.raises(RejectedError) as refused:
            do(self.graph, kind, world=self.world(), **fields)

        assert text(self.graph) == before
        assert ranks(self.graph) == ranks_before
        self.check()
        return refused.value

    def check(self) -> None:
        assert check_all(self.graph) == []
        assert_indexes_match(self.graph)

    def world(self) -> Ports:
        reading = self.reading
        return Ports(
            new_id=self.new_id,
            retired=lambda kind, id_: (kind, id_) in self.gone,
            read=no_read if reading is None else lambda *_: reading,
        )

    def edges(self, scope: str | None = None) -> dict[str, str]:
        """The edges of a scope by id, in list order, as ``source target``."""
        return {
            one.edge_id: f"{show(one.source)} {show(one.target)}"
            for one in self.graph.scopes[as_scope(scope)].edges.ordered()
        }

    def edge(self, edge_id: str, scope: str | None = None) -> Edge:
        return self.graph.scopes[as_scope(scope)].edges[edge_id]

    def nodes(self, scope: str | None = None) -> dict[str, Node]:
        return {one.node_id: one for one in self.graph.scopes[as_scope(scope)].nodes.ordered()}

    def groups(self, scope: str | None = None) -> dict[str, Group]:
        return {one.group_id: one for one in self.graph.scopes[as_scope(scope)].groups.ordered()}

    def definition(self, subgraph_id: str) -> Subgraph:
        return self.graph.subgraphs[SubgraphId(subgraph_id)]

    def state(self) -> ProjectState:
        return self.graph.state()


def bench(
    *nodes: Node,
    edges: Iterable[Edge] = (),
    groups: Iterable[Group] = (),
    subgraphs: Iterable[SubgraphDefinition] = (),
    components: Iterable[Component] = (),
    format_: str | None = None,
) -> Bench:
    made = graph(
        *nodes,
        edges=edges,
        groups=groups,
        subgraphs=subgraphs,
        components=components,
        format_=format_,
    )
    assert check_all(made) == []
    return Bench(made)
