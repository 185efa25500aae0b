"""Backups and checks of a large file: commits go on beside them, and whoever asked may stop them."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client import RpcError
from tests.handlers.desk import Desk, Json, add, canonical

MEGABYTES = 60


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk on a file that takes a while to copy."""
    with Desk.begin(tmp_path_factory.mktemp("large") / "graphs.db") as desk:
        rng = random.Random(1)
        for number in range(MEGABYTES // 4):
            text = rng.randbytes(2 << 20).hex()
            desk.do(**add(f"n{number}", parameters={"text": text}))
        yield desk
        assert desk.client.close() == 0


def shares(desk: Desk, token: str) -> list[Json]:
    notes = [note["params"] for note in desk.client.notifications if note["method"] == "$/progress"]
    return [note["value"] for note in notes if note["token"] == token]


def start(desk: Desk, method: str, token: str, **params: Any) -> int | str:
    return desk.client.start(method, {**params, "workDoneToken": token})


@pytest.mark.parametrize("method", ["backupDatabase", "checkDatabase"])
def test_it_stops_in_the_middle_and_leaves_nothing(
    large: Desk, tmp_path: Path, method: str
) -> None:
    target = tmp_path / "copy.db"
    params = {"path": str(target)} if method == "backupDatabase" else {}
    token = f"stop-{method}"
    seen = len([note for note in large.client.notifications if note["method"] == "$/progress"])
    work = start(large, method, token, **params)
    large.client.wait_notification("$/progress", count=seen + 1)
    large.client.cancel(work)

    with pytest.raises(RpcError) as caught:
        large.client.answer(work)

    assert caught.value.code == -32800
    assert [value["kind"] for value in (shares(large, token)[0], shares(large, token)[-1])] == [
        "begin",
        "end",
    ]
    assert list(tmp_path.iterdir()) == []


def test_commits_go_on_while_a_copy_is_made_and_the_copy_is_of_one_moment(
    large: Desk, tmp_path: Path
) -> None:
    target = tmp_path / "copy.db"
    states = {canonical(sorted(large.nodes()))}
    work = start(large, "backupDatabase", "beside", path=str(target))
    for number in range(10):
        large.do(**add(f"beside-{number}"))
        states.add(canonical(sorted(large.nodes())))
    done = large.client.answer(work)

    assert done["bytes"] == target.stat().st_size
    assert {"begin", "end"} <= {value["kind"] for value in shares(large, "beside")}
    with Desk.spawn(target) as copy:
        assert canonical(sorted(copy.nodes())) in states
        assert copy.request("checkDatabase")["ok"]
    assert large.request("checkDatabase")["ok"]
