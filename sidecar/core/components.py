"""The rule of set-component: define, replace or delete a component, and bind a node to one."""

from attrs import evolve

from protocol import commands as c
from protocol.graph import SUBGRAPH_PREFIX, Component, ParameterSpec, Port
from sidecar.core.checks import bad_shape, check_depth
from sidecar.core.definitions import referenced, release_unused
from sidecar.core.edit import Edit, check_id
from sidecar.core.errors import RejectedError
from sidecar.core.names import clean_name
from sidecar.core.processes import check_process
from sidecar.core.rebinding import bind, follow_component
from sidecar.core.sameness import identical

_SHOWN = 20


def set_component(edit: Edit, payload: c.SetComponent) -> None:
    """Change the project's component, then bind the node, where either is asked for."""
    component = _check_shape(payload)
    node = None if payload.node_id is None else edit.node(payload.node_id)
    if component is None:
        _delete(edit, payload)
        return
    if isinstance(component, Component):
        _define(edit, component)
    if node is not None:
        bind(edit, node.node_id, _existing(edit, payload))
        definition = referenced(node)
        if definition is not None:
            release_unused(edit, definition)


def _check_shape(payload: c.SetComponent) -> Component | c.Missing | None:
    """Refuse what is wrong whatever the graph is; return the component as it is kept."""
    check_id(payload.component_id, "/componentId")
    component = payload.component
    if payload.component_id.startswith(SUBGRAPH_PREFIX):
        raise invalid_component("/componentId", "instances are made with insert-subgraph")
    if component is None and payload.node_id is not None:
        raise bad_shape("/nodeId", "a node cannot be bound to what is deleted")
    if component is c.MISSING and payload.node_id is None:
        raise bad_shape("", "expected component or nodeId, or both")
    if not isinstance(component, Component):
        return component
    if component.component_id != payload.component_id:
        raise bad_shape("/component/componentId", "expected the command's componentId")
    return _checked(component)


def _checked(component: Component) -> Component:
    if component.kind == "subgraph":
        raise invalid_component("/component/kind", "subgraphs have definitions of their own")
    _check_ports(component.inputs, "/component/inputs")
    _check_ports(component.outputs, "/component/outputs")
    names = [spec.name for spec in component.parameters]
    for number, spec in enumerate(component.parameters):
        path = f"/component/parameters/{number}"
        if spec.name in names[:number]:
            raise invalid_component(path, "this parameter is there twice")
        _check_spec(spec, path)
    if component.process is not None:
        check_process(component.process, "/component/process")
    check_depth(component.source, "/component/source")
    check_depth(component.native, "/component/native")
    return evolve(component, name=clean_name(component.name, "/component/name"))


def _check_ports(ports: tuple[Port, ...], path: str) -> None:
    seen: set[str] = set()
    for number, port in enumerate(ports):
        check_id(port.port_id, f"{path}/{number}/portId")
        if port.port_id in seen:
            raise invalid_component(f"{path}/{number}", "this port is there twice")
        seen.add(port.port_id)


def _check_spec(spec: ParameterSpec, path: str) -> None:
    if spec.minimum is not None and spec.maximum is not None and spec.minimum > spec.maximum:
        raise invalid_component(f"{path}/minimum", "expected at most the maximum")
    check_depth(spec.default, f"{path}/default")
    check_depth(spec.options, f"{path}/options")


def _define(edit: Edit, component: Component) -> None:
    if not identical(edit.graph.components.get(component.component_id), component):
        edit.put(component)
        follow_component(edit, component)


def _delete(edit: Edit, payload: c.SetComponent) -> None:
    _existing(edit, payload)
    bound = edit.graph.nodes_of_component.get(payload.component_id)
    if bound:
        raise RejectedError(
            "component-in-use",
            "Nodes are bound to this component.",
            {"componentId": payload.component_id, "nodeIds": list(bound)[:_SHOWN]},
        )
    edit.workspace.remove("component", None, payload.component_id)


def _existing(edit: Edit, payload: c.SetComponent) -> Component:
    found = edit.graph.components.get(payload.component_id)
    if found is None:
        raise RejectedError(
            "unknown-component",
            "There is no such component.",
            {"componentId": payload.component_id},
        )
    return found


def invalid_component(path: str, message: str) -> RejectedError:
    return RejectedError(
        "invalid-component",
        f"The component is not possible: {message}.",
        {"issues": [{"path": path, "message": message}]},
    )
