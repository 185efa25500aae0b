"""The links of one scope of a ComfyUI file, read as edges between ports.

Of several links into one input the one that the input itself names is kept; what leads nowhere is
left out, noted, and kept beside the edges.
"""

from typing import Any, Final

from attrs import define, evolve, field, frozen

from protocol.graph import (
    SUBGRAPH_PREFIX,
    Edge,
    EdgeId,
    Endpoint,
    Json,
    JsonObject,
    Port,
    PortId,
)
from protocol.graph import (
    Boundary as BoundarySide,
)
from sidecar.formats.comfyui.links import Link, read_link
from sidecar.formats.comfyui.names import FORMAT, INPUT_ID, OUTPUT_ID
from sidecar.formats.comfyui.nodes import node_native
from sidecar.formats.comfyui.reroutes import Paths, read_paths, read_shown, waypoints
from sidecar.formats.comfyui.scope_draft import ScopeDraft, ScopeSource
from sidecar.formats.dropped import Droppings
from sidecar.formats.ids import UniqueTexts
from sidecar.formats.values import id_text, type_text

MOST_SLOTS: Final = 256
"""Slots that a node is given at most because links name them."""


def read_links(source: ScopeSource, draft: ScopeDraft) -> None:
    """Read the links of a scope whose nodes were read."""
    _LinkReader(source, draft, read_paths(source.raw)).read()


@frozen
class _Candidate:
    """A link both of whose ends were found."""

    index: int
    raw: Json
    link: Link
    source: Endpoint
    target: Endpoint


@define
class _LinkReader:
    source: ScopeSource
    draft: ScopeDraft
    paths: Paths
    ids: UniqueTexts = field(factory=UniqueTexts)
    dropped: Droppings = field(factory=Droppings)
    seen: set[str] = field(factory=set)

    def read(self) -> None:
        found = [self._candidate(i, raw) for i, raw in enumerate(self.source.listed("links"))]
        winners = self._winners([item for item in found if isinstance(item, _Candidate)])
        for index, item in enumerate(found):
            if not isinstance(item, _Candidate):
                self._drop(index, *item)
            elif winners[item.target] is not item:
                self._drop(index, item.raw, item.link, *_OCCUPIED)
            else:
                self._keep(item)
        self.draft.dropped["links"] = self.dropped.parts

    def _candidate(self, index: int, raw: Json) -> Any:
        link = read_link(raw)
        if link is None:
            return raw, None, "unreadable-link", "This is no link and was left out."
        source = self._end(link.origin, link.origin_slot, "output")
        target = self._end(link.target, link.target_slot, "input")
        if source is None or target is None:
            which = "source" if source is None else "target"
            return raw, link, "dangling-link", f"The link's {which} is not there; it was left out."
        return _Candidate(index, raw, link, source, target)

    def _end(self, node_id: str | None, slot: int | None, side: str) -> Endpoint | None:
        if node_id is None or slot is None or slot < 0:
            return None
        index = self.draft.by_id.get(node_id)
        if index is not None:
            return self._node_end(index, slot, side)
        if not self.source.path:
            return None
        boundary = self.source.boundary
        if side == "output" and node_id == str(INPUT_ID):
            return _boundary_end("input", boundary.inputs, slot)
        if side == "input" and node_id == str(OUTPUT_ID):
            return _boundary_end("output", boundary.outputs, slot)
        return None

    def _node_end(self, index: int, slot: int, side: str) -> Endpoint | None:
        node = self.draft.nodes[index]
        ports = node.inputs if side == "input" else node.outputs
        if node.component_id.startswith(SUBGRAPH_PREFIX):
            layout = (node.native or {})[FORMAT][f"{side}s"]["slots"]
            port_id = layout[slot].get("port") if slot < len(layout) else None
            return None if port_id is None else Endpoint(node_id=node.node_id, port_id=port_id)
        if slot >= len(ports):
            if slot >= MOST_SLOTS:
                return None
            self.source.repair(
                "missing-port", "A link names a slot that the node lacks; it was added.",
                "nodes", self.draft.places[index], f"{side}s",
            )  # fmt: skip
            ports = _padded(ports, slot, side)
            node = evolve(node, inputs=ports) if side == "input" else evolve(node, outputs=ports)
            self.draft.nodes[index] = node
        return Endpoint(node_id=node.node_id, port_id=ports[slot].port_id)

    def _winners(self, found: list[_Candidate]) -> dict[Endpoint, _Candidate]:
        """Return which of the links into one input is the one: the one that the input names."""
        winners: dict[Endpoint, _Candidate] = {}
        for item in found:
            other = winners.setdefault(item.target, item)
            if other is not item and not self._named(other) and self._named(item):
                winners[item.target] = item
        return winners

    def _named(self, item: _Candidate) -> bool:
        slot = item.link.target_slot or 0
        if item.target.node_id is None:
            output = self.source.raw["outputs"][slot]
            listed = output.get("linkIds") if isinstance(output, dict) else None
            return isinstance(listed, list) and item.link.id in listed[:1]
        raw = self.draft.raw_nodes[self.draft.by_id[item.link.target or ""]]
        inputs = raw.get("inputs")
        mine = inputs[slot] if isinstance(inputs, list) and slot < len(inputs) else None
        return isinstance(mine, dict) and mine.get("link") == item.link.id

    def _drop(self, index: int, raw: Json, link: Link | None, code: str, message: str) -> None:
        self.source.repair(code, message, "links", index)
        self.dropped.drop(raw)
        self.draft.dropped_links.append((self.dropped.parts[-1], link))

    def _keep(self, item: _Candidate) -> None:
        link = item.link
        native_id = id_text(link.id)
        twin = native_id is not None and native_id in self.seen
        if twin or native_id is None:
            code = "duplicate-id" if twin else "missing-id"
            self.source.repair(code, "The link got an id.", "links", item.index)
        self.seen.update([] if native_id is None else [native_id])
        self.dropped.keep(link.id if native_id is not None else None)
        path = self.paths.path(link.id, link.parent)
        label, hidden = read_shown(self.paths.presentation.get(native_id or ""))
        patch: JsonObject = {"twin": True} if twin else {}
        if path:
            patch["path"] = [reroute.get("id") for reroute in path]
        edge = Edge(
            edge_id=EdgeId(self.ids.take(native_id or f"link-{item.index}")),
            source=item.source,
            target=item.target,
            data_type=type_text(link.type),
            label=label,
            hidden=hidden,
            waypoints=waypoints(path),
            native=node_native(link.id if native_id is not None else None, patch),
        )
        self.draft.edges.append(edge)
        self.draft.raw_links.append(item.raw)


_OCCUPIED: Final = ("input-occupied", "Another link enters the same input; this one was left out.")


def _boundary_end(side: BoundarySide, ports: tuple[Port, ...], slot: int) -> Endpoint | None:
    return Endpoint(boundary=side, port_id=ports[slot].port_id) if slot < len(ports) else None


def _padded(ports: tuple[Port, ...], slot: int, side: str) -> tuple[Port, ...]:
    taken = UniqueTexts({port.port_id for port in ports})
    extra = [f"{side}_{index}" for index in range(len(ports), slot + 1)]
    return ports + tuple(
        Port(
            name=name,
            port_id=PortId(taken.take(name)),
            data_type="*",
            native={FORMAT: {"padding": True}},
        )
        for name in extra
    )
