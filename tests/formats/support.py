"""What the format tests share: real files, exact comparison, single edits of a state."""

from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from attrs import evolve

from protocol.graph import Edge, Group, Node, NodeId, ProjectState
from protocol.json_text import dumps, loads
from sidecar.core.edit import Reading
from sidecar.formats.reader import read
from sidecar.formats.writer import write
from tests.formats.remint import reminted


@cache
def real_files() -> list[Path]:
    """Return every workflow of the two packages of real ComfyUI files."""
    packages = ("comfyui_workflow_templates_json", "comfyui_subgraph_blueprints")
    return [
        path for name in packages for path in sorted(_folder(name).rglob("*.json")) if _holds(path)
    ]


def _folder(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _holds(path: Path) -> bool:
    return not path.name.startswith("index") and b'"last_node_id"' in path.read_bytes()


def content_of(path: Path) -> Any:
    return loads(path.read_bytes())


def exported(reading: Reading, change: Callable[[ProjectState], ProjectState] | None = None) -> Any:
    """Return the file of a reading after the engine's new ids, and a change."""
    state = reminted(reading.state)
    assert state.document is not None
    value, notices = write(change(state) if change else state, state.document.format)
    assert "residue-dropped" not in [one.code for one in notices]
    return value


def assert_comes_back(content: Any, format_: str = "auto") -> Reading:
    """Assert that a content comes back exactly, key order and kinds of numbers included."""
    reading = read(content, format_)
    assert dumps(exported(reading)) == dumps(content)
    return reading


def differences(left: Any, right: Any, path: str = "") -> Iterator[str]:
    """Yield a JSON Pointer to every place where two values differ."""
    if type(left) is not type(right):
        yield path
    elif isinstance(left, dict):
        if [key for key in left if key in right] != [key for key in right if key in left]:
            yield f"{path}#order"
        for key in {**left, **right}:
            if key in left and key in right:
                yield from differences(left[key], right[key], f"{path}/{key}")
            else:
                yield f"{path}/{key}"
    elif isinstance(left, list):
        if len(left) != len(right):
            yield f"{path}#length"
        for index, (one, other) in enumerate(zip(left, right, strict=False)):
            yield from differences(one, other, f"{path}/{index}")
    elif left != right:
        yield path


def with_node(state: ProjectState, index: int, **changes: Any) -> ProjectState:
    """Return a state whose root node at ``index`` has other values."""
    nodes = list(state.graph.nodes)
    nodes[index] = evolve(nodes[index], **changes)
    return with_graph(state, nodes=tuple(nodes))


def with_graph(state: ProjectState, **changes: Any) -> ProjectState:
    return evolve(state, graph=evolve(state.graph, **changes))


def set_parameter(state: ProjectState, index: int, name: str, value: Any) -> ProjectState:
    parameters = {**state.graph.nodes[index].parameters, name: value}
    return with_node(state, index, parameters=parameters)


def without_node(state: ProjectState, node_id: NodeId) -> ProjectState:
    """Return a state without a root node, its edges, and its place in a group."""
    graph = state.graph
    return with_graph(
        state,
        nodes=tuple(node for node in graph.nodes if node.node_id != node_id),
        edges=tuple(edge for edge in graph.edges if not _touches(edge, node_id)),
        groups=tuple(_without(group, node_id) for group in graph.groups),
    )


def _touches(edge: Edge, node_id: NodeId) -> bool:
    return node_id in (edge.source.node_id, edge.target.node_id)


def _without(group: Group, node_id: NodeId) -> Group:
    return evolve(group, node_ids=tuple(one for one in group.node_ids if one != node_id))


def with_edge(state: ProjectState, edge: Edge) -> ProjectState:
    return with_graph(state, edges=(*state.graph.edges, edge))


def with_added_node(state: ProjectState, node: Node) -> ProjectState:
    return with_graph(state, nodes=(*state.graph.nodes, node))
