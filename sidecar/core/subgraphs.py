"""The rule of rename-subgraph."""

from attrs import evolve

from protocol.commands import RenameSubgraph
from sidecar.core.edit import Edit
from sidecar.core.names import clean_name


def rename_subgraph(edit: Edit, payload: RenameSubgraph) -> None:
    """Name a definition; its instances without a name of their own show the new one."""
    name = clean_name(payload.name)
    subgraph = edit.subgraph(payload.subgraph_id)
    if name != subgraph.name:
        edit.put(evolve(subgraph, name=name))
