"""Laws that hold for any sequence of commands."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.errors import REJECTION_CODES
from protocol.graph import ParameterSpec
from sidecar.core.changes import reversed_changes
from sidecar.core.edit import Ports
from sidecar.core.errors import RejectedError
from sidecar.core.execute import Outcome
from sidecar.core.graph import ProjectGraph
from sidecar.core.invariants import check_all
from sidecar.core.workspace import Workspace
from tests.core.arrays import apply_changes, wire_changes
from tests.core.builders import (
    CONVERTER,
    component,
    definition,
    do,
    edge,
    graph,
    graph_of,
    group,
    instance,
    node,
    pairs,
    port,
    text,
)
from tests.core.random_commands import FORMATS, random_command, read_stub
from tests.core.rebuild import assert_indexes_match, ranks

KINDS = ("nodes", "edges", "groups", "subgraphs")
NEVER_TOUCH_EDGES = {
    "rename-node",
    "annotate-node",
    "move-node",
    "move-nodes",
    "rename-group",
    "add-group",
    "remove-group",
    "rename-subgraph",
    "rename-subgraph-io",
    "set-parameter",
}


class Project:
    """A graph, and all ids that were ever used in it."""

    def __init__(self, whole: ProjectGraph) -> None:
        self.graph = whole
        self.used: set[tuple[str, str]] = set()
        self.minted = 0
        self.world = Ports(new_id=self.mint, retired=self.retired, read=read_stub)
        self.note()

    def twin(self) -> "Project":
        """Return what another process would have that read this one's state and goes on."""
        twin = Project(graph_of(self.graph.state()))
        twin.used = set(self.used)
        twin.minted = self.minted
        return twin

    def mint(self) -> str:
        self.minted += 1
        return f"new-{self.minted}"

    def retired(self, kind: str, id_: str) -> bool:
        return (kind, id_) in self.used

    def note(self) -> None:
        for kind, where in self.graph.scope_of.items():
            self.used |= {(kind, id_) for id_ in where}
        self.used |= {("subgraph", id_) for id_ in self.graph.subgraphs}


def start(format_: str | None) -> ProjectGraph:
    leaf = definition(
        "leaf", nodes=[node("l")], inputs=["x"], edges=[edge("le", "<input.x", "l.in")]
    )
    inner = definition(
        "s",
        nodes=[
            node("n", inputs=[port("in", parameter="p")]),
            instance("il", leaf),
            node("m", at=(300, 0)),
        ],
        edges=[
            edge("se", "<input.x", "n.in"),
            edge("sf", "n.out", ">output.y"),
            edge("sg", "n.out", "il.x"),
            edge("sh", "<input.x", "m.in"),
        ],
        groups=[group("sgr", "n")],
        inputs=[port("x", parameter="p")],
        outputs=["y"],
    )
    known = component("c1", parameters=[ParameterSpec(name="p", data_type="INT", maximum=1)])
    return graph(
        node("a"),
        node("b", at=(300, 0), inputs=["in", port("many", multiple=True)]),
        node("c", at=(600, 0), component="c1", parameters={"p": 1}),
        instance("i", inner, at=(0, 400)),
        instance("j", inner, at=(300, 400), parameters={"p": 2}),
        edges=[
            edge("ab", "a.out", "b.in"),
            edge("ib", "i.y", "b.many"),
            edge("ai", "a.out", "i.x"),
            edge("bc", "b.out", "c.in"),
        ],
        groups=[group("g", "a"), group("h", "b", parent_group_id="g")],
        subgraphs=[inner, leaf],
        components=[known],
        format_=format_,
    )


@given(data=st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_sequence_of_commands_keeps_the_laws(data: st.DataObject) -> None:
    project = Project(start(data.draw(st.sampled_from(FORMATS))))
    for _ in range(data.draw(st.integers(1, 10))):
        kind, fields = random_command(data.draw, project.graph)
        actor = data.draw(st.sampled_from(("manual", "ai")))
        _step(project, kind, fields, actor)


@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_stacked_commands_go_away_together(data: st.DataObject) -> None:
    project = Project(start(data.draw(st.sampled_from(FORMATS))))
    whole = project.graph
    before, was = text(whole), ranks(whole)
    old = CONVERTER.unstructure(whole.state())
    workspace = Workspace(whole)
    for _ in range(data.draw(st.integers(1, 8))):
        kind, fields = random_command(data.draw, whole)
        try:
            do(whole, kind, world=project.world, workspace=workspace, **fields)
        except RejectedError:
            continue

    assert apply_changes(old, wire_changes(whole, workspace.changes())) == CONVERTER.unstructure(
        whole.state()
    )
    workspace.rollback()
    assert text(whole) == before
    assert ranks(whole) == was
    assert_indexes_match(whole)


def _step(project: Project, kind: str, fields: dict[str, Any], actor: Any) -> None:
    whole = project.graph
    before, was = text(whole), ranks(whole)
    old = CONVERTER.unstructure(whole.state())
    joined = {scope: pairs(whole, scope) for scope in whole.scopes}
    twin = project.twin()
    refusal: RejectedError | None = None
    try:
        done = do(whole, kind, actor=actor, world=project.world, **fields)
    except RejectedError as error:
        refusal = error
    if refusal is not None:
        assert refusal.code in REJECTION_CODES
        assert text(whole) == before
        assert ranks(whole) == was
        assert_indexes_match(whole)
        return
    assert do(twin.graph, kind, actor=actor, world=twin.world, **fields).effects == done.effects
    assert text(twin.graph) == text(whole)
    assert check_all(whole) == []
    assert_indexes_match(whole)
    assert apply_changes(old, wire_changes(whole, done.changes)) == CONVERTER.unstructure(
        whole.state()
    )
    assert done.changed or text(whole) == before
    real_kind = fields["payload"]["kind"] if kind == "edit-in-subgraph" else kind
    if real_kind in NEVER_TOUCH_EDGES:
        assert {scope: pairs(whole, scope) for scope in whole.scopes} == joined
    _check_ids(project, done)
    _check_way_back(whole, done, before, was)


def _check_ids(project: Project, done: Outcome) -> None:
    """New ids are new for good, and what is reported as gone or there is."""
    for name in KINDS:
        kind = name.removesuffix("s")
        live = project.graph.subgraphs if kind == "subgraph" else project.graph.scope_of[kind]
        created, removed = getattr(done.effects.created, name), getattr(done.effects.removed, name)
        assert all((kind, id_) not in project.used and id_ in live for id_ in created)
        assert not any(id_ in live for id_ in removed)
    gone = {
        dropped.edge.edge_id
        for dropped in (*done.effects.dropped_edges, *done.effects.replaced_edges)
    }
    assert gone.isdisjoint(project.graph.scope_of["edge"])
    project.note()


def _check_way_back(whole: ProjectGraph, done: Outcome, before: bytes, was: dict[str, Any]) -> None:
    after = text(whole)
    back = Workspace(whole)
    for change in reversed_changes(done.changes):
        back.apply(change)
    assert text(whole) == before
    assert ranks(whole) == was
    assert_indexes_match(whole)
    back.rollback()
    assert text(whole) == after
