"""Reads that fail while other processes' changes are looked for: all of them are told in the end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import cast

import pytest
from attrs import define

from sidecar.handlers.watch import Watch
from sidecar.store.database import Database, Transaction
from sidecar.store.faults import StorageError
from tests.faults.faultvfs import Controller, Fault, FaultVFS
from tests.handlers.desk import add
from tests.handlers.engine import Engine, Json

_names = count(1)
LARGE = 30_000
"""Characters of a text that no page holds."""
EVERY_READ = 100
"""More reads than a look takes."""


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(tmp_path / "a.db")
    yield engine
    engine.close()


def commit(engine: Engine, payload: Json) -> None:
    current = engine.call("getProject", projectId="p", projection="none")["revisionId"]
    answer = engine.call(
        "commitCommand",
        projectId="p",
        actionId=f"action-{next(_names)}",
        expectedRevisionId=current,
        actor="manual",
        runId=None,
        payload=payload,
        projection="none",
    )
    assert answer["status"] == "applied"


@pytest.mark.spec("C16", "E3")
def test_a_read_that_fails_keeps_no_news_from_the_host(writer: Engine) -> None:
    writer.call("createProject", projectId="p", title="Project")
    commit(writer, add("a"))
    failures = 0
    for at in range(1, EVERY_READ):
        prepare(writer)
        controller, name = Controller(), f"watch-{next(_names)}"
        vfs = FaultVFS(controller, name)
        reader = Engine(writer.path, vfs=name)
        change(writer, at)

        controller.arm(Fault(at=at, calls=frozenset({"xRead"})))
        failures += look_fails(reader)
        controller.disarm()
        assert not look_fails(reader)

        told = sorted(method for method, _ in reader.notes)
        reader.close()
        vfs.unregister()
        assert told == ["draftChanged", "projectChanged", "runChanged"], controller.hit
        if controller.hit is None:
            break
    assert failures > 1
    assert controller.hit is None


@pytest.mark.spec("C16")
def test_what_is_committed_just_after_the_first_look_is_news(writer: Engine) -> None:
    writer.call("createProject", projectId="p", title="Project")
    reader = Engine(writer.path)
    told: list[str] = []
    watch = Watch(lambda method, _: told.append(method))

    watch.start(cast("Database", Overtaken(reader.database, lambda: commit(writer, add("a")))))
    watch.poll(reader.database)
    watch.poll(reader.database)

    assert told == ["projectChanged"]
    reader.close()


@define
class Overtaken:
    """A database that another process writes right after a look at it."""

    database: Database
    late: Callable[[], None]

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        with self.database.read() as tx:
            yield tx
        self.late()

    def data_version(self) -> int:
        return self.database.data_version()


def prepare(writer: Engine) -> None:
    """Open a run and a draft."""
    writer.call("startRun", projectId="p", runId=f"run-{next(_names)}")
    rename = {"kind": "rename-node", "nodeId": "a", "name": "A"}
    writer.call("createDraft", projectId="p", title="D", nodeIds=["a"], payloads=[rename])


def change(writer: Engine, number: int) -> None:
    """Change the graph, and end what was opened."""
    text = f"{number:03}" * (LARGE // 3)
    commit(writer, {"kind": "set-parameter", "nodeId": "a", "name": "text", "value": text})
    open_run = writer.call("getProject", projectId="p", projection="none")["openRun"]
    writer.call("cancelRun", runId=open_run["runId"])
    for draft in writer.call("listDrafts", projectId="p")["items"]:
        writer.call("discardDraft", draftId=draft["draftId"])


def look_fails(reader: Engine) -> bool:
    try:
        reader.context.watch.poll(reader.database)
    except StorageError:
        return True
    return False
