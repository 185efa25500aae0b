"""Random commands on definitions, their boundaries and instances, and on whole files."""

from hypothesis import strategies as st

from sidecar.core.graph import ProjectGraph, Scope
from tests.core.draws import (
    NAMES,
    TYPES,
    Draw,
    Fields,
    Maker,
    end_in,
    maybe,
    one_of,
    place,
    some_of,
)


def _create_subgraph(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    here = graph.scopes[scope]
    ids = some_of(draw, here.nodes)
    promote = [{"nodeId": id_, "parameter": "p"} for id_ in ids if draw(st.integers(0, 3)) == 0]
    groups = some_of(draw, here.groups) if here.groups and draw(st.booleans()) else []
    return {"nodeIds": ids, "groupIds": groups, "promote": promote}


def _insert_subgraph(draw: Draw, graph: ProjectGraph, _: Scope) -> Fields:
    fields = maybe(draw, position=lambda: place(draw), name=lambda: draw(st.sampled_from(NAMES)))
    if draw(st.integers(0, 2)):
        return fields | {"subgraphId": one_of(draw, graph.subgraphs)}
    return fields | {"definition": _inline(draw)}


def _inline(draw: Draw) -> Fields:
    return {
        "subgraphId": "1",
        "name": "Inline",
        "inputs": [{"name": "x", "dataType": "*", "parameter": draw(st.sampled_from((None, "p")))}],
        "outputs": [{"name": "y", "dataType": "*"}],
        "nodes": [
            {
                "nodeId": "1",
                "componentId": "other",
                "position": {"x": 0, "y": 0},
                "inputs": [{"name": "in", "dataType": "*", "parameter": "p"}],
                "outputs": [{"name": "out", "dataType": "*"}],
            }
        ],
        "edges": [
            {
                "edgeId": "1",
                "source": {"boundary": "input", "portId": "x"},
                "target": draw(
                    st.sampled_from(
                        ({"nodeId": "1", "portId": "in"}, {"boundary": "output", "portId": "y"})
                    )
                ),
            }
        ],
        "groups": [],
        "inputAnchor": {"x": 0, "y": 0},
        "outputAnchor": {"x": 0, "y": 0},
    }


def _dissolve_subgraph(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    instances = [
        one.node_id
        for one in graph.scopes[scope].nodes.values()
        if one.component_id.startswith("subgraph:")
    ]
    return {"nodeId": one_of(draw, instances)}


def _rename_subgraph(draw: Draw, graph: ProjectGraph, _: Scope) -> Fields:
    return {"subgraphId": one_of(draw, graph.subgraphs), "name": draw(st.sampled_from(NAMES))}


def _import(draw: Draw, _: ProjectGraph, __: Scope) -> Fields:
    content = {"size": draw(st.sampled_from(("some", "none"))), "placed": draw(st.booleans())}
    return {
        "content": content,
        "format": draw(st.sampled_from(("auto", "auto", "odd"))),
        **maybe(draw, position=lambda: place(draw), groupName=lambda: draw(st.sampled_from(NAMES))),
    }


def _open(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    fields = _import(draw, graph, scope)
    return {name: fields[name] for name in ("content", "format")}


def _add_io(draw: Draw, graph: ProjectGraph, _: Scope) -> Fields:
    subgraph_id = one_of(draw, graph.subgraphs)
    fields: Fields = {
        "subgraphId": subgraph_id,
        "direction": draw(st.sampled_from(("input", "output"))),
        "name": draw(st.sampled_from(NAMES)),
        "dataType": draw(st.sampled_from(TYPES)),
    }
    scope = graph.subgraphs[subgraph_id].subgraph_id if subgraph_id in graph.subgraphs else None
    if scope is not None and draw(st.booleans()):
        fields["from"] = end_in(
            draw, graph, scope, "target" if fields["direction"] == "input" else "source"
        )
        fields["from"].pop("boundary", None)
        fields["from"].setdefault("nodeId", "nothing")
    return fields | maybe(draw, index=lambda: draw(st.integers(0, 3)), multiple=lambda: True)


def _io(draw: Draw, graph: ProjectGraph, _: Scope) -> Fields:
    subgraph_id = one_of(draw, graph.subgraphs)
    found = graph.subgraphs.get(subgraph_id)
    ports = () if found is None else (*found.inputs, *found.outputs)
    return {"subgraphId": subgraph_id, "portId": one_of(draw, [one.port_id for one in ports])}


def _rename_io(draw: Draw, graph: ProjectGraph, scope: Scope) -> Fields:
    return {**_io(draw, graph, scope), "name": draw(st.sampled_from(NAMES))}


INNER_SUBGRAPH_COMMANDS: dict[str, Maker] = {
    "create-subgraph": _create_subgraph,
    "insert-subgraph": _insert_subgraph,
    "dissolve-subgraph": _dissolve_subgraph,
    "rename-subgraph": _rename_subgraph,
    "import-workflow": _import,
}
ROOT_COMMANDS: dict[str, Maker] = {
    "open-native": _open,
    "add-subgraph-io": _add_io,
    "remove-subgraph-io": _io,
    "rename-subgraph-io": _rename_io,
}
