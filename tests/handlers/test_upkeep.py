"""Checks, copies and facts of the file, over stdio."""

import stat
from pathlib import Path

import pytest

from tests.handlers.desk import Desk, add, canonical


@pytest.mark.spec("W15")
def test_a_backup_opens_with_all_that_was_acknowledged(database: Path) -> None:
    copy = database.with_name("copy.db")
    with Desk.begin(database) as desk:
        for number in range(20):
            desk.do(**add(f"n{number}"))
        before, versions = desk.state(), desk.revisions()
        done = desk.request("backupDatabase", path=str(copy), workDoneToken="t")
        desk.do(**add("after"))

        told = [note for note in desk.client.notifications if note["method"] == "$/progress"]
        assert {note["params"]["token"] for note in told} == {"t"}
        assert done["path"] == str(copy)
        assert done["bytes"] == copy.stat().st_size
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        assert desk.issues("backupDatabase", path=str(copy)) == {"/path"}
        assert desk.issues("backupDatabase", path="relative.db") == {"/path"}
        assert desk.issues("backupDatabase", path=str(database)) == {"/path"}
    with Desk.spawn(copy) as desk:
        assert canonical(desk.state()) == canonical(before)
        assert desk.revisions() == versions
        assert desk.request("checkDatabase")["ok"]
        desk.undo()
        assert len(desk.nodes()) == 19


@pytest.mark.spec("W15")
def test_a_check_tells_how_much_it_looked_at(desk: Desk) -> None:
    desk.do(**add("a"))
    answer = desk.request("checkDatabase", workDoneToken=7)

    assert (answer["ok"], answer["problems"]) == (True, [])
    assert all(count >= 0 for count in answer["checked"].values())
    assert any(count > 0 for count in answer["checked"].values())


def test_the_status_tells_the_file_and_the_versions(database: Path) -> None:
    with Desk.begin(database) as desk:
        status = desk.request("getStatus")

        assert status["database"]["path"] == str(database)
        assert status["database"]["bytes"] > 0
        assert status["database"]["readOnly"] is False
        assert status["process"]["pid"] == desk.client.process.pid
        assert {"sidecar", "sqlite", "apsw", "python"} <= set(status["versions"])
        assert status["uptimeMs"] >= 0
        assert status["counts"]["projects"] == 1


@pytest.mark.spec("W14")
@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("stepsPerAnswer", 1, 100_000),
        ("maxRevisions", 1, 1_000_000),
        ("maxRevisionBytes", 0, 1 << 50),
        ("minRevisions", 1, 1_000_000),
    ],
)
def test_settings_have_bounds(database: Path, name: str, least: int, most: int) -> None:
    with Desk.begin(database) as desk:
        for value in (least, most):
            assert desk.request("updateSettings", **{name: value})[name] == value
        others: tuple[object, ...] = (least - 1, most + 1, 1.0, True, None, "1")
        for other in others:
            assert desk.issues("updateSettings", **{name: other}) == {f"/{name}"}
        assert desk.request("getSettings")[name] == most


@pytest.mark.spec("W14")
def test_settings_belong_to_the_file(database: Path) -> None:
    with Desk.begin(database) as desk:
        changed = desk.request("updateSettings", stepsPerAnswer=3, maxRevisionBytes=0)
        assert desk.issues("updateSettings", stepsPerAnswer=4, minRevisions=0) == {"/minRevisions"}
        assert desk.request("getSettings") == changed
        assert desk.client.close() == 0
    with Desk.spawn(database) as desk:
        assert desk.request("getSettings") == changed
        assert (changed["stepsPerAnswer"], changed["maxRevisions"]) == (3, 2000)
