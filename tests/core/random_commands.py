"""Random commands for a graph, of all kinds and in all scopes, and the files that they bring."""

from hypothesis import strategies as st

from protocol.changes import Notice
from protocol.commands import Content
from protocol.graph import Graph, ProjectState
from sidecar.core.edit import Reading
from sidecar.core.errors import RejectedError
from sidecar.core.graph import ROOT, ProjectGraph, Scope
from tests.core.builders import definition, edge, group, instance, node
from tests.core.draws import Draw, Fields, Maker
from tests.core.random_graph_commands import GRAPH_COMMANDS
from tests.core.random_subgraph_commands import INNER_SUBGRAPH_COMMANDS, ROOT_COMMANDS

FORMATS = (None, "comfyui", "node-red")
INNER: dict[str, Maker] = {**GRAPH_COMMANDS, **INNER_SUBGRAPH_COMMANDS}
MAKERS: dict[str, Maker] = {**INNER, **ROOT_COMMANDS}


def random_command(draw: Draw, graph: ProjectGraph) -> tuple[str, Fields]:
    """Return a payload's kind and fields for a graph."""
    scopes = list(graph.scopes)
    scope: Scope = (
        ROOT if len(scopes) == 1 or draw(st.booleans()) else draw(st.sampled_from(scopes))
    )
    if scope is ROOT:
        kind = draw(st.sampled_from(sorted(MAKERS)))
        return kind, MAKERS[kind](draw, graph, ROOT)
    kind = draw(st.sampled_from(sorted(INNER)))
    fields = INNER[kind](draw, graph, scope)
    return "edit-in-subgraph", {"subgraphId": scope, "payload": {"kind": kind, **fields}}


def read_stub(content: Content, format_: str) -> Reading:
    """Read the few contents that the random imports bring."""
    if format_ not in {"auto", "graph"} or not isinstance(content, dict):
        raise RejectedError("unknown-format", "These tests read two files.", {"format": format_})
    if content.get("size") == "none":
        return Reading(state=ProjectState(title="Empty"))
    return Reading(
        state=_file(),
        notices=(Notice(code="kept", message="", path="/x"),),
        placed=bool(content["placed"]),
    )


def _file() -> ProjectState:
    inner = definition(
        "1",
        inputs=["x"],
        outputs=["y"],
        nodes=[node("1"), node("2", at=(300, 0))],
        edges=[
            edge("1", "<input.x", "1.in"),
            edge("2", "1.out", "2.in"),
            edge("3", "2.out", ">output.y"),
        ],
        groups=[group("1", "1")],
    )
    return ProjectState(
        title="File",
        graph=Graph(
            nodes=(
                node("1"),
                instance("2", inner, at=(300, 0)),
                node("3", status="missing", native={"t": 1}),
            ),
            edges=(edge("1", "1.out", "2.x"), edge("2", "2.y", "3.in")),
            groups=(group("1", "1", "2"),),
            subgraphs=(inner,),
        ),
    )
