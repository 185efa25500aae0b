import time
from typing import Any

import pytest

from protocol.graph import Bounds, Position, Size, SubgraphId
from sidecar.core.errors import InvariantError
from sidecar.core.graph import ProjectGraph
from sidecar.core.invariants import check_all, check_touched
from tests.core.builders import (
    component,
    definition,
    edge,
    graph,
    group,
    instance,
    node,
    port,
)

DEEP: Any = None
for _ in range(80):
    DEEP = [DEEP]


def good() -> ProjectGraph:
    leaf = definition(
        "leaf", nodes=[node("l")], inputs=["x"], edges=[edge("le", "<input.x", "l.in")]
    )
    inner = definition(
        "s",
        nodes=[node("n"), instance("il", leaf)],
        edges=[edge("se", "<input.x", "n.in"), edge("sf", "n.out", ">output.y")],
        inputs=["x"],
        outputs=["y"],
    )
    return graph(
        node("a"),
        node("b", inputs=["in", port("many", multiple=True)]),
        instance("i", inner),
        edges=[
            edge("1", "a.out", "b.in"),
            edge("2", "a.out", "b.many"),
            edge("3", "i.y", "b.many"),
        ],
        groups=[group("g", "a"), group("h", parent_group_id="g")],
        subgraphs=[inner, leaf],
        components=[component("c")],
    )


def test_a_good_graph_has_no_faults() -> None:
    whole = good()

    assert check_all(whole) == []


BREACHES: dict[str, tuple[str, str | None, str, Any]] = {
    "an edge from nowhere": ("edge", None, "new", edge("new", "x.out", "a.in")),
    "an edge to a node in another scope": ("edge", None, "new", edge("new", "b.out", "n.in")),
    "an edge from an input": ("edge", None, "new", edge("new", "b.in", "a.in")),
    "an edge to an output": ("edge", None, "new", edge("new", "b.out", "a.out")),
    "a boundary at the root": ("edge", None, "new", edge("new", "<input.x", "a.in")),
    "a boundary from its outside": ("edge", "s", "new", edge("new", ">output.y", "il.x")),
    "a boundary port that is not there": ("edge", "s", "new", edge("new", "<input.no", "il.x")),
    "two edges into a single input": ("edge", None, "new", edge("new", "b.out", "b.in")),
    "two edges that join the same": ("edge", None, "new", edge("new", "a.out", "b.many")),
    "a port gone under an edge": ("node", None, "a", node("a", outputs=[])),
    "many where one is allowed": ("node", None, "b", node("b", inputs=["in", "many"])),
    "a member that is not there": ("group", None, "new", group("new", "x")),
    "a member of another scope": ("group", None, "new", group("new", "n")),
    "a member twice": ("group", None, "new", group("new", "b", "b")),
    "a parent that is not there": ("group", None, "new", group("new", parent_group_id="x")),
    "a group inside itself": ("group", None, "g", group("g", "a", parent_group_id="h")),
    "an instance with other ports": ("node", None, "i", node("i", component="subgraph:s")),
    "a definition inside itself": (
        "node",
        "leaf",
        "new",
        node("new", component="subgraph:s", inputs=["x"], outputs=["y"]),
    ),
    "a position too far out": ("node", None, "a", node("a", at=(1e8, 0))),
    "a position that is no number": ("node", None, "a", node("a", at=(float("nan"), 0))),
    "a size that is not finite": ("node", None, "a", node("a", size=Size(float("inf"), 1))),
    "bounds that are not finite": (
        "group",
        None,
        "g",
        group("g", "a", bounds=Bounds(0, 0, float("inf"), 0)),
    ),
    "a bend too far out": (
        "edge",
        None,
        "1",
        edge("1", "a.out", "b.in", waypoints=(Position(0, -2e7),)),
    ),
    "a value that is not finite": ("node", None, "a", node("a", parameters={"p": [float("inf")]})),
    "a value nested too deep": ("node", None, "a", node("a", parameters={"p": DEEP})),
    "a text that is no Unicode": ("node", None, "a", node("a", parameters={"p": "\ud800"})),
    "a key that is no Unicode": ("component", None, "c", component("c", native={"\udfff": 1})),
}


@pytest.mark.parametrize("breach", BREACHES)
def test_a_breach_is_found_by_both_checks(breach: str) -> None:
    kind, scope, id_, value = BREACHES[breach]
    whole = good()
    whole.put(kind, scope, id_, value, 99)  # type: ignore[arg-type]

    with pytest.raises(InvariantError):
        check_touched(whole, [(kind, scope, id_)])  # type: ignore[list-item]
    assert check_all(whole) != []


@pytest.mark.parametrize(
    ("kind", "scope", "id_"), [("node", None, "a"), ("node", "s", "n"), ("group", None, "g")]
)
def test_a_thing_that_something_still_names_may_not_go(kind: Any, scope: Any, id_: str) -> None:
    whole = good()
    whole.put(kind, scope, id_, None, 0)

    with pytest.raises(InvariantError):
        check_touched(whole, [(kind, scope, id_)])
    assert check_all(whole) != []


def test_a_definitions_ports_and_its_instances_go_together() -> None:
    whole = good()
    old = whole.subgraphs["s"]
    whole.put("subgraph", None, "s", type(old)(subgraph_id=old.subgraph_id, name="s"), 0)

    with pytest.raises(InvariantError):
        check_touched(whole, [("subgraph", None, "s")])


def test_definitions_nest_so_deep_and_no_deeper() -> None:
    assert check_all(tower(32)) == []
    assert check_all(tower(33)) != []


def tower(levels: int) -> ProjectGraph:
    """Return definitions that stand in each other, the last one in the root graph."""
    inner = definition("d1")
    made = [inner]
    for level in range(2, levels + 1):
        inner = definition(f"d{level}", nodes=[instance(f"i{level}", inner)])
        made.append(inner)
    return graph(instance("top", inner), subgraphs=made)


def test_a_node_in_two_groups_is_found() -> None:
    whole = good()
    whole.put("group", None, "x", group("x", "a"), 9)

    assert check_all(whole) != []


def test_a_parent_in_another_scope_is_found_whatever_was_looked_at_before() -> None:
    whole = good()
    inner = group("inner", parent_group_id="g")
    whole.put("group", SubgraphId("s"), inner.group_id, inner, 0)

    assert any("stands in g, which is not in its scope" in fault for fault in check_all(whole))


@pytest.mark.slow
def test_groups_in_groups_cost_what_they_are() -> None:
    def cost(count: int) -> float:
        above = [None, *(f"g{number}" for number in range(count - 1))]
        nested = [
            group(f"g{number}", parent_group_id=parent) for number, parent in enumerate(above)
        ]
        whole = graph(node("a"), groups=nested)
        started = time.process_time()
        assert check_all(whole) == []
        return time.process_time() - started

    assert cost(4_000) < 10 * min(cost(1_000) for _ in range(3))
