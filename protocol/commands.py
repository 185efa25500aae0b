"""The 26 payloads of commitCommand: every change a graph can be asked to make.

A payload is data: it states an intent, the rule that carries it out lives in ``sidecar.core``
under the same name.  ``None`` for an optional field means that it was left out.
"""

from typing import Final, Literal

from attrs import Factory, frozen

from protocol.graph import (
    Bounds,
    Component,
    ComponentId,
    EdgeId,
    Endpoint,
    GroupId,
    Json,
    JsonObject,
    NodeId,
    Port,
    PortId,
    Position,
    Process,
    Size,
    SubgraphDefinition,
    SubgraphId,
)

Side = Literal["left", "right", "above", "below"]
OnOccupied = Literal["replace", "error"]
Direction = Literal["input", "output"]
Content = JsonObject | list[Json] | str


class Missing:
    """The type of :data:`MISSING`."""

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Final = Missing()
"""A field that was left out, where null is a value of its own."""


@frozen(kw_only=True)
class Near:
    """Next to which node, and on which side of it."""

    node_id: NodeId
    side: Side = "right"


@frozen(kw_only=True)
class Move:
    """Where one node goes."""

    node_id: NodeId
    position: Position


@frozen(kw_only=True)
class PortAddress:
    """An inner node's port."""

    node_id: NodeId
    port_id: PortId


@frozen(kw_only=True)
class Promotion:
    """An inner parameter that becomes an input of the definition."""

    node_id: NodeId
    parameter: str


@frozen(kw_only=True)
class AddNode:
    node_id: NodeId | None = None
    component_id: ComponentId
    name: str | None = None
    position: Position | None = None
    size: Size | None = None
    near: Near | None = None
    parameters: JsonObject | None = None
    inputs: tuple[Port, ...] | None = None
    outputs: tuple[Port, ...] | None = None
    group_id: GroupId | None = None
    annotation: str | None = None
    process: Process | None = None


@frozen(kw_only=True)
class RemoveNode:
    node_id: NodeId
    reconnect: bool = False


@frozen(kw_only=True)
class MoveNode:
    node_id: NodeId
    position: Position


@frozen(kw_only=True)
class MoveNodes:
    """Either ``moves``, or ``node_ids`` and ``delta``."""

    moves: tuple[Move, ...] | None = None
    node_ids: tuple[NodeId, ...] | None = None
    delta: Position | None = None


@frozen(kw_only=True)
class RenameNode:
    node_id: NodeId
    name: str | None


@frozen(kw_only=True)
class Connect:
    edge_id: EdgeId | None = None
    source: Endpoint
    target: Endpoint
    on_occupied: OnOccupied = "replace"
    label: str | None = None
    waypoints: tuple[Position, ...] = ()


@frozen(kw_only=True)
class RemoveEdge:
    """Either ``edge_id``, or ``source`` and ``target``."""

    edge_id: EdgeId | None = None
    source: Endpoint | None = None
    target: Endpoint | None = None


@frozen(kw_only=True)
class RetargetEdge:
    """At least one of ``source`` and ``target``."""

    edge_id: EdgeId
    source: Endpoint | None = None
    target: Endpoint | None = None
    on_occupied: OnOccupied = "replace"


@frozen(kw_only=True)
class SetParameter:
    """``name`` and ``value``, or ``values``, or ``name``, ``path`` and ``value``; ``unset`` removes."""

    node_id: NodeId
    name: str | None = None
    value: Json | Missing = MISSING
    values: JsonObject | None = None
    path: str | None = None
    unset: bool = False


@frozen(kw_only=True)
class AnnotateNode:
    node_id: NodeId
    annotation: str | None


@frozen(kw_only=True)
class SetComponent:
    """``component`` defines or replaces, null deletes; ``node_id`` binds that node."""

    component_id: ComponentId
    component: Component | Missing | None = MISSING
    node_id: NodeId | None = None


@frozen(kw_only=True)
class SetProcess:
    """Exactly one of ``node_id`` and ``component_id``."""

    node_id: NodeId | None = None
    component_id: ComponentId | None = None
    process: Process | None
    renames: dict[str, str] = Factory(dict)


@frozen(kw_only=True)
class ImportWorkflow:
    content: Content
    format: str = "auto"
    position: Position | None = None
    group_name: str | None = None


@frozen(kw_only=True)
class OpenNative:
    content: Content
    format: str = "auto"
    title: str | None = None
    path: str | None = None


@frozen(kw_only=True)
class CreateSubgraph:
    node_ids: tuple[NodeId, ...] = ()
    group_ids: tuple[GroupId, ...] = ()
    name: str | None = None
    subgraph_id: SubgraphId | None = None
    instance_id: NodeId | None = None
    promote: tuple[Promotion, ...] = ()


@frozen(kw_only=True)
class InsertSubgraph:
    """Exactly one of ``subgraph_id`` and ``definition``."""

    subgraph_id: SubgraphId | None = None
    definition: SubgraphDefinition | None = None
    node_id: NodeId | None = None
    name: str | None = None
    position: Position | None = None
    near: Near | None = None
    parameters: JsonObject | None = None


@frozen(kw_only=True)
class DissolveSubgraph:
    node_id: NodeId


@frozen(kw_only=True)
class RenameSubgraph:
    subgraph_id: SubgraphId
    name: str


@frozen(kw_only=True)
class AddSubgraphIo:
    subgraph_id: SubgraphId
    direction: Direction
    name: str
    data_type: str
    port_id: PortId | None = None
    index: int | None = None
    multiple: bool = False
    from_: PortAddress | None = None


@frozen(kw_only=True)
class RemoveSubgraphIo:
    subgraph_id: SubgraphId
    port_id: PortId


@frozen(kw_only=True)
class RenameSubgraphIo:
    subgraph_id: SubgraphId
    port_id: PortId
    name: str


@frozen(kw_only=True)
class AddGroup:
    group_id: GroupId | None = None
    name: str
    node_ids: tuple[NodeId, ...] = ()
    group_ids: tuple[GroupId, ...] = ()
    bounds: Bounds | None = None
    color: str | None = None
    parent_group_id: GroupId | None = None


@frozen(kw_only=True)
class RemoveGroup:
    group_id: GroupId


@frozen(kw_only=True)
class RenameGroup:
    group_id: GroupId
    name: str


@frozen(kw_only=True)
class RestoreRevision:
    revision_id: str


InnerPayload = (
    AddNode
    | RemoveNode
    | MoveNode
    | MoveNodes
    | RenameNode
    | Connect
    | RemoveEdge
    | RetargetEdge
    | SetParameter
    | AnnotateNode
    | SetComponent
    | SetProcess
    | ImportWorkflow
    | CreateSubgraph
    | InsertSubgraph
    | DissolveSubgraph
    | RenameSubgraph
    | AddGroup
    | RemoveGroup
    | RenameGroup
)
"""What may run inside a definition."""


@frozen(kw_only=True)
class EditInSubgraph:
    subgraph_id: SubgraphId
    payload: "InnerPayload"


Payload = (
    InnerPayload
    | OpenNative
    | AddSubgraphIo
    | RemoveSubgraphIo
    | RenameSubgraphIo
    | EditInSubgraph
    | RestoreRevision
)

PAYLOAD_KINDS: Final[dict[str, type[Payload]]] = {
    "add-node": AddNode,
    "remove-node": RemoveNode,
    "move-node": MoveNode,
    "move-nodes": MoveNodes,
    "rename-node": RenameNode,
    "connect": Connect,
    "remove-edge": RemoveEdge,
    "retarget-edge": RetargetEdge,
    "set-parameter": SetParameter,
    "annotate-node": AnnotateNode,
    "set-component": SetComponent,
    "set-process": SetProcess,
    "import-workflow": ImportWorkflow,
    "open-native": OpenNative,
    "create-subgraph": CreateSubgraph,
    "insert-subgraph": InsertSubgraph,
    "dissolve-subgraph": DissolveSubgraph,
    "rename-subgraph": RenameSubgraph,
    "add-subgraph-io": AddSubgraphIo,
    "remove-subgraph-io": RemoveSubgraphIo,
    "rename-subgraph-io": RenameSubgraphIo,
    "edit-in-subgraph": EditInSubgraph,
    "add-group": AddGroup,
    "remove-group": RemoveGroup,
    "rename-group": RenameGroup,
    "restore-revision": RestoreRevision,
}
KIND_OF: Final[dict[type[Payload], str]] = {cl: kind for kind, cl in PAYLOAD_KINDS.items()}
FORBIDDEN_INSIDE: Final = frozenset(
    {
        "open-native",
        "restore-revision",
        "edit-in-subgraph",
        "add-subgraph-io",
        "remove-subgraph-io",
        "rename-subgraph-io",
    }
)
"""Kinds that ``edit-in-subgraph`` refuses."""
