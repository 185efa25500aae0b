"""Versions over stdio: listed, read, compared, undone, redone, pruned, restored."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.core.arrays import apply_changes
from tests.handlers.desk import Desk, Json, add, canonical, reason
from tests.handlers.pages import assert_the_last_page_is_told


@pytest.mark.spec("V1")
def test_a_project_begins_with_an_empty_version_to_expect(desk: Desk) -> None:
    shown = desk.look()
    (first,) = desk.revisions()

    assert (first["number"], first["parentRevisionId"], first["actionId"]) == (1, None, None)
    assert (shown["revisionId"], shown["revisionNumber"]) == (first["revisionId"], 1)
    assert (shown["undo"], shown["redo"], shown["openRun"]) == (None, None, None)
    assert desk.at(first["revisionId"]) == {
        "title": "Project",
        "document": None,
        "components": [],
        "graph": {"nodes": [], "edges": [], "groups": [], "subgraphs": []},
    }


@pytest.mark.spec("V1")
def test_looking_explaining_drafting_and_runs_alone_make_no_version(desk: Desk) -> None:
    """n8n PR#34095, #34315, #22920: what is no content never moves the version."""
    desk.do(**add("a"))
    before = desk.look()
    explained = desk.request(
        "setExplanation",
        projectId=desk.project,
        subject={"kind": "node", "id": "a"},
        text="Why",
        author="ai",
    )
    draft = desk.request(
        "createDraft", projectId=desk.project, title="D", nodeIds=["a"], payloads=[add("b")]
    )
    desk.request("discardDraft", draftId=draft["draftId"])
    run = desk.run()
    desk.request("pauseRun", runId=run)
    desk.request("closeRun", runId=run)
    desk.request(
        "removeExplanation", projectId=desk.project, explanationId=explained["explanationId"]
    )
    for method in ("listDrafts", "listExplanations", "listRevisions", "listRuns"):
        desk.request(method, projectId=desk.project)

    assert desk.look() == before
    assert desk.commit(add("c"), expectedRevisionId=before["revisionId"])["status"] == "applied"


@pytest.mark.spec("V2", "V4")
def test_undo_and_redo_tell_beforehand_what_they_will_do(desk: Desk) -> None:
    first = desk.revision
    desk.do(**add("a"))
    second = desk.revision
    step = desk.look()["undo"]
    undone = desk.undo()
    back = undone["projection"]["redo"]
    redone = desk.redo()
    newest, older = desk.revisions()[:2]

    assert (step["targetRevisionId"], step["runId"], step["commands"]) == (first, None, 1)
    assert undone["projection"]["undo"] is None
    assert back == {**step, "targetRevisionId": second}
    assert (redone["projection"]["undo"], redone["projection"]["redo"]) == (step, None)
    assert (newest["kind"], newest["restoredFrom"]) == ("restore-revision", second)
    assert (older["kind"], older["restoredFrom"]) == ("restore-revision", first)
    assert step["label"]


@pytest.mark.spec("V2")
def test_five_edits_undone_and_redone_are_the_same_json_at_each_step(database: Path) -> None:
    """ComfyTV#420, opencode#27664; with a restart in the middle."""
    with Desk.begin(database) as desk:
        states = [canonical(desk.state())]
        for number in range(5):
            desk.do(**add(f"n{number}", x=number * 300))
            states.append(canonical(desk.state()))
        for number in (4, 3, 2):
            desk.undo()
            assert canonical(desk.state()) == states[number]
        step = desk.look()["redo"]
        assert desk.client.close() == 0
    with Desk.spawn(database) as desk:
        assert desk.look()["redo"] == step
        for number in (1, 0):
            desk.undo()
            assert canonical(desk.state()) == states[number]
        assert reason(desk.undo())[1] == "nothing-to-undo"
        for number in range(1, 6):
            desk.redo()
            assert canonical(desk.state()) == states[number]
        assert reason(desk.redo())[1] == "nothing-to-redo"


@pytest.mark.spec("V3")
def test_a_persons_edit_splits_the_step_of_a_run(desk: Desk) -> None:
    """jules#11, copilot-intellij-feedback#246: undo never takes a person's edit along unasked."""
    states = [canonical(desk.state())]
    run = desk.run()
    for name in "ab":
        desk.do(**add(name), run=run)
    states.append(canonical(desk.state()))
    desk.do(**add("mine", y=900))
    states.append(canonical(desk.state()))
    for name in "cd":
        desk.do(**add(name), run=run)
    desk.request("cancelRun", runId=run)
    labels = []
    for state in states[::-1]:
        step = desk.look()["undo"]
        labels.append((step["runId"], step["commands"]))
        desk.undo()
        assert canonical(desk.state()) == state

    assert labels == [(run, 2), (None, 1), (run, 2)]


@pytest.mark.spec("V3", "V5")
@pytest.mark.parametrize("back", ["undo", "undo and redo of the run's step"])
def test_a_persons_undo_splits_the_step_of_a_run_too(desk: Desk, back: str) -> None:
    run = desk.run()
    desk.do(**add("a"), run=run)
    desk.request("pauseRun", runId=run)
    if back == "undo":
        desk.do(**add("mine", y=900))
        desk.undo()
    else:
        desk.undo()
        desk.redo()
    between = desk.look()
    desk.request("resumeRun", runId=run)
    desk.do(**add("b", y=1800), run=run)
    step = desk.look()["undo"]

    assert (between["undo"]["runId"], between["undo"]["commands"]) == (run, 1)
    assert (step["runId"], step["commands"]) == (run, 1)
    assert step["targetRevisionId"] == between["revisionId"]


@pytest.mark.spec("V4")
def test_a_restore_to_a_steps_target_is_that_step_and_to_another_version_an_edit(
    desk: Desk,
) -> None:
    revisions = [desk.revision, *(desk.do(**add(name))["revisionId"] for name in "abc")]

    desk.do("restore-revision", revisionId=revisions[2])
    as_undo = desk.look()
    desk.do("restore-revision", revisionId=revisions[3])
    as_redo = desk.look()
    desk.undo()
    desk.do("restore-revision", revisionId=revisions[0])
    as_edit = desk.look()

    assert as_undo["redo"]["targetRevisionId"] == revisions[3]
    assert as_undo["undo"]["targetRevisionId"] == revisions[1]
    assert as_redo["redo"] is None
    assert as_redo["undo"]["targetRevisionId"] == revisions[2]
    assert as_edit["redo"] is None
    assert as_edit["undo"]["targetRevisionId"] not in revisions
    desk.undo()
    assert list(desk.nodes()) == ["a", "b"]


@pytest.mark.spec("V4")
def test_every_edit_clears_redo_and_a_runs_restore_is_an_edit(desk: Desk) -> None:
    first = desk.revision
    desk.do(**add("a"))
    desk.undo()
    assert desk.look()["redo"] is not None
    desk.do(**add("b"))
    assert desk.look()["redo"] is None

    run = desk.run()
    target = desk.look()["undo"]["targetRevisionId"]
    desk.do("restore-revision", revisionId=target, run=run)
    shown = desk.look()
    assert (shown["redo"], shown["undo"]["runId"]) == (None, run)
    assert shown["openRun"]["steps"] == 1
    assert desk.at(first) == desk.state()


@pytest.mark.spec("V6", "C13")
def test_any_version_is_read_exactly_and_any_two_are_compared(desk: Desk) -> None:
    known = {desk.revision: desk.state()}
    for payload in (
        add("a"),
        add("b", x=300),
        {"kind": "create-subgraph", "nodeIds": ["a"], "subgraphId": "s", "instanceId": "i"},
        {"kind": "remove-node", "nodeId": "b"},
        {"kind": "restore-revision", "revisionId": desk.revision},
    ):
        desk.do(**payload)
        known[desk.revision] = desk.state()

    for revision, state in known.items():
        assert canonical(desk.at(revision)) == canonical(state)
        for other, goal in known.items():
            answer = desk.request(
                "diffRevisions",
                projectId=desk.project,
                fromRevisionId=revision,
                toRevisionId=other,
            )
            mirror = apply_changes(state, answer["changes"])
            assert canonical(mirror) == canonical(goal)
            assert (answer["changes"] == []) == (canonical(state) == canonical(goal))


@pytest.mark.spec("V1", "W12")
def test_versions_are_listed_in_pages_newest_first(desk: Desk) -> None:
    for number in range(7):
        desk.do(**add(f"n{number}"))
    found: list[Json] = []
    page: Json = {"before": None}
    while not found or page["before"] is not None:
        page = desk.request("listRevisions", projectId=desk.project, limit=3, before=page["before"])
        found += page["items"]
        desk.do("rename-node", nodeId="n0", name=f"x{len(found)}")

    assert [one["number"] for one in found] == list(range(8, 0, -1))
    assert [one["parentRevisionId"] for one in found[:-1]] == [
        one["revisionId"] for one in found[1:]
    ]
    times = [one["createdAt"] for one in found]
    assert all(isinstance(time, int) and time > 1_700_000_000_000 for time in times)


@pytest.mark.spec("W12")
def test_the_last_page_of_a_list_says_that_it_is_the_last(database: Path) -> None:
    with Desk.begin(database) as desk:
        for number in range(3):
            desk.do(**add(f"n{number}"))
            desk.request("closeRun", runId=desk.run())
            desk.request("createProject", title=f"P{number}")
        for method, count in (("listRevisions", 4), ("listRuns", 3), ("listProjects", 4)):
            of = {} if method == "listProjects" else {"projectId": desk.project}
            assert_the_last_page_is_told(desk.request, method, count, first=2, **of)


@pytest.mark.spec("V7", "V8")
def test_what_is_beyond_the_limits_goes_and_what_something_needs_stays(database: Path) -> None:
    """n8n PR#31410: pruning deletes nothing that something refers to."""
    with Desk.begin(database) as desk:
        desk.request("updateSettings", minRevisions=1, maxRevisions=4)
        known = {desk.revision: canonical(desk.state())}

        def edit(name: str, run: str | None = None) -> str:
            desk.do(**add(name), run=run)
            known[desk.revision] = canonical(desk.state())
            return desk.revision

        base = edit("a")
        draft = desk.request(
            "createDraft", projectId="p", title="D", nodeIds=["a"], payloads=[add("d")]
        )
        for number in range(6):
            edit(f"b{number}")
        start = desk.revision
        run = desk.run()
        for number in range(12):
            edit(f"c{number}", run if number % 2 else None)
        desk.request("checkDatabase")

        kept = {one["revisionId"] for one in desk.revisions()}
        shown = desk.look()
        assert {base, start, desk.revision} <= kept
        for step in (shown["undo"], shown["redo"]):
            assert step is None or step["targetRevisionId"] in kept
        assert len(kept) <= 4 + 4
        for revision, state in known.items():
            if revision in kept:
                assert canonical(desk.at(revision)) == state
            else:
                gone = desk.refusal("getRevision", projectId="p", revisionId=revision)
                assert gone == ("pruned-revision", {"revisionId": revision})
        assert desk.request("listDrafts", projectId="p")["items"] == [draft]
        assert desk.request("checkDatabase")["ok"]
        assert desk.client.close() == 0
    with Desk.spawn(database) as desk:
        # The run ended with its process: nothing keeps its start any more.
        kept.discard(start)
        assert {one["revisionId"] for one in desk.revisions()} == kept
        for revision in kept & known.keys():
            assert canonical(desk.at(revision)) == known[revision]


@pytest.mark.spec("V9", "C1")
def test_a_project_is_renamed_as_a_version(desk: Desk) -> None:
    answer = desk.command("renameProject", title="  Cafe\u0301 ")
    version = desk.revisions()[0]

    assert (answer["status"], answer["projection"]["title"]) == ("applied", "Caf\u00e9")
    assert version["kind"] == "rename-project"
    assert reason(desk.command("renameProject", title="\n"))[:2] == ("rejected", "invalid-name")
    same = desk.command("renameProject", title="Caf\u00e9", projection="changes")
    assert (same["changed"], same["changes"]) == (False, [])
    desk.undo()
    assert desk.look()["title"] == "Project"


@pytest.mark.spec("V9")
def test_project_ids_are_used_once(desk: Desk) -> None:
    desk.do(**add("a"))
    shown = desk.look()
    project = desk.project

    assert desk.request("createProject", projectId=project, title="Project") == shown
    desk.command("renameProject", title="Renamed")
    shown = desk.look()
    assert desk.request("createProject", projectId=project, title="Project") == shown
    assert desk.refusal("createProject", projectId=project, title="Renamed")[0] == "id-in-use"
    assert desk.refusal("createProject", projectId=project, title="X")[0] == "id-in-use"
    assert desk.request("deleteProject", projectId=project) == {"deleted": True}
    assert desk.request("deleteProject", projectId=project) == {"deleted": False}
    assert desk.refusal("getProject", projectId=project)[0] == "unknown-project"
    assert desk.refusal("createProject", projectId=project, title="Project")[0] == "id-in-use"
    assert desk.refusal("deleteProject", projectId="never")[0] == "unknown-project"


@pytest.mark.spec("V9")
def test_nothing_is_left_of_a_deleted_project_but_its_id(database: Path) -> None:
    with Desk.begin(database) as desk:
        tables = rows_of(database)
        desk.request("updateSettings", minRevisions=1, maxRevisions=3)
        desk.do(**add("a"))
        desk.do(**add("b"))
        subject = {"kind": "node", "id": "a"}
        desk.request(
            "setExplanation", projectId=desk.project, subject=subject, text="Why", author="ai"
        )
        payloads = [{"kind": "remove-node", "nodeId": "b"}]
        for nodes in (["a"], []):
            desk.request(
                "createDraft", projectId=desk.project, title="D", nodeIds=nodes, payloads=payloads
            )
        desk.do("create-subgraph", nodeIds=["b"])
        desk.do("remove-node", nodeId="a")
        desk.undo()
        desk.request("createSession", projectId=desk.project)
        for _ in range(2):
            run = desk.run()
            desk.do(**add(f"of {run}"), run=run)
        for number in range(6):
            desk.do("rename-node", nodeId="a", name=f"A{number}")
        assert desk.request("checkDatabase")["ok"]
        filled = rows_of(database)
        desk.request("deleteProject", projectId=desk.project)
        assert desk.request("checkDatabase")["ok"]
        left = rows_of(database)

    assert {name for name, count in filled.items() if count > tables[name]} >= {
        *("graph_records", "graph_revisions", "applied_commands", "used_ids", "runs", "run_nodes"),
        *("drafts", "explanations", "explanation_states", "sessions"),
    }
    stay = ("meta", "settings", "retired_", "session_clock", "session_texts_")
    assert {name for name, count in left.items() if count and not name.startswith(stay)} == set()


def rows_of(database: Path) -> dict[str, int]:
    """Return how many rows each table has, read by another program's connection."""
    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE TABLE%'"
        names = connection.execute(query).fetchall()
        return {
            name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
            for (name,) in names
        }


@pytest.mark.spec("G1", "G2", "V4")
def test_what_is_restored_comes_back_under_its_id_at_its_place(desk: Desk) -> None:
    for name in "abc":
        desk.do(**add(name))
    desk.do("remove-node", nodeId="b")
    assert desk.refused(add("b"))[1] == "id-retired"
    desk.undo()

    assert list(desk.nodes()) == ["a", "b", "c"]
    assert desk.refused(add("b"))[1] == "id-in-use"
