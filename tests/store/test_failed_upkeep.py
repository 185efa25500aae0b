"""Creating, pruning and copying fail at every write: nothing half done is left."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from protocol.json_text import canonical
from sidecar.store import checks, projects
from sidecar.store.copies import copy_to
from sidecar.store.database import Database
from sidecar.store.faults import StorageError
from sidecar.store.history import HistoryLimits
from sidecar.store.pruning import prune_step
from tests.faults.faultvfs import Controller, Fault, FaultVFS, Kind
from tests.store.builders import PROJECT, Store, put_node

NAMES = itertools.count()
KINDS: tuple[Kind, ...] = ("full", "ioerr", "short")


@contextmanager
def failing() -> Iterator[tuple[Controller, str]]:
    controller = Controller()
    name = f"upkeep-{next(NAMES)}"
    vfs = FaultVFS(controller, name)
    yield controller, name
    vfs.unregister()


def refusal(work: Callable[[], None]) -> str | None:
    """Return the code the file refused some work with, None where it was done."""
    try:
        work()
    except StorageError as error:
        return error.code
    return None


@pytest.mark.parametrize("kind", KINDS)
def test_a_creation_that_fails_leaves_nothing_and_works_the_next_time(
    tmp_path: Path, kind: Kind
) -> None:
    for at in itertools.count(1):
        path = tmp_path / str(at) / "graphs.db"
        with failing() as (controller, name):
            controller.arm(Fault(at=at, kind=kind))
            code = refusal(lambda: Database.open(str(path), vfs=name).close())  # noqa: B023 -- run here
            hit = controller.hit
        assert code in {None, "storage-full", "storage-io"}
        if code is not None:
            assert [found for found in path.parent.iterdir() if found != path] == []
        Store.at(path).database.close()
        if hit is None:
            return


def pruned_store(path: Path, vfs: str) -> Store:
    store = Store.at(path, vfs=vfs)
    store.create()
    store.limits = HistoryLimits(max_revisions=4, min_revisions=2)
    for number in range(3):
        store.edit(put_node(f"a{number}", steps=number))
    with store.database.write() as tx:
        tx.execute(
            "INSERT INTO drafts VALUES (NULL, 'draft', 1, '', x'', NULL, 2, '', x'', 'open', NULL, 1)"
        )
    for number in range(12):
        store.edit(put_node(f"a{number % 3}", steps=-number, text="x" * 40 * number))
    return store


@pytest.mark.parametrize("kind", KINDS)
def test_a_prune_that_fails_changes_nothing_and_is_done_another_time(
    tmp_path: Path, kind: Kind
) -> None:
    for at in itertools.count(1):
        with failing() as (controller, name):
            store = pruned_store(tmp_path / f"{at}.db", name)
            kept = [canonical(store.state(number)) for number in (2, 13, 16)]
            controller.arm(Fault(at=at, kind=kind))
            try:
                more = prune_step(store.database, 1, budget=5)
            except StorageError:
                more = True
            controller.disarm()

            assert [canonical(store.state(number)) for number in (2, 13, 16)] == kept
            store.edit(put_node("later"))
            while more:
                more = prune_step(store.database, 1, budget=5)
            assert [canonical(store.state(number)) for number in (2, 16)] == [kept[0], kept[2]]
            with store.database.read() as tx:
                assert list(checks.problems(tx)) == []
                assert tx.execute("SELECT count(*) FROM graph_revisions").get == 5
            store.database.close()
            if controller.hit is None:
                return


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_that_fails_leaves_nothing(tmp_path: Path, kind: Kind) -> None:
    store = Store.at(tmp_path / "graphs.db")
    store.create()
    before = {found.name for found in tmp_path.iterdir()}
    for at in itertools.count(1):
        target = tmp_path / f"copy-{at}.db"
        with failing() as (controller, name):
            controller.arm(Fault(at=at, kind=kind))
            with store.database.read() as tx:
                code = refusal(lambda: copy_to(tx, str(target), vfs=name))  # noqa: B023 -- run here
            assert code in {None, "storage-full", "storage-io"}
            assert target.exists() == (code is None)
            if controller.hit is None:
                break
    store.database.close()

    names = {found.name for found in tmp_path.iterdir()}
    assert target.name in names
    assert all(not name.startswith(".") for name in names)
    assert before - names <= {"graphs.db-wal", "graphs.db-shm"}


def test_a_project_deleted_meanwhile_is_not_pruned(tmp_path: Path) -> None:
    with failing() as (_, name):
        store = pruned_store(tmp_path / "graphs.db", name)
        with store.database.write() as tx:
            row = projects.find(tx, PROJECT)
            assert row is not None
            projects.delete(tx, row, 1)

        assert not prune_step(store.database, row.project_key)
        store.database.close()
