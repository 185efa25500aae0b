"""Damage that SQLite's own checks do not see is found by ours."""

from pathlib import Path

import apsw
import pytest

from sidecar.store import checks
from sidecar.store.copies import CancelledError, TargetExistsError, copy_to
from sidecar.store.faults import StorageError
from sidecar.store.history import HistoryLimits
from sidecar.store.pruning import prune_step
from tests.store.builders import Store, edge, put_node, remove_node

_MANY_ROWS = (
    "INSERT INTO retired_projects WITH RECURSIVE numbers (n) AS"
    " (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000) SELECT n, 0 FROM numbers"
)


@pytest.fixture
def used(store: Store) -> Store:
    store.limits = HistoryLimits(max_revisions=6, min_revisions=2)
    store.create("second")
    for number in range(5):
        store.edit(put_node(f"a{number}", steps=number), put_node("b", text="x" * 3_000 * number))
    with store.database.write() as tx:
        key = store.opened(tx).row.project_key
        tx.execute(
            "INSERT INTO drafts VALUES (NULL, 'draft', ?, '', x'', NULL, 3, '', x'', 'open', NULL, 1)",
            (key,),
        )
    for number in range(5):
        store.edit(put_node(f"a{number}", steps=-number))
    store.edit(
        remove_node("a1"),
        lambda workspace: workspace.put("edge", None, "e", edge("e", "a2", "b")),
    )
    while prune_step(store.database, key, budget=2):
        pass
    return store


def codes(store: Store) -> set[str]:
    with store.database.read() as tx:
        return {problem.code for problem in checks.problems(tx)}


def test_a_used_file_is_sound(used: Store) -> None:
    with used.database.read() as tx:
        folded = tx.execute("SELECT count(*) FROM graph_revisions WHERE folded IS NOT NULL").get

    assert folded > 0
    assert codes(used) == set()


NEWEST = "(SELECT max(revision_key) FROM graph_revisions WHERE project_key = 1)"
BEFORE = f"{NEWEST} - 1"


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (f"UPDATE graph_revisions SET label = 'x' WHERE revision_key = {BEFORE}", "chain"),
        (f"UPDATE graph_revisions SET revision_id = 'x' WHERE revision_key = {BEFORE}", "chain"),
        (f"UPDATE graph_revisions SET changes = x'0090' WHERE revision_key = {BEFORE}", "chain"),
        (f"UPDATE graph_revisions SET chain = zeroblob(16) WHERE revision_key = {BEFORE}", "chain"),
        (f"UPDATE graph_revisions SET undo_target = 1 WHERE revision_key = {BEFORE}", "chain"),
        (f"UPDATE graph_revisions SET changes = x'07' WHERE revision_key = {BEFORE}", "changes"),
        ("UPDATE graph_revisions SET changes = x'0090' WHERE folded IS NOT NULL", "changes"),
        (f"DELETE FROM graph_revisions WHERE revision_key = {NEWEST}", "current"),
        ("UPDATE graph_records SET json = CAST(json || ' ' AS BLOB) WHERE id = 'b'", "digest"),
        ("DELETE FROM graph_records WHERE id = 'b'", "digest"),
        ("UPDATE graph_records SET record_key = record_key + 50 WHERE id = 'b'", "digest"),
        ("UPDATE graph_records SET id = 'a0' WHERE id = 'b'", "orphans"),
        ("INSERT INTO graph_records VALUES (999 << 32, 'x', x'7b7d')", "orphans"),
        ("UPDATE applied_commands SET project_key = 77", "foreign-key"),
        ("UPDATE projects SET current_revision_id = 'x'", "current"),
    ],
)
def test_damage_is_found(used: Store, path: Path, damage: str, code: str) -> None:
    other = apsw.Connection(str(path))
    other.execute(
        "INSERT INTO applied_commands SELECT project_key, 'a', 'm', zeroblob(16), 1, '', 0, NULL"
        " FROM projects WHERE project_id = 'project'"
    )
    other.execute(damage)
    assert other.changes() > 0
    other.close()

    assert code in codes(used)


def test_a_check_can_be_stopped(used: Store) -> None:
    with used.database.read() as tx, pytest.raises(CancelledError):
        list(checks.problems(tx, progress=lambda done, _: done < 3))


def test_a_check_tells_how_far_it_is(used: Store) -> None:
    seen: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> bool:
        seen.append((done, total))
        return True

    with used.database.read() as tx:
        list(checks.problems(tx, progress=progress))

    assert seen == sorted(seen)
    assert seen[-1] == (7, 7)


def test_a_copy_is_private_complete_and_checked(used: Store, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    seen: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> bool:
        seen.append((done, total))
        return True

    with used.database.read() as tx:
        copy_to(tx, str(target), progress=progress)

    assert target.stat().st_mode & 0o777 == 0o600
    assert seen[-1][0] == seen[-1][1]
    copy = Store.at(target)
    assert copy.state() == used.state()
    assert codes(copy) == set()
    copy.database.close()


def test_a_copy_never_replaces_a_file(used: Store, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_text("mine")

    with used.database.read() as tx, pytest.raises(TargetExistsError):
        copy_to(tx, str(target))
    assert target.read_text() == "mine"


def test_a_stopped_copy_leaves_nothing(used: Store, tmp_path: Path) -> None:
    before = set(tmp_path.iterdir())

    with used.database.read() as tx, pytest.raises(CancelledError):
        copy_to(tx, str(tmp_path / "copy.db"), progress=lambda _, __: False)
    assert set(tmp_path.iterdir()) == before


def test_a_copy_that_is_stopped_while_it_is_checked_leaves_nothing(
    used: Store, tmp_path: Path
) -> None:
    with used.database.write() as tx:
        tx.execute(_MANY_ROWS)
    before = set(tmp_path.iterdir())
    copied: list[bool] = []

    def progress(done: int, total: int) -> bool:
        copied.append(done == total)
        return copied.count(True) < 3

    with used.database.read() as tx, pytest.raises(CancelledError):
        copy_to(tx, str(tmp_path / "copy.db"), progress=progress)
    assert set(tmp_path.iterdir()) == before


def test_a_copy_of_what_others_write_meanwhile_is_one_moment(used: Store, tmp_path: Path) -> None:
    state = used.state()
    beside = used.database.sibling()

    def progress(_: int, __: int) -> bool:
        used.edit(put_node("later", text="z" * 9_000))
        return True

    with beside.read() as tx:
        tx.execute("SELECT 1 FROM meta").fetchall()
        copy_to(tx, str(tmp_path / "copy.db"), progress=progress)
    beside.close()

    copy = Store.at(tmp_path / "copy.db")
    assert copy.state() == state
    copy.database.close()


def test_a_damaged_page_is_storage_corrupt_and_the_file_stays(used: Store, path: Path) -> None:
    used.database.close()
    content = bytearray(path.read_bytes())
    for page in range(2, len(content) // 4096):
        content[page * 4096 : page * 4096 + 40] = b"\xff" * 40
    path.write_bytes(content)

    with pytest.raises(StorageError) as caught:
        Store.at(path).state()
    assert caught.value.code == "storage-corrupt"
    assert path.read_bytes() == bytes(content)
