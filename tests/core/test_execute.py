from collections.abc import Callable

import pytest

from protocol import commands as c
from sidecar.core import execute
from sidecar.core.errors import InvariantError, RejectedError
from sidecar.core.graph import ProjectGraph
from sidecar.core.workspace import Workspace
from tests.core.builders import definition, do, edge, graph, group, instance, node, ports, text
from tests.core.rebuild import assert_indexes_match, ranks


def test_a_command_tells_what_it_changed() -> None:
    whole = graph(node("a"))

    done = do(whole, "rename-node", nodeId="a", name="A")

    assert done.changed
    assert [change.key for change in done.changes] == [("node", None, "a")]
    assert done.effects.updated.nodes == ("a",)


def test_a_command_can_be_taken_back() -> None:
    whole = graph(
        node("a"), node("b"), edges=[edge("e", "a.out", "b.in")], groups=[group("g", "a")]
    )
    before, was = text(whole), ranks(whole)

    do(whole, "remove-node", nodeId="a").workspace.rollback()

    assert text(whole) == before
    assert ranks(whole) == was
    assert_indexes_match(whole)


def test_a_refused_command_leaves_the_boxes_as_they_were() -> None:
    whole = graph(node("a"), node("b"))
    whole.boxes(None)

    with pytest.raises(RejectedError):
        do(
            whole,
            "edit-in-subgraph",
            subgraphId="no",
            payload={"kind": "remove-node", "nodeId": "a"},
        )
    done = do(whole, "move-node", nodeId="a", position={"x": 900, "y": 0})
    done.workspace.rollback()

    assert_indexes_match(whole)


def test_stacked_commands_report_only_their_own() -> None:
    whole = graph(node("a"), node("b"))
    first = do(whole, "rename-node", nodeId="a", name="A")

    second = do(whole, "rename-node", nodeId="b", name="B", workspace=first.workspace)

    assert second.workspace is first.workspace
    assert [change.id for change in second.changes] == ["b"]
    assert second.effects.updated.nodes == ("b",)
    assert {change.id for change in first.workspace.changes()} == {"a", "b"}


def test_a_refused_stacked_command_takes_back_only_itself() -> None:
    whole = graph(node("a"))
    first = do(whole, "rename-node", nodeId="a", name="A")
    after = text(whole)

    with pytest.raises(RejectedError):
        do(whole, "move-node", nodeId="no", position={"x": 0, "y": 0}, workspace=first.workspace)

    assert text(whole) == after
    first.workspace.rollback()
    assert b'"A"' not in text(whole)


def test_a_command_inside_a_definition_shows_where_it_was_refused() -> None:
    inner = definition("s", nodes=[node("n")])
    whole = graph(instance("i", inner), subgraphs=[inner])
    payload = {"kind": "rename-node", "nodeId": "no", "name": "x"}

    with pytest.raises(RejectedError) as refusal:
        do(whole, "edit-in-subgraph", subgraphId="s", payload=payload)

    assert refusal.value.code == "unknown-node"
    assert refusal.value.details == {"nodeId": "no", "scope": "s"}


def test_a_command_inside_a_definition_changes_it_for_all_instances() -> None:
    inner = definition("s", nodes=[node("n")])
    whole = graph(instance("i", inner), instance("j", inner), subgraphs=[inner])

    done = do(
        whole,
        "edit-in-subgraph",
        subgraphId="s",
        payload={"kind": "rename-node", "nodeId": "n", "name": "x"},
    )

    assert [change.key for change in done.changes] == [("node", "s", "n")]


def test_a_definition_must_be_there_to_edit_in_it() -> None:
    with pytest.raises(RejectedError) as refusal:
        do(
            graph(),
            "edit-in-subgraph",
            subgraphId="s",
            payload={"kind": "remove-node", "nodeId": "a"},
        )

    assert refusal.value.code == "unknown-subgraph"


@pytest.mark.parametrize(
    "inner",
    [
        c.OpenNative(content={}),
        c.RestoreRevision(revision_id="r"),
        c.RemoveSubgraphIo(subgraph_id="s", port_id="p"),  # type: ignore[arg-type]
    ],
)
def test_some_kinds_do_not_run_inside_a_definition(inner: c.InnerPayload) -> None:
    whole = graph(subgraphs=[definition("s")])
    payload = c.EditInSubgraph(subgraph_id="s", payload=inner)  # type: ignore[arg-type]

    with pytest.raises(RejectedError) as refusal:
        execute.run(whole, payload, ports(), "manual")

    assert refusal.value.code == "forbidden-in-subgraph"


def test_a_restore_is_no_rule() -> None:
    with pytest.raises(TypeError):
        do(graph(), "restore-revision", revisionId="r")


def test_a_breach_half_way_leaves_no_trace() -> None:
    whole = graph(
        *(node(name) for name in "abc"),
        edges=[edge("ab", "a.out", "b.in"), edge("bc", "b.out", "c.in")],
        subgraphs=[definition("s", nodes=[node("n")], edges=[edge("nn", "n.out", "n.in")])],
    )
    before, was = text(whole), ranks(whole)

    with pytest.raises(InvariantError):
        do(whole, "remove-node", nodeId="b", reconnect=True, world=ports(new_id=lambda: "nn"))

    assert text(whole) == before
    assert ranks(whole) == was
    assert_indexes_match(whole)


def test_a_graph_holds_only_so_many_things(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = graph(node("a"), node("b"), node("c"))
    monkeypatch.setattr(execute, "MAX_THINGS", 1)

    assert refused(lambda: do(whole, "add-node", componentId="x")) == "size-limit"
    do(whole, "remove-node", nodeId="a")


def test_a_workspace_belongs_to_its_graph() -> None:
    with pytest.raises(ValueError, match="graph"):
        do(graph(node("a")), "remove-node", nodeId="a", workspace=Workspace(ProjectGraph()))


def refused(command: Callable[[], object]) -> str:
    with pytest.raises(RejectedError) as refusal:
        command()
    return refusal.value.code
