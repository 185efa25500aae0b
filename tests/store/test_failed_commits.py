"""Every write of a commit fails once: what is in the file afterwards is what was answered."""

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from protocol.json_text import canonical
from sidecar.store import actions, checks
from sidecar.store.actions import AppliedAction
from sidecar.store.database import Database
from sidecar.store.faults import StorageError
from sidecar.store.writing import Written
from tests.faults.faultvfs import Controller, Fault, FaultVFS, Image, Kind, Survival
from tests.store.builders import EditOf, Store, put_node, remove_node

NAMES = itertools.count()
SURVIVALS: tuple[Survival, ...] = ("synced", "written", "torn", "torn", "torn")


class Faulty:
    """A store on a VFS that can fail."""

    def __init__(self, folder: Path, template: Path, unsynced: Controller | None = None) -> None:
        """``unsynced`` knows how much of the template is on the disk for sure."""
        shutil.copytree(template, folder)
        self.folder = folder
        self.controller = Controller()
        for path, image in ({} if unsynced is None else unsynced.images).items():
            if image.current is not None:
                left = Image(image.durable, bytearray(image.current))
                self.controller.images[str(folder / Path(path).name)] = left
        self.name = f"fault-{next(NAMES)}"
        self.vfs = FaultVFS(self.controller, self.name)
        self.store = Store(
            Database.open(str(folder / "graphs.db"), busy_timeout_ms=0, vfs=self.name)
        )

    def commit(self, action_id: str, edits: list[EditOf]) -> str:
        """Apply an action once, as the engine does; return what is answered."""
        store = self.store
        database = store.database
        try:
            with database.write() as tx:
                key = store.opened(tx).row.project_key
                if actions.is_recorded(tx, key, action_id):
                    return "historical"
        except StorageError as error:
            return error.code
        try:
            store.edit(
                *edits,
                is_recorded=lambda tx: actions.is_recorded(tx, key, action_id),
                after=lambda tx, written: actions.insert(tx, key, _action(action_id, written)),
            )
        except StorageError as error:
            return error.code
        return "applied"

    def close(self) -> None:
        self.store.database.close()
        self.vfs.unregister()


def _action(action_id: str, written: Written) -> AppliedAction:
    revision = written.head.revision
    return AppliedAction(
        action_id, "commitCommand", bytes(16), revision.number, revision.revision_id, True
    )


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template")
    store = Store.at(folder / "graphs.db")
    store.create()
    store.edit(*(put_node(f"node-{number}", text="x" * 200) for number in range(40)))
    store.database.close()
    return folder


SMALL: list[EditOf] = [put_node("node-3", text="y" * 200)]
LARGE: list[EditOf] = [
    *(remove_node(f"node-{number}") for number in range(30)),
    *(put_node(f"new-{number}", text=str(number) * 90) for number in range(40)),
]


def points(
    tmp_path: Path, template: Path, edits: list[EditOf], kind: Kind, *, forever: bool
) -> Iterator[tuple[Faulty, str]]:
    """Yield a store for each step of a commit, with the answer that its failure gave."""
    for at in itertools.count(1):
        faulty = Faulty(tmp_path / f"{at}", template)
        faulty.store.state()
        faulty.controller.arm(Fault(at=at, kind=kind, forever=forever))
        answer = faulty.commit("action", edits)
        faulty.controller.disarm()
        hit = faulty.controller.hit
        try:
            yield faulty, answer
        finally:
            faulty.close()
        if hit is None:
            return


def crashed_states(faulty: Faulty) -> set[bytes]:
    """Return what a power cut now might leave, each checked for damage."""
    states = set()
    for number, survival in enumerate(SURVIVALS):
        folder = faulty.folder / f"crash-{number}"
        folder.mkdir()
        faulty.controller.crash_into(folder, survival, seed=number)
        store = Store.at(folder / "graphs.db")
        with store.database.read() as tx:
            assert list(checks.problems(tx)) == []
        states.add(canonical(store.state()))
        store.database.close()
    return states


@pytest.mark.parametrize("forever", [False, True], ids=["once", "forever"])
@pytest.mark.parametrize("kind", ["full", "ioerr", "short"])
@pytest.mark.parametrize("edits", [SMALL, LARGE], ids=["small", "large"])
def test_a_failed_commit_is_all_there_or_not_at_all(
    tmp_path: Path,
    template: Path,
    edits: list[EditOf],
    kind: Kind,
    forever: bool,  # noqa: FBT001 -- a parameter of the test
) -> None:
    before, after = reference(tmp_path / "reference", template, edits)
    answers = set()
    for faulty, answer in points(tmp_path, template, edits, kind, forever=forever):
        answers.add(answer)
        crashed = crashed_states(faulty)
        if answer == "applied":
            assert crashed == {after}
        elif answer == "storage-indeterminate":
            assert crashed <= {before, after}
        else:
            assert crashed == {before}
            assert canonical(faulty.store.state()) == before
        again = faulty.commit("action", edits)
        assert again in ({"historical"} if answer == "applied" else {"applied", "historical"})
        assert canonical(faulty.store.state()) == after
        assert faulty.commit("action", edits) == "historical"

    assert "applied" in answers
    assert answers - {"applied"}


def reference(folder: Path, template: Path, edits: list[EditOf]) -> tuple[bytes, bytes]:
    faulty = Faulty(folder, template)
    before = canonical(faulty.store.state())
    faulty.store.edit(*edits)
    after = canonical(faulty.store.state())
    faulty.close()
    return before, after


def test_a_sync_that_fails_for_good_leaves_the_commit_open(tmp_path: Path, template: Path) -> None:
    faulty = Faulty(tmp_path / "sync", template)
    faulty.controller.arm(Fault(at=1, kind="ioerr", forever=True, calls=frozenset({"xSync"})))

    assert faulty.commit("action", SMALL) == "storage-indeterminate"
    faulty.controller.disarm()

    assert faulty.commit("action", SMALL) in ("applied", "historical")
    assert faulty.commit("action", SMALL) == "historical"
    faulty.close()


def test_what_a_killed_process_left_unsynced_is_synced_before_it_is_told_of(
    tmp_path: Path, template: Path
) -> None:
    clean = Faulty(tmp_path / "clean", template)
    clean.controller.arm()
    clean.commit("action", SMALL)
    clean.controller.disarm()
    clean.close()
    killed = Faulty(tmp_path / "killed", template)
    killed.controller.arm(Fault(at=clean.controller.count, forever=True))
    assert killed.commit("action", SMALL) == "storage-indeterminate"
    assert killed.controller.hit == clean.controller.steps[-1]
    folder = tmp_path / "left"
    folder.mkdir()
    killed.controller.crash_into(folder, "written")
    after = Faulty(tmp_path / "after", folder, unsynced=killed.controller)
    killed.close()

    answer = after.commit("action", SMALL)
    cut = tmp_path / "cut"
    cut.mkdir()
    after.controller.crash_into(cut, "synced")
    after.close()

    assert answer == "historical"
    store = Store.at(cut / "graphs.db")
    with store.database.read() as tx:
        assert actions.is_recorded(tx, 1, "action")
    store.database.close()


def test_a_fate_that_is_open_stays_open_until_the_file_can_be_opened_again(
    tmp_path: Path, template: Path
) -> None:
    faulty = Faulty(tmp_path / "open", template)
    for calls in ({"xSync"}, {"xOpen"}):
        faulty.controller.arm(Fault(at=1, forever=True, calls=frozenset(calls)))
        assert faulty.commit("action", SMALL) == "storage-indeterminate"
    faulty.controller.disarm()

    assert faulty.commit("action", SMALL) in ("applied", "historical")
    faulty.close()


def test_a_file_opened_again_counts_as_changed(tmp_path: Path, template: Path) -> None:
    faulty = Faulty(tmp_path / "again", template)
    before = faulty.store.database.data_version()
    faulty.controller.arm(Fault(at=1, forever=True, calls=frozenset({"xSync"})))
    faulty.commit("action", SMALL)
    faulty.controller.disarm()

    assert faulty.store.database.data_version() != before
    faulty.close()


def test_a_file_that_may_not_grow_is_full_and_serves_again_when_it_may(store: Store) -> None:
    store.edit(put_node("a"))
    before = store.state()
    with store.database.read() as tx:
        tx.pragma("max_page_count", tx.pragma("page_count"))

    with pytest.raises(StorageError) as caught:
        store.edit(put_node("b", text="x" * 100_000))
    store.cache.clear()

    assert caught.value.code == "storage-full"
    assert caught.value.retryable
    assert store.state() == before
    with store.database.read() as tx:
        tx.pragma("max_page_count", 1_000_000)
    store.edit(put_node("b", text="x" * 100_000))
    assert store.state() != before


def test_commands_of_one_transaction_fail_alone_or_together(store: Store) -> None:
    database = store.database
    database.begin()
    with database.command() as tx:
        tx.execute("INSERT INTO settings VALUES ('a', 1)")
    with pytest.raises(apsw.ConstraintError), database.command() as tx:
        tx.execute("INSERT INTO settings VALUES ('b', 1), ('a', 1)")
    with database.command() as tx:
        tx.execute("INSERT INTO settings VALUES ('c', 1)")
    database.commit()

    with database.read() as tx:
        names = [name for (name,) in tx.execute("SELECT name FROM settings ORDER BY name")]
    assert names == ["a", "c"]
