"""What takes an engine in this process: guards, exact pruning, transactions of several commands."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.handlers.desk import add, canonical, state_of
from tests.handlers.engine import Engine, Json

COMMITS = 5_000


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(tmp_path / "graphs.db")
    engine.call("createProject", projectId="p", title="P")
    yield engine
    engine.close()


def commit(engine: Engine, payload: Json, action: str, **over: Any) -> Json:
    shown = engine.call("getProject", projectId="p", projection="none")
    params: Json = {
        "projectId": "p",
        "actionId": action,
        "expectedRevisionId": shown["revisionId"],
        "actor": "manual",
        "runId": None,
        "payload": payload,
        **over,
    }
    answer: Json = engine.call("commitCommand", **params)
    return answer


@pytest.mark.spec("E1")
def test_a_run_that_was_left_behind_is_a_conflict(engine: Engine) -> None:
    """Nothing of ours leaves a run behind; the guard keeps a broken file from being built on."""
    run = engine.call("startRun", projectId="p")["runId"]
    with engine.database.write() as tx:
        tx.execute("UPDATE runs SET expected_revision_id = 'elsewhere'")

    refused = commit(engine, add("a"), "x", actor="ai", runId=run)
    mine = commit(engine, add("a"), "y")
    after = commit(engine, add("b"), "z", actor="ai", runId=run)

    assert (refused["status"], refused["reason"]["code"]) == ("conflict", "run-behind")
    assert refused["reason"]["details"]["expected"] == "elsewhere"
    # The person's command brings the run along.
    assert [mine["status"], after["status"]] == ["applied", "applied"]


@pytest.mark.spec("V7", "V8")
def test_a_step_whose_target_went_is_null(engine: Engine) -> None:
    engine.call("updateSettings", minRevisions=1, maxRevisions=2)
    for number in range(8):
        commit(engine, add(f"n{number}"), f"a{number}")
    engine.prune()
    undone = 0
    shown = engine.call("getProject", projectId="p")
    while shown["undo"] is not None:
        answer = engine.call(
            "undo",
            projectId="p",
            actionId=f"undo{undone}",
            expectedRevisionId=shown["revisionId"],
        )
        assert answer["status"] == "applied"
        engine.prune()
        undone += 1
        shown = engine.call("getProject", projectId="p")

    refused = engine.call(
        "undo", projectId="p", actionId="more", expectedRevisionId=shown["revisionId"]
    )
    assert (refused["status"], refused["reason"]["code"]) == ("rejected", "nothing-to-undo")
    assert 1 <= undone < 8
    assert len(shown["graph"]["nodes"]) == 8 - undone


@pytest.mark.spec("V7", "V8")
def test_what_is_hidden_stays_hidden_whether_it_was_pruned_already_or_not(tmp_path: Path) -> None:
    """How far undo and redo lead must not depend on when there was a quiet moment."""
    ways = []
    for prunes in (True, False):
        engine = Engine(tmp_path / f"{prunes}.db")
        engine.call("createProject", projectId="p", title="P")
        engine.call("updateSettings", minRevisions=1, maxRevisions=3)
        way = []
        for number in range(8):
            commit(engine, add(f"n{number}"), f"a{number}")
        for number, method in enumerate([*["undo"] * 5, *["redo"] * 5]):
            if prunes:
                engine.prune()
            before = kept_numbers(engine)
            shown = engine.call("getProject", projectId="p", projection="none")
            expected = shown["revisionId"]
            answer = engine.call(
                method, projectId="p", actionId=f"s{number}", expectedRevisionId=expected
            )
            numbers = kept_numbers(engine)
            way.append((answer["status"], numbers))
            assert numbers <= before | {answer["projection"]["revisionNumber"]}
        assert engine.faults() == []
        engine.close()
        ways.append(way)

    assert ways[0] == ways[1]


@pytest.mark.spec("C12", "V8")
def test_no_changes_lead_from_a_version_that_is_hidden(engine: Engine) -> None:
    """Whether its row was removed already or not."""
    engine.call("updateSettings", minRevisions=1, maxRevisions=2)
    first = commit(engine, add("n0"), "a0")["revisionId"]
    for number in range(1, 6):
        commit(engine, add(f"n{number}"), f"a{number}")

    answer = commit(engine, add("x"), "x", expectedRevisionId=first, projection="changes")

    assert (answer["reason"]["code"], answer["changes"]) == ("revision-moved", None)
    assert len(answer["projection"]["graph"]["nodes"]) == 6


def kept_numbers(engine: Engine) -> set[int]:
    items = engine.call("listRevisions", projectId="p", limit=500)["items"]
    return {one["number"] for one in items}


@pytest.mark.spec("V7")
@pytest.mark.parametrize(
    ("commits", "limit"),
    [(300, 40), pytest.param(COMMITS, 2_000, marks=pytest.mark.slow)],
)
def test_thousands_of_commits_keep_no_more_versions_than_allowed(
    engine: Engine, commits: int, limit: int
) -> None:
    engine.call("updateSettings", maxRevisions=limit, minRevisions=min(limit, 200))
    states = {}
    size = 0
    commit(engine, add("a"), "first")
    for number in range(commits):
        answer = commit(
            engine,
            {"kind": "set-parameter", "nodeId": "a", "name": "p", "value": number},
            f"a{number}",
        )
        states[answer["revisionId"]] = number
        if number % limit == limit - 1:
            engine.prune()
            with engine.database.read() as tx:
                rows = tx.execute("SELECT count(*) FROM graph_revisions").get
            assert rows <= limit + 2
            if number == limit * 2 - 1:
                size = _bytes(engine)
    engine.prune()

    listed, before = [], None
    while True:
        page = engine.call("listRevisions", projectId="p", before=before, limit=500)
        listed += page["items"]
        before = page["before"]
        if before is None:
            break
    assert len(listed) == limit
    for one in (*listed[:5], *listed[-5:]):
        state = engine.call("getRevision", projectId="p", revisionId=one["revisionId"])["state"]
        assert state["graph"]["nodes"][0]["parameters"] == {"p": states[one["revisionId"]]}
    # What stays for ever is the record of each action and id: a few hundred bytes.
    assert _bytes(engine) - size <= 600 * (commits - 2 * limit)
    assert engine.faults() == []


def _bytes(engine: Engine) -> int:
    with engine.database.read() as tx:
        pages, size, free = (
            tx.execute(f"PRAGMA {name}").get
            for name in ("page_count", "page_size", "freelist_count")
        )
    return int((pages - free) * size)


@pytest.mark.spec("C6", "C17")
def test_commands_of_one_transaction_build_on_each_other_or_leave_no_trace(engine: Engine) -> None:
    first = engine.call("getProject", projectId="p")["revisionId"]

    def params(action: str, expected: str, payload: Json, new: str | None = None) -> Json:
        return {
            "projectId": "p",
            "actionId": action,
            "expectedRevisionId": expected,
            "actor": "manual",
            "runId": None,
            "payload": payload,
            "newRevisionId": new,
        }

    answers = engine.together(
        ("commitCommand", params("1", first, add("a"), "v1")),
        ("commitCommand", params("2", first, add("b"))),
        ("commitCommand", params("3", "v1", {"kind": "remove-node", "nodeId": "x"})),
        ("commitCommand", params("1", first, add("a"))),
        ("createProject", {"projectId": "p", "title": "Other"}),
        ("commitCommand", params("4", "v1", add("b"), "v2")),
        ("undo", {"projectId": "p", "actionId": "5", "expectedRevisionId": "v2"}),
    )

    statuses = [one["status"] for one in (*answers[:4], *answers[5:])]
    assert statuses == ["applied", "conflict", "rejected", "historical", "applied", "applied"]
    assert getattr(answers[4], "code", None) == "id-in-use"
    assert [node["nodeId"] for node in answers[6]["projection"]["graph"]["nodes"]] == ["a"]
    shown = engine.call("getProject", projectId="p")
    assert canonical(state_of(shown)) == canonical(state_of(answers[6]["projection"]))
    told = [note for method, note in engine.notes if method == "projectChanged"]
    assert [one["actionId"] for one in told] == ["1", "4", "5"]
    assert engine.faults() == []
