"""A Node-RED flow file, read.

All tabs share the root graph, each below the one before it; a node keeps which tab it is on.
Configuration nodes stand on no canvas: the document keeps them as they are.
"""

from attrs import define, evolve, field

from protocol.graph import (
    SUBGRAPH_PREFIX,
    Bounds,
    ComponentId,
    Document,
    Group,
    GroupId,
    Json,
    JsonObject,
    Node,
    NodeId,
    NodeStatus,
    Position,
    ProjectState,
)
from sidecar.core.edit import Reading
from sidecar.core.limits import MAX_COORDINATE
from sidecar.formats.components import component_of_type
from sidecar.formats.ids import UniqueTexts
from sidecar.formats.node_red.flow import Entry, Flow
from sidecar.formats.node_red.members import read_members
from sidecar.formats.node_red.names import FORMAT, INSTANCE_PREFIX
from sidecar.formats.node_red.ports import boundary_of, node_ports, node_size, parameters_of
from sidecar.formats.node_red.scope import Scope
from sidecar.formats.node_red.sealing import sealed
from sidecar.formats.node_red.wires import read_wires
from sidecar.formats.repairs import Repairs
from sidecar.formats.spots import row_below
from sidecar.formats.values import display_name, number


def read(content: list[Json], at: str = "") -> Reading:
    """Return what a flow file holds.

    Raises :class:`RejectedError`: ``empty-workflow``, ``subgraph-recursion``.
    """
    flow = Flow(Repairs(at))
    flow.read(content)
    reader = _Reader(flow, dict(flow.offsets()))
    graph, native = sealed(flow, reader.offsets, reader.root(), reader.scopes)
    labels = [display_name(tab.get("label")) for tab in flow.tabs]
    state = ProjectState(
        title=next((label for label in labels if label), "Untitled"),
        document=Document(document_id="", format=FORMAT, native={FORMAT: native}),
        graph=graph,
    )
    placed = not flow.nodes or reader.unplaced < len(flow.nodes)
    return Reading(state=state, notices=tuple(flow.repairs.notices), placed=placed)


@define
class _Reader:
    flow: Flow
    offsets: dict[str, int]
    scopes: dict[str, Scope] = field(factory=dict)
    unplaced: int = 0
    _ids: UniqueTexts = field(factory=UniqueTexts)

    def root(self) -> Scope:
        """Read everything; returns the root, the scopes of subflows stay in ``scopes``."""
        root = Scope()
        for id_, raw in self.flow.subflows.items():
            inputs, outputs = boundary_of(raw)
            self.scopes[id_] = Scope(subflow=raw, inputs=inputs, outputs=outputs)
        for entry in self.flow.nodes:
            self._put_node(self.scopes.get(entry.zone, root), entry)
        for entry in self.flow.groups:
            self._put_group(self.scopes.get(entry.zone, root), entry)
        for scope in (root, *self.scopes.values()):
            self._place(scope)
            read_wires(scope, set(self.flow.order), self.flow.repairs)
            read_members(scope, self.flow.repairs)
        return root

    def _put_node(self, scope: Scope, entry: Entry) -> None:
        raw = entry.raw
        used = self.flow.instance(raw)
        inputs, outputs = node_ports(raw) if used is None else boundary_of(self.flow.subflows[used])
        info = raw.get("info")
        component_id, status = _component(raw.get("type"), used)
        node = Node(
            node_id=NodeId(self._ids.take(entry.id)),
            component_id=component_id,
            status=status,
            name=display_name(raw.get("name")),
            position=Position(0, 0),
            size=node_size(raw, len(outputs)),
            enabled="muted" if raw.get("d") is True else "active",
            inputs=inputs,
            outputs=outputs,
            parameters=parameters_of(raw),
            annotation=info if isinstance(info, str) and info else None,
            native={"id": entry.id, FORMAT: self._patch(scope, entry)},
        )
        scope.nodes.append(self._positioned(scope, node, entry))
        scope.node_entries.append(entry)
        if not entry.twin:
            scope.by_id[entry.id] = scope.nodes[-1]

    def _patch(self, scope: Scope, entry: Entry) -> JsonObject:
        patch: JsonObject = {"twin": True} if entry.twin else {}
        return {**patch, "z": entry.zone} if scope.subflow is None and entry.zone else patch

    def _positioned(self, scope: Scope, node: Node, entry: Entry) -> Node:
        x, y = number(entry.raw.get("x")), number(entry.raw.get("y"))
        if x is None or y is None or node.size is None:
            return node
        top = y - node.size.height / 2 + self._offset(scope, entry)
        spot = Position(_bounded(x - node.size.width / 2), _bounded(top))
        return evolve(node, position=spot)

    def _offset(self, scope: Scope, entry: Entry) -> int:
        return 0 if scope.subflow is not None else self.offsets.get(self.flow.tab_of(entry), 0)

    def _place(self, scope: Scope) -> None:
        placed = [_is_placed(entry) for entry in scope.node_entries]
        lost = [index for index, is_placed in enumerate(placed) if not is_placed]
        spots = row_below([n for n, ok in zip(scope.nodes, placed, strict=True) if ok], len(lost))
        for index, spot in zip(lost, spots, strict=True):
            entry = scope.node_entries[index]
            message = "The node was put on free space."
            self.flow.repairs.add("missing-position", message, entry.index)
            scope.nodes[index] = evolve(scope.nodes[index], position=spot)
            if not entry.twin:
                scope.by_id[entry.id] = scope.nodes[index]
        self.unplaced += len(lost)

    def _put_group(self, scope: Scope, entry: Entry) -> None:
        style = entry.raw.get("style")
        colors = [style.get(key) for key in ("fill", "stroke")] if isinstance(style, dict) else []
        scope.groups.append(
            Group(
                group_id=GroupId(self._ids.take(entry.id)),
                name=display_name(entry.raw.get("name")) or "Group",
                bounds=self._bounds(scope, entry),
                color=next((color for color in colors if isinstance(color, str)), None),
                native={"id": entry.id, FORMAT: self._patch(scope, entry)},
            )
        )
        scope.group_entries.append(entry)

    def _bounds(self, scope: Scope, entry: Entry) -> Bounds | None:
        x, y, w, h = (number(entry.raw.get(key)) for key in ("x", "y", "w", "h"))
        if x is None or y is None or w is None or h is None or min(w, h) < 0:
            return None
        return Bounds(x, y + self._offset(scope, entry), w, h)


def _is_placed(entry: Entry) -> bool:
    return number(entry.raw.get("x")) is not None and number(entry.raw.get("y")) is not None


def _bounded(value: float) -> float:
    within = max(-MAX_COORDINATE, min(MAX_COORDINATE, value))
    return int(within) if within == int(within) else within


def _component(type_: Json, used: str | None) -> tuple[ComponentId, NodeStatus]:
    """Return what a type names; ``used`` is the subflow it is an instance of."""
    if used is not None:
        return ComponentId(SUBGRAPH_PREFIX + used), "ok"
    component_id, status = component_of_type(type_)
    return component_id, "missing" if component_id.startswith(INSTANCE_PREFIX) else status
