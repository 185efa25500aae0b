"""Folding and unfolding of random graphs; the bench checks invariants and the way back each time."""

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.graph import Edge, Graph, Node, Position, SubgraphDefinition
from tests.core.builders import edge, group, node, port, show
from tests.core.subgraph_bench import Bench, bench

INPUTS = [port("single"), port("many", multiple=True)]
OUTPUTS = ["one", "two"]
places = st.integers(-1000, 1000) | st.floats(-1e6, 1e6)
MOST = 7


@st.composite
def desks(draw: st.DrawFn) -> Bench:
    count = draw(st.integers(1, MOST))
    names = [f"n{n}" for n in range(count)]
    nodes = [
        node(name, at=(draw(places), draw(places)), inputs=INPUTS, outputs=OUTPUTS)
        for name in names
    ]
    return bench(*nodes, edges=draw(edges_between(names)), groups=draw(groups_of(names)))


@st.composite
def edges_between(draw: st.DrawFn, names: list[str]) -> list[Edge]:
    end = st.sampled_from(names)
    wanted = draw(
        st.lists(
            st.tuples(end, st.sampled_from(OUTPUTS), end, st.sampled_from(["single", "many"])),
            max_size=14,
            unique=True,
        )
    )
    taken: set[str] = set()
    made = []
    for number, (source, output, target, into) in enumerate(wanted):
        if into == "single" and target in taken:
            continue
        if into == "single":
            taken.add(target)
        label = draw(st.none() | st.sampled_from("xyz"))
        bends = draw(st.lists(st.builds(Position, places, places), max_size=2))
        made.append(
            edge(
                f"e{number}",
                f"{source}.{output}",
                f"{target}.{into}",
                label=label,
                waypoints=tuple(bends),
            )
        )
    return made


@st.composite
def groups_of(draw: st.DrawFn, names: list[str]) -> list[Any]:
    homes = draw(st.lists(st.integers(0, 3), min_size=len(names), max_size=len(names)))
    parents = [None, draw(st.sampled_from([None, "g0"])), draw(st.sampled_from([None, "g0", "g1"]))]
    return [
        group(
            f"g{number}",
            *(name for name, home in zip(names, homes, strict=True) if home == number),
            parent_group_id=parent,
        )
        for number, parent in enumerate(parents)
    ]


def shown_edges(contents: Graph | SubgraphDefinition) -> Counter[Any]:
    return Counter(
        (show(one.source), show(one.target), one.label, one.waypoints) for one in contents.edges
    )


def by_id(nodes: tuple[Node, ...]) -> dict[str, Node]:
    return {one.node_id: one for one in nodes}


def homes_in(contents: Graph) -> dict[str, str]:
    return {node_id: one.group_id for one in contents.groups for node_id in one.node_ids}


@given(desks(), st.data())
@settings(max_examples=60, deadline=None)
def test_to_fold_and_unfold_gives_the_same_graph_but_for_ids_at_the_boundary(
    desk: Bench, data: st.DataObject
) -> None:
    before = desk.state().graph
    chosen = data.draw(st.lists(st.sampled_from(sorted(desk.nodes())), min_size=1, unique=True))

    desk.do("create-subgraph", nodeIds=chosen, subgraphId="s", instanceId="i")
    desk.do("dissolve-subgraph", nodeId="i")

    after = desk.state().graph
    assert by_id(after.nodes) == by_id(before.nodes)
    assert shown_edges(after) == shown_edges(before)
    homes, homes_before = homes_in(after), homes_in(before)
    staying = homes_before.keys() - set(chosen)
    assert {one: homes.get(one) for one in staying} == {one: homes_before[one] for one in staying}
    # An instance stands in one group: what was in several comes out in the one around them all.
    if len({homes_before.get(one) for one in chosen}) == 1:
        assert homes == homes_before
        assert {one.group_id: one.parent_group_id for one in after.groups} == {
            one.group_id: one.parent_group_id for one in before.groups
        }
    assert after.subgraphs == ()
    inner = {
        one.edge_id
        for one in before.edges
        if (one.source.node_id in chosen) == (one.target.node_id in chosen)
    }
    kept = {one.edge_id: one for one in after.edges}
    assert all(kept[one.edge_id] == one for one in before.edges if one.edge_id in inner)


@given(desks(), st.data())
@settings(max_examples=40, deadline=None)
def test_to_unfold_one_of_two_instances_changes_neither_the_definition_nor_the_other(
    desk: Bench, data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.sampled_from(sorted(desk.nodes())), min_size=1, unique=True))
    desk.do("create-subgraph", nodeIds=chosen, subgraphId="s", instanceId="i")
    desk.do("insert-subgraph", subgraphId="s", nodeId="j", position={"x": 0, "y": 0})
    definitions, other = desk.state().graph.subgraphs, desk.nodes()["j"]
    unfolded, kept = data.draw(st.sampled_from([("i", "j"), ("j", "i")]))
    other = desk.nodes()[kept]

    effects = desk.do("dissolve-subgraph", nodeId=unfolded)

    assert desk.state().graph.subgraphs == definitions
    assert desk.nodes()[kept] == other
    inner = definitions[0]
    new = {one.old: one.new for one in effects.id_map if one.kind == "node"}
    assert new.keys() == by_id(inner.nodes).keys()
    assert not desk.graph.scopes[inner.subgraph_id].nodes.keys() & set(new.values())


@given(desks(), st.data())
@settings(max_examples=40, deadline=None)
def test_folding_again_and_again_keeps_every_node_and_what_it_is_joined_to(
    desk: Bench, data: st.DataObject
) -> None:
    before = desk.state().graph
    for level in range(3):
        scope = data.draw(st.sampled_from([None, *sorted(desk.graph.subgraphs)]))
        chosen = data.draw(
            st.lists(st.sampled_from(sorted(desk.nodes(scope))), min_size=1, unique=True)
        )
        desk.do(
            "create-subgraph",
            scope=scope,
            nodeIds=chosen,
            subgraphId=f"s{level}",
            instanceId=f"i{level}",
        )

    for level in reversed(range(3)):
        scope = desk.graph.scope_of["node"][f"i{level}"]
        desk.do("dissolve-subgraph", scope=scope, nodeId=f"i{level}")

    after = desk.state().graph
    assert by_id(after.nodes) == by_id(before.nodes)
    assert shown_edges(after) == shown_edges(before)
