"""A project as a Node-RED flow file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha1
from typing import Any, Final

from attrs import define, field, frozen

from protocol.changes import Notice
from protocol.graph import (
    Graph,
    Group,
    GroupId,
    Json,
    JsonObject,
    Node,
    NodeId,
    ProjectState,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.formats.dropped import woven
from sidecar.formats.ids import id_key, native_ids, residue
from sidecar.formats.node_red.names import (
    FORMAT,
    GROUP_ORDER,
    IO_ORDER,
    NODE_ORDER,
    SUBFLOW,
    SUBFLOW_ORDER,
    TABS,
    is_config,
)
from sidecar.formats.node_red.things import (
    Canvas,
    Wiring,
    make_entry,
    make_exit,
    make_group,
    make_node,
)
from sidecar.formats.residue import restored
from sidecar.formats.values import plain

MENTIONS: Final = frozenset({"links", "nodes"})
_FRESH_SUBFLOW: Final[JsonObject] = {
    "info": "",
    "category": "",
    "env": [],
    "meta": {},
    "color": "#DDAA99",
}


def write(state: ProjectState) -> tuple[list[Json], list[Notice]]:
    """Return the file of a project, and what of the project it does not hold."""
    native = residue(state.document.native if state.document else None, FORMAT)
    patch: JsonObject = native[FORMAT] if native else {"tabs": [_tab(state.title)]}
    shape = FileShape.of(state.graph, patch)
    subgraphs = state.graph.subgraphs
    items = [(tab["id"], tab) for tab in patch.get("tabs", [])]
    items.extend((shape.types[one.subgraph_id], write_subflow(one, shape)) for one in subgraphs)
    for contents, canvas in shape.scopes(state.graph):
        items.extend(_contents(contents, canvas, shape))
    items.extend((config["id"], config) for config in patch.get("configs", []))
    ordered = _arranged(items, patch.get("order"))
    return woven(ordered, patch.get("dropped", [])), []


def _tab(title: str) -> JsonObject:
    id_ = sha1(title.encode(), usedforsecurity=False).hexdigest()[:16]
    return {"id": id_, "type": "tab", "label": title, "disabled": False, "info": ""}


@frozen(kw_only=True)
class FileShape:
    """The ids of a whole file, and its tabs."""

    ids: Mapping[NodeId, str]
    group_ids: Mapping[GroupId, str]
    """Nodes and groups of a file share their ids, those of a project do not."""
    types: Mapping[SubgraphId, str]
    present: frozenset[str]
    tabs: tuple[str, ...]
    offsets: Mapping[str, float]

    @classmethod
    def of(cls, graph: Graph, patch: JsonObject) -> "FileShape":
        tabs: list[JsonObject] = patch.get("tabs", [])
        others = [*tabs, *patch.get("configs", [])]
        doubled = set(patch.get("doubled", []))
        taken = {id_key(item["id"]) for item in others if item["id"] not in doubled}
        fresh = _Fresh(taken)
        types = native_ids(
            graph.subgraphs,
            FORMAT,
            key=lambda one: one.subgraph_id,
            fresh=fresh,
            taken=taken,
            in_order=False,
        )
        scopes: list[Graph | SubgraphDefinition] = [graph, *graph.subgraphs]
        touched = {
            end.node_id
            for scope in scopes
            for edge in scope.edges
            for end in (edge.source, edge.target)
        }
        things = [thing for scope in scopes for thing in (*scope.nodes, *scope.groups)]
        ids = native_ids(
            things,
            FORMAT,
            key=_key,
            fresh=fresh,
            touched=lambda thing: isinstance(thing, Node) and thing.node_id in touched,
            taken=taken,
            in_order=False,
        )
        names = tuple(tab["id"] for tab in tabs if tab.get("type") in TABS)
        return cls(
            ids={one.node_id: ids[_key(one)] for scope in scopes for one in scope.nodes},
            group_ids={one.group_id: ids[_key(one)] for scope in scopes for one in scope.groups},
            types=types,
            present=frozenset(ids.values()),
            tabs=names,
            offsets=patch.get("offsets", {}),
        )

    def scopes(self, graph: Graph) -> Iterator[tuple[Graph | SubgraphDefinition, Canvas]]:
        yield graph, self.canvas(None)
        for one in graph.subgraphs:
            yield one, self.canvas(self.types[one.subgraph_id])

    def canvas(self, subflow: str | None) -> Canvas:
        return Canvas(subflow=subflow, tabs=self.tabs, offsets=self.offsets)

    def wiring(self, contents: Any) -> Wiring:
        return Wiring.of(contents, self.ids, self.group_ids, self.types, self.present)


@define
class _Fresh:
    """Mints ids as the editor's look, the same ones for the same things each time."""

    taken: set[bytes]
    _last: dict[str, str] = field(factory=dict)

    def __call__(self, thing: Any) -> str:
        seed = thing.subgraph_id if isinstance(thing, SubgraphDefinition) else _key(thing)[1]
        # In a file that was only read, things of different scopes may have the same id.
        id_ = _hex(self._last.get(seed, seed))
        while id_key(id_) in self.taken:
            id_ = _hex(id_)
        self.taken.add(id_key(id_))
        self._last[seed] = id_
        return id_


def _hex(seed: str) -> str:
    return sha1(seed.encode(), usedforsecurity=False).hexdigest()[:16]


def _key(thing: Node | Group) -> tuple[type, str]:
    """Return what tells a thing of a project apart, nodes and groups taken together."""
    return type(thing), thing.node_id if isinstance(thing, Node) else thing.group_id


def _contents(contents: Any, canvas: Canvas, shape: FileShape) -> Iterator[tuple[str, JsonObject]]:
    wiring = shape.wiring(contents)
    children = children_of(contents.groups)
    for group in contents.groups:
        made = make_group(group, canvas, wiring, children.get(group.group_id, ()))
        native = residue(group.native, FORMAT)
        if native is None:
            style = {} if group.color is None else {"fill": group.color, "label": True}
            made = {**made, "style": style}
        patch = native[FORMAT] if native else {}
        yield shape.group_ids[group.group_id], restored(made, patch, GROUP_ORDER, lists=MENTIONS)
    for node in contents.nodes:
        native = residue(node.native, FORMAT)
        made = make_node(node, canvas, wiring)
        patch = native[FORMAT] if native else {}
        yield shape.ids[node.node_id], restored(made, patch, NODE_ORDER, lists=MENTIONS)


def children_of(groups: Sequence[Group]) -> dict[GroupId, list[GroupId]]:
    children: dict[GroupId, list[GroupId]] = {}
    for group in groups:
        if group.parent_group_id is not None:
            children.setdefault(group.parent_group_id, []).append(group.group_id)
    return children


def write_subflow(definition: SubgraphDefinition, shape: FileShape) -> JsonObject:
    """Return a subflow's entry as the file has it."""
    native = residue(definition.native, FORMAT)
    made = made_subflow(definition, shape)
    if native is None:
        return restored({**_FRESH_SUBFLOW, **made}, {}, SUBFLOW_ORDER)
    written = restored(made, native[FORMAT], SUBFLOW_ORDER)
    return with_status(written, shape.present, native[FORMAT].get("stale", []))


def made_subflow(definition: SubgraphDefinition, shape: FileShape) -> JsonObject:
    """Return a subflow's entry without its own residue, its ports with theirs."""
    wiring = shape.wiring(definition)
    id_ = shape.types[definition.subgraph_id]
    entries: list[Json] = []
    for rank, port in enumerate(definition.inputs):
        made = make_entry(port, wiring)
        entries.append(_io(port.native, made, definition.input_anchor, rank))
    places = {port.port_id: place for place, port in enumerate(definition.inputs)}
    exits: list[Json] = []
    for rank, port in enumerate(definition.outputs):
        made = make_exit(port, id_, wiring, places)
        exits.append(_io(port.native, made, definition.output_anchor, rank))
    made = {"id": id_, "type": SUBFLOW, "name": definition.name, "in": entries, "out": exits}
    if definition.description is not None:
        made["info"] = definition.description
    return made


def _io(native: JsonObject | None, made: JsonObject, anchor: Any, rank: int) -> Json:
    known = residue(native, FORMAT)
    if known is None:
        spot = {"x": plain(anchor.x), "y": plain(anchor.y + 40 * rank)}
        return restored({**spot, **made}, {}, IO_ORDER)
    patch: JsonObject = known[FORMAT]
    if "whole" in patch and not made["wires"]:
        return patch["whole"][0]
    return restored(made, patch, IO_ORDER)


def with_status(subflow: JsonObject, known: Iterable[str], stale: Sequence[str]) -> JsonObject:
    """Return a subflow whose status output names no node that has gone."""
    status = subflow.get("status")
    wires = status.get("wires") if isinstance(status, dict) else None
    if not isinstance(status, dict) or not isinstance(wires, list):
        return subflow
    own = {*known, *stale, str(subflow["id"]), ""}
    kept = [wire for wire in wires if not isinstance(wire, dict) or _text(wire.get("id")) in own]
    return subflow if len(kept) == len(wires) else {**subflow, "status": {**status, "wires": kept}}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _arranged(items: list[tuple[str, JsonObject]], order: Json) -> list[tuple[str, JsonObject]]:
    """Return the entries in the file's order, new ones last."""
    if not isinstance(order, list):
        return items
    waiting: dict[str, list[JsonObject]] = {}
    for id_, item in items:
        waiting.setdefault(id_, []).append(item)
    first = [
        (id_, left.pop(_which(left, place)))
        for place in order
        for id_ in [place["id"] if isinstance(place, dict) else place]
        if (left := waiting.get(id_))
    ]
    return first + [(id_, item) for id_, listed in waiting.items() for item in listed]


def _which(left: list[JsonObject], place: Json) -> int:
    """Return which of the entries with one id stands at a place."""
    if not isinstance(place, dict):
        return 0
    return next((index for index, item in enumerate(left) if place_of(item) == place), 0)


def place_of(entry: JsonObject) -> JsonObject:
    """Return what tells an entry apart from the others with its id: what it is, and where."""
    place: JsonObject = {key: entry[key] for key in ("id", "type", "z") if key in entry}
    return {**place, "config": True} if is_config(entry) else place
