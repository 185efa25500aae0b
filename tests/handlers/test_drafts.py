"""Drafts over stdio: kept, stale for good, applied all or none as one step."""

from typing import Any

import pytest

from tests.handlers.desk import Desk, Json, add, canonical, reason, wire
from tests.handlers.test_refusals import COMFYUI


def draft(desk: Desk, *payloads: Json, nodes: tuple[str, ...] = (), **over: Any) -> Json:
    params = {"title": "Draft", "nodeIds": list(nodes), "payloads": list(payloads), **over}
    made: Json = desk.request("createDraft", projectId=desk.project, **params)
    return made


def listed(desk: Desk) -> dict[str, Json]:
    items = desk.request("listDrafts", projectId=desk.project)["items"]
    return {one["draftId"]: one for one in items}


def apply_(desk: Desk, made: Json, **over: Any) -> Json:
    params: Json = {"actor": "manual", "runId": None, **over}
    return desk.command("applyDraft", draftId=made["draftId"], **params)


@pytest.mark.spec("D3")
def test_a_draft_keeps_what_it_was_given_and_changes_nothing(desk: Desk) -> None:
    desk.do(**add("a"))
    before = desk.look()

    made = draft(desk, add("b"), {"kind": "remove-node", "nodeId": "a"}, nodes=("a",))

    assert made == {
        "draftId": made["draftId"],
        "projectId": desk.project,
        "title": "Draft",
        "nodeIds": ["a"],
        "documentId": None,
        "baseRevisionId": desk.revision,
        "payloads": [add("b"), {"kind": "remove-node", "nodeId": "a"}],
        "status": "open",
        "staleReason": None,
    }
    assert listed(desk) == {made["draftId"]: made}
    assert desk.look() == before


@pytest.mark.spec("D3")
def test_the_same_draft_again_is_that_draft(desk: Desk) -> None:
    id_ = f"{desk.project}-d"
    made = draft(desk, add("b"), draftId=id_)

    assert draft(desk, add("b"), draftId=id_) == made
    same = {"projectId": desk.project, "draftId": id_, "title": "Draft", "nodeIds": []}
    assert desk.refusal("createDraft", **same, payloads=[add("c")])[0] == "id-in-use"
    other = {**same, "payloads": [add("b")]}
    desk.do(**add("a"))
    for change in ({"title": "Another"}, {"nodeIds": ["a"]}):
        assert desk.refusal("createDraft", **{**other, **change})[0] == "id-in-use"


@pytest.mark.spec("D3", "W7")
@pytest.mark.parametrize("other", [True, 1.0])
def test_a_draft_whose_value_is_another_kind_of_number_is_another_draft(
    desk: Desk, other: object
) -> None:
    id_ = f"{desk.project}-d"
    draft(desk, add("b", parameters={"v": [1]}), draftId=id_)

    same = {"projectId": desk.project, "draftId": id_, "title": "Draft", "nodeIds": []}
    payloads = [add("b", parameters={"v": [other]})]
    assert desk.refusal("createDraft", **same, payloads=payloads)[0] == "id-in-use"


@pytest.mark.spec("D3")
def test_what_no_draft_can_hold_is_refused_place_by_place(desk: Desk) -> None:
    def faults(*payloads: Json, **over: Any) -> set[str]:
        params = {"title": "D", "nodeIds": [], "payloads": list(payloads), **over}
        return desk.issues("createDraft", projectId=desk.project, **params)

    assert faults() == {"/payloads"}
    assert faults(*[add("x")] * 1001) == {"/payloads"}
    assert faults(add("x"), {"kind": "restore-revision", "revisionId": "v"}) == {"/payloads/1/kind"}
    assert faults({"kind": "open-native", "content": {}}) == {"/payloads/0/kind"}
    assert faults({"kind": "open-native", "content": {}}, {"kind": "what"}) == {
        "/payloads/0/kind",
        "/payloads/1/kind",
    }
    assert faults({"kind": "move-node"}, {"kind": "what"}) >= {
        "/payloads/0/nodeId",
        "/payloads/0/position",
        "/payloads/1/kind",
    }
    desk.do(**add("there"))
    assert faults(add("x"), nodeIds=["there", "nobody"]) == {"/nodeIds/1"}
    assert faults(add("x"), title=" ") == {"/title"}
    assert listed(desk) == {}


@pytest.mark.spec("D6", "V3")
def test_a_draft_is_applied_version_by_version_as_one_step(desk: Desk) -> None:
    desk.do(**add("a"))
    before, number = desk.state(), len(desk.revisions())
    made = draft(
        desk,
        {"kind": "rename-node", "nodeId": "a", "name": "one"},
        {"kind": "rename-node", "nodeId": "a", "name": "one"},
        add("b"),
        {"kind": "remove-node", "nodeId": "b"},
        add("c"),
        nodes=("a",),
    )

    answer = apply_(desk, made, actionId="act")

    versions = desk.revisions()
    new = versions[: len(versions) - number]
    assert (answer["status"], answer["changed"]) == ("applied", True)
    assert answer["revisionId"] == new[0]["revisionId"]
    assert [one["actionId"] for one in new] == ["act/4", "act/3", "act/2", "act/1"]
    assert [one["kind"] for one in new] == ["add-node", "remove-node", "add-node", "rename-node"]
    assert answer["effects"]["created"]["nodes"] == ["c"]
    assert answer["effects"]["updated"]["nodes"] == ["a"]
    assert answer["effects"]["removed"]["nodes"] == []
    assert answer["projection"]["undo"]["commands"] == 4
    assert listed(desk)[made["draftId"]]["status"] == "applied"
    desk.undo()
    assert canonical(desk.state()) == canonical(before)
    desk.redo()
    assert list(desk.nodes()) == ["a", "c"]


@pytest.mark.spec("D6", "C15")
def test_what_each_payload_of_a_draft_reported_is_told_in_order(desk: Desk) -> None:
    for name in "abc":
        desk.do(**add(name))
    desk.do("connect", edgeId="first", **wire("a.out", "c.in"))
    made = draft(
        desk,
        {"kind": "connect", "edgeId": "second", **wire("b.out", "c.in")},
        {"kind": "remove-node", "nodeId": "b"},
        {"kind": "import-workflow", "content": COMFYUI},
    )

    effects = apply_(desk, made)["effects"]

    assert [one["edge"]["edgeId"] for one in effects["replacedEdges"]] == ["first"]
    assert [one["edge"]["edgeId"] for one in effects["droppedEdges"]] == ["second"]
    assert {one["new"] for one in effects["idMap"]} >= set(effects["created"]["nodes"])
    assert effects["created"]["nodes"]
    assert effects["removed"]["edges"] == ["first"]


@pytest.mark.spec("D6")
def test_a_draft_that_cannot_be_applied_names_the_payload_and_changes_nothing(desk: Desk) -> None:
    desk.do(**add("a"))
    made = draft(desk, add("b"), add("c"), {"kind": "remove-node", "nodeId": "x"}, add("d"))
    before, versions = desk.look(), desk.revisions()

    status, code, details = reason(apply_(desk, made))

    assert (status, code) == ("rejected", "unknown-node")
    assert details == {"nodeId": "x", "payloadIndex": 2}
    assert desk.look() == before
    assert desk.revisions() == versions
    assert listed(desk)[made["draftId"]] == made
    # Ids that it would have used are free.
    desk.do(**add("b"))


@pytest.mark.spec("D6", "R6")
def test_a_draft_applied_by_a_run_is_one_step_of_it(desk: Desk) -> None:
    made = draft(desk, add("a"), add("b"), add("c"))
    run = desk.run(stepLimit=2)

    answer = apply_(desk, made, actor="ai", runId=run)

    assert (answer["status"], answer["projection"]["openRun"]["steps"]) == ("applied", 1)
    assert answer["projection"]["openRun"]["expectedRevisionId"] == desk.revision
    assert answer["projection"]["undo"]["runId"] == run
    # Placed as the assistant's: nothing overlaps.
    assert len({canonical(one["position"]) for one in desk.nodes().values()}) == 3


@pytest.mark.spec("D4", "D6")
def test_a_draft_that_removes_its_own_node_is_told_as_applied_and_never_as_stale(
    desk: Desk,
) -> None:
    desk.do(**add("a"))
    made = draft(desk, {"kind": "remove-node", "nodeId": "a"}, add("b"), nodes=("a",))
    desk.client.received.clear()

    apply_(desk, made)
    desk.look()

    told = [
        one["params"]["draft"]["status"]
        for one in desk.client.received
        if one.get("method") == "draftChanged"
    ]
    assert told == ["applied"]


@pytest.mark.spec("D5", "D6", "E1")
def test_only_an_open_draft_is_applied(desk: Desk) -> None:
    applied, discarded, stale = (draft(desk, add(f"{n}"), title=f"D{n}") for n in range(3))
    desk.do(**add("gone"))
    stale = draft(desk, add("s"), nodes=("gone",))
    apply_(desk, applied)
    desk.request("discardDraft", draftId=discarded["draftId"])
    desk.do("remove-node", nodeId="gone")

    for made, status in ((applied, "applied"), (discarded, "discarded"), (stale, "stale")):
        told, code, details = reason(apply_(desk, made))
        assert (told, code) == ("rejected", "draft-state")
        assert details["draft"]["status"] == status
    missing = desk.command("applyDraft", draftId="never", actor="manual", runId=None)
    assert reason(missing) == ("rejected", "unknown-draft", {"draftId": "never"})
    assert desk.refusal("discardDraft", draftId="never")[0] == "unknown-draft"
    assert desk.refusal("discardDraft", draftId=applied["draftId"])[0] == "draft-state"
    again = desk.request("discardDraft", draftId=discarded["draftId"])
    assert again["status"] == "discarded"


@pytest.mark.spec("D4")
def test_a_draft_is_stale_for_good_once_a_node_of_it_is_gone(desk: Desk) -> None:
    desk.do(**add("a"))
    desk.do(**add("b", x=300))
    made = draft(desk, add("x"), nodes=("a", "b"))
    free = draft(desk, add("y"))
    # Inside a definition a node still is in a scope.
    desk.do("create-subgraph", nodeIds=["a"], subgraphId="s", instanceId="i")
    assert listed(desk)[made["draftId"]]["status"] == "open"

    desk.do("edit-in-subgraph", subgraphId="s", payload={"kind": "remove-node", "nodeId": "a"})
    stale = listed(desk)[made["draftId"]]
    desk.undo()
    desk.look()
    after = listed(desk)

    assert (stale["status"], stale["staleReason"]) == ("stale", "node-gone")
    assert after[made["draftId"]] == stale
    assert after[free["draftId"]]["status"] == "open"


@pytest.mark.spec("D4")
@pytest.mark.parametrize("way", ["open-native", "undo", "restore-revision"])
def test_a_draft_is_stale_once_another_document_is_open(desk: Desk, way: str) -> None:
    first = desk.revision
    desk.do("open-native", content=COMFYUI)
    made = draft(desk, add("x"))
    desk.do(**add("more", x=2000))
    assert listed(desk)[made["draftId"]]["status"] == "open"

    if way == "open-native":
        desk.do("open-native", content=COMFYUI)
    elif way == "undo":
        desk.undo()
        desk.undo()
    else:
        desk.do("restore-revision", revisionId=first)
    stale = listed(desk)[made["draftId"]]
    desk.undo()

    assert (stale["status"], stale["staleReason"]) == ("stale", "document-changed")
    assert listed(desk)[made["draftId"]] == stale


@pytest.mark.spec("D4")
def test_another_document_is_told_where_the_nodes_are_gone_too(desk: Desk) -> None:
    desk.do(**add("a"))
    made = draft(desk, add("b"), nodes=("a",))
    desk.do("open-native", content=COMFYUI)

    stale = listed(desk)[made["draftId"]]
    assert (stale["status"], stale["staleReason"]) == ("stale", "document-changed")


@pytest.mark.spec("D4", "C16")
def test_every_change_of_a_draft_is_told(desk: Desk) -> None:
    desk.do(**add("a"))
    seen = len(desk.client.notifications)
    one = draft(desk, add("x"), nodes=("a",), title="One")
    two = draft(desk, add("y"), title="Two")
    draft(desk, add("z"), title="Three")
    apply_(desk, two)
    desk.do("remove-node", nodeId="a")
    desk.request("discardDraft", draftId=one["draftId"])
    desk.look()

    told = [
        (note["params"]["draft"]["title"], note["params"]["draft"]["status"])
        for note in desk.client.notifications[seen:]
        if note["method"] == "draftChanged"
    ]
    assert told == [
        ("One", "open"),
        ("Two", "open"),
        ("Three", "open"),
        ("Two", "applied"),
        ("One", "stale"),
        ("One", "discarded"),
    ]


@pytest.mark.spec("C3", "C11", "D6")
@pytest.mark.parametrize(
    "over", [{"actionId": "mine/1"}, {"actor": "robot"}, {"extra": 1}, {"expectedRevisionId": 7}]
)
def test_an_application_that_does_not_fit_shows_the_drafts_project(desk: Desk, over: Json) -> None:
    made = draft(desk, add("b"))
    answer = apply_(desk, made, **over)
    unknown = apply_(desk, {"draftId": "nobody's"}, **over)
    unreadable = apply_(desk, {"draftId": 7}, **over)

    assert reason(answer)[:2] == ("rejected", "invalid-command")
    assert answer["projection"] == desk.look()
    for refused in (unknown, unreadable):
        assert reason(refused)[:2] == ("rejected", "invalid-command")
        assert refused["projection"] is None
