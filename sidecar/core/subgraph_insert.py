"""The rule of insert-subgraph: one more instance of a definition, or the first of a new one."""

from attrs import evolve

from protocol.commands import InsertSubgraph
from protocol.graph import NodeId, Position, Subgraph
from sidecar.core.checks import bad_shape
from sidecar.core.definitions import check_nesting
from sidecar.core.edit import Edit, check_id
from sidecar.core.inline_definition import add_definition, checked_definition
from sidecar.core.instances import instance_of
from sidecar.core.names import clean_optional_name
from sidecar.core.parameters import checked_parameters
from sidecar.core.placing import check_place, place_node


def insert_subgraph(edit: Edit, payload: InsertSubgraph) -> None:
    """Add an instance, linked to an existing definition or to one that the payload brings.

    ``unknown-subgraph``, ``subgraph-recursion``, ``depth-limit``, and what add-node refuses.
    """
    if (payload.subgraph_id is None) == (payload.definition is None):
        raise bad_shape("", "expected exactly one of subgraphId and definition")
    name = clean_optional_name(payload.name)
    if payload.node_id is not None:
        check_id(payload.node_id, "/nodeId")
    check_place(edit, payload.position, payload.near)
    subgraph = _definition(edit, payload)
    node_id = NodeId(edit.new_id("node", payload.node_id))
    node = instance_of(subgraph, node_id, Position(0, 0), name=name)
    values = checked_parameters(edit, node, payload.parameters or {}, ill_typed="type-mismatch")
    position = place_node(edit, node_id, None, payload.position, payload.near)
    edit.put(evolve(node, position=position, parameters=values))


def _definition(edit: Edit, payload: InsertSubgraph) -> Subgraph:
    if payload.definition is not None:
        return add_definition(edit, checked_definition(edit, payload.definition))
    assert payload.subgraph_id is not None
    subgraph = edit.subgraph(payload.subgraph_id)
    check_nesting(edit, [subgraph.subgraph_id])
    return subgraph
