"""Words of the ComfyUI format."""

from typing import Final

from sidecar.formats.residue import KeyOrder

FORMAT: Final = "comfyui"
VERSIONS: Final = {0.4: "0.4", 1: "1"}

MODES: Final = {0: "active", 2: "muted", 4: "bypassed"}
INPUT_ID: Final = -10
"""The id by which links in a definition name its own inputs."""
OUTPUT_ID: Final = -20
"""Likewise its own outputs."""

NODE_ORDER: Final = KeyOrder.of(
    (
        "id",
        "type",
        "pos",
        "size",
        "flags",
        "order",
        "mode",
        "showAdvanced",
        "inputs",
        "outputs",
        "title",
        "properties",
        "widgets_values",
        "widgets_values_named",
        "color",
        "bgcolor",
    )
)
LINK_ORDER: Final = KeyOrder.of(
    ("id", "origin_id", "origin_slot", "target_id", "target_slot", "type", "parentId")
)
GROUP_ORDER: Final = KeyOrder.of(("id", "title", "bounding", "color", "font_size", "flags"))
IO_ORDER: Final = KeyOrder.of(
    ("id", "name", "type", "linkIds", "localized_name", "label", "shape", "pos")
)
ROOT_ORDER: Final = KeyOrder.of(
    (
        "id",
        "revision",
        "last_node_id",
        "last_link_id",
        "state",
        "nodes",
        "links",
        "floatingLinks",
        "reroutes",
        "groups",
        "definitions",
        "config",
        "extra",
        "version",
        "models",
    )
)
DEFINITION_ORDER: Final = KeyOrder.of(
    (
        "id",
        "version",
        "state",
        "revision",
        "config",
        "name",
        "inputNode",
        "outputNode",
        "inputs",
        "outputs",
        "widgets",
        "nodes",
        "groups",
        "links",
        "floatingLinks",
        "reroutes",
        "extra",
        "category",
        "description",
    )
)
