"""What a project has and a file of a format has no place for: one warning a feature.

Things that came from a file of the format are as the format has them; most of what may be lost is
with those that came otherwise.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal

from attrs import define, field

from protocol.changes import Notice
from protocol.graph import Edge, Endpoint, Graph, Group, Node, ProjectState, SubgraphDefinition
from sidecar.formats.comfyui.groups import is_as_framed
from sidecar.formats.ids import residue
from sidecar.formats.node_red.names import FORMAT as NODE_RED
from sidecar.formats.node_red.names import LINK, STRUCTURE, is_link


@define
class Contents:
    """All things of a project in all scopes, and those of them that are no file's of the format."""

    state: ProjectState
    format: str
    nodes: list[Node] = field(init=False)
    edges: list[Edge] = field(init=False)
    groups: list[Group] = field(init=False)
    other_nodes: list[Node] = field(init=False)
    other_groups: list[Group] = field(init=False)
    scopes: list[Graph | SubgraphDefinition] = field(init=False)

    def __attrs_post_init__(self) -> None:
        graph = self.state.graph
        scopes = self.scopes = [graph, *graph.subgraphs]
        self.nodes = [node for scope in scopes for node in scope.nodes]
        self.edges = [edge for scope in scopes for edge in scope.edges]
        self.groups = [group for scope in scopes for group in scope.groups]
        self.other_nodes = self._not_of_the_format(self.nodes)
        self.other_groups = self._not_of_the_format(self.groups)

    def _not_of_the_format(self, things: list[Any]) -> list[Any]:
        return [one for one in things if residue(one.native, self.format) is None]


Has = Callable[[Contents], bool]


def losses(state: ProjectState, format_: str) -> Iterator[Notice]:
    """Yield a warning for each feature of a project that files of the format do not have."""
    if state.graph.subgraphs and format_ in FLAT:
        message = "Subgraphs were replaced by what is in them."
        yield Notice(code="subgraphs-flattened", message=message)
    contents = Contents(state, format_)
    for feature in LOST.get(format_, ()):
        has, what = FEATURES[feature]
        if has(contents):
            yield Notice(code="not-exported", message=what)


def _second_inputs(contents: Contents) -> bool:
    """Whether an edge enters another input of a node than the first."""
    first = {node.node_id: node.inputs[0].port_id for node in contents.other_nodes if node.inputs}
    return any(
        edge.target.node_id in first and edge.target.port_id != first[edge.target.node_id]
        for edge in contents.edges
    )


def _half_links(contents: Contents) -> bool:
    """Whether an edge has a link at one of its ends alone, where it would have to be both."""
    types = {node.node_id: node.component_id for node in contents.nodes}

    def link(end: Endpoint, side: Literal["source", "target"]) -> bool:
        return end.node_id is not None and is_link(types[end.node_id], end.port_id, side)

    return any(
        link(edge.source, "source") != link(edge.target, "target") for edge in contents.edges
    )


def _joined_inputs(contents: Contents) -> bool:
    """Whether several edges enter one input."""
    return any(len({edge.target for edge in s.edges}) < len(s.edges) for s in contents.scopes)


def _other_frames(contents: Contents) -> bool:
    """Whether something lies in the frame of a group that it does not belong to."""
    return not all(is_as_framed(scope.groups, scope.nodes) for scope in contents.scopes)


def _seen(edge: Edge, format_: str) -> bool:
    """Whether an edge is drawn in files of the format, or is a link of their own."""
    return not edge.hidden or (format_ == NODE_RED and edge.source.port_id == LINK)


def _covered(contents: Contents) -> Iterator[str]:
    """Yield the names of parameters that are something else in a React Flow node's data."""
    for node in contents.nodes:
        if node.name is not None and "label" in node.parameters:
            yield "label"
        if node.annotation is not None and "annotation" in node.parameters:
            yield "annotation"


FEATURES: Final[dict[str, tuple[Has, str]]] = {
    "components": (
        lambda c: bool(c.state.components),
        "The project's components are not in the file.",
    ),
    "processes": (
        lambda c: any(node.process is not None for node in c.nodes),
        "What nodes execute is not in the file.",
    ),
    "places": (lambda c: bool(c.other_nodes), "Places and sizes of nodes are not in the file."),
    "sizes": (
        lambda c: any(node.size is not None for node in c.other_nodes),
        "Sizes of nodes are not in the file.",
    ),
    "disabled": (
        lambda c: any(node.enabled != "active" for node in c.nodes),
        "Which nodes are muted or bypassed is not in the file.",
    ),
    "muted": (
        lambda c: any(node.enabled == "muted" for node in c.nodes),
        "Muted nodes are bypassed in the file.",
    ),
    "bypassed": (
        lambda c: any(node.enabled == "bypassed" for node in c.nodes),
        "Bypassed nodes are muted in the file.",
    ),
    "collapsed": (
        lambda c: any(node.collapsed for node in c.other_nodes),
        "Which nodes are collapsed is not in the file.",
    ),
    "pinned": (
        lambda c: any(node.pinned for node in c.other_nodes),
        "Which nodes are pinned is not in the file.",
    ),
    "notes": (
        lambda c: any(node.annotation is not None for node in c.nodes),
        "Notes at nodes are not in the file.",
    ),
    "ports": (
        lambda c: any(node.inputs or node.outputs for node in c.other_nodes),
        "Types and labels of ports, and ports without edges, are not in the file.",
    ),
    "second-inputs": (
        _second_inputs,
        "Which of several inputs of a node an edge enters is not in the file.",
    ),
    "reserved-parameters": (
        lambda c: any(not STRUCTURE.isdisjoint(node.parameters) for node in c.other_nodes),
        "Parameters whose names mean something else there are not in the file.",
    ),
    "covered-parameters": (
        lambda c: any(_covered(c)),
        "Parameters whose names mean something else there are not in the file.",
    ),
    "joined-inputs": (
        _joined_inputs,
        "Where several edges enter one input, only one of them is in the file.",
    ),
    "half-links": (
        _half_links,
        "Edges between ports of links and other ports are not in the file.",
    ),
    "other-frames": (
        _other_frames,
        "Groups hold all that lies in their frames there, also what is in no group here.",
    ),
    "labels": (
        lambda c: any(edge.label for edge in c.edges),
        "Labels of edges are not in the file.",
    ),
    "waypoints": (
        lambda c: any(edge.waypoints for edge in c.edges),
        "Bends of edges are not in the file.",
    ),
    "hidden": (
        lambda c: not all(_seen(edge, c.format) for edge in c.edges),
        "Which edges are hidden is not in the file.",
    ),
    "nested-groups": (
        lambda c: any(group.parent_group_id is not None for group in c.groups),
        "Groups inside of groups stand beside them in the file.",
    ),
    "frames": (
        lambda c: any(group.bounds is not None for group in c.other_groups),
        "Frames of groups are not in the file.",
    ),
    "colors": (
        lambda c: any(group.color is not None for group in c.other_groups),
        "Colours of groups are not in the file.",
    ),
}
"""What is looked for, and what is told of it."""

FLAT: Final = frozenset({"comfyui-api", "n8n", "react-flow"})
"""Formats without subgraphs."""
LOST: Final[dict[str, tuple[str, ...]]] = {
    "comfyui": ("components", "processes", "joined-inputs", "other-frames"),
    "comfyui-api": (
        *("components", "processes", "places", "notes", "ports", "joined-inputs"),
        *("labels", "waypoints", "hidden"),
    ),
    "node-red": (
        *("components", "processes", "sizes", "bypassed", "collapsed", "pinned"),
        *("ports", "second-inputs", "reserved-parameters", "half-links"),
        *("labels", "waypoints", "hidden"),
    ),
    "n8n": (
        *("components", "processes", "sizes", "muted", "collapsed", "pinned", "ports"),
        *("labels", "waypoints", "hidden", "nested-groups", "frames", "colors"),
    ),
    "react-flow": (
        *("components", "processes", "disabled", "collapsed", "ports", "waypoints", "colors"),
        *("covered-parameters",),
    ),
}
