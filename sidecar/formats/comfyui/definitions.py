"""Subgraph definitions of a ComfyUI file: their boundary, their frame around a scope, their cycles."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal
from uuid import NAMESPACE_URL, uuid5

from attrs import evolve, frozen

from protocol.graph import (
    Json,
    JsonObject,
    Port,
    PortId,
    Position,
    SubgraphDefinition,
    SubgraphId,
)
from sidecar.formats.comfyui.names import FORMAT, INPUT_ID, IO_ORDER, OUTPUT_ID
from sidecar.formats.comfyui.nodes import node_native
from sidecar.formats.comfyui.promotions import fed_widgets
from sidecar.formats.comfyui.slots import MENTIONS
from sidecar.formats.comfyui.view import Boundary, View
from sidecar.formats.dropped import Droppings
from sidecar.formats.ids import UniqueTexts, residue
from sidecar.formats.repairs import Repairs
from sidecar.formats.residue import difference, restored
from sidecar.formats.values import display_name, number, plain, type_text

Side = Literal["input", "output"]
DEFAULT_NAME: Final = "Subgraph"
_FRAME: Final = (120, 60)


@frozen(kw_only=True)
class DefinitionSource:
    """A definition of the file, before its contents are read."""

    raw: JsonObject
    index: int
    subgraph_id: SubgraphId
    boundary: Boundary
    native: JsonObject


def definition_sources(
    raws: list[Json], promoted: Mapping[str, set[str]], repairs: Repairs, dropped: Droppings
) -> list[DefinitionSource]:
    """Return the definitions of a file; ``promoted`` are the inputs that hold values, by id."""
    ids, sources, seen = UniqueTexts(), list[DefinitionSource](), set[str]()
    for index, raw in enumerate(raws):
        at = ("definitions", "subgraphs", index)
        if not isinstance(raw, dict):
            repairs.add("unreadable-subgraph", "This is no definition and was left out.", *at)
            dropped.drop(raw)
            continue
        native_id = raw.get("id") if isinstance(raw.get("id"), str) and raw.get("id") else None
        twin = native_id in seen
        if native_id is None or twin:
            code = "duplicate-id" if twin else "missing-id"
            repairs.add(code, "The definition got an id.", *at, "id")
        seen.update([] if native_id is None else [native_id])
        dropped.keep(native_id)
        wanted = native_id or f"definition-{index}"
        patch: JsonObject = {"twin": True} if twin else {}
        sources.append(
            DefinitionSource(
                raw=raw,
                index=index,
                subgraph_id=SubgraphId(ids.take(wanted)),
                boundary=read_boundary(raw, promoted.get(wanted, set())),
                native=node_native(native_id, patch),
            )
        )
    return sources


def read_boundary(raw: JsonObject, promoted: Iterable[str]) -> Boundary:
    """Return the ports of a definition, in order; ``promoted`` are inputs that hold values."""
    values, fed = set(promoted), fed_widgets(raw)
    # A port of a boundary is named by its id alone, so an input and an output cannot share one.
    ids = UniqueTexts()
    return Boundary(
        inputs=_read_io(
            raw.get("inputs"), "input", ids, lambda index, name: index in fed or name in values
        ),
        outputs=_read_io(raw.get("outputs"), "output", ids, lambda *_: False),
    )


def _read_io(
    slots: Json, side: Side, ids: UniqueTexts, holds: Callable[[int, str], bool]
) -> tuple[Port, ...]:
    ports: list[Port] = []
    for index, raw in enumerate(slots if isinstance(slots, list) else []):
        slot: JsonObject = raw if isinstance(raw, dict) else {}
        name = display_name(slot.get("name")) or f"{side}_{index}"
        label, native_id = slot.get("label"), slot.get("id")
        ports.append(
            Port(
                name=name,
                port_id=PortId(ids.take(name)),
                label=label if isinstance(label, str) else None,
                data_type=type_text(slot.get("type")),
                parameter=name if holds(index, name) else None,
                native=node_native(native_id, {}),
            )
        )
    return tuple(ports)


def sealed_boundary(source: DefinitionSource, view: View, subgraph_id: SubgraphId) -> Boundary:
    """Return a definition's ports with their residue."""

    def seal(ports: tuple[Port, ...], key: str, side: Side) -> tuple[Port, ...]:
        listed = source.raw.get(key)
        return tuple(
            _sealed_io(port, raw, _made_io(port, side, view, subgraph_id))
            for port, raw in zip(ports, listed if isinstance(listed, list) else [], strict=True)
        )

    return Boundary(
        inputs=seal(source.boundary.inputs, "inputs", "input"),
        outputs=seal(source.boundary.outputs, "outputs", "output"),
    )


def _sealed_io(port: Port, raw: Json, made: JsonObject) -> Port:
    patch = difference(made, raw, IO_ORDER) if isinstance(raw, dict) else {"whole": [raw]}
    native = port.native or {}
    return evolve(port, native={**native, FORMAT: patch})


def _made_io(port: Port, side: Side, view: View, subgraph_id: SubgraphId) -> JsonObject:
    links = (view.outgoing if side == "input" else view.incoming).get((None, port.port_id), [])
    native = residue(port.native, FORMAT)
    seed = f"{subgraph_id}/{side}/{port.port_id}"
    id_ = native.get("id") if native else str(uuid5(NAMESPACE_URL, seed))
    made: JsonObject = {"id": id_, "name": port.name, "type": port.data_type, "linkIds": links}
    return made if port.label is None else {**made, "label": port.label}


def make_frame(definition: SubgraphDefinition, id_: Json, view: View) -> JsonObject:
    """Return the keys of a definition besides its nodes, links and groups, without residue."""
    made: JsonObject = {
        "id": id_,
        "name": definition.name,
        "inputNode": {"id": INPUT_ID, "bounding": _bounding(definition.input_anchor)},
        "outputNode": {"id": OUTPUT_ID, "bounding": _bounding(definition.output_anchor)},
        "inputs": [_write_io(p, "input", view, definition) for p in definition.inputs],
        "outputs": [_write_io(p, "output", view, definition) for p in definition.outputs],
    }
    if definition.description is not None:
        made["description"] = definition.description
    return made


def _write_io(port: Port, side: Side, view: View, definition: SubgraphDefinition) -> Json:
    native = residue(port.native, FORMAT)
    made = _made_io(port, side, view, definition.subgraph_id)
    if native is None:
        ports = definition.inputs if side == "input" else definition.outputs
        anchor = definition.input_anchor if side == "input" else definition.output_anchor
        rank = next(index for index, own in enumerate(ports) if own is port)
        return restored(
            {**made, "pos": [plain(anchor.x), plain(anchor.y + 20 * rank)]}, {}, IO_ORDER
        )
    patch: JsonObject = native[FORMAT]
    if "whole" in patch and not made["linkIds"]:
        return patch["whole"][0]
    return restored(made, patch, IO_ORDER, lists=MENTIONS)


def _bounding(anchor: Position) -> list[float]:
    return [plain(anchor.x), plain(anchor.y), *_FRAME]


def anchor_of(raw: Json) -> Position:
    """Return where a boundary stands, from its ``inputNode`` or ``outputNode``."""
    bounding = raw.get("bounding") if isinstance(raw, dict) else None
    if not isinstance(bounding, list) or len(bounding) < 2:  # noqa: PLR2004 -- x and y
        return Position(0, 0)
    x, y = number(bounding[0]), number(bounding[1])
    return Position(0, 0) if x is None or y is None else Position(x, y)
