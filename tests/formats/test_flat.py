"""Instances replaced by what they stand for, where a format has no definitions."""

from itertools import pairwise
from typing import Any

import pytest
from attrs import evolve

from protocol.graph import (
    Boundary,
    ComponentId,
    Edge,
    EdgeId,
    Endpoint,
    Graph,
    Group,
    GroupId,
    Node,
    NodeId,
    Port,
    PortId,
    Position,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.core.errors import RejectedError
from sidecar.formats.flat import flattened

IN = Port(name="in", data_type="*", parameter="in")
OUT = Port(name="out", data_type="*")


def node(id_: str, component: str = "c", x: float = 0, **values: Any) -> Node:
    return Node(
        node_id=NodeId(id_),
        component_id=ComponentId(component),
        position=Position(x, 0),
        inputs=(IN,),
        outputs=(OUT,),
        **values,
    )


def edge(id_: str, source: str | None, target: str | None) -> Edge:
    return Edge(
        edge_id=EdgeId(id_),
        source=end(source, "input", "in" if source is None else "out"),
        target=end(target, "output", "out" if target is None else "in"),
    )


def end(node_id: str | None, boundary: Boundary, port: str) -> Endpoint:
    if node_id is None:
        return Endpoint(boundary=boundary, port_id=PortId(port))
    return Endpoint(node_id=NodeId(node_id), port_id=PortId(port))


def definition(id_: str, nodes: list[Node], edges: list[Edge], **values: Any) -> SubgraphDefinition:
    return SubgraphDefinition(
        subgraph_id=SubgraphId(id_),
        name=id_,
        inputs=(IN,),
        outputs=(OUT,),
        nodes=tuple(nodes),
        edges=tuple(edges),
        **values,
    )


def graph(nodes: list[Node], edges: list[Edge], *definitions: SubgraphDefinition) -> Graph:
    return Graph(nodes=tuple(nodes), edges=tuple(edges), subgraphs=definitions)


def joined(flat: Graph) -> list[tuple[str | None, str | None]]:
    return [(one.source.node_id, one.target.node_id) for one in flat.edges]


ONE = definition("s", [node("i", x=40)], [edge("a", None, "i"), edge("b", "i", None)])


def test_a_graph_without_definitions_is_flat_already() -> None:
    whole = graph([node("a")], [])
    assert flattened(whole) is whole


def test_edges_are_joined_through_the_boundary() -> None:
    nodes = [node("a"), node("m", "subgraph:s"), node("b")]
    flat = flattened(graph(nodes, [edge("1", "a", "m"), edge("2", "m", "b")], ONE))
    assert [one.node_id for one in flat.nodes] == ["a", "m:i", "b"]
    assert joined(flat) == [("m:i", "b"), ("a", "m:i")]
    assert not flat.subgraphs


def test_edges_are_joined_through_nesting_and_what_only_passes_on() -> None:
    through = definition("p", [], [edge("x", None, None)])
    outer = definition(
        "o",
        [node("s", "subgraph:s"), node("p", "subgraph:p")],
        [edge("1", None, "s"), edge("2", "s", "p"), edge("3", "p", None)],
    )
    nodes = [node("a"), node("m", "subgraph:o"), node("b")]
    flat = flattened(graph(nodes, [edge("1", "a", "m"), edge("2", "m", "b")], ONE, through, outer))
    assert [one.node_id for one in flat.nodes] == ["a", "m:s:i", "b"]
    assert set(joined(flat)) == {("a", "m:s:i"), ("m:s:i", "b")}


def test_an_unconnected_value_of_the_instance_goes_to_what_it_feeds() -> None:
    instance = node("m", "subgraph:s", parameters={"in": 7})
    assert flattened(graph([instance], [], ONE)).nodes[0].parameters == {"in": 7}
    fed = flattened(graph([node("a"), instance], [edge("1", "a", "m")], ONE))
    assert fed.nodes[1].parameters == {}


def test_what_is_in_a_disabled_instance_is_disabled() -> None:
    instance = node("m", "subgraph:s", enabled="muted")
    assert flattened(graph([instance], [], ONE)).nodes[0].enabled == "muted"


def test_the_content_begins_where_the_instance_stands() -> None:
    instance = node("m", "subgraph:s", x=1000)
    assert flattened(graph([instance], [], ONE)).nodes[0].position == Position(1000, 0)


def test_members_of_groups_follow() -> None:
    group = Group(group_id=GroupId("g"), name="G", node_ids=(NodeId("m"),))
    inner = definition("s", [node("i")], [], groups=(Group(group_id=GroupId("h"), name="H"),))
    whole = Graph(nodes=(node("m", "subgraph:s"),), groups=(group,), subgraphs=(inner,))
    groups = flattened(whole).groups
    assert {one.group_id: one.node_ids for one in groups} == {"g": ("m:i",), "m:h": ()}


def test_an_instance_of_nothing_stays() -> None:
    flat = flattened(graph([node("m", "subgraph:gone")], [], ONE))
    assert [one.node_id for one in flat.nodes] == ["m"]


@pytest.mark.parametrize("innermost", [100, 0])
def test_more_than_a_project_may_hold_is_refused(innermost: int) -> None:
    levels = [definition("s0", [node(f"n{i}") for i in range(innermost)], [])]
    for level in range(1, 12):
        inside = [node(f"n{i}", f"subgraph:s{level - 1}") for i in range(100)]
        levels.append(definition(f"s{level}", inside, []))

    assert is_refused(graph([node("m", "subgraph:s11")], [], *levels))


def test_ways_that_multiply_at_boundaries_are_refused() -> None:
    ports = tuple(Port(name=name, data_type="*") for name in "xy")
    crossing = [
        Edge(
            edge_id=EdgeId(f"{one.name}{other.name}"),
            source=Endpoint(boundary="input", port_id=one.port_id),
            target=Endpoint(boundary="output", port_id=other.port_id),
        )
        for one in ports
        for other in ports
    ]
    nodes = [evolve(node(f"m{i}", "subgraph:s"), inputs=ports, outputs=ports) for i in range(40)]
    edges = [
        Edge(
            edge_id=EdgeId(f"{number}{port.name}"),
            source=Endpoint(node_id=before.node_id, port_id=port.port_id),
            target=Endpoint(node_id=after.node_id, port_id=port.port_id),
        )
        for number, (before, after) in enumerate(pairwise(nodes))
        for port in ports
    ]
    last = Edge(
        edge_id=EdgeId("last"),
        source=Endpoint(node_id=nodes[-1].node_id, port_id=ports[0].port_id),
        target=end("b", "output", "in"),
    )
    crossed = evolve(definition("s", [], crossing), inputs=ports, outputs=ports)

    assert is_refused(graph([*nodes, node("b")], [*edges, last], crossed))


def is_refused(whole: Graph) -> bool:
    with pytest.raises(RejectedError) as caught:
        flattened(whole)
    return caught.value.code == "size-limit"
