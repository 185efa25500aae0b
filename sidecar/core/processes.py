"""The rule of set-process: what a node or a component executes.  Nothing is run here."""

from collections.abc import Mapping, Sequence

from attrs import evolve

from protocol import commands as c
from protocol.graph import Component, Node, Port, Process
from sidecar.core import json_pointer
from sidecar.core.checks import bad_shape, check_depth
from sidecar.core.edit import Edit, check_id
from sidecar.core.errors import RejectedError
from sidecar.core.limits import MAX_CODE
from sidecar.core.rebinding import Renames, follow_component, give_ports, settle_edges
from sidecar.core.sameness import identical


def set_process(edit: Edit, payload: c.SetProcess) -> None:
    """Set what a node or a component executes; its typed inputs and outputs become ports."""
    if (payload.node_id is None) == (payload.component_id is None):
        raise bad_shape("", "expected exactly one of nodeId and componentId")
    if payload.process is not None:
        check_process(payload.process)
    if payload.node_id is not None:
        _set_on_node(edit, edit.node(payload.node_id), payload)
    elif payload.component_id is not None:
        component = edit.graph.components.get(payload.component_id)
        if component is None:
            raise RejectedError(
                "unknown-component",
                "There is no such component.",
                {"componentId": payload.component_id},
            )
        _set_on_component(edit, component, payload)


def check_process(process: Process, path: str = "/process") -> None:
    """Refuse a process that could not be carried out by anything: ``invalid-process``."""
    for side, ports in (("inputs", process.inputs), ("outputs", process.outputs)):
        _check_ports(ports, f"{path}/{side}")
    if process.argv is not None and not process.argv:
        raise invalid_process(f"{path}/argv", "expected at least the program")
    if process.kind == "command" and process.argv is None:
        raise invalid_process(f"{path}/argv", "a command needs one")
    if process.code is not None and len(process.code.encode("utf-8", "surrogatepass")) > MAX_CODE:
        raise invalid_process(f"{path}/code", f"expected at most {MAX_CODE} bytes")
    if process.timeout_ms is not None and process.timeout_ms <= 0:
        raise invalid_process(f"{path}/timeoutMs", "expected more than 0")
    for name in ("model", "request", "environment"):
        check_depth(getattr(process, name), f"{path}/{name}")


def invalid_process(path: str, message: str) -> RejectedError:
    return RejectedError(
        "invalid-process",
        f"The process is not possible: {message}.",
        {"issues": [{"path": path, "message": message}]},
    )


def _check_ports(ports: Sequence[Port], path: str) -> None:
    seen: set[str] = set()
    for number, port in enumerate(ports):
        check_id(port.port_id, f"{path}/{number}/portId")
        if port.port_id in seen:
            raise invalid_process(f"{path}/{number}", "this port is there twice")
        seen.add(port.port_id)


def _set_on_node(edit: Edit, node: Node, payload: c.SetProcess) -> None:
    process = payload.process
    if process is not None and edit.subgraph_of(node) is not None:
        raise invalid_process("/nodeId", "an instance executes its definition")
    component = edit.component_of(node)
    if process is not None:
        inputs, outputs = process.inputs, process.outputs
    elif node.process is not None and component is not None:
        inputs, outputs = component.inputs, component.outputs
    else:
        inputs, outputs = node.inputs, node.outputs
    renames = _renames(payload.renames, node, inputs, outputs)
    edit.put(evolve(give_ports(node, inputs, outputs, renames), process=process))
    settle_edges(edit, node, renames)


def _set_on_component(edit: Edit, component: Component, payload: c.SetProcess) -> None:
    process = payload.process
    inputs, outputs = component.inputs, component.outputs
    if process is not None:
        inputs, outputs = process.inputs, process.outputs
    renames = _renames(payload.renames, component, inputs, outputs)
    new = evolve(component, process=process, inputs=inputs, outputs=outputs)
    if not identical(new, component):
        edit.put(new)
        follow_component(edit, new, renames)


def _renames(
    wanted: Mapping[str, str],
    owner: Node | Component,
    inputs: tuple[Port, ...],
    outputs: tuple[Port, ...],
) -> Renames:
    """Return the renames by direction; each goes from a port that is to one that will be."""
    found = Renames(
        inputs=_one_way(wanted, owner.inputs, inputs),
        outputs=_one_way(wanted, owner.outputs, outputs),
    )
    present = {port.port_id for port in (*owner.inputs, *owner.outputs)}
    for old, new in wanted.items():
        if old not in present:
            raise RejectedError("unknown-port", "There is no such port.", {"portId": old})
        if old not in found.inputs and old not in found.outputs:
            place = f"/renames/{json_pointer.escaped(old)}"
            raise invalid_process(place, f"{new} is no new port of that direction")
    return found


def _one_way(
    wanted: Mapping[str, str], before: tuple[Port, ...], after: tuple[Port, ...]
) -> dict[str, str]:
    old_ids = {port.port_id for port in before}
    new_ids = {port.port_id for port in after}
    renames = {old: new for old, new in wanted.items() if old in old_ids and new in new_ids}
    taken = old_ids - renames.keys()
    if len(set(renames.values())) < len(renames) or not taken.isdisjoint(renames.values()):
        raise invalid_process("/renames", "two ports would become one")
    return renames
