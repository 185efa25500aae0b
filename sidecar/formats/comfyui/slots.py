"""Inputs and outputs of ComfyUI nodes as ports, and back; a link is mentioned on both its ends."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from protocol.graph import Json, JsonObject, Port, PortId
from sidecar.formats.comfyui.names import FORMAT
from sidecar.formats.ids import UniqueTexts
from sidecar.formats.residue import KeyOrder, difference, restored
from sidecar.formats.values import display_name, type_text

SLOT_ORDER: Final = KeyOrder.of(
    (
        "color_off",
        "color_on",
        "dir",
        "label",
        "localized_name",
        "locked",
        "name",
        "nameLocked",
        "removable",
        "shape",
        "type",
        "widget",
        "pos",
    ),
    ("slot_index", "link", "links"),
)
MENTIONS: Final = frozenset({"links", "linkIds"})


def read_ports(slots: Json, side: str, parameters: JsonObject) -> tuple[Port, ...]:
    """Return the ports of a node's slots, in order."""
    ids = UniqueTexts()
    listed = slots if isinstance(slots, list) else []
    return tuple(_read_port(slot, f"{side}_{i}", parameters, ids) for i, slot in enumerate(listed))


def _read_port(slot: Json, fallback: str, parameters: JsonObject, ids: UniqueTexts) -> Port:
    if not isinstance(slot, dict):
        return Port(
            name=fallback,
            port_id=PortId(ids.take(fallback)),
            data_type="*",
            native={FORMAT: {"whole": [slot]}},
        )
    name = display_name(slot.get("name")) or fallback
    label, widget = slot.get("label"), slot.get("widget")
    parameter = widget.get("name") if isinstance(widget, dict) else None
    return Port(
        name=name,
        port_id=PortId(ids.take(name)),
        label=label if isinstance(label, str) else None,
        data_type=type_text(slot.get("type")),
        parameter=parameter if isinstance(parameter, str) and parameter in parameters else None,
    )


def make_slot(port: Port, side: str, mention: Json) -> JsonObject:
    """Return a slot without residue; ``mention`` is its link id, or the list of its links."""
    made: JsonObject = {"name": port.name, "type": port.data_type}
    if port.label is not None:
        made["label"] = port.label
    if port.parameter is not None:
        made["widget"] = {"name": port.parameter}
    made["link" if side == "input" else "links"] = mention
    return made


def write_slot(port: Port, patch: JsonObject, side: str, mention: Json) -> Json:
    """Return a slot as the file has it."""
    whole = patch.get("whole")
    if whole and not mention:
        return whole[0]
    return restored(make_slot(port, side, mention), patch, SLOT_ORDER, lists=MENTIONS)


def slot_patch(port: Port, raw: Json, side: str, mention: Json) -> JsonObject:
    """Return the residue of a slot."""
    if not isinstance(raw, dict):
        return {"whole": [raw]}
    return difference(make_slot(port, side, mention), raw, SLOT_ORDER)


def written_order(
    ports: Iterable[Port], layout: JsonObject | None, used: Callable[[Port], bool]
) -> list[Any]:
    """Return what an instance's slots are made of: ports, and entries the model does not hold.

    An instance's ports are its definition's; a file may list fewer, or some in another order.
    ``layout`` is what :func:`instance_layout` kept of them.  A port the file does not list comes
    in where it is used.
    """
    by_id = {port.port_id: port for port in ports}
    if layout is None:
        return list(by_id.values())
    entries = layout["slots"]
    missing = set(layout.get("missing", ()))
    listed = [by_id.get(PortId(entry["port"])) if "port" in entry else entry for entry in entries]
    result = [item for item in listed if item is not None]
    places = list(by_id)
    known = {entry.get("port") for entry in entries} | missing
    for port in by_id.values():
        if port.port_id not in known or (port.port_id in missing and used(port)):
            result.insert(_place(result, places, places.index(port.port_id)), port)
    return result


def _place(result: list[Any], places: list[PortId], rank: int) -> int:
    """Return where a new port goes: behind the last one that stands before it in the definition."""
    before = set(places[:rank])
    spots = [
        i + 1 for i, item in enumerate(result) if isinstance(item, Port) and item.port_id in before
    ]
    return max(spots, default=0)


def instance_layout(
    ports: tuple[Port, ...], matched: list[Port | None], raw: list[Json]
) -> JsonObject:
    """Return how a file lists the slots of an instance: ``matched`` are the ports of its slots."""
    entries: list[JsonObject] = [
        {"whole": [slot]} if port is None else {"port": port.port_id}
        for port, slot in zip(matched, raw, strict=True)
    ]
    listed = {port.port_id for port in matched if port is not None}
    missing = [port.port_id for port in ports if port.port_id not in listed]
    return {"slots": entries} | ({"missing": missing} if missing else {})


def matched_ports(ports: tuple[Port, ...], raw: list[Json]) -> list[Port | None]:
    """Return, for each slot of an instance in the file, the port of the definition it stands for.

    By name; slots without a match take the ports left over in order where as many are left.
    """
    free: dict[str, list[Port]] = {}
    for port in ports:
        free.setdefault(port.name, []).append(port)
    names = [display_name(slot.get("name")) if isinstance(slot, dict) else None for slot in raw]
    matched = [free[n].pop(0) if n is not None and free.get(n) else None for n in names]
    taken = {port.port_id for port in matched if port is not None}
    left = [port for port in ports if port.port_id not in taken]
    gaps = [i for i, port in enumerate(matched) if port is None and isinstance(raw[i], dict)]
    if len(raw) == len(ports) and len(left) == len(gaps):
        for index, port in zip(gaps, left, strict=True):
            matched[index] = port
    return matched
