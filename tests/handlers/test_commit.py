"""Commands and their answers over stdio: statuses, identity, versions, projections, changes."""

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.core.arrays import apply_changes
from tests.handlers.desk import (
    Desk,
    Json,
    add,
    canonical,
    new_action,
    ports,
    reason,
    state_of,
    wire,
)


@pytest.mark.spec("C1", "C10", "C15", "V1")
def test_an_applied_command_tells_its_version_and_all_it_did(desk: Desk) -> None:
    first = desk.revision
    answer = desk.commit(add("a"))

    assert (answer["status"], answer["changed"], answer["reason"]) == ("applied", True, None)
    assert answer["revisionId"] == answer["projection"]["revisionId"] != first
    assert answer["projection"]["revisionNumber"] == 2
    assert answer["effects"]["created"]["nodes"] == ["a"]
    assert set(answer["effects"]) == {
        "created",
        "removed",
        "updated",
        "replacedEdges",
        "droppedEdges",
        "idMap",
        "placed",
        "warnings",
    }
    version = desk.revisions()[0]
    assert version["actionId"] == answer["actionId"]
    assert (version["parentRevisionId"], version["kind"]) == (first, "add-node")
    assert (version["actor"], version["runId"], version["restoredFrom"]) == ("manual", None, None)


@pytest.mark.spec("C4", "C10")
def test_the_same_action_again_is_historical_whatever_else_differs(desk: Desk) -> None:
    expected, payload = desk.revision, add("a")
    first = desk.commit(payload, actionId="a1")
    desk.do("rename-node", nodeId="a", name="later")

    again = desk.commit(payload, actionId="a1", expectedRevisionId=expected)
    other = desk.commit(dict(reversed(payload.items())), actionId="a1", actor="ai", runId="nobody")

    for answer in (again, other):
        assert answer["status"] == "historical"
        assert answer["revisionId"] == first["revisionId"]
        assert (answer["changed"], answer["effects"]) == (True, first["effects"])
        assert answer["projection"]["revisionId"] == desk.revision
    assert len(desk.revisions()) == 3


@pytest.mark.spec("C4")
@pytest.mark.parametrize("method", ["undo", "redo", "renameProject", "applyDraft"])
def test_every_method_answers_its_action_from_the_record(desk: Desk, method: str) -> None:
    desk.do("add-node", componentId="c")
    if method == "redo":
        desk.undo()
    params: Json = {"actionId": "once"}
    if method == "renameProject":
        params["title"] = "Other"
    if method == "applyDraft":
        draft = desk.request(
            "createDraft",
            projectId=desk.project,
            title="Draft",
            nodeIds=[],
            payloads=[{"kind": "add-node", "componentId": "d"}],
        )
        params |= {"draftId": draft["draftId"], "actor": "manual", "runId": None}

    first = desk.command(method, **params)
    versions = desk.revisions()
    again = desk.command(method, **params, expectedRevisionId="long gone")
    stolen = desk.commit({"kind": "add-node", "componentId": "c"}, actionId="once")

    assert first["status"] == "applied"
    assert again["status"] == "historical"
    for name in ("revisionId", "changed", "effects"):
        assert again[name] == first[name]
    assert reason(stolen)[:2] == ("rejected", "action-id-reused")
    assert desk.revisions() == versions


@pytest.mark.spec("C4")
def test_an_action_is_known_after_a_restart_and_after_its_version_is_gone(database: Path) -> None:
    payload = add("a")
    with Desk.begin(database) as desk:
        desk.request("updateSettings", minRevisions=1, maxRevisions=3)
        first = desk.commit(payload, actionId="a1")
        for number in range(10):
            desk.do("rename-node", nodeId="a", name=f"n{number}")
        assert desk.client.close() == 0
    with Desk.spawn(database) as desk:
        again = desk.commit(payload, actionId="a1")

        assert again["status"] == "historical"
        assert again["revisionId"] == first["revisionId"]
        assert desk.refusal("getRevision", projectId="p", revisionId=first["revisionId"]) == (
            "pruned-revision",
            {"revisionId": first["revisionId"]},
        )


@pytest.mark.spec("C4")
def test_a_refused_action_may_be_sent_again_once_its_cause_is_gone(desk: Desk) -> None:
    payload = {"kind": "rename-node", "nodeId": "a", "name": "A"}

    rejected = desk.commit(payload, actionId="a1")
    conflict = desk.commit(payload, actionId="a1", expectedRevisionId="elsewhere")
    desk.commit(add("a"))
    applied = desk.commit(payload, actionId="a1")

    assert [one["status"] for one in (rejected, conflict, applied)] == [
        "rejected",
        "conflict",
        "applied",
    ]


@pytest.mark.spec("C3")
def test_every_fault_of_a_request_is_told_and_what_cannot_be_read_is_null(desk: Desk) -> None:
    answer = desk.client.request(
        "commitCommand",
        {
            "projectId": desk.project,
            "actionId": 7,
            "actor": "robot",
            "runId": None,
            "payload": {"kind": "move-node", "position": {"x": "0", "y": 0}, "extra": 1},
        },
    )

    assert (answer["actionId"], answer["projection"]["projectId"]) == (None, desk.project)
    status, code, details = reason(answer)
    assert (status, code) == ("rejected", "invalid-command")
    assert {issue["path"] for issue in details["issues"]} == {
        "/actionId",
        "/actor",
        "/expectedRevisionId",
        "/payload/nodeId",
        "/payload/position/x",
        "/payload/extra",
    }


ID = "x" * 129
# Faults that only the rules tell, with the places they have in the payload.
FAULTY: list[tuple[Json, str]] = [
    (add("a", nodeId=ID), "/nodeId"),
    (add("a", size={"width": -1, "height": 0}), "/size/width"),
    ({"kind": "set-parameter", "nodeId": "n"}, "/name"),
    ({"kind": "remove-edge"}, ""),
    (add("a", process={"kind": "command"}), "/process/argv"),
    (
        {"kind": "set-process", "nodeId": "n", "process": None, "renames": {"a/b~": "c"}},
        "/renames/a~1b~0",
    ),
]


@pytest.mark.spec("C3")
@pytest.mark.parametrize(("payload", "place"), FAULTY)
def test_faults_that_the_rules_find_are_told_by_their_place_in_the_request(
    desk: Desk, payload: Json, place: str
) -> None:
    desk.do(**add("n", outputs=ports("a/b~")))
    desk.do(**add("m"))
    desk.do("create-subgraph", nodeIds=["m"], subgraphId=f"{desk.project}-s")
    inside = {"kind": "edit-in-subgraph", "subgraphId": f"{desk.project}-s", "payload": payload}
    draft = desk.request(
        "createDraft", projectId=desk.project, title="D", nodeIds=[], payloads=[add("d"), payload]
    )["draftId"]

    def places(answer: Json) -> list[str]:
        return [issue["path"] for issue in reason(answer)[2]["issues"]]

    assert places(desk.commit(payload)) == [f"/payload{place}"]
    if payload["kind"] != "set-process":
        assert places(desk.commit(inside)) == [f"/payload/payload{place}"]
    applied = desk.command("applyDraft", draftId=draft, actor="manual", runId=None)
    assert places(applied) == [f"/payloads/1{place}"]


@pytest.mark.spec("C2", "C3", "C9")
@pytest.mark.parametrize("revision", ["", ID, "a\nb"])
def test_an_impossible_version_id_is_a_fault_of_shape(desk: Desk, revision: str) -> None:
    answer = desk.commit(
        add("a", nodeId=7), newRevisionId=revision, expectedRevisionId="old", projection="none"
    )

    status, code, details = reason(answer)
    assert (status, code) == ("rejected", "invalid-command")
    places = {issue["path"] for issue in details["issues"]}
    assert places == {"/newRevisionId", "/payload/nodeId"}


@pytest.mark.spec("C2")
def test_the_checks_come_in_their_order(desk: Desk) -> None:
    """Each command has the faults of all that come after the one that decides."""
    bad_payload = {"kind": "rename-node", "nodeId": "nobody", "name": ""}
    desk.commit(add("a"), actionId="known")

    def code(**over: Any) -> str:
        params = {"expectedRevisionId": "old", "actor": "ai", "runId": "gone", **over}
        return desk.refused(params.pop("payload", bad_payload), **params)[1]

    assert code(projectId="no", actionId="", payload={"kind": "no"}) == "unknown-kind"
    assert code(projectId="no", actionId="known") == "unknown-project"
    assert code(actionId="known") == "action-id-reused"
    assert code() == "run-not-running"
    assert code(actor="manual") == "run-not-allowed"
    assert code(actor="manual", runId=None) == "revision-moved"
    current = {"actor": "manual", "runId": None, "expectedRevisionId": desk.revision}
    assert code(**current) == "invalid-name"
    assert code(**current, payload={**bad_payload, "name": "Name"}) == "unknown-node"


@pytest.mark.spec("C5")
@pytest.mark.parametrize(
    "action_id", ["arrange:x", "arrange:", "a/1", "a/b/0042", "/7", "", "x" * 257]
)
def test_action_ids_of_the_engine_are_refused(desk: Desk, action_id: str) -> None:
    draft = desk.request(
        "createDraft", projectId=desk.project, title="D", nodeIds=[], payloads=[add("d")]
    )["draftId"]
    answers = [
        desk.commit(add("a"), actionId=action_id),
        desk.undo(actionId=action_id),
        desk.redo(actionId=action_id),
        desk.command("renameProject", actionId=action_id, title="T"),
        desk.command("applyDraft", actionId=action_id, draftId=draft, actor="manual", runId=None),
    ]

    for answer in answers:
        status, code, details = reason(answer)
        assert (status, code) == ("rejected", "invalid-command")
        assert [issue["path"] for issue in details["issues"]] == ["/actionId"]
    assert len(desk.revisions()) == 1


@pytest.mark.spec("C5")
@pytest.mark.parametrize("action_id", ["a/1b", "a/", "arrange", "1", "x" * 256, "a/\u0661"])
def test_other_action_ids_are_the_callers(desk: Desk, action_id: str) -> None:
    assert desk.commit(add("a"), actionId=action_id)["status"] == "applied"


@pytest.mark.spec("C6")
def test_of_two_clients_that_expect_one_version_exactly_one_is_applied(database: Path) -> None:
    with Desk.begin(database) as one, Desk.begin(database) as two:
        for turn in range(10):
            one.look("none")
            two.look("none")
            answers: list[Json] = []
            gate = threading.Barrier(2)

            def race(
                desk: Desk,
                name: str,
                gate: threading.Barrier = gate,
                answers: list[Json] = answers,
            ) -> None:
                gate.wait()
                answers.append(desk.commit(add(name), projection="changes"))

            threads = [
                threading.Thread(target=race, args=(desk, f"{name}{turn}"))
                for desk, name in ((one, "one"), (two, "two"))
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

            assert sorted(answer["status"] for answer in answers) == ["applied", "conflict"]
            loser = next(answer for answer in answers if answer["status"] == "conflict")
            assert loser["reason"]["code"] == "revision-moved"
            # The loser is told at once what the winner did.
            assert [change["kind"] for change in loser["changes"]] == ["node"]
        assert len(one.revisions()) == 11


@pytest.mark.spec("C8")
def test_a_command_that_changes_nothing_makes_no_version_and_is_recorded(desk: Desk) -> None:
    desk.commit(add("a"))
    before = desk.revision
    payload = {"kind": "move-node", "nodeId": "a", "position": {"x": 0, "y": 0}}

    answer = desk.commit(payload, actionId="still", newRevisionId="never-made")
    again = desk.commit(payload, actionId="still")

    assert (answer["status"], answer["changed"], answer["revisionId"]) == ("applied", False, before)
    assert (again["status"], again["changed"], again["revisionId"]) == ("historical", False, before)
    assert desk.commit(add("b"), newRevisionId="never-made")["revisionId"] == "never-made"


@pytest.mark.spec("C8", "G26")
def test_a_restore_to_another_version_makes_one_although_nothing_differs(desk: Desk) -> None:
    first = desk.commit(add("a"))["revisionId"]
    desk.do("rename-node", nodeId="a", name="x")
    back = desk.do("rename-node", nodeId="a", name=None)["revisionId"]

    equal = desk.do("restore-revision", revisionId=first)
    same = desk.do("restore-revision", revisionId=equal["revisionId"])

    assert equal["changed"]
    assert equal["revisionId"] not in {first, back}
    assert (same["changed"], same["revisionId"]) == (False, equal["revisionId"])


@pytest.mark.spec("C9")
def test_commands_are_chained_without_waiting(desk: Desk) -> None:
    names = [f"v{number}" for number in range(20)]
    expected = [desk.revision, *names]
    ids = [
        desk.client.start(
            "commitCommand",
            {
                "projectId": desk.project,
                "actionId": new_action(),
                "expectedRevisionId": expected[number],
                "newRevisionId": name,
                "actor": "manual",
                "runId": None,
                "payload": add(name),
                "projection": "none",
            },
        )
        for number, name in enumerate(names)
    ]
    answers = [desk.client.answer(id_) for id_ in ids]

    assert [answer["revisionId"] for answer in answers] == names
    assert [one["revisionId"] for one in desk.revisions()[:-1]] == names[::-1]
    assert list(desk.nodes()) == names


@pytest.mark.spec("C9")
def test_a_chosen_version_id_that_was_used_is_refused(desk: Desk) -> None:
    desk.commit(add("a"), newRevisionId="v1")
    desk.commit(add("b"))

    used = desk.refused(add("c"), newRevisionId="v1")
    bad = desk.refused(add("c"), newRevisionId="\u0000")

    assert used == ("rejected", "id-in-use", {"kind": "revision", "id": "v1"})
    assert bad[:2] == ("rejected", "invalid-command")
    assert desk.commit(add("c"), newRevisionId="v2")["revisionId"] == "v2"


@pytest.mark.spec("C11")
@pytest.mark.parametrize("status", ["applied", "historical", "conflict", "rejected"])
def test_every_status_answers_the_projection_that_was_asked_for(desk: Desk, status: str) -> None:
    desk.commit(add("a"), actionId="done")
    current = desk.revision
    ids = {"projectId", "title", "revisionId", "revisionNumber", "openRun", "undo", "redo"}
    commands: dict[str, Json] = {
        "applied": {"payload": {"kind": "rename-node", "nodeId": "a", "name": None}},
        "historical": {"payload": add("a"), "actionId": "done"},
        "conflict": {"payload": add("b"), "expectedRevisionId": "old"},
        "rejected": {"payload": {"kind": "remove-node", "nodeId": "nobody"}},
    }
    over = commands[status]
    payload = over.pop("payload")

    full = desk.commit(payload, **over)
    none = desk.commit(payload, **over, projection="none")
    full_by_name = desk.commit(payload, **over, projection="full")

    assert full["status"] == none["status"] == full_by_name["status"] == status
    assert set(none["projection"]) == ids
    assert full["projection"] == full_by_name["projection"] == desk.look()
    assert {name: full["projection"][name] for name in ids} == none["projection"]
    assert (full["changes"], none["changes"]) == (None, None)
    assert full["projection"]["revisionId"] == current


@pytest.mark.spec("C11")
def test_without_a_project_there_is_no_projection(desk: Desk) -> None:
    for projection in ("full", "changes", "none"):
        answer = desk.commit(add("a"), projectId="nowhere", projection=projection)

        assert reason(answer) == ("rejected", "unknown-project", {"projectId": "nowhere"})
        assert (answer["projection"], answer["changes"]) == (None, None)


@pytest.mark.spec("C12", "C13", "C14", "G1")
def test_changes_lead_a_mirror_to_the_projection_for_every_status(desk: Desk) -> None:
    """A mirror may be any number of versions behind; changes bring it to the present."""
    mirrors = {desk.revision: desk.state()}
    payloads = [
        add("a"),
        add("b", x=300),
        add("c", x=600),
        {"kind": "connect", "edgeId": "ab", **wire("a.out", "b.in")},
        {"kind": "connect", "edgeId": "bc", **wire("b.out", "c.in")},
        {"kind": "add-group", "groupId": "g", "name": "G", "nodeIds": ["b"]},
        {"kind": "create-subgraph", "subgraphId": "s", "instanceId": "i", "nodeIds": ["a", "b"]},
        {
            "kind": "edit-in-subgraph",
            "subgraphId": "s",
            "payload": {"kind": "rename-node", "nodeId": "a", "name": "inner"},
        },
        {"kind": "set-component", "componentId": "k", "component": _component("k")},
        {"kind": "remove-node", "nodeId": "c"},
        {"kind": "dissolve-subgraph", "nodeId": "i"},
        {"kind": "restore-revision", "revisionId": desk.revision},
    ]
    for number, payload in enumerate(payloads):
        old, action = desk.revision, f"a{number}"
        applied = desk.commit(payload, actionId=action, projection="changes")
        assert applied["status"] == "applied", applied["reason"]
        assert "graph" not in applied["projection"]
        mirrors[desk.revision] = apply_changes(mirrors[old], applied["changes"])
        assert canonical(mirrors[desk.revision]) == canonical(desk.state())

        for revision, mirror in mirrors.items():
            behind: Json = {"expectedRevisionId": revision, "projection": "changes"}
            answers = [
                desk.commit(payload, actionId=action, **behind),
                desk.commit({"kind": "remove-node", "nodeId": "nobody"}, **behind),
                desk.commit({"kind": "nonsense"}, **behind),
            ]
            for answer in answers:
                assert canonical(apply_changes(mirror, answer["changes"])) == canonical(
                    mirrors[desk.revision]
                )
            assert answers[0]["status"] == "historical"
            assert answers[1]["status"] == ("rejected" if revision == desk.revision else "conflict")


@pytest.mark.spec("C12")
def test_where_changes_cannot_be_had_the_projection_is_full(desk: Desk) -> None:
    desk.commit(add("a"))
    answer = desk.commit(add("b"), expectedRevisionId="never was", projection="changes")

    assert (answer["status"], answer["changes"]) == ("conflict", None)
    assert answer["projection"] == desk.look()


@pytest.mark.spec("C17")
def test_a_refused_command_leaves_nothing_behind(desk: Desk) -> None:
    desk.commit(add("a"))
    before = desk.look()

    desk.refused({"kind": "add-node", "nodeId": "b", "componentId": "c", "groupId": "no"})
    desk.refused(add("b", parameters={"x": 1}, annotation="n" * 70_000))

    assert desk.look() == before
    assert desk.commit(add("b"))["status"] == "applied"


@pytest.mark.spec("C16", "W8")
def test_notifications_follow_the_answer_that_caused_them(desk: Desk) -> None:
    seen = len(desk.client.received)
    before = desk.look()
    run = desk.run()
    answer = desk.commit(add("a"), actor="ai", runId=run)
    desk.look()
    received = desk.client.received[seen:]

    places = {
        message.get("method") or str(message["result"].get("status")): place
        for place, message in enumerate(received)
    }
    told = next(one["params"] for one in received if one.get("method") == "projectChanged")
    assert places["applied"] < places["projectChanged"]
    assert (told["origin"], told["actionId"], told["actor"]) == ("self", answer["actionId"], "ai")
    assert (told["fromRevisionId"], told["runId"]) == (before["revisionId"], run)
    assert told["revisionId"] == answer["revisionId"]
    assert apply_changes(state_of(before), told["changes"]) == desk.state()
    runs = [one["params"]["run"] for one in received if one.get("method") == "runChanged"]
    assert [one["steps"] for one in runs] == [0, 1]


def _component(id_: str) -> Json:
    return {"componentId": id_, "name": id_, "kind": "builtin"}
