"""Draws that the random commands are made of: mostly what is there, now and then what is not."""

from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import strategies as st

from sidecar.core.graph import ProjectGraph, Scope

Draw = Callable[[st.SearchStrategy[Any]], Any]
Fields = dict[str, Any]
Maker = Callable[[Draw, ProjectGraph, Scope], Fields]

TYPES = ("*", "INT", "FLOAT", "IMAGE,MASK", "image")
NAMES = ("p", "q", "x", " Name ", "", "e\u0301")
VALUES = (None, 0, 1, 1.0, True, "text", [1, {"k": 2}], {"k": [0]})
COORDINATES = (0, 10, -300, 250.5, 1e7, -1e7, 2e7)


def one_of(draw: Draw, ids: Iterable[str]) -> str:
    """Return one of some ids, or rarely one of nothing."""
    known = sorted(ids)
    if not known or draw(st.integers(0, 19)) == 0:
        return draw(st.sampled_from(["nothing", *known])) if known else "nothing"
    return str(draw(st.sampled_from(known)))


def some_of(draw: Draw, ids: Iterable[str], least: int = 0) -> list[str]:
    known = sorted(ids) or ["nothing"]
    return list(draw(st.lists(st.sampled_from(known), min_size=least, max_size=4, unique=True)))


def node_in(draw: Draw, graph: ProjectGraph, scope: Scope) -> str:
    return one_of(draw, graph.scopes[scope].nodes)


def place(draw: Draw) -> Fields:
    return {"x": draw(st.sampled_from(COORDINATES)), "y": draw(st.sampled_from(COORDINATES))}


def wire(draw: Draw, name: str) -> Fields:
    return {
        "name": name,
        "dataType": draw(st.sampled_from(TYPES)),
        "multiple": draw(st.booleans()),
        "parameter": draw(st.sampled_from((None, "p"))),
    }


def wires(draw: Draw) -> list[Fields]:
    return [wire(draw, name) for name in some_of(draw, ("a", "b", "c"))]


def maybe(draw: Draw, **fields: Callable[[], Any]) -> Fields:
    return {name: make() for name, make in fields.items() if draw(st.booleans())}


def end_in(draw: Draw, graph: ProjectGraph, scope: Scope, side: str) -> Fields:
    """Return an end that mostly may be that side of an edge."""
    if scope is not None and draw(st.integers(0, 2)) == 0:
        definition_ = graph.subgraphs[scope]
        outer = definition_.inputs if side == "source" else definition_.outputs
        boundary = "input" if side == "source" else "output"
        return {"boundary": boundary, "portId": one_of(draw, [one.port_id for one in outer])}
    node_id = node_in(draw, graph, scope)
    found = graph.scopes[scope].nodes.get(node_id)
    ports = () if found is None else found.outputs if side == "source" else found.inputs
    return {"nodeId": node_id, "portId": one_of(draw, [one.port_id for one in ports])}
