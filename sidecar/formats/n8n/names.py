"""Words of the n8n format, and what a file alone does not tell of the ports of its nodes."""

from typing import Final

from protocol.graph import Port, PortId
from sidecar.formats.residue import KeyOrder

FORMAT: Final = "n8n"
MAIN: Final = "main"
STICKY_NOTE: Final = "n8n-nodes-base.stickyNote"

MOST_SLOTS: Final = 256
"""Outputs of one kind that a node may have."""
OUTPUTS: Final = {"n8n-nodes-base.if": 2, "n8n-nodes-base.splitInBatches": 2}
"""Core nodes with more than one main output."""
INPUTS: Final = {"n8n-nodes-base.merge": 2, "n8n-nodes-base.compareDatasets": 2}
"""Core nodes with more than one main input."""
STARTS: Final = frozenset({"n8n-nodes-base.start", "n8n-nodes-base.webhook", "n8n-nodes-base.cron"})

NODE_ORDER: Final = KeyOrder.of(
    ("parameters", "id", "name", "type", "typeVersion", "position", "webhookId", "disabled"),
    ("credentials", "notesInFlow", "notes"),
)
ENTRY_ORDER: Final = KeyOrder.of(("node", "type", "index"))
GROUP_ORDER: Final = KeyOrder.of(("id", "name", "nodeIds", "description"))
ROOT_ORDER: Final = KeyOrder.of(
    ("name", "nodes", "pinData", "connections", "nodeGroups", "active", "settings", "versionId"),
    ("meta", "id", "tags"),
)


def port_id(kind: str, index: int) -> PortId:
    return PortId(f"{kind}:{index}")


def kind_and_index(id_: str) -> tuple[str, int] | None:
    """Return what connection kind a port is of, and its index; None for a foreign port."""
    kind, colon, index = id_.rpartition(":")
    if colon and kind and index.isascii() and index.isdigit() and len(index) < len("10000"):
        return kind, int(index)
    return None


def make_port(kind: str, index: int, *, multiple: bool = False) -> Port:
    return Port(
        name=f"{kind} {index}" if index else kind,
        port_id=port_id(kind, index),
        data_type=kind,
        multiple=multiple,
    )


def is_start(type_: str) -> bool:
    """Whether nodes of a type take no input, as far as the type tells."""
    return type_ in STARTS or type_.lower().endswith("trigger")


def default_name(type_: str) -> str:
    """Return what the editor would call a node of a type."""
    tail = type_.rsplit(".", 1)[-1] or type_
    return tail[:1].upper() + tail[1:]
