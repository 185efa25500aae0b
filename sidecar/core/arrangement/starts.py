"""First orders of the layers: walks that meet neighbours one after the other."""

from collections.abc import Callable

from sidecar.core.arrangement.model import Layered

Layers = list[list[int]]


def starts() -> tuple[Callable[[Layered], Layers], ...]:
    """The walks to start from, the one that most often leads furthest first."""
    return (_broad_from_right, _deep_from_left, _deep_from_left_backwards, _deep_from_right)


def _broad_from_right(graph: Layered) -> Layers:
    neighbours = [up[::-1] + down[::-1] for down, up in _neighbours(graph)]
    roots = [vertex for layer in reversed(graph.layers) for vertex in layer]
    return _by_layer(graph, _broad(roots, neighbours))


def _deep_from_left(graph: Layered) -> Layers:
    neighbours = [down + up for down, up in _neighbours(graph)]
    return _by_layer(graph, _deep([v for layer in graph.layers for v in layer], neighbours))


def _deep_from_left_backwards(graph: Layered) -> Layers:
    neighbours = [up + down for down, up in _neighbours(graph)]
    return _by_layer(graph, _deep([v for layer in graph.layers for v in layer], neighbours))


def _deep_from_right(graph: Layered) -> Layers:
    neighbours = [up + down for down, up in _neighbours(graph)]
    roots = [vertex for layer in reversed(graph.layers) for vertex in layer]
    return _by_layer(graph, _deep(roots, neighbours))


def _neighbours(graph: Layered) -> list[tuple[list[int], list[int]]]:
    owners = graph.owners
    return [
        ([owners[slot] for slot in down], [owners[slot] for slot in up])
        for down, up in zip(graph.down, graph.up, strict=True)
    ]


def _broad(roots: list[int], neighbours: list[list[int]]) -> list[int]:
    seen = [False] * len(neighbours)
    met: list[int] = []
    reached = 0
    for root in roots:
        if not seen[root]:
            seen[root] = True
            met.append(root)
        while reached < len(met):
            for neighbour in neighbours[met[reached]]:
                if not seen[neighbour]:
                    seen[neighbour] = True
                    met.append(neighbour)
            reached += 1
    return met


def _deep(roots: list[int], neighbours: list[list[int]]) -> list[int]:
    seen = [False] * len(neighbours)
    met: list[int] = []
    stack = roots[::-1]
    while stack:
        vertex = stack.pop()
        if seen[vertex]:
            continue
        seen[vertex] = True
        met.append(vertex)
        stack.extend(found for found in reversed(neighbours[vertex]) if not seen[found])
    return met


def _by_layer(graph: Layered, met: list[int]) -> Layers:
    layer_of = [0] * len(met)
    for number, layer in enumerate(graph.layers):
        for vertex in layer:
            layer_of[vertex] = number
    layers: Layers = [[] for _ in graph.layers]
    for vertex in met:
        layers[layer_of[vertex]].append(vertex)
    return layers
