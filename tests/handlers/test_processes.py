"""Several processes on one file, and runs of processes that are gone."""

import itertools
import json
import os
import resource
import signal
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.server.processes import current_owner
from tests.core.arrays import apply_changes
from tests.handlers.desk import Desk, Json, add, canonical, wire
from tests.handlers.wal import appended

ROOM_TO_CLOSE = 60_000
"""Bytes: enough to close a run, and too few for an arrangement of many nodes."""


@pytest.fixture
def one(database: Path) -> Iterator[Desk]:
    with Desk.begin(database) as desk:
        yield desk


@pytest.fixture
def other(database: Path, one: Desk) -> Iterator[Desk]:
    with Desk.spawn(database, project=one.project) as desk:
        desk.look()
        yield desk


@pytest.mark.spec("C16")
def test_what_another_process_did_is_told_soon_with_changes_that_lead_there(
    one: Desk, other: Desk
) -> None:
    mirror = other.state()
    one.do(**add("a"))
    first = other.client.wait_told("projectChanged")
    for number in range(5):
        one.do(**add(f"n{number}"))
    one.command("renameProject", title="Other")

    assert first["origin"] == "other"
    assert (first["fromRevisionId"], first["projectId"]) == (other.revision, one.project)
    assert (first["actionId"], first["actor"], first["runId"]) == (None, None, None)
    count, told = 0, first
    while told["revisionId"] != one.revision or count == 0:
        count += 1
        told = other.client.wait_told("projectChanged", count=count)
        mirror = apply_changes(mirror, told["changes"])
    assert canonical(mirror) == canonical(one.state()) == canonical(other.state())


@pytest.mark.spec("C16")
def test_what_another_process_did_is_told_before_what_one_does_oneself(
    one: Desk, other: Desk
) -> None:
    mirror = other.state()
    for number in range(5):
        one.do(**add(f"n{number}"))
    other.look("none")
    other.do(**add("mine"))
    other.look()

    told = [
        note["params"] for note in other.client.notifications if note["method"] == "projectChanged"
    ]
    assert [note["origin"] for note in told].index("self") == len(told) - 1
    for before, after in itertools.pairwise(told):
        assert after["fromRevisionId"] == before["revisionId"]
    for note in told:
        mirror = apply_changes(mirror, note["changes"])
    assert canonical(mirror) == canonical(other.state())


@pytest.mark.spec("C16")
def test_projects_and_runs_of_another_process_are_told(one: Desk, other: Desk) -> None:
    one.request("createProject", projectId="new", title="New")
    created = other.client.wait_told("projectCreated")
    one.request("deleteProject", projectId="new")
    deleted = other.client.wait_told("projectDeleted")
    run = one.run()
    started = other.client.wait_told("runChanged")
    one.request("closeRun", runId=run)
    closed = other.client.wait_told("runChanged", count=2)

    assert (created["projectId"], created["title"], created["origin"]) == ("new", "New", "other")
    assert deleted == {"projectId": "new", "origin": "other"}
    assert (started["run"]["runId"], started["run"]["status"]) == (run, "running")
    assert (closed["run"]["runId"], closed["run"]["status"]) == (run, "closed")


@pytest.mark.spec("C16")
def test_what_one_does_oneself_is_not_told_again_as_another_ones(one: Desk, other: Desk) -> None:
    other.request("createProject", projectId="mine", title="Mine")
    other.request("closeRun", runId=other.request("startRun", projectId="mine")["runId"])
    other.request("deleteProject", projectId="mine")
    other.do(**add("a"))
    one.look()
    one.do(**add("b"))

    other.client.wait_told("projectChanged", count=2)
    one.do(**add("c"))
    other.client.wait_told("projectChanged", count=3)
    methods = [note["method"] for note in other.client.notifications]
    told = {method: methods.count(method) for method in set(methods)}
    assert told == {"projectCreated": 1, "runChanged": 2, "projectDeleted": 1, "projectChanged": 3}


@pytest.mark.spec("C16")
@pytest.mark.parametrize(("length", "told"), [(1_000_000, True), (1_100_000, False)])
def test_changes_of_more_than_a_mebibyte_are_not_told_but_had(
    one: Desk, other: Desk, length: int, *, told: bool
) -> None:
    before = other.state()
    one.do(**add("large", parameters={"text": "x" * length}))

    for client, origin in ((one.client, "self"), (other.client, "other")):
        note = client.wait_told("projectChanged")
        assert (note["origin"], note["revisionId"]) == (origin, one.revision)
        assert (note["changes"] is not None) == told
    changes = other.request(
        "diffRevisions",
        projectId=one.project,
        fromRevisionId=note["fromRevisionId"],
        toRevisionId=note["revisionId"],
    )["changes"]
    assert canonical(apply_changes(before, changes)) == canonical(one.state())


@pytest.mark.spec("R9")
def test_any_process_may_use_and_end_a_run(one: Desk, other: Desk) -> None:
    run = one.run()
    other.do("add-node", nodeId="a", componentId="c", run=run)
    other.request("pauseRun", runId=run)
    one.look()
    assert one.look()["openRun"]["status"] == "paused"
    resumed = other.request("resumeRun", runId=run)

    assert resumed["owner"]["pid"] == other.client.process.pid
    one.do("add-node", nodeId="b", componentId="c", run=run)
    assert other.request("closeRun", runId=run)["status"] == "closed"


@pytest.mark.spec("R9", "L3")
def test_a_start_closes_the_run_of_a_killed_process_and_arranges_nothing(database: Path) -> None:
    with Desk.begin(database) as desk:
        run = desk.run()
        for name in "abc":
            desk.do("add-node", nodeId=name, componentId="c", run=run)
        state, revision = desk.state(), desk.revision
        desk.client.signal(signal.SIGKILL)
        desk.client.wait()
    with Desk.spawn(database) as desk:
        greeting = desk.client.received[0]["result"]["capabilities"]["experimental"]
        ended = desk.request("getRun", runId=run)

        assert greeting["closedRuns"] == [run]
        assert (ended["status"], ended["endReason"]) == ("closed", "stale")
        assert ended["arrangement"] is None
        assert canonical(desk.state()) == canonical(state)
        assert (desk.revision, desk.look()["openRun"]) == (revision, None)
        step = desk.look()["undo"]
        assert (step["runId"], step["commands"]) == (run, 3)
    with Desk.spawn(database) as desk:
        greeting = desk.client.received[0]["result"]["capabilities"]["experimental"]
        assert greeting["closedRuns"] == []


@pytest.mark.spec("R9")
def test_a_start_leaves_the_run_of_a_living_process_alone(one: Desk, database: Path) -> None:
    run = one.run()
    with Desk.spawn(database) as late:
        greeting = late.client.received[0]["result"]["capabilities"]["experimental"]
        assert greeting["closedRuns"] == []
        assert late.request("closeStaleRuns") == {"closedRuns": []}

    one.look()
    one.do("add-node", componentId="c", run=run)


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, ("running", None)),
        ({"start": 1}, ("closed", "stale")),
        ({"bootId": "another boot"}, ("closed", "stale")),
        ({"pid": 2**22 + 1}, ("closed", "stale")),
        ({"pidNamespace": "pid:[1]", "pid": 2**22 + 1}, ("running", None)),
    ],
    ids=["alive", "pid given away", "booted since", "no such pid", "out of sight"],
)
@pytest.mark.skipif(sys.platform != "linux", reason="namespaces and ticks are Linux's")
def test_only_runs_of_owners_that_are_gone_are_stale(
    database: Path, changes: Json, outcome: tuple[str, str | None]
) -> None:
    """The owner's row is planted: this very test process, or somebody who had its pid."""
    with Desk.begin(database) as desk:
        run = desk.run()
        assert desk.client.close() == 0
    file = sqlite3.connect(database)
    owner = {**current_owner(), "pid": os.getpid(), **changes}
    with file:
        assert file.execute("UPDATE runs SET owner = ?", (json.dumps(owner),)).rowcount == 1
    file.close()

    with Desk.spawn(database) as desk:
        greeting = desk.client.received[0]["result"]["capabilities"]["experimental"]
        found = desk.request("getRun", runId=run)
        assert (found["status"], found["endReason"]) == outcome
        assert greeting["closedRuns"] == ([run] if found["status"] == "closed" else [])


@pytest.mark.spec("R9")
def test_stale_runs_are_closed_on_demand(one: Desk, database: Path) -> None:
    with Desk.begin(database, project="q") as dying:
        run = dying.run()
        dying.client.signal(signal.SIGKILL)
        dying.client.wait()
    mine = one.run()

    assert one.request("closeStaleRuns") == {"closedRuns": [run]}
    assert one.request("closeStaleRuns") == {"closedRuns": []}
    assert one.request("getRun", runId=mine)["status"] == "running"


@pytest.mark.spec("R9")
def test_a_run_that_another_process_resumed_outlives_the_one_that_started_it(
    one: Desk, database: Path
) -> None:
    with Desk.spawn(database) as first:
        first.look()
        run = first.run()
        first.request("pauseRun", runId=run)
        one.request("resumeRun", runId=run)
        first.client.signal(signal.SIGKILL)
        first.client.wait()

    assert one.request("closeStaleRuns") == {"closedRuns": []}
    assert one.request("getRun", runId=run)["status"] == "running"


@pytest.mark.spec("R5", "E3")
@pytest.mark.skipif(sys.platform != "linux", reason="limits another process's files")
def test_a_run_whose_arrangement_does_not_fit_on_the_disk_is_closed_without(
    one: Desk, database: Path
) -> None:
    with appended(database) as end_of_wal:
        run = one.run(stepLimit=1000)
        for number in range(150):
            name = f"n{number}"
            one.do(**add(name, annotation="a text of some length " * 20), run=run)
            if number:
                one.do("connect", **wire(f"{name}.out", f"n{number - 1}.in"), run=run)
        before = one.look()
        _limit(one, end_of_wal() + ROOM_TO_CLOSE)
        closed = one.request("closeRun", runId=run)
        _limit(one, resource.RLIM_INFINITY)

    assert (closed["status"], closed["endReason"]) == ("closed", "closed")
    assert closed["arrangement"] == {
        "status": "failed",
        "revisionId": None,
        "code": "storage-full",
    }
    after = one.look()
    assert {**after, "openRun": None} == {**before, "openRun": None}
    assert after["openRun"] is None
    assert one.request("closeRun", runId=run) == closed
    assert one.request("checkDatabase")["ok"]


@pytest.mark.spec("R5", "E3")
@pytest.mark.skipif(sys.platform != "linux", reason="limits another process's files")
def test_a_run_that_cannot_be_closed_stays_open_until_it_can(one: Desk) -> None:
    run = one.run()
    for name in "abc":
        one.do(**add(name), run=run)
    before = one.request("getRun", runId=run)
    # No page fits, wherever in the WAL the next commit goes.
    _limit(one, 1000)
    code, _ = one.refusal("closeRun", runId=run)
    stood = one.request("getRun", runId=run)
    _limit(one, resource.RLIM_INFINITY)

    assert (code, stood) == ("storage-full", before)
    assert one.request("closeRun", runId=run)["status"] == "closed"


def _limit(desk: Desk, size: int) -> None:
    """Let no file of the process be written past ``size`` bytes."""
    resource.prlimit(desk.client.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
