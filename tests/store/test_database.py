"""The open database: its settings, its transactions, whose file it is."""

import os
import resource
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from sidecar.store import schema
from sidecar.store.connection import LIMITS
from sidecar.store.database import Database, Transaction
from sidecar.store.disk import disk_facts
from sidecar.store.faults import StorageError
from tests.moving import rename, replace, unlink, unlink_wal
from tests.store.builders import Store, put_node


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    opened = Database.open(str(path), busy_timeout_ms=50)
    yield opened
    opened.close()


def count(database: Database) -> int:
    with database.read() as tx:
        return int(tx.execute("SELECT count(*) FROM settings").get)


def put(database: Database, name: str) -> None:
    with database.write() as tx:
        tx.execute("INSERT INTO settings VALUES (?, 1)", (name,))


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),
        ("fullfsync", 1),
        ("checkpoint_fullfsync", 1),
        ("foreign_keys", 1),
        ("cell_size_check", 1),
        ("mmap_size", 0),
        ("temp_store", 2),
        ("trusted_schema", 0),
        ("wal_autocheckpoint", 0),
        ("application_id", schema.APPLICATION_ID),
        ("user_version", schema.SCHEMA_VERSION),
        ("page_size", 4096),
    ],
)
def test_settings_are_as_promised(database: Database, pragma: str, value: object) -> None:
    with database.read() as tx:
        assert tx.pragma(pragma) == value


def test_limits_are_as_promised(database: Database) -> None:
    with database.read() as tx:
        assert [tx.limit(limit) for limit, _ in LIMITS] == [value for _, value in LIMITS]


@pytest.mark.parametrize(
    "attack",
    [
        "ATTACH ':memory:' AS other",
        "UPDATE sqlite_schema SET sql = 'x'",
        "SELECT load_extension('nothing')",
        'SELECT "misspelt"',
        "CREATE TABLE no_type (x WRONG) STRICT",
        "INSERT INTO graph_lists VALUES (1, 99, '', 4)",
    ],
)
def test_what_is_switched_off_is_refused(database: Database, attack: str) -> None:
    with database.read() as tx:
        tx.pragma("writable_schema", 1)
        with pytest.raises(apsw.Error):
            tx.execute(attack).fetchall()
    assert count(database) == 0


def test_a_trigger_does_not_run(database: Database) -> None:
    with database.write() as tx:
        tx.execute(
            "CREATE TRIGGER planted AFTER INSERT ON settings BEGIN DELETE FROM settings; END"
        )
        tx.execute("INSERT INTO settings VALUES ('a', 1)")

    assert count(database) == 1


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_files_are_private_under_any_umask(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "new" / "folder"
    before = os.umask(umask)
    try:
        database = Database.open(str(folder / "graphs.db"))
        put(database, "a")
    finally:
        os.umask(before)
    names = {path.name for path in folder.iterdir()}
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    database.close()

    assert names == {"graphs.db", "graphs.db-wal", "graphs.db-shm"}
    assert modes == {0o600}
    assert [stat.S_IMODE(made.stat().st_mode) for made in (folder, folder.parent)] == [0o700] * 2


def test_a_file_is_created_once_and_opened_again(path: Path) -> None:
    first = Database.open(str(path))
    put(first, "a")
    first.close()
    again = Database.open(str(path))

    assert (first.created, again.created) == (True, False)
    assert count(again) == 1
    again.close()
    assert [found.name for found in path.parent.iterdir()] == ["graphs.db"]


def fail_after_writing(tx: Transaction) -> None:
    tx.execute("INSERT INTO settings VALUES ('a', 1)")
    raise ZeroDivisionError


def test_a_write_that_raises_leaves_nothing(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.write() as tx:
        fail_after_writing(tx)

    assert not database.in_transaction
    assert count(database) == 0


def test_a_read_sees_one_moment(database: Database) -> None:
    other = database.sibling()
    with database.read() as tx:
        before = tx.execute("SELECT count(*) FROM settings").get
        put(other, "a")
        after = tx.execute("SELECT count(*) FROM settings").get

    assert (before, after) == (0, 0)
    assert count(database) == 1
    other.close()


def test_a_read_inside_a_write_is_that_write(database: Database) -> None:
    with database.write() as tx:
        tx.execute("INSERT INTO settings VALUES ('a', 1)")
        assert count(database) == 1
        assert database.in_transaction


def test_a_locked_file_is_busy_and_serves_when_it_is_free(database: Database) -> None:
    other = database.sibling()
    with other.write():
        with pytest.raises(StorageError) as caught:
            put(database, "a")
        assert caught.value.code == "storage-busy"
        assert caught.value.retryable
        assert count(database) == 0

    put(database, "a")
    assert count(database) == 1
    other.close()


@pytest.mark.parametrize("commits", [0, 2])
def test_a_file_raised_by_a_newer_process_is_left_alone(
    database: Database, path: Path, commits: int
) -> None:
    for number in range(commits):
        put(database, f"before {number}")
    foreign = apsw.Connection(str(path))
    foreign.pragma("user_version", schema.SCHEMA_VERSION + 1)
    foreign.close()

    for work in (lambda: count(database), lambda: put(database, "a")):
        with pytest.raises(StorageError) as caught:
            work()
        assert caught.value.code == "storage-newer"
    with pytest.raises(StorageError) as caught:
        Database.open(str(path))
    assert caught.value.code == "storage-newer"


@pytest.mark.parametrize("move", [unlink, rename, replace, unlink_wal])
def test_a_file_moved_away_is_noticed_before_a_commit(
    database: Database, path: Path, move: Callable[[Path], None]
) -> None:
    put(database, "a")
    move(path)

    with pytest.raises(StorageError) as caught:
        put(database, "b")
    assert caught.value.code == "storage-moved"
    assert not caught.value.retryable
    with pytest.raises(StorageError):
        count(database)


@pytest.mark.parametrize("move", [unlink, rename, replace, unlink_wal])
def test_a_file_moved_away_during_a_commit_is_not_acknowledged(
    database: Database, path: Path, move: Callable[[Path], None]
) -> None:
    database.begin().execute("INSERT INTO settings VALUES ('a', 1)")
    move(path)

    with pytest.raises(StorageError) as caught:
        database.commit()
    assert caught.value.code == "storage-moved"


def test_data_version_tells_of_others_alone(database: Database) -> None:
    other = database.sibling()
    before = database.data_version()

    put(database, "mine")
    assert database.data_version() == before
    put(other, "theirs")
    assert database.data_version() != before
    other.close()


def test_a_checkpoint_is_due_when_the_wal_has_grown(database: Database, path: Path) -> None:
    wal = path.with_name(path.name + "-wal")
    size = path.stat().st_size
    with database.write() as tx:
        for number in range(200):
            tx.execute("INSERT INTO retired_projects VALUES (?, 1)", (str(number) + "x" * 50_000,))
    assert database.checkpoint_due
    assert wal.stat().st_size > 8_000_000

    assert database.checkpoint() is None
    assert not database.checkpoint_due
    assert path.stat().st_size > size + 8_000_000


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file grow beyond ``size`` bytes: what a full disk or a quota does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_at_open_shows_projects_and_refuses_changes_until_there_is_room(
    path: Path,
) -> None:
    first = Store.at(path)
    first.create()
    first.edit(put_node("a"))
    state = first.state()
    first.database.close()

    with largest_file(16_384):
        store = Store.at(path)
        assert store.database.degraded
        assert store.state() == state
        with pytest.raises(StorageError) as caught:
            store.edit(put_node("b"))
        assert caught.value.code == "storage-full"
        assert store.state() == state

    store.edit(put_node("b"))
    assert not store.database.degraded
    assert store.state() != state
    store.database.close()


def test_no_room_for_a_new_file_leaves_nothing_behind(path: Path) -> None:
    with largest_file(16_384), pytest.raises(StorageError) as caught:
        Database.open(str(path))

    assert caught.value.code == "storage-full"
    assert list(path.parent.iterdir()) == []


@contextmanager
def as_another_user() -> Iterator[None]:
    """Be somebody who owns nothing: for the superuser nothing is read-only."""
    before = os.geteuid()
    os.seteuid(65534 if before == 0 else before)
    try:
        yield
    finally:
        os.seteuid(before)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may write to."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_a_read_only_file_shows_and_refuses(open_folder: Path) -> None:
    path = open_folder / "graphs.db"
    database = Database.open(str(path))
    put(database, "a")
    for found in open_folder.iterdir():
        found.chmod(0o444)

    with as_another_user():
        reader = Database.open(str(path))
        assert reader.read_only
        assert count(reader) == 1
        with pytest.raises(StorageError) as caught:
            put(reader, "b")
        reader.close()
    assert caught.value.code == "storage-readonly"
    assert count(database) == 1
    database.close()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
@pytest.mark.parametrize("exists", [True, False])
def test_a_read_only_folder_is_told_apart(open_folder: Path, *, exists: bool) -> None:
    path = open_folder / "graphs.db"
    if exists:
        Database.open(str(path)).close()
        path.chmod(0o666)
    open_folder.chmod(0o555)

    with as_another_user(), pytest.raises(StorageError) as caught:
        Database.open(str(path))
    assert caught.value.code == "storage-readonly"


def test_a_database_in_memory_works_alike() -> None:
    database = Database.open(":memory:", allow_memory=True)
    put(database, "a")

    assert count(database) == 1
    database.close()


def _put_back(path: Path) -> None:
    path.with_name("elsewhere.db").rename(path)


def _nothing(path: Path) -> None:
    assert path.exists()


@pytest.mark.parametrize(
    ("move", "undo"), [(rename, _put_back), (unlink_wal, _nothing)], ids=["file", "wal"]
)
def test_a_file_put_back_has_everything_that_was_acknowledged(
    path: Path, move: Callable[[Path], None], undo: Callable[[Path], None]
) -> None:
    database = Database.open(str(path))
    put(database, "a")
    move(path)
    with pytest.raises(StorageError):
        put(database, "b")
    database.close()

    undo(path)
    again = Database.open(str(path))
    assert count(again) == 1
    again.close()


def test_closing_leaves_the_wal_of_a_file_that_took_our_name(path: Path) -> None:
    database = Database.open(str(path))
    put(database, "a")
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).rename(path.with_name(f"elsewhere.db{suffix}"))
    other = Database.open(str(path))
    put(other, "b")
    with pytest.raises(StorageError):
        put(database, "c")

    database.close()
    put(other, "d")
    assert count(other) == 2
    other.close()


def test_sizes_are_told(database: Database) -> None:
    put(database, "a")
    facts = disk_facts(database.path)

    assert facts.database_bytes >= 4096
    assert facts.wal_bytes >= 4096
    assert facts.free_bytes
