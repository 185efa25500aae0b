"""The sweep is worth its name: it catches engines that are broken on purpose."""

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from sidecar.handlers import commands
from sidecar.handlers.unit import Unit
from sidecar.store import database
from sidecar.store.database import Database
from sidecar.store.faults import StorageError
from tests.faults.sweep import template as prepared
from tests.faults.sweep.operations import OPERATIONS
from tests.faults.sweep.points import reference_of, try_point
from tests.faults.sweep.run import points_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files that are open are renamed")

Plant = Callable[[pytest.MonkeyPatch], None]


def leaves_ghosts(patch: pytest.MonkeyPatch) -> None:
    """A failed COMMIT is taken for absent, although recovery may find it."""
    patch.setattr(database, "overwrite_ghost", lambda _: None)


def rests_on_what_is_not_synced(patch: pytest.MonkeyPatch) -> None:
    """What recovery found is told of before it is on the disk."""
    patch.setattr(database, "touch", lambda _: None)


def keeps_what_was_rolled_back(patch: pytest.MonkeyPatch) -> None:
    """Memory does not follow the file back."""
    patch.setattr(Unit, "take_back", lambda unit: unit.on_commit.clear())


def acknowledges_failed_commits(patch: pytest.MonkeyPatch) -> None:
    real = Database.commit

    def commit(self: Database, is_recorded: Any = None) -> None:
        try:
            real(self, is_recorded)
        except StorageError:
            self.rollback()

    patch.setattr(Database, "commit", commit)


def forgets_what_it_applied(patch: pytest.MonkeyPatch) -> None:
    """An action that comes again is not recognized."""
    patch.setattr(commands, "record", lambda *_: None)


def syncs_nothing(patch: pytest.MonkeyPatch) -> None:
    """Commits are acknowledged while they are only in the system's memory."""
    real = Database.begin

    def begin(self: Database) -> apsw.Connection:
        tx = real(self)
        tx.execute("ROLLBACK")
        tx.pragma("synchronous", 0)
        tx.execute("BEGIN IMMEDIATE")
        return tx

    patch.setattr(Database, "begin", begin)


def announces_what_is_not_there(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        Unit, "take_back", lambda unit: [call() for call in (*unit.on_rollback, *unit.on_commit)]
    )


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template")
    prepared.prepare(folder)
    return folder


@pytest.mark.parametrize(
    ("plant", "promise"),
    [
        (leaves_ghosts, "lost"),
        (rests_on_what_is_not_synced, "lost"),
        (keeps_what_was_rolled_back, "memory"),
        (acknowledges_failed_commits, "lost"),
        (forgets_what_it_applied, "twice"),
        (syncs_nothing, "lost"),
        (announces_what_is_not_there, "told"),
    ],
    ids=lambda one: one if isinstance(one, str) else one.__name__,
)
def test_it_is_caught(
    tmp_path: Path,
    template: Path,
    monkeypatch: pytest.MonkeyPatch,
    plant: Plant,
    promise: str,
) -> None:
    (operation,) = (one for one in OPERATIONS if one.name == "undo")
    plant(monkeypatch)

    reference = reference_of(tmp_path / "reference", template, operation)
    points = points_of(operation.name, reference.steps, reference.reads)
    random.Random("any order, one that is the same each time").shuffle(points)
    trials = (
        try_point(tmp_path / "point", template, operation, reference, point) for point in points
    )

    assert any(finding.promise == promise for trial in trials for finding in trial.findings)
