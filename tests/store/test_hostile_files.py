"""Files that are not ours, or not as we left them, are refused and left as they are."""

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from sidecar.store import schema
from sidecar.store.database import Database
from sidecar.store.faults import StorageError
from sidecar.store.paths import InvalidPathError, checked_path, default_path
from tests.store.builders import Store, put_node


def ours(path: Path) -> apsw.Connection:
    store = Store.at(path)
    store.create()
    store.edit(put_node("a"))
    store.database.close()
    return apsw.Connection(str(path))


def text(path: Path) -> None:
    path.write_text("Dear diary, this is no database at all.\n" * 40)


def empty(path: Path) -> None:
    path.touch()


def foreign(path: Path) -> None:
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE mail (body)")
    other.close()


def foreign_and_empty(path: Path) -> None:
    other = apsw.Connection(str(path))
    other.pragma("application_id", 7)
    other.close()


def newer(path: Path) -> None:
    other = ours(path)
    other.pragma("user_version", schema.SCHEMA_VERSION + 1)
    other.close()


def unversioned(path: Path) -> None:
    other = ours(path)
    other.pragma("user_version", 0)
    other.close()


def planted(statement: str) -> Callable[[Path], None]:
    def plant(path: Path) -> None:
        other = ours(path)
        other.execute(statement)
        other.close()

    return plant


def rewritten_schema(path: Path) -> None:
    other = ours(path)
    other.pragma("writable_schema", 1)
    other.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, 'actor IN', 'actor NOT IN')"
        " WHERE name = 'graph_revisions'"
    )
    other.close()


def broken_schema(path: Path) -> None:
    other = ours(path)
    other.pragma("writable_schema", 1)
    other.execute("UPDATE sqlite_schema SET sql = 'CREATE TABLE (' WHERE name = 'projects'")
    other.close()


def garbage(path: Path) -> None:
    ours(path).close()
    content = bytearray(path.read_bytes())
    content[100:4096] = random.Random(1).randbytes(3996)
    path.write_bytes(content)


def cut_header(path: Path) -> None:
    ours(path).close()
    path.write_bytes(b"SQLite format 3\0" + bytes(20))


@pytest.mark.parametrize(
    ("make", "codes"),
    [
        (text, {"storage-corrupt"}),
        (empty, {"storage-corrupt"}),
        (garbage, {"storage-corrupt"}),
        (cut_header, {"storage-corrupt", "storage-foreign"}),
        (broken_schema, {"storage-corrupt"}),
        (foreign, {"storage-foreign"}),
        (foreign_and_empty, {"storage-foreign"}),
        (unversioned, {"storage-foreign"}),
        (rewritten_schema, {"storage-foreign"}),
        (newer, {"storage-newer"}),
        (planted("CREATE TABLE extra (x)"), {"storage-foreign"}),
        (planted("CREATE VIEW extra AS SELECT 1"), {"storage-foreign"}),
        (planted("CREATE INDEX extra ON projects (title)"), {"storage-foreign"}),
        (planted("DROP INDEX runs_open"), {"storage-foreign"}),
        (
            planted(
                "CREATE TRIGGER extra AFTER INSERT ON projects BEGIN DELETE FROM projects; END"
            ),
            {"storage-foreign"},
        ),
    ],
)
def test_it_is_refused_and_left_as_it_is(
    path: Path, make: Callable[[Path], None], codes: set[str]
) -> None:
    make(path)
    before = path.read_bytes()

    with pytest.raises(StorageError) as caught:
        Database.open(str(path))

    assert caught.value.code in codes
    assert not caught.value.retryable
    assert path.read_bytes() == before


@pytest.mark.parametrize("seed", range(40))
def test_flipped_bytes_are_noticed_or_harmless(path: Path, seed: int) -> None:
    ours(path).close()
    rng = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 8, 200))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)

    codes = {use(path) for _ in range(2)}

    assert codes <= {None, "storage-corrupt", "storage-foreign", "storage-newer"}


def use(path: Path) -> str | None:
    """Open, read and write; return how the file refused."""
    try:
        store = Store.at(path)
    except StorageError as error:
        return error.code
    try:
        store.state()
        store.edit(put_node("b"))
    except StorageError as error:
        return error.code
    finally:
        store.database.close()
    return None


HOSTILE_PATHS = [
    ("", "empty"),
    ("graphs.db", "relative"),
    ("./graphs.db", "relative"),
    ("../graphs.db", "relative"),
    ("~/graphs.db", "relative"),
    ("file:graphs.db", "uri"),
    ("file:///tmp/graphs.db?mode=memory", "uri"),
    ("FILE:/tmp/graphs.db", "uri"),
    (":memory:", "memory"),
    (":memory:x", "memory"),
    ("/tmp/graphs\0.db", "nul"),
    ("\0", "nul"),
    ("/" + "x" * 5_000, "too-long"),
    ("/tmp/\ud800.db", "not-text"),
    ("/tmp/\udcff/graphs.db", "not-text"),
    (None, "not-text"),
    (b"/tmp/graphs.db", "not-text"),
    (7, "not-text"),
    ("/", "folder"),
    ("/tmp", "folder"),
    ("/tmp/", "folder"),
    ("/tmp/graphs.db/", "folder"),
    ("/dev/null", "not-a-file"),
    ("/dev/zero", "not-a-file"),
    ("/dev/tty", "not-a-file"),
    ("/proc/self/nothing/graphs.db", "no-folder"),
    ("/etc/passwd/graphs.db", "no-folder"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX paths")
@pytest.mark.parametrize(("hostile", "code"), HOSTILE_PATHS)
def test_a_hostile_path_is_refused(hostile: object, code: str) -> None:
    with pytest.raises(InvalidPathError) as caught:
        Database.open(hostile)

    assert caught.value.code == code


def test_what_is_no_file_is_refused_without_touching_it(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    links = {"to-folder": folder, "to-pipe": pipe, "to-device": Path("/dev/null")}
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)

    for name in ("folder", "pipe", *links):
        with pytest.raises(InvalidPathError):
            Database.open(str(tmp_path / name))
    assert sorted(found.name for found in tmp_path.iterdir()) == sorted({"folder", "pipe", *links})


def test_a_link_to_a_database_leads_to_it(tmp_path: Path) -> None:
    target = tmp_path / "real.db"
    ours(target).close()
    link = tmp_path / "link.db"
    link.symlink_to(target)

    database = Database.open(str(link))
    assert database.path == str(target)
    database.close()


def test_the_default_path_is_absolute_and_allowed() -> None:
    path = default_path()

    assert Path(path).is_absolute()
    assert Path(path).suffix == ".db"


def test_missing_folders_are_made(tmp_path: Path) -> None:
    path = checked_path(str(tmp_path / "a" / "b" / "graphs.db"))

    assert Path(path).parent.is_dir()
    assert not Path(path).exists()
