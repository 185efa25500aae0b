"""The graph of a project as plain values: nodes, edges, groups, subgraphs, components.

All values are frozen, and so is, by agreement, the free JSON inside them (``parameters``,
``native`` and the like): nobody changes it, a new value is built instead.  Coordinates are
pixels of the host's canvas, y grows downwards, a position is the top-left corner of the body.
"""

from typing import Any, Final, Literal, NewType

from attrs import Factory, frozen

NodeId = NewType("NodeId", str)
EdgeId = NewType("EdgeId", str)
GroupId = NewType("GroupId", str)
SubgraphId = NewType("SubgraphId", str)
ComponentId = NewType("ComponentId", str)
PortId = NewType("PortId", str)

Json = Any
"""A JSON value: None, bool, int of any size, finite float, text, list or dict with text keys."""
JsonObject = dict[str, Any]

Enabled = Literal["active", "muted", "bypassed"]
Boundary = Literal["input", "output"]
NodeStatus = Literal["ok", "missing"]
ComponentKind = Literal[
    "builtin", "script", "command", "model", "http", "subgraph", "note", "missing"
]
ProcessKind = Literal["none", "script", "command", "model", "http"]

SUBGRAPH_PREFIX: Final = "subgraph:"
"""A node whose ``component_id`` is this and a subgraph's id is an instance of that subgraph."""


@frozen
class Position:
    """A point, in pixels; finite, at most 1e7 away from the origin on either axis."""

    x: float
    y: float


@frozen
class Size:
    """A width and a height, in pixels."""

    width: float
    height: float


@frozen
class Bounds:
    """A rectangle, in pixels: its top-left corner and its size."""

    x: float
    y: float
    width: float
    height: float


@frozen(kw_only=True)
class Port:
    """Where edges end on a node, or on a subgraph's boundary.

    ``data_type`` is ``*`` for anything or a list ``A,B``; types compare without case.
    ``parameter`` names the parameter that an edge into this input overrides.
    ``port_id`` is unique within its node and direction.
    """

    name: str
    port_id: PortId = Factory(lambda self: PortId(self.name), takes_self=True)
    label: str | None = None
    data_type: str
    multiple: bool = False
    required: bool = False
    parameter: str | None = None
    native: JsonObject | None = None


IoPort = Port
PortSpec = Port


@frozen(kw_only=True)
class Endpoint:
    """One end of an edge: a node's port, or, inside a definition, a port of its boundary.

    Exactly one of ``node_id`` and ``boundary`` is set.
    """

    node_id: NodeId | None = None
    boundary: Boundary | None = None
    port_id: PortId


@frozen(kw_only=True)
class Edge:
    """A connection from an output to an input."""

    edge_id: EdgeId
    source: Endpoint
    target: Endpoint
    data_type: str | None = None
    label: str | None = None
    hidden: bool = False
    waypoints: tuple[Position, ...] = ()
    native: JsonObject | None = None


@frozen(kw_only=True)
class Process:
    """What a node or component executes.  The engine stores it and runs nothing."""

    kind: ProcessKind
    language: str | None = None
    code: str | None = None
    argv: tuple[str, ...] | None = None
    model: Json = None
    request: Json = None
    environment: Json = None
    inputs: tuple[PortSpec, ...] = ()
    outputs: tuple[PortSpec, ...] = ()
    timeout_ms: int | None = None


@frozen(kw_only=True)
class Node:
    """A thing on the canvas.  ``name`` None follows the component's or definition's name."""

    node_id: NodeId
    component_id: ComponentId
    name: str | None = None
    position: Position
    size: Size | None = None
    enabled: Enabled = "active"
    collapsed: bool = False
    pinned: bool = False
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    parameters: JsonObject = Factory(dict)
    annotation: str | None = None
    process: Process | None = None
    status: NodeStatus = "ok"
    native: JsonObject | None = None


@frozen(kw_only=True)
class Group:
    """A named frame around nodes of one scope.  Membership is explicit, never geometric."""

    group_id: GroupId
    name: str
    node_ids: tuple[NodeId, ...] = ()
    parent_group_id: GroupId | None = None
    bounds: Bounds | None = None
    color: str | None = None
    native: JsonObject | None = None


@frozen(kw_only=True)
class Subgraph:
    """A definition without its contents: what the record of a definition holds.

    Its nodes, edges and groups are things of their own, in the scope named by ``subgraph_id``.
    """

    subgraph_id: SubgraphId
    name: str
    description: str | None = None
    inputs: tuple[IoPort, ...] = ()
    outputs: tuple[IoPort, ...] = ()
    input_anchor: Position = Position(0, 0)
    output_anchor: Position = Position(0, 0)
    native: JsonObject | None = None


@frozen(kw_only=True)
class SubgraphDefinition:
    """A definition with its contents, as a state or an inline payload shows it."""

    subgraph_id: SubgraphId
    name: str
    description: str | None = None
    inputs: tuple[IoPort, ...] = ()
    outputs: tuple[IoPort, ...] = ()
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    groups: tuple[Group, ...] = ()
    input_anchor: Position = Position(0, 0)
    output_anchor: Position = Position(0, 0)
    native: JsonObject | None = None


@frozen(kw_only=True)
class ParameterSpec:
    """What a component says about one of its parameters."""

    name: str
    data_type: str = "*"
    default: Json = None
    required: bool = False
    minimum: float | None = None
    maximum: float | None = None
    options: tuple[Json, ...] | None = None
    multiline: bool = False
    secret: bool = False


@frozen(kw_only=True)
class Component:
    """A reusable node type: its ports, its parameters, what it executes."""

    component_id: ComponentId
    name: str
    kind: ComponentKind
    version: str | None = None
    source: Json = None
    inputs: tuple[PortSpec, ...] = ()
    outputs: tuple[PortSpec, ...] = ()
    parameters: tuple[ParameterSpec, ...] = ()
    process: Process | None = None
    open_schema: bool = False
    color: str | None = None
    description: str | None = None
    native: JsonObject | None = None


@frozen(kw_only=True)
class Document:
    """Which file is open.  ``native`` keeps what the model does not model, verbatim."""

    document_id: str
    format: str
    format_version: str | None = None
    native_id: str | None = None
    path: str | None = None
    content_hash: str | None = None
    native: JsonObject | None = None


@frozen(kw_only=True)
class Graph:
    """A whole graph; the order of each list is the z-order, back to front."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    groups: tuple[Group, ...] = ()
    subgraphs: tuple[SubgraphDefinition, ...] = ()


@frozen(kw_only=True)
class ProjectState:
    """What one version of a project is."""

    schema_version: Literal[1] = 1
    title: str
    document: Document | None = None
    components: tuple[Component, ...] = ()
    graph: Graph = Graph()
