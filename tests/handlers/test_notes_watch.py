"""Drafts and explanations that another process on the file wrote."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.handlers.desk import Desk, Json, add


@pytest.fixture
def one(database: Path) -> Iterator[Desk]:
    with Desk.begin(database) as desk:
        desk.do(**add("a"))
        yield desk


@pytest.fixture
def other(database: Path, one: Desk) -> Iterator[Desk]:
    with Desk.spawn(database, project=one.project) as desk:
        desk.look()
        yield desk


def draft(desk: Desk, id_: str) -> Json:
    rename = {"kind": "rename-node", "nodeId": "a", "name": "A"}
    made: Json = desk.request(
        "createDraft",
        projectId=desk.project,
        draftId=id_,
        title="D",
        nodeIds=["a"],
        payloads=[rename],
    )
    return made


@pytest.mark.spec("C16")
def test_what_another_process_makes_of_drafts_is_told(one: Desk, other: Desk) -> None:
    made = draft(one, "first")
    told = other.client.wait_told("draftChanged")
    one.request("discardDraft", draftId="first")
    discarded = other.client.wait_told("draftChanged", count=2)
    draft(one, "second")
    other.client.wait_told("draftChanged", count=3)
    one.do("remove-node", nodeId="a")
    stale = other.client.wait_told("draftChanged", count=4)
    one.request("discardDraft", draftId="second")
    gone = other.client.wait_told("draftChanged", count=5)

    assert told == {"draft": made}
    assert discarded == {"draft": {**made, "status": "discarded"}}
    assert (stale["draft"]["draftId"], stale["draft"]["status"]) == ("second", "stale")
    assert stale["draft"]["staleReason"] == "node-gone"
    assert (gone["draft"]["draftId"], gone["draft"]["status"]) == ("second", "discarded")


@pytest.mark.spec("C16")
def test_a_draft_that_one_made_oneself_and_another_process_applied_is_told(
    one: Desk, other: Desk
) -> None:
    draft(other, "mine")
    one.look()
    one.command("applyDraft", draftId="mine", actor="manual", runId=None)

    told = other.client.wait_told("draftChanged", count=2)

    assert (told["draft"]["draftId"], told["draft"]["status"]) == ("mine", "applied")


@pytest.mark.spec("C16", "R1", "D5")
def test_what_begins_and_ends_between_two_looks_is_told(one: Desk, other: Desk) -> None:
    own = other.run()
    other.request("cancelRun", runId=own)
    other.request("discardDraft", draftId=draft(other, "own")["draftId"])
    calls = [
        ("startRun", {"projectId": one.project, "runId": "short"}),
        ("closeRun", {"runId": "short"}),
        ("discardDraft", {"draftId": draft(one, "brief")["draftId"]}),
    ]
    for waiting in [one.client.start(*call) for call in calls]:
        one.client.answer(waiting)
    # Two of each were told of what the host did itself, and only once.
    run = other.client.wait_told("runChanged", count=3)["run"]
    while (run["runId"], run["status"]) == ("short", "running"):
        run = other.client.wait_told("runChanged", count=4)["run"]
    told = other.client.wait_told("draftChanged", count=3)["draft"]
    while told["status"] == "open":
        told = other.client.wait_told("draftChanged", count=4)["draft"]

    assert run == one.request("getRun", runId="short")
    assert (run["status"], run["endReason"]) == ("closed", "closed")
    assert (told["draftId"], told["status"]) == ("brief", "discarded")


@pytest.mark.spec("C16", "D1", "D2")
def test_an_explanation_removed_and_made_anew_at_once_is_told(one: Desk, other: Desk) -> None:
    about = {
        "projectId": one.project,
        "explanationId": "e",
        "subject": {"kind": "node", "id": "a"},
        "author": "ai",
    }
    one.request("setExplanation", **about, text="one")
    other.client.wait_told("explanationsChanged")
    gone = {"projectId": one.project, "explanationId": "e"}
    calls = [("removeExplanation", gone), ("setExplanation", {**about, "text": "two"})]
    for waiting in [one.client.start(*call) for call in calls]:
        one.client.answer(waiting)

    other.client.wait_told("explanationsChanged", count=2)
    (told,) = other.request("listExplanations", projectId=one.project)["items"]
    assert told["text"] == "two"


@pytest.mark.spec("C16", "D1")
def test_what_another_process_explains_is_told(one: Desk, other: Desk) -> None:
    def explain(text: str) -> None:
        one.request(
            "setExplanation",
            projectId=one.project,
            explanationId="e",
            subject={"kind": "node", "id": "a"},
            text=text,
            author="manual",
        )

    def told(count: int) -> Json:
        return other.client.wait_told("explanationsChanged", count=count)

    explain("one")
    first = told(1)
    # As long as the first, at the same version.
    explain("two")
    told(2)
    one.do("rename-node", nodeId="a", name="N")
    outdated = told(3)
    one.request("removeExplanation", projectId=one.project, explanationId="e")
    told(4)

    assert first["projectId"] == one.project
    assert outdated == {"projectId": one.project, "revisionId": one.revision}
    assert other.request("listExplanations", projectId=one.project) == {"items": []}
