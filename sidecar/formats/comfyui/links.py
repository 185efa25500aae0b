"""Links of a ComfyUI graph as edges, and back: arrays at the root of 0.4, objects elsewhere."""

from typing import Final, Literal

from attrs import frozen

from protocol.graph import Edge, Json, JsonObject
from sidecar.formats.comfyui.names import LINK_ORDER
from sidecar.formats.residue import difference, restored, same
from sidecar.formats.values import ANY_TYPE, id_text, integer

Form = Literal["array", "object"]

_ARRAY_KEYS: Final = ("id", "origin_id", "origin_slot", "target_id", "target_slot", "type")
_ENDS: Final = len(_ARRAY_KEYS) - 1


@frozen(kw_only=True)
class Link:
    """A link as the file states it; slots are None where they are no indexes."""

    id: Json
    origin: str | None
    origin_slot: int | None
    target: str | None
    target_slot: int | None
    type: Json
    parent: Json = None


def read_link(raw: Json) -> Link | None:
    """Return a link, or None where it is none."""
    if isinstance(raw, list):
        if len(raw) < _ENDS:
            return None
        parts: JsonObject = dict(zip(_ARRAY_KEYS, raw, strict=False))
    elif isinstance(raw, dict):
        parts = raw
    else:
        return None
    return Link(
        id=parts.get("id"),
        origin=id_text(parts.get("origin_id")),
        origin_slot=integer(parts.get("origin_slot")),
        target=id_text(parts.get("target_id")),
        target_slot=integer(parts.get("target_slot")),
        type=parts.get("type"),
        parent=parts.get("parentId"),
    )


@frozen(kw_only=True)
class LinkEnds:
    """The ids and slot indexes of both ends, as they are written."""

    origin: Json
    origin_slot: int
    target: Json
    target_slot: int


def make_link(edge: Edge, id_: Json, ends: LinkEnds, form: Form, parent: Json = None) -> Json:
    """Return a link without residue; ``parent`` is the reroute it comes through last."""
    values = (id_, ends.origin, ends.origin_slot, ends.target, ends.target_slot)
    type_ = edge.data_type if edge.data_type is not None else ANY_TYPE
    if form == "array":
        return [*values, type_]
    made = dict(zip(_ARRAY_KEYS, (*values, type_), strict=True))
    return made if parent is None else {**made, "parentId": parent}


def link_patch(made: Json, raw: Json) -> JsonObject:
    """Return the residue of a link."""
    if isinstance(made, dict) and isinstance(raw, dict):
        return difference(made, raw, LINK_ORDER)
    return {} if same(made, raw) else {"whole": [made, raw]}


def write_link(made: Json, patch: JsonObject) -> Json:
    """Return a link as the file has it."""
    whole = patch.get("whole")
    if whole:
        return whole[1] if same(whole[0], made) else made
    return restored(made, patch, LINK_ORDER) if isinstance(made, dict) else made
