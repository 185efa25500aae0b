"""Widget values of ComfyUI nodes as parameters, and back into their list.

The file keeps values by position.  Names are taken, in this order, from ``widgets_values_named``,
from the widgets of the inputs (with the seed's client-side choice in between), from promoted
widgets, and from the core nodes known here; else the position is the name.
"""

from typing import Final

from protocol.graph import Json, JsonObject
from sidecar.formats.ids import UniqueTexts

CONTROL: Final = "control_after_generate"
"""What a seed does after a run: a widget of the editor alone, stored right after its number."""
CONTROL_CHOICES: Final = frozenset({"fixed", "increment", "decrement", "randomize"})
POSITIONAL: Final = "widget_"

_SEED = ("seed", CONTROL)
CORE_WIDGETS: Final[dict[str, tuple[str, ...]]] = {
    "BasicScheduler": ("scheduler", "steps", "denoise"),
    "CFGGuider": ("cfg",),
    "CheckpointLoaderSimple": ("ckpt_name",),
    "CLIPLoader": ("clip_name", "type", "device"),
    "CLIPSetLastLayer": ("stop_at_clip_layer",),
    "CLIPTextEncode": ("text",),
    "CLIPVisionLoader": ("clip_name",),
    "ControlNetApply": ("strength",),
    "ControlNetApplyAdvanced": ("strength", "start_percent", "end_percent"),
    "ControlNetLoader": ("control_net_name",),
    "CreateVideo": ("fps",),
    "DualCLIPLoader": ("clip_name1", "clip_name2", "type", "device"),
    "EmptyLatentImage": ("width", "height", "batch_size"),
    "EmptySD3LatentImage": ("width", "height", "batch_size"),
    "FluxGuidance": ("guidance",),
    "ImageScale": ("upscale_method", "width", "height", "crop"),
    "ImageScaleBy": ("upscale_method", "scale_by"),
    "KSampler": (*_SEED, "steps", "cfg", "sampler_name", "scheduler", "denoise"),
    "KSamplerAdvanced": (
        "add_noise",
        "noise_seed",
        CONTROL,
        "steps",
        "cfg",
        "sampler_name",
        "scheduler",
        "start_at_step",
        "end_at_step",
        "return_with_leftover_noise",
    ),
    "KSamplerSelect": ("sampler_name",),
    "LatentUpscaleBy": ("upscale_method", "scale_by"),
    "LoadImage": ("image", "upload"),
    "LoadVideo": ("file", "upload"),
    "LoraLoader": ("lora_name", "strength_model", "strength_clip"),
    "LoraLoaderModelOnly": ("lora_name", "strength_model"),
    "MarkdownNote": ("text",),
    "ModelSamplingAuraFlow": ("shift",),
    "ModelSamplingSD3": ("shift",),
    "Note": ("text",),
    "PrimitiveBoolean": ("value",),
    "PrimitiveFloat": ("value",),
    "PrimitiveInt": ("value", CONTROL),
    "PrimitiveString": ("value",),
    "PrimitiveStringMultiline": ("value",),
    "RandomNoise": ("noise_seed", CONTROL),
    "SaveImage": ("filename_prefix",),
    "SaveVideo": ("filename_prefix", "format", "codec"),
    "UNETLoader": ("unet_name", "weight_dtype"),
    "UpscaleModelLoader": ("model_name",),
    "VAELoader": ("vae_name",),
}
"""The widgets of common core nodes, in the order in which editors store them."""


def read_widgets(raw: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Return a node's parameters, and what tells :func:`make_widgets` how they were written."""
    values = raw.get("widgets_values")
    if isinstance(values, dict):
        return dict(values), {"widgets": "object"}
    if not isinstance(values, list):
        return {}, {}
    named = raw.get("widgets_values_named")
    names = _names(raw, values, named)
    layout: JsonObject = {"widgets": len(values) if names is None else names}
    if isinstance(named, dict) and names is not None:
        layout["named"] = min(len(named), len(values))
    positions = [f"{POSITIONAL}{index}" for index in range(len(values))]
    return dict(zip(names or positions, values, strict=True)), layout


def make_widgets(parameters: JsonObject, layout: JsonObject | None) -> JsonObject:
    """Return the keys of a node that hold its parameters.

    ``layout`` is None for a node that comes from no file: its values are written by name too.
    """
    if layout is None:
        return _both(list(parameters.values()), parameters) if parameters else {}
    form = layout.get("widgets")
    if form == "object":
        return {"widgets_values": dict(parameters)}
    if form is None and not parameters:
        return {}
    names = form if isinstance(form, list) else _positions(form)
    known = set(names)
    late = [name for name in parameters if name not in known]
    values = [parameters.get(name) for name in [*names, *late]]
    if "named" in layout:
        listed = [*names[: layout["named"]], *late]
        return _both(values, {name: parameters[name] for name in listed if name in parameters})
    if late and isinstance(form, list):
        return _both(values, parameters)
    return {"widgets_values": values}


def without_values(layout: JsonObject, names: set[str]) -> JsonObject:
    """Return a layout of values that has no place any more for those of some names."""
    if not names:
        return layout
    listed = layout["widgets"]
    found = {**layout, "widgets": [name for name in listed if name not in names]}
    if "named" in layout:
        found["named"] = sum(name not in names for name in listed[: layout["named"]])
    return found


def _both(values: list[Json], named: JsonObject) -> JsonObject:
    return {"widgets_values": values, "widgets_values_named": dict(named)}


def _positions(count: Json) -> list[str]:
    return [f"{POSITIONAL}{index}" for index in range(count if isinstance(count, int) else 0)]


def _names(raw: JsonObject, values: list[Json], named: Json) -> list[str] | None:
    if not values:
        return []
    if isinstance(named, dict) and named:
        listed = list(named)[: len(values)]
        return _distinct(listed + _positions(len(values))[len(listed) :])
    for names in (_slot_names(raw), promoted_names(raw), _core_names(raw)):
        fitting = _fitted(names, values)
        if fitting is not None:
            return _distinct(fitting)
    return None


def _fitted(names: list[str], values: list[Json]) -> list[str] | None:
    """Return the names of the values, with the seed's choices put in, where the counts fit."""
    if len(names) == len(values):
        return names
    fitting: list[str] = []
    for name in names:
        if len(fitting) == len(values):
            return None
        fitting.append(name)
        if _controls(values, len(fitting)):
            fitting.append(CONTROL)
    return fitting if len(fitting) == len(values) else None


def _controls(values: list[Json], index: int) -> bool:
    if index >= len(values) or type(values[index - 1]) is not int:
        return False
    value = values[index]
    return isinstance(value, str) and value in CONTROL_CHOICES


def _slot_names(raw: JsonObject) -> list[str]:
    slots = raw.get("inputs")
    if not isinstance(slots, list):
        return []
    widgets = [slot.get("widget") for slot in slots if isinstance(slot, dict)]
    names = [widget.get("name") for widget in widgets if isinstance(widget, dict)]
    return [name for name in names if isinstance(name, str)]


def promoted_names(raw: JsonObject) -> list[str]:
    """Return the names of the inner values that an instance lists as its own."""
    properties = raw.get("properties")
    promoted = properties.get("proxyWidgets") if isinstance(properties, dict) else None
    if not isinstance(promoted, list):
        return []
    pairs = [pair for pair in promoted if isinstance(pair, list) and len(pair) > 1]
    return [pair[1] for pair in pairs if isinstance(pair[1], str)]


def _core_names(raw: JsonObject) -> list[str]:
    type_ = raw.get("type")
    return list(CORE_WIDGETS.get(type_, ())) if isinstance(type_, str) else []


def _distinct(names: list[str]) -> list[str]:
    texts = UniqueTexts()
    return [texts.take(name, "#") for name in names]
