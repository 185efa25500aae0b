"""Graphs in wire form that pictures are drawn of."""

from copy import deepcopy
from typing import Any

Object = dict[str, Any]


def port(name: str, data_type: str) -> Object:
    return {"portId": name, "name": name, "dataType": data_type}


def node(
    key: str,
    component: str,
    at: tuple[float, float],
    *,
    size: tuple[float, float] | None = None,
    inputs: str = "",
    outputs: str = "",
    parameters: Object | None = None,
    **more: Any,
) -> Object:
    """A node; ports are written as "name:TYPE name:TYPE"."""
    return {
        "nodeId": key,
        "componentId": component,
        "position": {"x": at[0], "y": at[1]},
        "size": {"width": size[0], "height": size[1]} if size else None,
        "inputs": [port(*one.split(":")) for one in inputs.split()],
        "outputs": [port(*one.split(":")) for one in outputs.split()],
        "parameters": parameters or {},
        **more,
    }


def edge(source: str, target: str, data_type: str | None = None, **more: Any) -> Object:
    """An edge between ends written as "node.port"."""
    ends = [
        dict(zip(("nodeId", "portId"), end.split("."), strict=True)) for end in (source, target)
    ]
    return {
        "edgeId": f"{source}-{target}",
        "source": ends[0],
        "target": ends[1],
        "dataType": data_type,
        **more,
    }


def image_workflow() -> Object:
    """A text-to-image graph of twelve nodes with groups, a subgraph and a missing node."""
    nodes = [
        node("ckpt", "CheckpointLoaderSimple", (0, 60), size=(300, 120),
             outputs="MODEL:MODEL CLIP:CLIP VAE:VAE",
             parameters={"ckpt_name": "dreamshaper_8.safetensors"}, name="Load checkpoint"),
        node("lora", "LoraLoader", (360, -40), size=(280, 150),
             inputs="model:MODEL clip:CLIP", outputs="MODEL:MODEL CLIP:CLIP",
             parameters={"lora_name": "watercolour_v2.safetensors", "strength_model": 0.8,
                         "strength_clip": 1.0}, enabled="bypassed"),
        node("pos", "CLIPTextEncode", (720, -120), size=(360, 150), inputs="clip:CLIP",
             outputs="CONDITIONING:CONDITIONING", name="Positive prompt",
             parameters={"text": "a lighthouse on a cliff above a stormy sea, volumetric light,"
                                 " gouache painting, detailed brush strokes, warm window light"}),
        node("neg", "CLIPTextEncode", (720, 130), size=(360, 120), inputs="clip:CLIP",
             outputs="CONDITIONING:CONDITIONING", name="Negative prompt",
             parameters={"text": "blurry, watermark, text, low quality"}),
        node("latent", "EmptyLatentImage", (720, 350), size=(240, 116), outputs="LATENT:LATENT",
             parameters={"width": 768, "height": 512, "batch_size": 1}),
        node("sampler", "KSampler", (1180, -60), size=(300, 260),
             inputs="model:MODEL positive:CONDITIONING negative:CONDITIONING latent_image:LATENT",
             outputs="LATENT:LATENT",
             parameters={"seed": 156680208700286, "steps": 28, "cfg": 6.5,
                         "sampler_name": "dpmpp_2m", "scheduler": "karras", "denoise": 1.0},
             annotation="28 steps are enough for this checkpoint", pinned=True),
        node("decode", "VAEDecode", (1560, 0), size=(200, 60), inputs="samples:LATENT vae:VAE",
             outputs="IMAGE:IMAGE"),
        node("up", "subgraph:sg1", (1560, 180), size=(260, 130), inputs="image:IMAGE model:MODEL",
             outputs="IMAGE:IMAGE MASK:MASK", parameters={"scale": 2, "tile": 512}),
        node("face", "FaceDetailerPlus", (1920, 20), size=(240, 110), status="missing",
             inputs="image:IMAGE mask:MASK", outputs="IMAGE:IMAGE",
             parameters={"guide_size": 512}),
        node("save", "SaveImage", (2250, 120), size=(240, 80), inputs="images:IMAGE",
             parameters={"filename_prefix": "lighthouse"}),
        node("preview", "PreviewImage", (2250, -60), inputs="images:IMAGE", collapsed=True,
             enabled="muted"),
        node("note", "note", (0, 300), size=(300, 120), name="Read me",
             parameters={"text": "Swap the checkpoint before you raise the resolution: this one"
                                 " was trained at 512 and repeats itself above 1024."}),
    ]  # fmt: skip
    edges = [
        edge("ckpt.MODEL", "lora.model"),
        edge("ckpt.CLIP", "lora.clip"),
        edge("lora.MODEL", "sampler.model"),
        edge("lora.CLIP", "pos.clip"),
        edge("lora.CLIP", "neg.clip"),
        edge("pos.CONDITIONING", "sampler.positive"),
        edge("neg.CONDITIONING", "sampler.negative"),
        edge("latent.LATENT", "sampler.latent_image"),
        edge("sampler.LATENT", "decode.samples"),
        edge("ckpt.VAE", "decode.vae", waypoints=[{"x": 700, "y": 530}, {"x": 1480, "y": 530}]),
        edge("decode.IMAGE", "up.image"),
        edge("up.IMAGE", "face.image"),
        edge("up.MASK", "face.mask"),
        edge("face.IMAGE", "save.images", label="final"),
        edge("face.IMAGE", "preview.images", hidden=True),
    ]
    return {
        "schemaVersion": 1,
        "title": "Lighthouse, text to image",
        "document": None,
        "components": [
            {"componentId": "note", "name": "Note", "kind": "note"},
            {"componentId": "KSampler", "name": "KSampler", "kind": "builtin",
             "native": {"category": "sampling"}},
        ],
        "graph": {
            "nodes": nodes,
            "edges": edges,
            "groups": [
                {"groupId": "g1", "name": "Prompts", "nodeIds": ["pos", "neg"], "color": "#3f789e"},
                {"groupId": "g2", "name": "Finish", "nodeIds": ["up", "face"], "color": "#88a23f"},
            ],
            "subgraphs": [
                {"subgraphId": "sg1", "name": "Tiled upscale", "nodes": [], "edges": []}
            ],
        },
    }  # fmt: skip


def edited_image_workflow() -> Object:
    """The same graph after a few edits of every sort."""
    state = deepcopy(image_workflow())
    graph = state["graph"]
    nodes = {one["nodeId"]: one for one in graph["nodes"]}
    nodes["sampler"]["parameters"] |= {"steps": 36, "cfg": 5.5}
    nodes["latent"]["position"] = {"x": 720, "y": 420}
    nodes["lora"]["enabled"] = "active"
    del nodes["preview"]
    nodes["sharpen"] = node(
        "sharpen", "ImageSharpen", (1920, 220), size=(240, 120), inputs="image:IMAGE",
        outputs="IMAGE:IMAGE", parameters={"radius": 2, "sigma": 0.6, "alpha": 0.4},
    )  # fmt: skip
    graph["nodes"] = list(nodes.values())
    graph["edges"] = [
        one for one in graph["edges"] if one["target"]["nodeId"] not in ("preview", "save")
    ] + [edge("face.IMAGE", "sharpen.image"), edge("sharpen.IMAGE", "save.images")]
    graph["groups"][1]["nodeIds"].append("sharpen")
    return state
