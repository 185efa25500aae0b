"""Explanations over stdio: which hold at which version."""

from typing import Any

import pytest

from tests.handlers.desk import Desk, Json, add, wire


def explain(desk: Desk, kind: str, id_: str | None, **over: Any) -> Json:
    params = {"subject": {"kind": kind, "id": id_}, "text": "Why", "author": "manual", **over}
    made: Json = desk.request("setExplanation", projectId=desk.project, **params)
    return made


def holding(desk: Desk, revision: str | None = None) -> dict[str, str]:
    """Return the state of each subject's explanation at a version."""
    at = {} if revision is None else {"revisionId": revision}
    items = desk.request("listExplanations", projectId=desk.project, **at)["items"]
    return {one["subject"]["id"] or "graph": one["state"] for one in items}


@pytest.fixture
def explained(desk: Desk) -> Desk:
    """Two nodes, one of them in a group, an edge, a definition, the graph: all explained."""
    for number, name in enumerate("abmc"):
        desk.do(**add(name, x=number * 300))
    desk.do("connect", edgeId="ab", **wire("a.out", "b.in"))
    desk.do("add-group", groupId="g", name="G", nodeIds=["b"])
    desk.do("create-subgraph", nodeIds=["m"], subgraphId="s", instanceId="i")
    for kind, id_ in (
        ("node", "a"),
        ("edge", "ab"),
        ("group", "g"),
        ("subgraph", "s"),
        ("graph", None),
    ):
        explain(desk, kind, id_)
    return desk


ALL = ("a", "ab", "g", "s", "graph")


@pytest.mark.spec("D1")
def test_an_explanation_stands_at_the_current_version_and_makes_none(explained: Desk) -> None:
    versions = explained.revisions()
    made = explain(explained, "node", "b", author="ai", text="B it is")

    assert made == {
        "explanationId": made["explanationId"],
        "projectId": explained.project,
        "subject": {"kind": "node", "id": "b"},
        "text": "B it is",
        "author": "ai",
        "createdRevisionId": explained.revision,
        "state": "current",
    }
    assert explained.revisions() == versions
    assert holding(explained) == dict.fromkeys((*ALL, "b"), "current")


@pytest.mark.spec("D1")
@pytest.mark.parametrize(
    ("payload", "changed"),
    [
        ({"kind": "rename-node", "nodeId": "a", "name": "A"}, {"a", "graph"}),
        ({"kind": "set-parameter", "nodeId": "a", "name": "p", "value": 1}, {"a", "graph"}),
        ({"kind": "rename-node", "nodeId": "b", "name": "B"}, {"graph"}),
        (
            {"kind": "retarget-edge", "edgeId": "ab", "source": {"nodeId": "c", "portId": "out"}},
            {"ab", "graph"},
        ),
        ({"kind": "rename-group", "groupId": "g", "name": "H"}, {"g", "graph"}),
        ({"kind": "rename-subgraph", "subgraphId": "s", "name": "S"}, {"s", "graph"}),
        (
            {
                "kind": "edit-in-subgraph",
                "subgraphId": "s",
                "payload": {"kind": "rename-node", "nodeId": "m", "name": "M"},
            },
            {"s", "graph"},
        ),
        (add("new", x=1500), {"graph"}),
        ({"kind": "move-node", "nodeId": "a", "position": {"x": -5, "y": 5}}, set()),
        ({"kind": "move-node", "nodeId": "b", "position": {"x": 900, "y": 900}}, set()),
        ({"kind": "annotate-node", "nodeId": "a", "annotation": "note"}, set()),
        (
            {
                "kind": "edit-in-subgraph",
                "subgraphId": "s",
                "payload": {"kind": "move-node", "nodeId": "m", "position": {"x": 1, "y": 1}},
            },
            set(),
        ),
    ],
)
def test_what_changed_in_content_is_outdated_and_undo_brings_it_back(
    explained: Desk, payload: Json, changed: set[str]
) -> None:
    before = explained.revision
    after = explained.do(**payload)["revisionId"]
    states = holding(explained)
    explained.undo()

    expected = {id_: "outdated" if id_ in changed else "current" for id_ in ALL}
    assert states == expected
    assert holding(explained) == dict.fromkeys(ALL, "current")
    assert holding(explained, after) == expected
    assert holding(explained, before) == dict.fromkeys(ALL, "current")


@pytest.mark.spec("D1")
def test_an_explanation_goes_with_its_thing_and_comes_back_with_it(explained: Desk) -> None:
    explained.do("remove-node", nodeId="a")
    without = holding(explained)
    explained.undo()

    assert without == {"g": "current", "s": "current", "graph": "outdated"}
    assert holding(explained) == dict.fromkeys(ALL, "current")


@pytest.mark.spec("D1")
def test_a_content_that_comes_to_be_as_it_was_is_current_again(explained: Desk) -> None:
    explained.do("rename-node", nodeId="a", name="A")
    assert holding(explained)["a"] == "outdated"
    explained.do("rename-node", nodeId="a", name=None)
    assert holding(explained)["a"] == "current"


@pytest.mark.spec("D1")
def test_the_same_id_replaces_the_text_and_another_adds(explained: Desk) -> None:
    one = explain(explained, "node", "b", explanationId="mine", text="first")
    explained.do("rename-node", nodeId="b", name="B")
    two = explain(explained, "node", "b", explanationId="mine", text="second")
    explain(explained, "node", "b", text="third")
    found = [
        one
        for one in explained.request("listExplanations", projectId=explained.project)["items"]
        if one["subject"]["id"] == "b"
    ]

    assert one["explanationId"] == two["explanationId"]
    assert sorted(one["text"] for one in found) == ["second", "third"]
    assert {one["state"] for one in found} == {"current"}


@pytest.mark.spec("D2")
def test_what_is_removed_is_gone_from_all_versions(explained: Desk) -> None:
    made = explain(explained, "node", "b")
    then = explained.revision
    explained.do("rename-node", nodeId="b", name="B")
    params = {"projectId": explained.project, "explanationId": made["explanationId"]}

    assert explained.request("removeExplanation", **params) == {"deleted": True}
    assert explained.request("removeExplanation", **params) == {"deleted": False}
    explained.undo()
    assert "b" not in holding(explained)
    assert "b" not in holding(explained, then)


@pytest.mark.spec("D1", "E2")
def test_what_cannot_be_explained_is_refused(desk: Desk) -> None:
    def refused(kind: str, id_: str | None) -> tuple[str, Json]:
        return desk.refusal(
            "setExplanation",
            projectId=desk.project,
            subject={"kind": kind, "id": id_},
            text="x",
            author="ai",
        )

    for kind in ("node", "edge", "group", "subgraph"):
        assert refused(kind, "x") == ("unknown-subject", {"kind": kind, "id": "x"})
    base: Json = {"projectId": desk.project, "text": "x", "author": "ai"}
    assert desk.issues("setExplanation", **base, subject={"kind": "graph", "id": "x"}) == {
        "/subject/id"
    }
    assert desk.issues("setExplanation", **base, subject={"kind": "node", "id": None}) == {
        "/subject/id"
    }
    long = {**base, "text": "é" * 32_769, "subject": {"kind": "graph", "id": None}}
    assert desk.issues("setExplanation", **long) == {"/text"}


@pytest.mark.spec("C16")
def test_what_changes_explanations_is_told(explained: Desk) -> None:
    seen = len(explained.client.notifications)
    explained.do("move-node", nodeId="a", position={"x": 7, "y": 7})
    gone = {"projectId": explained.project, "explanationId": "nobody's"}
    assert explained.request("removeExplanation", **gone) == {"deleted": False}
    explained.do("rename-node", nodeId="a", name="A")
    explained.look()

    told = [
        note["params"]
        for note in explained.client.notifications[seen:]
        if note["method"] == "explanationsChanged"
    ]
    assert told == [{"projectId": explained.project, "revisionId": explained.revision}]
