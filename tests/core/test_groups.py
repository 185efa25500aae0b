from typing import Any

import pytest

from protocol.graph import Bounds, Size
from sidecar.core.errors import RejectedError
from sidecar.core.graph import ProjectGraph
from tests.core.builders import (
    definition,
    do,
    edge,
    graph,
    group,
    group_of,
    instance,
    node,
    pairs,
    ports,
    text,
)

FRAME = {"x": 0, "y": 0, "width": 100, "height": 100}


def nested() -> ProjectGraph:
    """Return outer{a, inner{b, c, core{}}} and a loose node d."""
    inside = definition("s", nodes=[node("far")], groups=[group("far-group", "far")])
    return graph(
        *(node(name) for name in "abcd"),
        instance("i", inside),
        edges=[edge("ab", "a.out", "b.in")],
        groups=[
            group("outer", "a", bounds=Bounds(0, 0, 50, 50)),
            group("inner", "b", "c", parent_group_id="outer"),
            group("core", parent_group_id="inner", bounds=Bounds(0, 0, 1, 1)),
            group("top"),
        ],
        subgraphs=[inside],
    )


def test_loose_nodes_are_grouped() -> None:
    whole = graph(node("a"), node("b"))

    done = do(whole, "add-group", groupId="g", name=" G ", nodeIds=["b", "a"], color="#fff")

    assert group_of(whole, "g") == group("g", "b", "a", name="G", color="#fff")
    assert done.effects.created.groups == ("g",)


def test_a_new_group_nests_where_its_members_are() -> None:
    whole = nested()

    do(whole, "add-group", groupId="new", name="New", nodeIds=["c"], groupIds=["core"])

    assert group_of(whole, "inner").node_ids == ("b",)
    assert group_of(whole, "new").parent_group_id == "inner"
    assert group_of(whole, "core").parent_group_id == "new"


def test_loose_nodes_are_grouped_inside_another_group() -> None:
    whole = nested()

    do(
        whole,
        "add-group",
        groupId="new",
        name="New",
        nodeIds=["d"],
        parentGroupId="outer",
        bounds=FRAME,
    )

    assert group_of(whole, "new").parent_group_id == "outer"
    assert group_of(whole, "outer").node_ids == ("a",)
    assert group_of(whole, "outer").bounds == Bounds(-10, -10, 120, 120)


def test_an_empty_group_has_a_frame() -> None:
    whole = graph()

    do(whole, "add-group", groupId="g", name="G", nodeIds=[], bounds=FRAME)

    assert group_of(whole, "g").bounds == Bounds(0, 0, 100, 100)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"nodeIds": []}, "invalid-command"),
        ({"nodeIds": ["a", "a"]}, "invalid-command"),
        ({"nodeIds": [], "groupIds": ["top", "top"]}, "invalid-command"),
        ({"nodeIds": [], "groupIds": ["outer"], "parentGroupId": "core"}, "invalid-command"),
        ({"nodeIds": [], "groupIds": ["outer"], "parentGroupId": "outer"}, "invalid-command"),
        ({"nodeIds": [], "bounds": {**FRAME, "width": -1}}, "invalid-command"),
        ({"nodeIds": [], "bounds": {**FRAME, "width": 4e7 + 1}}, "invalid-command"),
        ({"nodeIds": [], "bounds": {**FRAME, "x": 2e7}}, "invalid-position"),
        ({"nodeIds": ["a"], "name": " "}, "invalid-name"),
        ({"nodeIds": ["no"]}, "unknown-node"),
        ({"nodeIds": ["far"]}, "cross-scope"),
        ({"nodeIds": ["a"], "groupIds": ["no"]}, "unknown-group"),
        ({"nodeIds": ["d"], "parentGroupId": "no"}, "unknown-group"),
        ({"nodeIds": ["d"], "parentGroupId": "far-group"}, "cross-scope"),
        ({"nodeIds": ["a", "b"]}, "node-in-other-group"),
        ({"nodeIds": ["a", "d"]}, "node-in-other-group"),
        ({"nodeIds": ["b"], "groupIds": ["inner"]}, "node-in-other-group"),
        ({"nodeIds": ["a"], "parentGroupId": "top"}, "node-in-other-group"),
        ({"nodeIds": ["d"], "groupId": "top"}, "id-in-use"),
        ({"nodeIds": ["d"], "groupId": "far-group"}, "id-in-use"),
        ({"nodeIds": ["d"], "groupId": "old"}, "id-retired"),
    ],
)
def test_add_group_refuses(fields: dict[str, Any], code: str) -> None:
    assert refused(nested(), "add-group", **{"name": "New", **fields}) == code


def test_the_members_of_a_removed_group_go_to_the_group_around_it() -> None:
    whole = nested()
    before = pairs(whole)

    done = do(whole, "remove-group", groupId="inner")

    assert group_of(whole, "outer").node_ids == ("a", "b", "c")
    assert group_of(whole, "core").parent_group_id == "outer"
    assert pairs(whole) == before
    assert done.effects.removed.groups == ("inner",)
    assert done.effects.removed.nodes == ()


def test_the_members_of_a_removed_outermost_group_are_loose() -> None:
    whole = nested()

    do(whole, "remove-group", groupId="outer")

    assert "a" not in whole.group_of_node
    assert group_of(whole, "inner").parent_group_id is None


def test_a_group_is_renamed() -> None:
    whole = nested()

    do(whole, "rename-group", groupId="top", name=" Other ")

    assert group_of(whole, "top").name == "Other"
    assert not do(whole, "rename-group", groupId="top", name="Other").changed


@pytest.mark.parametrize(
    ("kind", "fields", "code"),
    [
        ("remove-group", {"groupId": "no"}, "unknown-group"),
        ("remove-group", {"groupId": "far-group"}, "cross-scope"),
        ("rename-group", {"groupId": "no", "name": "x"}, "unknown-group"),
        ("rename-group", {"groupId": "top", "name": ""}, "invalid-name"),
    ],
)
def test_groups_must_be_there(kind: str, fields: dict[str, Any], code: str) -> None:
    assert refused(nested(), kind, **fields) == code


def test_a_removed_node_is_no_ghost_member_of_any_group() -> None:
    whole = nested()

    do(whole, "remove-node", nodeId="b")

    assert group_of(whole, "inner").node_ids == ("c",)
    assert "b" not in whole.group_of_node


def test_taking_back_add_and_remove_gives_frames_back() -> None:
    whole = nested()
    before = text(whole)

    made = do(whole, "add-group", groupId="new", name="New", nodeIds=["d"], bounds=FRAME)
    after = text(whole)
    gone = do(whole, "remove-group", groupId="new")
    gone.workspace.rollback()
    assert text(whole) == after
    made.workspace.rollback()

    assert text(whole) == before


def refused(whole: ProjectGraph, kind: str, **fields: Any) -> str:
    before = text(whole)
    with pytest.raises(RejectedError) as refusal:
        do(whole, kind, world=ports(retired=[("group", "old")]), **fields)
    assert text(whole) == before
    return refusal.value.code


@pytest.mark.spec("G5", "G10")
def test_a_frame_that_grew_to_the_limits_is_one_that_may_be_asked_for() -> None:
    whole = graph(
        node("a", size=Size(1e7, 1e7)),
    )
    do(whole, "add-group", groupId="in", name="In", nodeIds=["a"], bounds=FRAME)
    for x in (-1e7, 1e7):
        do(whole, "move-node", nodeId="a", position={"x": x, "y": x})
    grown = group_of(whole, "in").bounds
    assert grown is not None
    asked = {"x": grown.x, "y": grown.y, "width": grown.width, "height": grown.height}

    assert (grown.x, grown.y) == (-1e7, -1e7)
    assert grown.width == pytest.approx(3e7 + 10)
    do(whole, "add-group", groupId="again", name="Again", nodeIds=[], bounds=asked)
