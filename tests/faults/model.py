"""What the commands of the fault tests make of a graph: a second, much smaller engine.

It shares no code with the first, and knows of a thing only what those commands can change.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import evolve, field, frozen


@frozen
class Node:
    """``position`` None: nobody told where the engine put it."""

    name: str | None
    position: tuple[float, float] | None
    parameters: str
    annotation: str | None


@frozen
class Graph:
    """Things by id, in the order of their arrays."""

    title: str = ""
    nodes: Mapping[str, Node] = field(factory=dict)
    edges: Mapping[str, tuple[str, str, str]] = field(factory=dict)
    """Source node, target node, target port."""
    groups: Mapping[str, tuple[str, tuple[str, ...]]] = field(factory=dict)


def read(state: Mapping[str, Any]) -> Graph:
    """Take from a state (or full projection) what the model knows of."""
    graph = state["graph"]
    return Graph(
        title=state["title"],
        nodes={
            node["nodeId"]: Node(
                node["name"],
                (node["position"]["x"], node["position"]["y"]),
                _text(node["parameters"]),
                node["annotation"],
            )
            for node in graph["nodes"]
        },
        edges={
            edge["edgeId"]: (
                edge["source"]["nodeId"],
                edge["target"]["nodeId"],
                edge["target"]["portId"],
            )
            for edge in graph["edges"]
        },
        groups={
            group["groupId"]: (group["name"], tuple(group["nodeIds"])) for group in graph["groups"]
        },
    )


def matches(expected: Graph, found: Graph) -> bool:
    """Whether both are the same, order included; unknown positions match any."""
    if [*expected.nodes] != [*found.nodes] or [*expected.edges] != [*found.edges]:
        return False
    if (expected.title, expected.edges, expected.groups) != (
        found.title,
        found.edges,
        found.groups,
    ):
        return False
    pairs = zip(expected.nodes.values(), found.nodes.values(), strict=True)
    return all(one == other or _but_for_place(one, other) for one, other in pairs)


def apply(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    """Carry out one payload that fits; KeyError where it does not."""
    return _RULES[payload["kind"]](graph, payload)


def place(graph: Graph, placed: list[dict[str, Any]]) -> Graph:
    """Put nodes where the answer says that they were put."""
    nodes = dict(graph.nodes)
    for one in placed:
        position = (one["position"]["x"], one["position"]["y"])
        nodes[one["nodeId"]] = evolve(nodes[one["nodeId"]], position=position)
    return evolve(graph, nodes=nodes)


def displaced(graph: Graph) -> Graph:
    """Forget where nodes are: an arrangement moves them as it likes."""
    nodes = {id_: evolve(node, position=None) for id_, node in graph.nodes.items()}
    return evolve(graph, nodes=nodes)


def digest(state: Mapping[str, Any]) -> str:
    """Return a digest of a whole state's canonical JSON."""
    wanted = {key: state[key] for key in ("title", "document", "components", "graph")}
    return hashlib.sha256(_text(wanted).encode()).hexdigest()[:16]


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _but_for_place(expected: Node, found: Node) -> bool:
    return expected.position is None and expected == evolve(found, position=None)


def _add_node(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    node_id = payload["nodeId"]
    node = Node(
        payload.get("name"),
        (payload["position"]["x"], payload["position"]["y"]),
        _text(payload.get("parameters", {})),
        None,
    )
    groups = dict(graph.groups)
    if (group_id := payload.get("groupId")) is not None:
        name, members = groups[group_id]
        groups[group_id] = (name, (*members, node_id))
    return evolve(graph, nodes={**graph.nodes, node_id: node}, groups=groups)


def _remove_node(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    gone = payload["nodeId"]
    nodes = dict(graph.nodes)
    del nodes[gone]
    return evolve(
        graph,
        nodes=nodes,
        edges={id_: edge for id_, edge in graph.edges.items() if gone not in edge[:2]},
        groups={
            id_: (name, tuple(member for member in members if member != gone))
            for id_, (name, members) in graph.groups.items()
        },
    )


def _move_node(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    return place(graph, [dict(payload)])


def _move_nodes(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    return place(graph, payload["moves"])


def _rename_node(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    return _with_node(graph, payload["nodeId"], name=payload["name"])


def _annotate_node(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    return _with_node(graph, payload["nodeId"], annotation=payload["annotation"])


def _set_parameter(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    node = graph.nodes[payload["nodeId"]]
    parameters = {**json.loads(node.parameters), payload["name"]: payload["value"]}
    return _with_node(graph, payload["nodeId"], parameters=_text(parameters))


def _with_node(graph: Graph, node_id: str, **fields: Any) -> Graph:
    node = evolve(graph.nodes[node_id], **fields)
    return evolve(graph, nodes={**graph.nodes, node_id: node})


def _connect(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    source, target = payload["source"]["nodeId"], payload["target"]["nodeId"]
    port = payload["target"]["portId"]
    if (source, target, port) in graph.edges.values():
        return graph
    edges = {
        id_: edge
        for id_, edge in graph.edges.items()
        if port != SINGLE or edge[1:] != (target, port)
    }
    edges[payload["edgeId"]] = (source, target, port)
    return evolve(graph, edges=edges)


def _remove_edge(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    edges = dict(graph.edges)
    del edges[payload["edgeId"]]
    return evolve(graph, edges=edges)


def _add_group(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    group = (payload["name"], tuple(payload["nodeIds"]))
    return evolve(graph, groups={**graph.groups, payload["groupId"]: group})


def _remove_group(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    groups = dict(graph.groups)
    del groups[payload["groupId"]]
    return evolve(graph, groups=groups)


def _rename_group(graph: Graph, payload: Mapping[str, Any]) -> Graph:
    members = graph.groups[payload["groupId"]][1]
    return evolve(graph, groups={**graph.groups, payload["groupId"]: (payload["name"], members)})


SINGLE: Final = "one"
"""The input port that takes one edge; ``in`` takes many."""
PORTS: Final[dict[str, Any]] = {
    "inputs": [
        {"name": "in", "dataType": "*", "multiple": True},
        {"name": SINGLE, "dataType": "*"},
    ],
    "outputs": [{"name": "out", "dataType": "*"}],
}
_RULES: Final[Mapping[str, Callable[[Graph, Mapping[str, Any]], Graph]]] = {
    "add-node": _add_node,
    "remove-node": _remove_node,
    "move-node": _move_node,
    "move-nodes": _move_nodes,
    "rename-node": _rename_node,
    "annotate-node": _annotate_node,
    "set-parameter": _set_parameter,
    "connect": _connect,
    "remove-edge": _remove_edge,
    "add-group": _add_group,
    "remove-group": _remove_group,
    "rename-group": _rename_group,
}
