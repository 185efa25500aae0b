"""Random commands on nodes, edges, parameters, components, processes and groups."""

from hypothesis import strategies as st

from sidecar.core.graph import ProjectGraph, Scope
from tests.core.draws import (
    NAMES,
    VALUES,
    Draw,
    Fields,
    Maker,
    end_in,
    maybe,
    node_in,
    one_of,
    place,
    some_of,
    wires,
)


def _add_node(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    fields = {
        "componentId": draw(st.sampled_from(("c1", "c2", "other"))),
        **maybe(
            draw,
            position=lambda: place(draw),
            name=lambda: draw(st.sampled_from(NAMES)),
            groupId=lambda: one_of(draw, graph.scopes[scope].groups),
            near=lambda: {"nodeId": node_in(draw, graph, scope)},
            parameters=lambda: {"p": draw(st.sampled_from(VALUES))},
        ),
    }
    if fields["componentId"] not in graph.components:
        fields |= {"inputs": wires(draw), "outputs": wires(draw)}
    return fields


def _remove_node(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    return {"nodeId": node_in(draw, graph, scope), "reconnect": draw(st.booleans())}


def _move_node(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    return {"nodeId": node_in(draw, graph, scope), "position": place(draw)}


def _move_nodes(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    ids = some_of(draw, graph.scopes[scope].nodes, 1)
    if draw(st.booleans()):
        return {"nodeIds": ids, "delta": place(draw)}
    return {"moves": [{"nodeId": id_, "position": place(draw)} for id_ in ids]}


def _rename_node(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    return {"nodeId": node_in(draw, graph, scope), "name": draw(st.sampled_from((None, *NAMES)))}


def _annotate_node(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    return {
        "nodeId": node_in(draw, graph, scope),
        "annotation": draw(st.sampled_from((None, "", "note"))),
    }


def _connect(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    return {
        "source": end_in(draw, graph, scope, "source"),
        "target": end_in(draw, graph, scope, "target"),
        "onOccupied": draw(st.sampled_from(("replace", "error"))),
        "waypoints": draw(st.sampled_from(([], [{"x": 1, "y": 2}]))),
    }


def _remove_edge(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    return {"edgeId": one_of(draw, graph.scopes[scope].edges)}


def _retarget_edge(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    return {
        **_remove_edge(draw, graph, scope),
        **maybe(
            draw,
            source=lambda: end_in(draw, graph, scope, "source"),
            target=lambda: end_in(draw, graph, scope, "target"),
        ),
    }


def _set_parameter(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    fields: Fields = {"nodeId": node_in(draw, graph, scope)}
    form = draw(st.sampled_from(("name", "values", "path", "unset")))
    if form == "values":
        return fields | {"values": {"p": draw(st.sampled_from(VALUES)), "q": 1}}
    fields["name"] = draw(st.sampled_from(("p", "q")))
    if form == "unset":
        return fields | {"unset": True}
    if form == "path":
        fields["path"] = draw(st.sampled_from(("", "/k", "/0", "/1/k", "/-")))
    return fields | {"value": draw(st.sampled_from(VALUES))}


def _set_component(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    id_ = draw(st.sampled_from(("c1", "c2")))
    fields: Fields = {"componentId": id_}
    what = draw(st.sampled_from(("define", "bind", "both", "delete")))
    if what in {"define", "both"}:
        fields["component"] = {
            "componentId": id_,
            "name": "C",
            "kind": "builtin",
            "inputs": wires(draw),
            "outputs": wires(draw),
            "parameters": [{"name": "q"}] if draw(st.booleans()) else [],
            "openSchema": draw(st.booleans()),
        }
    if what in {"bind", "both"}:
        fields["nodeId"] = node_in(draw, graph, scope)
    return fields | ({"component": None} if what == "delete" else {})


def _set_process(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    process = {"kind": "script", "code": "x", "inputs": wires(draw), "outputs": wires(draw)}
    fields: Fields = {"process": draw(st.sampled_from((None, process)))}
    if draw(st.booleans()):
        fields["nodeId"] = node_in(draw, graph, scope)
    else:
        fields["componentId"] = draw(st.sampled_from(("c1", "c2")))
    return fields | maybe(draw, renames=lambda: {"a": draw(st.sampled_from(("b", "c")))})


def _add_group(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    here = graph.scopes[scope]
    return {
        "name": draw(st.sampled_from(NAMES)),
        "nodeIds": some_of(draw, here.nodes),
        "groupIds": some_of(draw, here.groups) if here.groups and draw(st.booleans()) else [],
        **maybe(
            draw,
            bounds=lambda: {"x": 0, "y": 0, "width": 50, "height": 50},
            parentGroupId=lambda: one_of(draw, here.groups),
        ),
    }


def _group(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    return {"groupId": one_of(draw, graph.scopes[scope].groups)}


def _rename_group(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    return {**_group(draw, graph, scope), "name": draw(st.sampled_from(NAMES))}


GRAPH_COMMANDS: dict[str, Maker] = {
    "add-node": _add_node,
    "remove-node": _remove_node,
    "move-node": _move_node,
    "move-nodes": _move_nodes,
    "rename-node": _rename_node,
    "annotate-node": _annotate_node,
    "connect": _connect,
    "remove-edge": _remove_edge,
    "retarget-edge": _retarget_edge,
    "set-parameter": _set_parameter,
    "set-component": _set_component,
    "set-process": _set_process,
    "add-group": _add_group,
    "remove-group": _group,
    "rename-group": _rename_group,
}
