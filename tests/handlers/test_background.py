import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.handlers.background import Background
from sidecar.server.assembly import Serving
from sidecar.store.database import CHECKPOINT_PAGES, OVERDUE_PAGES, Database
from sidecar.store.faults import StorageError
from sidecar.store.wal_growth import GROWN_BYTES
from tests.handlers.desk import Desk
from tests.handlers.engine import Engine
from tests.server.serving import serving_on

PAGE = 4096
FLOOD_SECONDS = 5.0
BUSY_MS = 1_000


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    database = Database.open(str(tmp_path / "a.db"))
    yield serving_on(database)
    database.close()


def write_pages(database: Database, count: int) -> None:
    with database.write() as tx:
        tx.execute("CREATE TABLE large (bytes BLOB)")
        tx.execute("INSERT INTO large VALUES (zeroblob(?))", (count * PAGE,))


def write_pages_again(database: Database) -> None:
    for _ in range(20):
        with database.write() as tx:
            tx.execute("INSERT INTO large VALUES (zeroblob(?))", (10 * PAGE,))


def busy(serving: Serving) -> Background:
    """A background for which no time passes since the last request."""
    background = Background(serving.context, lambda: 1.0)
    background.was_busy()
    return background


def test_a_small_wal_waits_for_a_quiet_moment(serving: Serving) -> None:
    write_pages(serving.context.database, CHECKPOINT_PAGES + 10)

    assert busy(serving).work() > 0
    assert serving.context.database.checkpoint_due

    now = iter([1.0, 1.0, *[9.0] * 6])
    quiet = Background(serving.context, lambda: next(now))
    quiet.was_busy()
    for _ in range(4):
        quiet.work()
    assert not serving.context.database.checkpoint_due


def test_a_quiet_moment_after_the_first_write_gives_the_wal_its_size(serving: Serving) -> None:
    database = serving.context.database
    write_pages(database, 1)
    wal = Path(f"{database.path}-wal")
    assert wal.stat().st_size < GROWN_BYTES
    now = iter([1.0, 9.0, 9.0])
    quiet = Background(serving.context, lambda: next(now))
    quiet.was_busy()

    quiet.work()

    assert wal.stat().st_size >= GROWN_BYTES
    assert not database.growth_due
    write_pages_again(database)
    assert wal.stat().st_size < 2 * GROWN_BYTES
    with database.read() as tx:
        assert tx.execute("SELECT count(*) FROM graph_records").get == 0
        assert tx.pragma("integrity_check") == "ok"


def test_a_large_wal_is_moved_although_the_host_is_busy(serving: Serving) -> None:
    database = serving.context.database
    write_pages(database, OVERDUE_PAGES + 10)
    assert Path(database.path).stat().st_size < OVERDUE_PAGES * PAGE

    busy(serving).work()

    assert not database.checkpoint_due
    assert Path(database.path).stat().st_size >= OVERDUE_PAGES * PAGE


def test_a_wal_that_a_reader_keeps_is_not_tried_again_after_every_request(serving: Serving) -> None:
    database = serving.context.database
    reader = database.sibling()
    with reader.read():
        write_pages(database, OVERDUE_PAGES + 10)
        assert database.checkpoint_overdue
        busy(serving).work()

        write_pages_again(database)
        assert not database.checkpoint_overdue
        for _ in range(OVERDUE_PAGES // 200):
            write_pages_again(database)
        assert database.checkpoint_overdue
    reader.close()

    busy(serving).work()
    write_pages_again(database)
    assert not database.checkpoint_overdue
    assert Path(database.path).stat().st_size >= OVERDUE_PAGES * PAGE


def test_pruning_does_not_wait_for_another_process_and_is_not_forgotten(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "a.db", busy_timeout_ms=BUSY_MS)
    revision_id = engine.call("createProject", projectId="p", title="P")["revisionId"]
    engine.call("updateSettings", maxRevisions=2, minRevisions=1)
    for number in range(8):
        revision_id = renamed(engine, revision_id, number)
    quiet = Background(engine.context, lambda: 9.0)
    other = engine.database.sibling()

    with other.write():
        begun = time.monotonic()
        for _ in range(3):
            quiet.work()
        took = time.monotonic() - begun

    assert took < BUSY_MS / 1000
    for _ in range(3):
        quiet.work()
    assert engine.prune() == 0
    with engine.database.read() as tx:
        assert tx.execute("SELECT count(*) FROM graph_revisions").get < 8
    other.close()
    engine.close()


def renamed(engine: Engine, revision_id: str, number: int) -> str:
    answer = engine.call(
        "renameProject",
        projectId="p",
        actionId=f"rename {number}.",
        expectedRevisionId=revision_id,
        title=f"P{number}",
    )
    return str(answer["revisionId"])


def test_growing_the_wal_does_not_wait_for_another_process(tmp_path: Path) -> None:
    database = Database.open(str(tmp_path / "a.db"), busy_timeout_ms=BUSY_MS)
    quiet = Background(serving_on(database).context, lambda: 9.0)
    other = database.sibling()
    write_pages(database, 1)

    with other.write():
        begun = time.monotonic()
        quiet.work()
        took = time.monotonic() - begun

    assert took < BUSY_MS / 1000
    assert database.growth_due
    quiet.work()
    assert not database.growth_due
    begun = time.monotonic()
    with other.write(), pytest.raises(StorageError, match="busy"):
        database.begin()
    assert time.monotonic() - begun >= BUSY_MS / 1000
    other.close()
    database.close()


@pytest.mark.spec("C16")
def test_a_host_that_never_pauses_hears_of_other_processes(tmp_path: Path) -> None:
    """More is always on its way to the sidecar than it has served."""
    path = tmp_path / "a.db"
    with Desk.begin(path) as desk, Desk.spawn(path) as other:
        other.look()
        desk.do("add-node", nodeId="n", componentId="C", position={"x": 0, "y": 0})
        client = other.client
        ids = [client.start("getStatus", {}) for _ in range(1_000)]
        begun = time.monotonic()
        while not client.notifications and time.monotonic() < begun + FLOOD_SECONDS:
            ids += [client.start("getStatus", {}) for _ in range(100)]
            for id_ in ids[:100]:
                client.answer(id_)
            del ids[:100]
        told = [note["params"]["origin"] for note in client.notifications]

    assert told == ["other"]


def test_a_host_that_never_pauses_does_not_make_the_wal_grow(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    with Desk.begin(database) as desk:
        desk.do("add-node", nodeId="n", componentId="C", position={"x": 0, "y": 0})
        for number in range(60):
            text = f"{number:03}" * 100_000
            desk.do("set-parameter", nodeId="n", name="text", value=text)

        assert database.with_name("a.db-wal").stat().st_size < 1.5 * OVERDUE_PAGES * PAGE
