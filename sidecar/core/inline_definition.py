"""A definition that a payload brings along: taken as it is, or refused with every fault named."""

from collections.abc import Iterator
from typing import Any

from attrs import evolve

from protocol.graph import IoPort, Node, Subgraph, SubgraphDefinition, SubgraphId
from sidecar.core.arrivals import add_definitions
from sidecar.core.checks import check_depth, check_ports, clean_annotation
from sidecar.core.definitions import check_nesting, recursion, referenced
from sidecar.core.edit import Edit, check_id
from sidecar.core.errors import RejectedError
from sidecar.core.names import clean_name, clean_optional_name
from sidecar.core.processes import check_process
from sidecar.core.repair import repaired_definition
from sidecar.core.repair_edges import Boundary
from sidecar.core.value_faults import value_faults

_PATH = "/definition"


def checked_definition(edit: Edit, definition: SubgraphDefinition) -> SubgraphDefinition:
    """Return a definition fit for the scope; its instances' ports are their definitions'.

    ``unknown-subgraph``, ``subgraph-recursion``, ``depth-limit``, ``size-limit``,
    ``invalid-name``, ``name-taken``, ``invalid-process``.
    """
    _check_ports(definition)
    definition = _cleaned(definition)
    used = _used(edit, definition)
    subgraphs = edit.graph.subgraphs
    known: dict[str, Boundary] = {
        one: Boundary(subgraphs[one].inputs, subgraphs[one].outputs) for one in used
    }
    fit, notices = repaired_definition(definition, known, _PATH)
    issues = [{"path": one.path, "message": one.message} for one in notices]
    issues.extend(_value_issues(fit))
    if issues:
        raise RejectedError(
            "invalid-command", "The definition is not possible.", {"issues": issues}
        )
    check_nesting(edit, used, levels=1)
    return fit


def add_definition(edit: Edit, definition: SubgraphDefinition) -> Subgraph:
    """Add a checked definition under new ids, each of which is reported."""
    ids = add_definitions(edit, [definition], reuse=False)
    return edit.graph.subgraphs[ids[definition.subgraph_id]]


def _check_ports(definition: SubgraphDefinition) -> None:
    check_ports((*definition.inputs, *definition.outputs), f"{_PATH}/inputs")
    for number, node in enumerate(definition.nodes):
        check_ports(node.inputs, f"{_PATH}/nodes/{number}/inputs")
        check_ports(node.outputs, f"{_PATH}/nodes/{number}/outputs")


def _cleaned(definition: SubgraphDefinition) -> SubgraphDefinition:
    """Return a definition as commands would have made it; refuse what none of them takes."""
    return evolve(
        definition,
        name=clean_name(definition.name, f"{_PATH}/name"),
        inputs=_named_ports(definition.inputs, f"{_PATH}/inputs"),
        outputs=_named_ports(definition.outputs, f"{_PATH}/outputs"),
        nodes=tuple(
            _cleaned_node(one, f"{_PATH}/nodes/{number}")
            for number, one in enumerate(definition.nodes)
        ),
        groups=tuple(
            evolve(one, name=clean_name(one.name, f"{_PATH}/groups/{number}/name"))
            for number, one in enumerate(definition.groups)
        ),
    )


def _cleaned_node(node: Node, path: str) -> Node:
    check_id(node.component_id, f"{path}/componentId")
    check_depth(node.parameters, f"{path}/parameters")
    if node.process is not None:
        check_process(node.process, f"{path}/process")
    return evolve(
        node,
        name=clean_optional_name(node.name, f"{path}/name"),
        annotation=clean_annotation(node.annotation, f"{path}/annotation"),
    )


def _named_ports(ports: tuple[IoPort, ...], path: str) -> tuple[IoPort, ...]:
    """Return the ports of one direction; their names are names, and no two are alike."""
    named: dict[str, IoPort] = {}
    for number, port in enumerate(ports):
        place = f"{path}/{number}/name"
        name = clean_name(port.name, place)
        if name in named:
            details = {"name": name, "path": place}
            raise RejectedError("name-taken", "Two ports of one side have this name.", details)
        named[name] = evolve(port, name=name)
    return tuple(named.values())


def _used(edit: Edit, definition: SubgraphDefinition) -> list[SubgraphId]:
    """Return the existing definitions that an inline one holds instances of."""
    used: dict[SubgraphId, None] = {}
    for node in definition.nodes:
        wanted = referenced(node)
        if wanted is None:
            continue
        if wanted == definition.subgraph_id:
            raise recursion([wanted, wanted])
        used[edit.subgraph(wanted).subgraph_id] = None
    return list(used)


def _value_issues(definition: SubgraphDefinition) -> Iterator[dict[str, Any]]:
    for key in ("nodes", "edges", "groups"):
        for number, thing in enumerate(getattr(definition, key)):
            for fault in value_faults(thing):
                yield {"path": f"{_PATH}/{key}/{number}", "message": fault}
