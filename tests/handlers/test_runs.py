"""Runs over stdio: every transition, and the error of each that is not allowed."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.handlers.desk import Desk, Json, add, canonical, reason, wire


def run_of(desk: Desk, run: str) -> Json:
    found: Json = desk.request("getRun", runId=run)
    return found


def _running(desk: Desk, run: str) -> None:
    assert run_of(desk, run)["status"] == "running"


def _paused(desk: Desk, run: str) -> None:
    desk.request("pauseRun", runId=run)


def _closed(desk: Desk, run: str) -> None:
    desk.request("closeRun", runId=run)


def _cancelled(desk: Desk, run: str) -> None:
    desk.request("cancelRun", runId=run)


def _superseded(desk: Desk, _: str) -> None:
    desk.run()


STATES: dict[str, Callable[[Desk, str], None]] = {
    "running": _running,
    "paused": _paused,
    "closed": _closed,
    "cancelled": _cancelled,
    "superseded": _superseded,
}
# What a call makes of a run: its status and why it ended; None: an error that tells the run.
TRANSITIONS: dict[tuple[str, str], tuple[str, str | None, str | None] | None] = {
    ("running", "pauseRun"): ("paused", "requested", None),
    ("running", "resumeRun"): ("running", None, None),
    ("running", "cancelRun"): ("cancelled", None, "cancelled"),
    ("running", "closeRun"): ("closed", None, "closed"),
    ("paused", "pauseRun"): ("paused", "requested", None),
    ("paused", "resumeRun"): ("running", None, None),
    ("paused", "cancelRun"): ("cancelled", None, "cancelled"),
    ("paused", "closeRun"): ("closed", None, "closed"),
    ("closed", "pauseRun"): None,
    ("closed", "resumeRun"): None,
    ("closed", "cancelRun"): ("closed", None, "closed"),
    ("closed", "closeRun"): ("closed", None, "closed"),
    ("cancelled", "pauseRun"): None,
    ("cancelled", "resumeRun"): None,
    ("cancelled", "cancelRun"): ("cancelled", None, "cancelled"),
    ("cancelled", "closeRun"): ("cancelled", None, "cancelled"),
    ("superseded", "pauseRun"): None,
    ("superseded", "resumeRun"): None,
    ("superseded", "cancelRun"): ("closed", None, "superseded"),
    ("superseded", "closeRun"): ("closed", None, "superseded"),
}


@pytest.mark.spec("R1", "R2", "R3", "R4", "R8")
@pytest.mark.parametrize(("state", "call"), TRANSITIONS)
def test_every_call_in_every_state(desk: Desk, state: str, call: str) -> None:
    run = desk.run()
    desk.do("add-node", componentId="c", run=run)
    STATES[state](desk, run)
    before = run_of(desk, run)
    expected = TRANSITIONS[state, call]

    if expected is None:
        assert desk.refusal(call, runId=run) == ("run-state", {"run": before})
        assert run_of(desk, run) == before
        return
    answered = desk.request(call, runId=run)

    assert (answered["status"], answered["pauseReason"], answered["endReason"]) == expected
    assert answered == run_of(desk, run)
    assert (answered["endedAt"] is None) == (answered["endReason"] is None)
    if before["endedAt"] is not None or (state, call) == ("paused", "pauseRun"):
        assert answered == before


@pytest.mark.spec("R2", "R7")
@pytest.mark.parametrize("state", [state for state in STATES if state != "running"])
def test_commands_of_a_run_that_is_not_running_are_conflicts(desk: Desk, state: str) -> None:
    run = desk.run()
    STATES[state](desk, run)
    desk.look()

    status, code, details = desk.refused(add("a"), actor="ai", runId=run)

    known = {"superseded": "closed"}.get(state, state)
    assert (status, code) == ("conflict", "run-not-running")
    assert details == {"runId": run, "status": known}
    assert desk.nodes() == {}
    assert desk.commit(add("a"))["status"] == "applied"


@pytest.mark.spec("R8")
@pytest.mark.parametrize("call", ["pauseRun", "resumeRun", "cancelRun", "closeRun", "getRun"])
def test_a_run_that_never_was_is_named(desk: Desk, call: str) -> None:
    assert desk.refusal(call, runId="never") == ("unknown-run", {"runId": "never"})


@pytest.mark.spec("R1")
def test_a_project_has_one_open_run(desk: Desk) -> None:
    runs = [desk.run() for _ in range(4)]
    desk.request("pauseRun", runId=runs[-1])
    runs.append(desk.run())

    listed = desk.request("listRuns", projectId=desk.project)["items"]

    assert [one["runId"] for one in listed] == runs[::-1]
    assert [one["status"] for one in listed] == ["running", *["closed"] * 4]
    assert {one["endReason"] for one in listed[1:]} == {"superseded"}
    assert desk.look()["openRun"] == listed[0]


@pytest.mark.spec("R1")
def test_the_same_run_started_again_is_that_run(desk: Desk) -> None:
    run = desk.run(runId=desk.project + "-run", stepLimit=3)
    desk.do("add-node", componentId="c", run=run)
    known = run_of(desk, run)
    other = Desk(desk.client, desk.project + "-other")
    other.create()

    assert desk.request("startRun", projectId=desk.project, runId=run) == known
    assert other.refusal("startRun", projectId=other.project, runId=run)[0] == "id-in-use"
    desk.request("closeRun", runId=run)
    again = desk.request("startRun", projectId=desk.project, runId=run)
    assert again["status"] == "closed"
    assert desk.look()["openRun"] is None


@pytest.mark.spec("R1")
def test_a_run_begins_at_the_current_version_with_what_it_was_given(desk: Desk) -> None:
    desk.do("add-node", componentId="c")
    started = desk.request(
        "startRun",
        projectId=desk.project,
        sessionId="chat",
        promptMessageId="prompt",
        stepLimit=7,
    )
    current = desk.look("none")["revisionId"]

    assert started["startRevisionId"] == started["expectedRevisionId"] == current
    assert (started["sessionId"], started["promptMessageId"]) == ("chat", "prompt")
    assert (started["steps"], started["stepLimit"]) == (0, 7)
    assert desk.issues("startRun", projectId=desk.project, stepLimit=0) == {"/stepLimit"}
    assert desk.refusal("startRun", projectId="nowhere") == (
        "unknown-project",
        {"projectId": "nowhere"},
    )


@pytest.mark.spec("R6")
def test_the_step_that_reaches_the_limit_lands_and_pauses_the_run(desk: Desk) -> None:
    run = desk.run(stepLimit=3)
    desk.do("add-node", nodeId="a", componentId="c", run=run)
    # A step that changes nothing counts, one that is refused or repeated does not.
    desk.do("rename-node", nodeId="a", name=None, run=run)
    desk.refused({"kind": "remove-node", "nodeId": "x"}, actor="ai", runId=run)
    last = desk.commit(add("b"), actor="ai", runId=run, actionId="last")
    again = desk.commit(add("b"), actor="ai", runId=run, actionId="last")

    assert last["status"] == "applied"
    paused = last["projection"]["openRun"]
    assert (paused["status"], paused["pauseReason"], paused["steps"]) == ("paused", "checkpoint", 3)
    assert again["projection"]["openRun"] == paused
    assert desk.refused(add("c"), actor="ai", runId=run)[1] == "run-not-running"

    resumed = desk.request("resumeRun", projectId=desk.project)
    assert (resumed["runId"], resumed["status"], resumed["steps"]) == (run, "running", 0)
    for name in "cde":
        desk.do("add-node", nodeId=name, componentId="c", run=run)
    assert run_of(desk, run)["pauseReason"] == "checkpoint"


@pytest.mark.spec("R6", "W14")
def test_the_limit_is_a_setting_unless_it_is_given(desk: Desk) -> None:
    before = desk.request("getSettings")["stepsPerAnswer"]
    changed = desk.request("updateSettings", stepsPerAnswer=2)
    run = desk.run()
    limits = [run_of(desk, run)["stepLimit"], run_of(desk, desk.run(stepLimit=9))["stepLimit"]]
    desk.request("updateSettings", stepsPerAnswer=before)

    assert (changed["stepsPerAnswer"], limits) == (2, [2, 9])
    assert desk.issues("updateSettings", stepsPerAnswer=0, maxRevisions=0) == {
        "/stepsPerAnswer",
        "/maxRevisions",
    }
    assert desk.request("getSettings")["stepsPerAnswer"] == before


@pytest.mark.spec("R3")
def test_resuming_a_project_continues_its_paused_run_or_starts_one(desk: Desk) -> None:
    fresh = desk.request("resumeRun", projectId=desk.project)
    same = desk.request("resumeRun", projectId=desk.project)
    desk.request("pauseRun", runId=fresh["runId"])
    desk.do("add-node", nodeId="a", componentId="c")
    continued = desk.request("resumeRun", projectId=desk.project)
    desk.request("cancelRun", runId=fresh["runId"])
    other = desk.request("resumeRun", projectId=desk.project)

    assert (fresh["status"], fresh["steps"]) == ("running", 0)
    assert same == fresh
    assert continued["runId"] == fresh["runId"]
    assert continued["expectedRevisionId"] == desk.revision
    assert continued["startRevisionId"] == fresh["startRevisionId"]
    assert other["runId"] != fresh["runId"]
    both = {"projectId": desk.project, "runId": fresh["runId"]}
    assert desk.issues("resumeRun", **both) == desk.issues("resumeRun") == {""}


@pytest.mark.spec("R7")
def test_a_persons_command_moves_the_run_along(desk: Desk) -> None:
    run = desk.run()
    desk.do("add-node", nodeId="a", componentId="c", run=run)
    behind = desk.revision
    desk.do("add-node", nodeId="b", componentId="c")

    assert run_of(desk, run)["expectedRevisionId"] == desk.revision != behind
    assert run_of(desk, run)["steps"] == 1
    assert desk.refused(add("c"), actor="ai", runId=run, expectedRevisionId=behind) == (
        "conflict",
        "revision-moved",
        {"expected": behind, "current": desk.revision},
    )
    desk.do("add-node", nodeId="c", componentId="c", run=run)


def _boxes(desk: Desk) -> dict[str, tuple[float, float, float, float]]:
    boxes = {}
    for node_id, one in desk.nodes().items():
        size = one["size"] or {"width": 240, "height": 120}
        x, y = one["position"]["x"], one["position"]["y"]
        boxes[node_id] = (x, y - 32, x + size["width"], y + size["height"])
    return boxes


def overlaps(desk: Desk) -> list[tuple[str, str]]:
    boxes = sorted(_boxes(desk).items())
    return [
        (one, other)
        for place, (one, a) in enumerate(boxes)
        for other, b in boxes[place + 1 :]
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]


def _build(desk: Desk, run: str, letter: str = "m") -> None:
    """Have a run build a chain of four, all asked for at one place."""
    one, two, three, four = (f"{letter}{number}" for number in range(1, 5))
    for name in (one, two, three, four):
        desk.do(**add(name), run=run)
    for source, target in ((four, three), (three, two), (two, one)):
        desk.do("connect", **wire(f"{source}.out", f"{target}.in"), run=run)


@pytest.mark.spec("R5", "V3", "G8")
def test_closing_arranges_what_the_run_made_and_nothing_else(desk: Desk) -> None:
    desk.do(**add("old"))
    start = desk.state()
    run = desk.run()
    _build(desk, run)
    desk.do("move-node", nodeId="m4", position={"x": 5000, "y": 77})
    before = desk.nodes()
    run_version = desk.revision

    closed = desk.request("closeRun", runId=run)

    version = desk.revisions()[0]
    after = desk.nodes()
    assert closed["arrangement"] == {
        "status": "applied",
        "revisionId": version["revisionId"],
        "code": None,
    }
    assert (version["kind"], version["actionId"]) == ("arrange-run", f"arrange:{run}")
    assert (version["actor"], version["runId"]) == ("ai", run)
    assert version["parentRevisionId"] == run_version
    assert closed["expectedRevisionId"] == version["revisionId"]
    moved = {name for name in after if after[name]["position"] != before[name]["position"]}
    assert moved <= {"m1", "m2", "m3"}
    assert moved
    assert after["m4"]["position"] == {"x": 5000, "y": 77}
    for name in after:
        assert {**after[name], "position": None} == {**before[name], "position": None}
    assert overlaps(desk) == []
    assert closed["steps"] == 7
    # The person's move stands between: the arrangement is a step of its own, then that move.
    desk.undo()
    assert desk.nodes() == before
    desk.undo()
    desk.undo()
    assert canonical(desk.state()) == canonical(start)


@pytest.mark.spec("R5")
def test_what_a_run_restored_it_did_not_make_and_nothing_of_it_is_arranged(desk: Desk) -> None:
    for name, x in (("right", 3000), ("left", 0)):
        desk.do(**add(name, x=x))
    desk.do("connect", **wire("right.out", "left.in"))
    kept = desk.revision
    for name in ("right", "left"):
        desk.do("remove-node", nodeId=name)
    run = desk.run()

    desk.do("restore-revision", run=run, revisionId=kept)

    before = desk.nodes()
    assert list(before) == ["right", "left"]
    assert desk.request("closeRun", runId=run)["arrangement"]["status"] == "nothing"
    assert desk.nodes() == before


@pytest.mark.spec("R5", "G20")
def test_what_a_run_folded_up_it_did_not_make_and_nothing_of_it_is_arranged(desk: Desk) -> None:
    for name, x in (("right", 3000), ("left", 0)):
        desk.do(**add(name, x=x))
    desk.do("connect", **wire("right.out", "left.in"))
    run = desk.run()
    desk.do("create-subgraph", run=run, nodeIds=["right", "left"], instanceId="box")
    before = desk.look()["graph"]

    assert desk.request("closeRun", runId=run)["arrangement"]["status"] == "nothing"
    assert desk.look()["graph"] == before


@pytest.mark.spec("R5")
def test_what_a_person_took_out_of_a_definition_stays_where_it_was_put(desk: Desk) -> None:
    run = desk.run()
    for name, x in (("right", 3000), ("left", 0), ("third", 9000)):
        desk.do(run=run, **add(name, x=x))
    desk.do("connect", run=run, **wire("right.out", "left.in"))
    desk.do("create-subgraph", run=run, nodeIds=["right", "left"], instanceId="box")
    desk.do("move-node", nodeId="box", position={"x": -4000, "y": 700})
    desk.do("dissolve-subgraph", nodeId="box")
    before = desk.nodes()

    desk.request("closeRun", runId=run)

    after = desk.nodes()
    assert before["left"]["position"] != {"x": 0, "y": 0}
    for name in ("right", "left"):
        assert after[name] == before[name]


@pytest.mark.spec("R5", "V3")
def test_an_arrangement_is_inside_the_runs_step(desk: Desk) -> None:
    start = desk.state()
    run = desk.run()
    _build(desk, run)
    desk.request("closeRun", runId=run)

    step = desk.look()["undo"]
    assert (step["runId"], step["commands"]) == (run, 8)
    assert desk.undo()["status"] == "applied"
    assert canonical(desk.state()) == canonical(start)


@pytest.mark.spec("R5")
def test_the_same_run_is_arranged_alike(desk: Desk) -> None:
    places: list[list[Json]] = []
    for letter in "mk":
        run = desk.run()
        _build(desk, run, letter)
        desk.request("closeRun", runId=run)
        places.append([one["position"] for one in desk.nodes().values()])
        desk.undo()

    assert places[0] == places[1]


@pytest.mark.spec("R5")
@pytest.mark.parametrize("made", ["nothing", "one-that-is-gone", "one-in-place"])
def test_where_nothing_would_move_closing_makes_no_version(desk: Desk, made: str) -> None:
    run = desk.run()
    if made != "nothing":
        desk.do(**add("m"), run=run)
    if made == "one-that-is-gone":
        desk.do("remove-node", nodeId="m", run=run)
    before = desk.revision

    closed = desk.request("closeRun", runId=run)

    assert closed["arrangement"] == {"status": "nothing", "revisionId": None, "code": None}
    assert desk.look("none")["revisionId"] == before
    assert desk.request("closeRun", runId=run) == closed


@pytest.mark.spec("R5")
def test_what_a_run_made_inside_a_definition_is_arranged_there(desk: Desk) -> None:
    desk.do(**add("inner"))
    desk.do("create-subgraph", nodeIds=["inner"], subgraphId="s", instanceId="i")
    run = desk.run()
    for name in ("x", "y"):
        payload = {**add(name), "position": {"x": 0, "y": 0}}
        desk.do("edit-in-subgraph", subgraphId="s", payload=payload, run=run)
    joined = {"kind": "connect", **wire("y.out", "x.in")}
    desk.do("edit-in-subgraph", subgraphId="s", payload=joined, run=run)
    before = desk.look()

    desk.request("closeRun", runId=run)

    after = desk.look()
    (old,), (new,) = before["graph"]["subgraphs"], after["graph"]["subgraphs"]
    placed = {one["nodeId"]: one["position"] for one in new["nodes"]}
    assert placed["y"]["x"] < placed["x"]["x"]
    assert placed["inner"] == next(
        one["position"] for one in old["nodes"] if one["nodeId"] == "inner"
    )
    assert after["graph"]["nodes"] == before["graph"]["nodes"]


@pytest.mark.spec("R4", "V3")
def test_what_a_cancelled_run_built_stays_and_goes_in_one_step(desk: Desk) -> None:
    start = desk.state()
    run = desk.run()
    _build(desk, run)
    built = desk.state()

    cancelled = desk.request("cancelRun", runId=run)

    assert cancelled["arrangement"] is None
    assert canonical(desk.state()) == canonical(built)
    desk.undo()
    assert canonical(desk.state()) == canonical(start)


@pytest.mark.spec("V5")
@pytest.mark.parametrize("method", ["undo", "redo"])
def test_undo_waits_for_a_running_run_and_not_for_a_paused_one(desk: Desk, method: str) -> None:
    desk.do(**add("a"))
    if method == "redo":
        desk.undo()
    run = desk.run()

    assert reason(desk.command(method)) == ("conflict", "run-open", {"runId": run})
    assert reason(desk.command(method, expectedRevisionId="old"))[1] == "revision-moved"
    desk.request("pauseRun", runId=run)
    assert desk.command(method)["status"] == "applied"
    assert run_of(desk, run)["expectedRevisionId"] == desk.revision


@pytest.mark.spec("W12")
def test_runs_are_listed_in_pages_newest_first(desk: Desk) -> None:
    runs = [desk.run() for _ in range(5)]
    found: list[str] = []
    page: Json = {"before": None}
    while not found or page["before"] is not None:
        page = desk.request("listRuns", projectId=desk.project, limit=2, before=page["before"])
        found += [one["runId"] for one in page["items"]]

    assert found == runs[::-1]
    assert desk.issues("listRuns", projectId=desk.project, limit=0) == {"/limit"}
    assert desk.issues("listRuns", projectId=desk.project, limit=501) == {"/limit"}
    assert desk.issues("listRuns", projectId=desk.project, before="made up") == {"/before"}


@pytest.mark.spec("C16")
def test_every_change_of_a_run_is_told(desk: Desk) -> None:
    seen = len(desk.client.notifications)
    run = desk.run(stepLimit=1)
    desk.do("add-node", componentId="c", run=run)
    desk.request("resumeRun", runId=run)
    desk.request("pauseRun", runId=run)
    desk.request("pauseRun", runId=run)
    desk.request("closeRun", runId=run)
    desk.look()

    told: list[Any] = [
        (note["params"]["run"]["status"], note["params"]["run"]["pauseReason"])
        for note in desk.client.notifications[seen:]
        if note["method"] == "runChanged"
    ]
    assert told == [
        ("running", None),
        ("paused", "checkpoint"),
        ("running", None),
        ("paused", "requested"),
        ("closed", None),
    ]
