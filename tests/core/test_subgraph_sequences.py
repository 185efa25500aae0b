"""Random commands one after the other, in all scopes; the bench looks at everything each time."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.core.errors import RejectedError
from tests.core.builders import as_scope, definition, edge, instance, node, port
from tests.core.files import file
from tests.core.subgraph_bench import Bench, bench

MAY_BE_REFUSED = frozenset(
    {
        "subgraph-recursion",
        "depth-limit",
        "not-a-subgraph",
        "name-taken",
        "would-create-cycle",
        "self-connection",
        "duplicate-edge",
        "port-occupied",
        "type-mismatch",
        "unknown-parameter",
        "unknown-io",
        "empty-workflow",
    }
)


class Hand:
    """Draws commands that fit what is there."""

    def __init__(self, desk: Bench, data: st.DataObject) -> None:
        self.desk = desk
        self.data = data

    def pick(self, some: Any) -> Any:
        return self.data.draw(st.sampled_from(list(some)))

    def step(self) -> None:
        scope = self.pick([None, *self.desk.graph.subgraphs])
        command = self.command(scope)
        if command is None:
            return
        kind, fields, boundary = command
        try:
            self.desk.do(kind, scope=None if boundary else scope, **fields)
        except RejectedError as error:
            assert error.code in MAY_BE_REFUSED  # noqa: PT017 -- most commands are carried out
            self.desk.refused(kind, scope=None if boundary else scope, **fields)

    def command(self, scope: str | None) -> tuple[str, dict[str, Any], bool] | None:
        nodes = list(self.desk.nodes(scope))
        subgraphs = list(self.desk.graph.subgraphs)
        kind = self.pick(
            [
                "create",
                "create",
                "dissolve",
                "dissolve",
                "insert",
                "remove",
                "add-io",
                "remove-io",
                "connect",
                "import",
                "open",
            ]
        )
        if kind == "import":
            return "import-workflow", {"content": {}}, False
        if kind == "open":
            return ("open-native", {"content": {}}, True) if self.pick(range(4)) == 0 else None
        if kind in {"insert", "add-io", "remove-io"}:
            return self.on_a_definition(kind, self.pick(subgraphs)) if subgraphs else None
        if not nodes:
            return None
        if kind == "create":
            chosen = self.data.draw(
                st.lists(st.sampled_from(nodes), min_size=1, max_size=4, unique=True)
            )
            return "create-subgraph", {"nodeIds": chosen}, False
        if kind == "dissolve":
            return "dissolve-subgraph", {"nodeId": self.pick(nodes)}, False
        if kind == "remove":
            return "remove-node", {"nodeId": self.pick(nodes)}, False
        return self.connection(scope, nodes)

    def on_a_definition(self, kind: str, subgraph_id: str) -> tuple[str, dict[str, Any], bool]:
        whole = self.desk.definition(subgraph_id)
        if kind == "insert":
            return "insert-subgraph", {"subgraphId": subgraph_id}, False
        ports = [one.port_id for one in (*whole.inputs, *whole.outputs)]
        if kind == "remove-io" and ports:
            found = {"subgraphId": subgraph_id, "portId": self.pick(ports)}
            return "remove-subgraph-io", found, True
        fields: dict[str, Any] = {
            "subgraphId": subgraph_id,
            "direction": self.pick(["input", "output"]),
            "name": self.pick("xyz"),
            "dataType": "*",
            "multiple": self.pick([False, True]),
        }
        side = "inputs" if fields["direction"] == "input" else "outputs"
        inner = [one for one in self.desk.nodes(subgraph_id).values() if getattr(one, side)]
        if inner:
            one = self.pick(inner)
            chosen = self.pick(getattr(one, side))
            fields["from"] = {"nodeId": one.node_id, "portId": chosen.port_id}
        return "add-subgraph-io", fields, True

    def connection(
        self, scope: str | None, nodes: list[str]
    ) -> tuple[str, dict[str, Any], bool] | None:
        here = self.desk.graph.scopes[as_scope(scope)].nodes
        source, target = here[self.pick(nodes)], here[self.pick(nodes)]
        if not source.outputs or not target.inputs:
            return None
        ends = {
            "source": {
                "nodeId": source.node_id,
                "portId": self.pick(source.outputs).port_id,
            },
            "target": {"nodeId": target.node_id, "portId": self.pick(target.inputs).port_id},
        }
        return "connect", ends, False


def start(format_: str | None) -> Bench:
    inner = definition(
        "s",
        nodes=[node("p"), node("q", at=(300, 0))],
        edges=[
            edge("in", "<input.i", "p.in"),
            edge("pq", "p.out", "q.in"),
            edge("through", "<input.i", ">output.t"),
            edge("out", "q.out", ">output.o"),
        ],
        inputs=["i"],
        outputs=["t", "o"],
    )
    many = node("c", at=(900, 0), inputs=[port("in", multiple=True)])
    desk = bench(
        node("a"),
        instance("b", inner, at=(300, 0)),
        many,
        edges=[edge("ab", "a.out", "b.i"), edge("bc", "b.o", "c.in"), edge("tc", "b.t", "c.in")],
        subgraphs=[inner],
        format_=format_,
    )
    desk.reading = file(
        node("x"),
        instance("y", inner),
        edges=[edge("xy", "x.out", "y.i")],
        subgraphs=[inner],
    )
    return desk


@given(st.sampled_from([None, "comfyui"]), st.data())
@settings(max_examples=40, deadline=None)
def test_any_row_of_commands_keeps_the_graph_sound_and_can_be_taken_back(
    format_: str | None, data: st.DataObject
) -> None:
    hand = Hand(start(format_), data)

    for _ in range(10):
        hand.step()
