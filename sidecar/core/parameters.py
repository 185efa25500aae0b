"""The rule of set-parameter, and what is known about the parameters of a node."""

from typing import Any, Final

from attrs import evolve

from protocol import commands as c
from protocol.graph import Endpoint, JsonObject, Node, ParameterSpec, Port
from sidecar.core import json_pointer
from sidecar.core.checks import bad_shape, check_depth
from sidecar.core.edit import Edit
from sidecar.core.errors import RejectedError
from sidecar.core.sameness import identical
from sidecar.core.value_rules import check_value

_SHOWN: Final = 20


def set_parameter(edit: Edit, payload: c.SetParameter) -> None:
    """Set or remove values of a node; those of an instance are its own, never the definition's."""
    steps = _check_shape(payload)
    node = edit.node(payload.node_id)
    if payload.values is not None:
        new = {**node.parameters, **_checked(edit, node, payload.values)}
    elif payload.unset:
        new = _unset(edit, node, payload, steps)
    else:
        name, value = str(payload.name), payload.value
        if steps:
            value = _inside(edit, node, payload, steps)
        new = {**node.parameters, **_checked(edit, node, {name: value})}
    if identical(new, node.parameters):
        return
    check_depth(new, "/value")
    edit.put(evolve(node, parameters=new))
    _warn_of_edges(edit, node, new)


def checked_parameters(edit: Edit, node: Node, values: JsonObject, *, ill_typed: str) -> JsonObject:
    """Return values for a node that its component or definition allows.

    ``unknown-parameter``, ``value-not-allowed``, ``size-limit``, and the code ``ill_typed`` for a
    value of the wrong type.
    """
    for name, value in values.items():
        spec = find_spec(edit, node, name)
        if spec is not None:
            check_value(spec, value, ill_typed=ill_typed)
    check_depth(values, "/parameters")
    return values


def find_spec(edit: Edit, node: Node, name: str) -> ParameterSpec | None:
    """Return what is known about a parameter of a node, None where anything goes.

    ``unknown-parameter`` where the node's parameters are known and this is none of them.
    """
    definition = edit.subgraph_of(node)
    component = edit.component_of(node)
    if definition is not None:
        specs, inputs = {}, definition.inputs
    elif component is None or component.kind == "missing" or node.status == "missing":
        return None
    else:
        specs, inputs = {spec.name: spec for spec in component.parameters}, node.inputs
    port = parameter_port(inputs, name)
    if name in specs:
        return specs[name]
    if port is not None:
        return ParameterSpec(name=name, data_type=port.data_type)
    if name in node.parameters or (component is not None and component.open_schema):
        return None
    known = sorted({*specs, *(port.parameter for port in inputs if port.parameter)})
    raise RejectedError(
        "unknown-parameter",
        f"The node has no parameter {name}.",
        {"name": name, "known": known[:_SHOWN]},
    )


def parameter_port(inputs: tuple[Port, ...], name: str) -> Port | None:
    """Return the input whose edge overrides a parameter."""
    return next((port for port in inputs if port.parameter == name), None)


def _check_shape(payload: c.SetParameter) -> list[str]:
    """Refuse mixed forms, and return the steps into the value."""
    if payload.values is not None:
        if payload.name is not None or payload.path is not None or payload.unset:
            raise bad_shape("/values", "goes with nodeId alone")
        if payload.value is not c.MISSING:
            raise bad_shape("/value", "expected value or values, not both")
        return []
    if payload.name is None:
        raise bad_shape("/name", "expected name or values")
    if payload.unset and payload.value is not c.MISSING:
        raise bad_shape("/value", "what is unset has no value")
    if not payload.unset and payload.value is c.MISSING:
        raise bad_shape("/value", "required, but missing")
    try:
        return json_pointer.parse(payload.path or "")
    except ValueError as error:
        raise bad_shape("/path", "expected a JSON Pointer") from error


def _checked(edit: Edit, node: Node, values: JsonObject) -> JsonObject:
    for name, value in values.items():
        spec = find_spec(edit, node, name)
        if spec is not None:
            check_value(spec, value)
    return values


def _unset(edit: Edit, node: Node, payload: c.SetParameter, steps: list[str]) -> JsonObject:
    name = str(payload.name)
    spec = find_spec(edit, node, name)
    if not steps:
        return {key: value for key, value in node.parameters.items() if key != name}
    try:
        value = json_pointer.without(_current(node, name, spec), steps)
    except json_pointer.NoSuchPlaceError:
        return node.parameters
    return {**node.parameters, **_checked(edit, node, {name: value})}


def _inside(edit: Edit, node: Node, payload: c.SetParameter, steps: list[str]) -> Any:
    """Return a parameter's whole value with the payload's value at the place in it."""
    name = str(payload.name)
    current = _current(node, name, find_spec(edit, node, name))
    try:
        return json_pointer.with_value(current, steps, payload.value)
    except json_pointer.NoSuchPlaceError as error:
        raise RejectedError(
            "unknown-parameter",
            f"The parameter {name} has no such place.",
            {"name": name, "path": payload.path},
        ) from error


def _current(node: Node, name: str, spec: ParameterSpec | None) -> Any:
    """Return the value that a parameter has, which is the default where none is set."""
    return node.parameters.get(name, None if spec is None else spec.default)


def _warn_of_edges(edit: Edit, node: Node, new: JsonObject) -> None:
    for name, value in new.items():
        port = parameter_port(node.inputs, name)
        if port is None or (name in node.parameters and identical(value, node.parameters[name])):
            continue
        end = Endpoint(node_id=node.node_id, port_id=port.port_id)
        if edit.graph.port_edges(edit.scope, end, "target"):
            edit.warn("overridden-by-edge", f"An edge into {port.name} overrides {name}.")
