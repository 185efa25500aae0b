"""Rules of the graph functions that the recorded vectors leave open."""

import pytest

from sidecar.core.conversation.apply import apply
from sidecar.core.conversation.branching import select_frame
from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.materialize import materialize
from sidecar.core.conversation.validation import validate
from sidecar.core.conversation.values import Graph
from tests.core.conversation.examples import ROOT, command, flat, reply, session, tool


def with_child(graph: Graph, *, origin: str) -> Graph:
    """The graph with a reviewer's frame that began at a message of the root frame."""
    frame = {
        "id": "f1",
        "parentFrameId": graph["rootFrameId"],
        "originMessageId": origin,
        "originBindingState": "validated",
        "kind": "reviewer",
        "status": "running",
        "activeBranchId": "b-f1",
        "createdAt": 5,
    }
    branch = {"id": "b-f1", "agentFrameId": "f1", "createdAt": 5, "updatedAt": 5}
    return {
        **graph,
        "frames": [*graph["frames"], frame],
        "branches": [*graph["branches"], branch],
    }


def test_a_frame_comes_into_view_if_its_origin_is_shown() -> None:
    graph = with_child(session(flat("m1"))["conversationGraph"], origin="m1")

    assert select_frame(graph, "f1")["activeFrameId"] == "f1"


def test_a_frame_stays_out_of_view_if_its_origin_is_on_another_branch() -> None:
    forked = apply(
        session(flat("m1"), reply("m2", "m1"), flat("m3")),
        [command("c", "fork-message", branchId="b2", parentBranchId=ROOT, messageId="m3")],
    )
    graph = with_child(forked["conversationGraph"], origin="m3")

    with pytest.raises(ConversationRefusedError) as caught:
        select_frame(graph, "f1")

    assert caught.value.check is Check.VIEW_ORIGIN_OFF_BRANCH


def test_an_unknown_frame_cannot_come_into_view() -> None:
    with pytest.raises(ConversationRefusedError) as caught:
        select_frame(session()["conversationGraph"], "zz")

    assert caught.value.check is Check.FRAME_UNKNOWN


def test_hidden_members_keep_their_places_in_a_group_that_a_list_reorders() -> None:
    members = [tool(f"a{n}", "m1", at=10 + n, activityGroupId="g") for n in (1, 2, 3)]
    group = {
        "id": "g",
        "title": "g",
        "sortIndex": 0,
        "activityIds": ["a1", "a3", "a2"],
        "createdAt": 11,
        "updatedAt": 11,
        "promptMessageId": "m1",
    }
    given = session(flat("m1"), activities=members, activityGroups=[group])
    cut = apply(
        given,
        [
            command(
                "c",
                "fork-activity",
                branchId="b2",
                parentBranchId=ROOT,
                messageId="m1",
                activityId="a3",
            )
        ],
    )
    assert cut["activityGroups"][0]["activityIds"] == ["a1", "a2"]
    cut["activityGroups"][0]["activityIds"].reverse()

    graph = materialize(cut)["conversationGraph"]

    assert graph["activityGroups"][0]["activityIds"] == ["a2", "a1", "a3"]


def test_a_chain_of_ten_thousand_messages_and_branches_is_validated_without_recursion() -> None:
    given = session(*(flat(f"m{n}") for n in range(10_000)))
    graph = given["conversationGraph"]
    for n in range(2_000):
        parent = graph["branches"][-1]
        graph["branches"].append(
            {
                "id": f"b{n}",
                "agentFrameId": parent["agentFrameId"],
                "parentBranchId": parent["id"],
                "headMessageId": "m9999",
                "createdAt": 1,
                "updatedAt": 1,
            }
        )

    validate(graph)
