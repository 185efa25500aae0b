"""What a file of this model says made fit for a project: names, notes and ids of ports.

What it said before stays in the residue, so that it is written back as it was.
"""

from collections.abc import Sequence
from typing import TypeVar
from unicodedata import normalize

from attrs import evolve

from protocol.graph import (
    SUBGRAPH_PREFIX,
    Component,
    Graph,
    Group,
    Node,
    Port,
    PortId,
    ProjectState,
    SubgraphDefinition,
)
from sidecar.formats.repairs import Repairs
from sidecar.formats.values import display_name

Scope = TypeVar("Scope", Graph, SubgraphDefinition)


def fitted(state: ProjectState, repairs: Repairs, *graph_at: str) -> ProjectState:
    """Return a state as a project keeps it; ``graph_at`` leads to the graph in the file."""
    graph = state.graph
    contents = _contents(graph, repairs, *graph_at)
    subgraphs = tuple(
        _definition(one, repairs, *graph_at, "subgraphs", number)
        for number, one in enumerate(graph.subgraphs)
    )
    return evolve(
        state,
        title=_name(state.title, "Untitled", repairs, "title"),
        components=_components(state.components, repairs),
        graph=evolve(contents, subgraphs=subgraphs),
    )


def _contents(scope: Scope, repairs: Repairs, *at: str | int) -> Scope:
    return evolve(
        scope,
        nodes=tuple(_node(one, repairs, *at, "nodes", n) for n, one in enumerate(scope.nodes)),
        groups=tuple(_group(one, repairs, *at, "groups", n) for n, one in enumerate(scope.groups)),
    )


def _definition(
    definition: SubgraphDefinition, repairs: Repairs, *at: str | int
) -> SubgraphDefinition:
    contents = _contents(definition, repairs, *at)
    return evolve(contents, name=_name(definition.name, "Subgraph", repairs, *at, "name"))


def _node(node: Node, repairs: Repairs, *at: str | int) -> Node:
    name = node.name
    if name is not None:
        name = _name(name, "", repairs, *at, "name") or None
    fit = evolve(node, name=name, annotation=node.annotation or None)
    if node.component_id.startswith(SUBGRAPH_PREFIX):
        # Its ports are those of its definition, whatever the file says.
        return fit
    return evolve(
        fit,
        inputs=_distinct(node.inputs, repairs, *at, "inputs"),
        outputs=_distinct(node.outputs, repairs, *at, "outputs"),
    )


def _group(group: Group, repairs: Repairs, *at: str | int) -> Group:
    return evolve(group, name=_name(group.name, "Group", repairs, *at, "name"))


def _components(components: Sequence[Component], repairs: Repairs) -> tuple[Component, ...]:
    made: dict[str, Component] = {}
    for number, one in enumerate(components):
        at = ("components", number)
        if one.component_id in made:
            repairs.add("duplicate-id", "This component is there twice; the first counts.", *at)
            continue
        made[one.component_id] = evolve(
            one,
            name=_name(one.name, "Component", repairs, *at, "name"),
            inputs=_distinct(one.inputs, repairs, *at, "inputs"),
            outputs=_distinct(one.outputs, repairs, *at, "outputs"),
        )
    return tuple(made.values())


def _distinct(ports: Sequence[Port], repairs: Repairs, *at: str | int) -> tuple[Port, ...]:
    taken: set[str] = set()
    made: list[Port] = []
    for number, port in enumerate(ports):
        port_id, other = port.port_id, 2
        while port_id in taken:
            port_id, other = PortId(f"{port.port_id}~{other}"), other + 1
        taken.add(port_id)
        if port_id != port.port_id:
            repairs.add(
                "duplicate-id", "This port is there twice; edges go to the first.", *at, number
            )
        made.append(evolve(port, port_id=port_id))
    return tuple(made)


def _name(raw: str, otherwise: str, repairs: Repairs, *at: str | int) -> str:
    """Return a name as names are kept; what is no name is told, and so is one that is cut."""
    name = display_name(raw)
    if name is None or name != normalize("NFC", raw).strip():
        repairs.add("name-repaired", "This cannot be a name as it is.", *at)
    return otherwise if name is None else name
