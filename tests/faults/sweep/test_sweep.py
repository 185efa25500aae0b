"""Every write of every operation fails: what was answered is what is there, once, and whole."""

import secrets
import sys
from pathlib import Path

import pytest

from sidecar.handlers.routes import ROUTES
from tests.faults.sweep import template as prepared
from tests.faults.sweep.operations import OPERATIONS, Operation
from tests.faults.sweep.run import Tally, sweep_migration, sweep_operation, sweep_upkeep
from tests.faults.sweep.stage import staged
from tests.faults.sweep.upkeep import UPKEEP, Upkeep

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files that are open are renamed")

SHORT = 20
LONG = 1_000
SIZES = [SHORT, pytest.param(LONG, marks=[pytest.mark.slow, pytest.mark.timeout(3_000)])]
WORKS = len(OPERATIONS) + len(UPKEEP) + 1


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template")
    prepared.prepare(folder)
    return folder


def judge(name: str, tally: Tally, most: int) -> None:
    print(f"{name}: {tally}")
    assert tally.findings == []
    assert tally.points >= min(most, SHORT)
    assert tally.hits >= tally.points // 2


@pytest.mark.parametrize("most", SIZES)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_a_request_on_a_failing_disk_lands_whole_and_once_or_not_at_all(
    tmp_path: Path, template: Path, operation: Operation, most: int
) -> None:
    tally = sweep_operation(tmp_path, template, operation, seed=secrets.randbits(32), most=most)

    judge(operation.name, tally, most // operation.cost)
    assert {"landed", "alone", "refused", "unknown"} >= tally.verdicts.keys()


@pytest.mark.parametrize("most", SIZES)
@pytest.mark.parametrize("upkeep", UPKEEP, ids=lambda one: one.name)
def test_upkeep_on_a_failing_disk_loses_nothing(
    tmp_path: Path, template: Path, upkeep: Upkeep, most: int
) -> None:
    tally = sweep_upkeep(tmp_path, template, upkeep, seed=secrets.randbits(32), most=most)

    judge(upkeep.name, tally, most)


@pytest.mark.parametrize("most", SIZES)
def test_a_migration_on_a_failing_disk_is_done_or_not_and_leaves_a_whole_backup(
    tmp_path: Path, template: Path, most: int
) -> None:
    judge(
        "migration",
        sweep_migration(tmp_path, template, seed=secrets.randbits(32), most=most),
        most,
    )


def test_the_short_form_has_800_points() -> None:
    assert SHORT * (WORKS - 1) >= 800


def test_every_method_that_writes_is_among_the_operations(tmp_path: Path, template: Path) -> None:
    with staged(tmp_path / "stage", template) as stage:
        stage.open()
        called = {method for operation in OPERATIONS for method, _ in operation.calls(stage.engine)}
        stage.close()

    assert called == {method for method, route in ROUTES.items() if route.writes}
