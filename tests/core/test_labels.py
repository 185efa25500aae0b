from typing import Any

import pytest

from sidecar.core.changes import Change
from sidecar.core.labels import MAX_LABEL, label_of
from tests.core.builders import component, definition, graph, instance, node, payload


@pytest.mark.parametrize(
    ("fields", "label"),
    [
        ({"kind": "annotate-node", "nodeId": "named", "annotation": "a"}, "Annotate My node"),
        ({"kind": "annotate-node", "nodeId": "plain", "annotation": "a"}, "Annotate any"),
        ({"kind": "move-node", "nodeId": "known", "position": {"x": 0, "y": 0}}, "Move Resize it"),
        ({"kind": "rename-node", "nodeId": "inner", "name": "x"}, "Rename Two steps"),
        ({"kind": "remove-node", "nodeId": "gone"}, "Remove a subgraph"),
        ({"kind": "add-node", "componentId": "resize"}, "Add Resize it"),
        ({"kind": "add-node", "componentId": "resize", "name": "Mine"}, "Add Mine"),
    ],
)
def test_a_label_calls_things_as_people_do(fields: dict[str, Any], label: str) -> None:
    two_steps = definition("s", name="Two steps")
    nodes = [
        node("named", name="My node"),
        node("plain"),
        node("known", component="resize"),
        instance("inner", two_steps),
        node("gone", component="subgraph:vanished"),
    ]
    resize = component("resize", name="Resize it")
    whole = graph(*nodes, components=[resize], subgraphs=[two_steps])
    changes = [Change("node", None, one.node_id, one, one, 0, 0) for one in nodes]

    assert label_of(payload(**fields), changes, whole) == label


def test_a_long_label_is_cut() -> None:
    adding = payload("add-node", componentId="any", name="n" * 200)

    assert len(label_of(adding, [], graph())) == MAX_LABEL
