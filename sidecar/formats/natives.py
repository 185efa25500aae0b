"""A project without what its things keep of their files."""

from typing import TypeVar

from attrs import evolve

from protocol.graph import Graph, Port, ProjectState, SubgraphDefinition

Scope = TypeVar("Scope", Graph, SubgraphDefinition)


def without_residue(state: ProjectState) -> ProjectState:
    """Return a project with the same graph, as if it came from no file."""
    subgraphs = tuple(
        evolve(_bare(one), inputs=_ports(one.inputs), outputs=_ports(one.outputs), native=None)
        for one in state.graph.subgraphs
    )
    graph = evolve(_bare(state.graph), subgraphs=subgraphs)
    document = state.document and evolve(state.document, native=None)
    components = tuple(evolve(one, native=None) for one in state.components)
    return evolve(state, document=document, graph=graph, components=components)


def _bare(scope: Scope) -> Scope:
    return evolve(
        scope,
        nodes=tuple(
            evolve(node, inputs=_ports(node.inputs), outputs=_ports(node.outputs), native=None)
            for node in scope.nodes
        ),
        edges=tuple(evolve(edge, native=None) for edge in scope.edges),
        groups=tuple(evolve(group, native=None) for group in scope.groups),
    )


def _ports(ports: tuple[Port, ...]) -> tuple[Port, ...]:
    return tuple(evolve(port, native=None) for port in ports)
