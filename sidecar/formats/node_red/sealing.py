"""The residue of everything in a flow file: the file less what writing makes."""

from attrs import evolve

from protocol.graph import (
    Graph,
    Group,
    Json,
    JsonObject,
    Node,
    Port,
    Position,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.formats.ids import residue
from sidecar.formats.node_red.flow import Entry, Flow
from sidecar.formats.node_red.names import FORMAT, GROUP_ORDER, IO_ORDER, NODE_ORDER, SUBFLOW_ORDER
from sidecar.formats.node_red.scope import Scope
from sidecar.formats.node_red.things import (
    Canvas,
    Wiring,
    make_entry,
    make_exit,
    make_group,
    make_node,
)
from sidecar.formats.node_red.writing import (
    FileShape,
    children_of,
    made_subflow,
    place_of,
    with_status,
)
from sidecar.formats.residue import difference
from sidecar.formats.values import display_name, number


def sealed(
    flow: Flow, offsets: dict[str, int], root: Scope, scopes: dict[str, Scope]
) -> tuple[Graph, JsonObject]:
    """Return the graph of a file with every thing's residue, and that of the file itself."""
    for scope in (root, *scopes.values()):
        scope.nodes = [_with_dropped(node, scope) for node in scope.nodes]
    drafts = [_definition(id_, scope) for id_, scope in scopes.items()]
    native = _native(flow, offsets)
    draft = _graph(root, drafts)
    shape = FileShape.of(draft, native)
    definitions = [
        _sealed_definition(one, scope, shape)
        for one, scope in zip(drafts, scopes.values(), strict=True)
    ]
    _seal(root, shape.canvas(None), shape.wiring(draft))
    return _graph(root, definitions), {**native, **_order(flow, root, scopes)}


def _graph(root: Scope, definitions: list[SubgraphDefinition]) -> Graph:
    return Graph(
        nodes=tuple(root.nodes),
        edges=tuple(root.edges),
        groups=tuple(root.groups),
        subgraphs=tuple(definitions),
    )


def _native(flow: Flow, offsets: dict[str, int]) -> JsonObject:
    parts: JsonObject = {"tabs": flow.tabs, "configs": flow.configs, "offsets": offsets}
    parts |= {"dropped": flow.dropped.parts, "doubled": flow.doubled}
    return {key: value for key, value in parts.items() if value or key == "tabs"}


def _order(flow: Flow, root: Scope, scopes: dict[str, Scope]) -> JsonObject:
    """Return the order of the file's entries, where it is not the usual one."""
    usual = [tab["id"] for tab in flow.tabs] + list(scopes)
    for scope in (root, *scopes.values()):
        usual += [entry.id for entry in (*scope.group_entries, *scope.node_entries)]
    usual += [config["id"] for config in flow.configs]
    if usual == flow.order and not flow.doubled:
        return {}
    doubled = set(flow.doubled)
    places = [
        place_of(raw) if id_ in doubled else id_
        for id_, raw in zip(flow.order, flow.entries, strict=True)
    ]
    return {"order": places}


def _with_dropped(node: Node, scope: Scope) -> Node:
    dropped = scope.dropped.get(node.node_id)
    return evolve(node, native=_more(node.native, {"dropped": dropped})) if dropped else node


def _definition(id_: str, scope: Scope) -> SubgraphDefinition:
    raw: JsonObject = scope.subflow or {}
    info = raw.get("info")
    return SubgraphDefinition(
        subgraph_id=SubgraphId(id_),
        name=display_name(raw.get("name")) or "Subflow",
        description=info if isinstance(info, str) and info else None,
        inputs=scope.inputs,
        outputs=scope.outputs,
        nodes=tuple(scope.nodes),
        edges=tuple(scope.edges),
        groups=tuple(scope.groups),
        input_anchor=_anchor(raw.get("in")),
        output_anchor=_anchor(raw.get("out")),
        native={"id": id_, FORMAT: {}},
    )


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _anchor(ports: Json) -> Position:
    first = ports[0] if isinstance(ports, list) and ports else None
    x, y = (number(first.get(key)) for key in "xy") if isinstance(first, dict) else (None, None)
    return Position(0, 0) if x is None or y is None else Position(x, y)


def _sealed_definition(
    draft: SubgraphDefinition, scope: Scope, shape: FileShape
) -> SubgraphDefinition:
    raw: JsonObject = scope.subflow or {}
    wiring, id_ = shape.wiring(draft), shape.types[draft.subgraph_id]
    _seal(scope, shape.canvas(id_), wiring)
    places = {port.port_id: place for place, port in enumerate(draft.inputs)}
    ports = evolve(
        draft,
        inputs=tuple(
            _sealed_port(port, listed, make_entry(port, wiring))
            for port, listed in zip(draft.inputs, _listed(raw.get("in")), strict=True)
        ),
        outputs=tuple(
            _sealed_port(port, listed, make_exit(port, id_, wiring, places))
            for port, listed in zip(draft.outputs, _listed(raw.get("out")), strict=True)
        ),
    )
    patch = difference(made_subflow(ports, shape), raw, SUBFLOW_ORDER)
    if with_status(raw, shape.present, ()) is not raw:
        patch["stale"] = [
            wire.get("id") for wire in raw["status"]["wires"] if isinstance(wire, dict)
        ]
    native = {"id": id_, FORMAT: patch}
    return evolve(ports, nodes=tuple(scope.nodes), groups=tuple(scope.groups), native=native)


def _sealed_port(port: Port, raw: Json, made: JsonObject) -> Port:
    patch = difference(made, raw, IO_ORDER) if isinstance(raw, dict) else {"whole": [raw]}
    return evolve(port, native={FORMAT: patch})


def _seal(scope: Scope, canvas: Canvas, wiring: Wiring) -> None:
    """Give the nodes and groups of a scope their residue."""
    children = children_of(scope.groups)
    scope.nodes = [
        _sealed_node(node, entry, canvas, wiring)
        for node, entry in zip(scope.nodes, scope.node_entries, strict=True)
    ]
    scope.groups = [
        _sealed_group(
            group, entry, make_group(group, canvas, wiring, children.get(group.group_id, ()))
        )
        for group, entry in zip(scope.groups, scope.group_entries, strict=True)
    ]


def _sealed_node(node: Node, entry: Entry, canvas: Canvas, wiring: Wiring) -> Node:
    patch = difference(make_node(node, canvas, wiring), entry.raw, NODE_ORDER)
    return evolve(node, native=_more(node.native, patch)) if patch else node


def _sealed_group(group: Group, entry: Entry, made: JsonObject) -> Group:
    patch = difference(made, entry.raw, GROUP_ORDER)
    return evolve(group, native=_more(group.native, patch)) if patch else group


def _more(native: JsonObject | None, patch: JsonObject) -> JsonObject:
    known = residue(native, FORMAT) or {FORMAT: {}}
    return {**known, FORMAT: {**known[FORMAT], **patch}}
