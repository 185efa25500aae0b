"""Several requests to a COMMIT, failing ones among them: memory is what the file says."""

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from protocol.errors import RequestFailedError
from sidecar.store.database import Database, IsRecorded
from tests.faults.faultvfs import Controller, Fault, FaultVFS, Kind
from tests.handlers.sessions.chat import BRANCH, PROJECT, SESSION, append, fork, start_run
from tests.handlers.sessions.inside import Call, Engine

NAMES = itertools.count()


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine.at(tmp_path / "graphs.db")
    engine.begin()
    yield engine
    engine.database.close()


def apply(*commands: dict[str, Any], session: str = SESSION) -> Call:
    return "applySessionCommands", {"sessionId": session, "commands": list(commands)}


def test_requests_of_one_commit_build_on_each_other(engine: Engine) -> None:
    answers = engine.together(
        apply(append("m1")),
        apply(append("m2", "m1"), start_run("run", "m2", 20)),
        (
            "recordSessionEvents",
            {
                "sessionId": SESSION,
                "promptMessageId": "m2",
                "startedAt": 20,
                "messages": [{"id": "r2", "content": "a"}],
            },
        ),
        apply(append("m3", "r2")),
    )

    assert [one.get("revision") for one in answers] == [1, 2, 3, 3]
    assert answers[3]["reason"]["code"] == "run-active"
    assert engine.export() == engine.from_the_file()
    assert [note[1]["revision"] for note in engine.notes[-3:]] == [1, 2, 3]


def test_a_request_that_raises_does_not_disturb_its_neighbours(engine: Engine) -> None:
    unknown = {"sessionId": SESSION, "promptMessageId": "m1", "startedAt": 99}

    answers = engine.together(
        apply(append("m1")),
        ("recordSessionEvents", unknown),
        ("createSession", {"projectId": PROJECT, "sessionId": SESSION, "title": "other"}),
        apply(append("m2", "m1")),
    )

    assert [type(one) for one in answers] == [dict, RequestFailedError, RequestFailedError, dict]
    assert engine.export() == engine.from_the_file()
    assert len(engine.export()["messages"]) == 2


class Asking(Database):
    """A database that asks of every commit whether it is there."""

    def commit(self, is_recorded: IsRecorded | None = None) -> None:
        super().commit(is_recorded)
        assert is_recorded is not None
        with self.read() as tx:
            self.told = is_recorded(tx)

    told = False


MADE: Call = ("createSession", {"projectId": PROJECT, "sessionId": "s2"})
GONE: Call = ("deleteSession", {"sessionId": "s2"})


@pytest.mark.parametrize(
    "calls",
    [
        [apply(append("m1")), apply(append("m2", "m1"))],
        [apply(append("m1")), ("renameSession", {"sessionId": SESSION, "title": "other"})],
        [MADE, GONE],
        [MADE, GONE, MADE],
    ],
    ids=["two batches", "a batch and a name", "made and gone", "made, gone and made"],
)
def test_a_commit_of_several_requests_is_known_by_what_it_leaves(
    tmp_path: Path, calls: list[Call]
) -> None:
    database = Asking.open(str(tmp_path / "graphs.db"), busy_timeout_ms=0)
    assert isinstance(database, Asking)
    engine = Engine(database)
    engine.begin()
    database.told = False

    engine.together(*calls)

    assert database.told
    database.close()


class Faulty:
    """An engine on a copy of a database, whose file can fail."""

    def __init__(self, folder: Path, template: Path) -> None:
        shutil.copytree(template, folder)
        self.controller = Controller()
        name = f"session-fault-{next(NAMES)}"
        self.vfs = FaultVFS(self.controller, name)
        self.engine = Engine.at(folder / "graphs.db", vfs=name)
        # The session is in memory before the first fault.
        self.before = self.engine.export()

    def close(self) -> None:
        self.engine.database.close()
        self.vfs.unregister()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template")
    engine = Engine.at(folder / "graphs.db")
    engine.begin()
    parent = None
    for number in range(30):
        engine.together(apply(append(f"m{number}", parent, content=f"{number} " * 200)))
        parent = f"m{number}"
    engine.database.close()
    return folder


GROUP: list[Call] = [
    apply(append("a", "m29", content="first " * 400)),
    apply(fork("b2", "a"), append("b", "m29", branch="b2", content="second " * 400)),
]


@pytest.mark.parametrize("kind", ["full", "ioerr", "short"])
def test_whatever_write_fails_memory_is_what_the_file_says(
    tmp_path: Path, template: Path, kind: Kind
) -> None:
    hits = 0
    for at in itertools.count(1):
        faulty = Faulty(tmp_path / f"{at}", template)
        engine = faulty.engine
        faulty.controller.arm(Fault(at=at, kind=kind))
        answers = engine.together(*GROUP)
        faulty.controller.disarm()
        if faulty.controller.hit is None:
            faulty.close()
            break
        hits += 1
        told = [(one["status"], (one["reason"] or {}).get("code", "")) for one in answers]
        in_memory = engine.export()
        in_file = engine.from_the_file()

        assert in_memory == in_file, (at, told)
        if told[0][0] == "applied":
            assert len(in_file["conversationGraph"]["messages"]) == 32
        else:
            assert told[0][1].startswith("storage-"), told
            assert told[0] == told[1]
            if told[0][1] != "storage-indeterminate":
                assert in_file == faulty.before
        again = engine.together(*GROUP)
        assert [one["status"] for one in again] == ["applied", "applied"]
        assert engine.export() == engine.from_the_file()
        assert len(engine.export()["conversationGraph"]["messages"]) == 32
        faulty.close()

    assert hits >= 5


def test_a_restore_on_a_failing_disk_is_both_or_neither(tmp_path: Path, template: Path) -> None:
    for at in itertools.count(1):
        faulty = Faulty(tmp_path / f"{at}", template)
        engine = faulty.engine
        engine.together(apply(start_run("run", "m29", 20)))
        first = engine.call("getProject", projectId=PROJECT)["revisionId"]
        payload = {"kind": "add-node", "componentId": "C", "nodeId": "n"}
        commit = engine.call(
            "commitCommand",
            projectId=PROJECT,
            actionId="a",
            expectedRevisionId=first,
            actor="manual",
            runId=None,
            payload=payload,
        )
        settle = {"sessionId": SESSION, "promptMessageId": "m29", "startedAt": 20}
        engine.call("settleSessionRun", **settle, outcome="completed")
        restore: Call = (
            "restoreToMessage",
            {
                "sessionId": SESSION,
                "messageId": "m29",
                "actionId": "r",
                "expectedRevisionId": commit["revisionId"],
                "commands": [fork("b2", "m29")],
            },
        )
        faulty.controller.arm(Fault(at=at, kind="full"))
        (answer,) = engine.together(restore)
        faulty.controller.disarm()
        hit = faulty.controller.hit
        nodes = engine.call("getProject", projectId=PROJECT)["graph"]["nodes"]
        branches = engine.from_the_file()["conversationGraph"]["branches"]

        applied = answer["status"] == "applied"
        assert (len(nodes), len(branches)) == ((0, 2) if applied else (1, 1)), at
        (again,) = engine.together(restore)
        assert again["status"] == ("historical" if applied else "applied")
        assert again["session"]["acknowledged"] == ["fork-b2"]
        faulty.close()
        if hit is None:
            break

    assert at > 5


def test_a_run_is_recorded_with_its_branch(engine: Engine) -> None:
    engine.together(apply(append("m1"), start_run("run", "m1", 20)))
    engine.context.sessions.clear()

    summary = engine.call("getSession", sessionId=SESSION, view="summary")["session"]

    assert summary["activeRun"]["branchId"] == BRANCH
