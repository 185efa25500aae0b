"""What undo gives back, for the cases in which graph editors are known to have lost something."""

import pytest

from sidecar.core.changes import reversed_changes
from sidecar.core.execute import Outcome
from sidecar.core.graph import ROOT, ProjectGraph
from sidecar.core.workspace import Workspace
from tests.core.builders import do, edge, edge_of, graph, group, node, pairs, text
from tests.core.rebuild import assert_indexes_match, ranks


def take_back(whole: ProjectGraph, done: Outcome) -> None:
    workspace = Workspace(whole)
    for change in reversed_changes(done.changes):
        workspace.apply(change)


def out(node_id: str, port_id: str = "out") -> dict[str, str]:
    return {"nodeId": node_id, "portId": port_id}


def test_a_replaced_edge_comes_back_and_the_new_one_goes_in_one_step() -> None:
    whole = graph(*(node(name) for name in "abc"), edges=[edge("ac", "a.out", "c.in")])

    done = do(whole, "connect", edgeId="bc", source=out("b"), target=out("c", "in"))
    take_back(whole, done)

    assert list(whole.scopes[ROOT].edges) == ["ac"]
    assert pairs(whole) == {("a.out", "c.in")}


def test_taking_back_one_of_two_edges_between_the_same_nodes_keeps_the_other() -> None:
    whole = graph(node("a"), node("b", inputs=["x", "y"]), edges=[edge("ax", "a.out", "b.x")])

    done = do(whole, "connect", edgeId="ay", source=out("a"), target=out("b", "y"))
    take_back(whole, done)

    assert pairs(whole) == {("a.out", "b.x")}


def test_taking_back_an_edge_keeps_all_that_share_a_node_or_a_port_name() -> None:
    whole = graph(
        *(node(name) for name in "abcd"),
        edges=[edge("ab", "a.out", "b.in"), edge("bc", "b.out", "c.in")],
    )
    before = pairs(whole)

    take_back(whole, do(whole, "connect", source=out("a"), target=out("d", "in")))

    assert pairs(whole) == before


def test_a_retargeted_edge_goes_back_under_its_own_id() -> None:
    whole = graph(
        *(node(name) for name in "ab"), node("new"), edges=[edge("wire", "a.out", "b.in")]
    )
    first = do(whole, "retarget-edge", edgeId="wire", target=out("new", "in"))
    second = do(
        whole,
        "connect",
        edgeId="rest",
        source=out("new"),
        target=out("b", "in"),
        workspace=first.workspace,
    )

    take_back(whole, second)
    take_back(whole, first)

    assert edge_of(whole, "wire") == edge("wire", "a.out", "b.in")
    assert pairs(whole) == {("a.out", "b.in")}


@pytest.mark.parametrize("node_id", ["a", "b", "c"])
def test_a_removed_node_comes_back_with_edges_group_and_places(node_id: str) -> None:
    whole = graph(
        node("a"),
        node("b", inputs=["x", "y"]),
        node("c"),
        edges=[edge("1", "a.out", "b.x"), edge("2", "b.out", "c.in"), edge("3", "a.out", "b.y")],
        groups=[group("g", "c", "b", "a")],
    )
    before, was = text(whole), ranks(whole)

    take_back(whole, do(whole, "remove-node", nodeId=node_id, reconnect=True))

    assert text(whole) == before
    assert ranks(whole) == was
    assert_indexes_match(whole)


def test_disconnecting_and_connecting_again_moves_no_other_edge() -> None:
    whole = graph(
        node("a"),
        node("b", inputs=["x", "y", "z"]),
        edges=[edge(name, "a.out", f"b.{name}") for name in "xyz"],
    )

    do(whole, "remove-edge", edgeId="x")
    do(whole, "connect", edgeId="again", source=out("a"), target=out("b", "x"))

    assert {one.edge_id: one.target.port_id for one in whole.scopes[ROOT].edges.values()} == {
        "y": "y",
        "z": "z",
        "again": "x",
    }


def test_moving_all_members_of_a_group_keeps_frame_and_members_together() -> None:
    whole = graph(node("a"), node("b", at=(300, 0)), groups=[group("g", "a", "b")])
    framed = do(whole, "add-group", groupId="f", name="F", nodeIds=[], bounds=_box())

    moved = do(whole, "move-nodes", nodeIds=["a", "b"], delta={"x": 5000, "y": 0})

    assert whole.group_of_node == {"a": "g", "b": "g"}
    assert whole.scopes[ROOT].groups["f"].node_ids == ()
    take_back(whole, moved)
    take_back(whole, framed)
    assert "f" not in whole.scopes[ROOT].groups


def _box() -> dict[str, int]:
    return {"x": 4900, "y": -100, "width": 900, "height": 900}
