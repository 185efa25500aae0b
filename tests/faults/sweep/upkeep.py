"""The sweep over what is no request: pruning, checkpoints, opening, closing, copying.

None of it may change what is in the file, but for what it is there to change, all or nothing.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from attrs import frozen

from sidecar.store import projects
from sidecar.store.copies import copy_to
from sidecar.store.faults import StorageError
from sidecar.store.pruning import prune_step
from sidecar.store.wal_growth import grow_wal
from tests.faults.sweep import arrival
from tests.faults.sweep.points import CRASHES, Point, Trial
from tests.faults.sweep.stage import FILE, Dump, Stage, differences, dumped, living, staged
from tests.faults.sweep.template import PRUNED, commit, node

Work = Callable[[Stage], None]
"""Does the work; raises StorageError where the file refuses."""


@frozen(kw_only=True)
class Upkeep:
    """A piece of upkeep; ``prepare`` brings the stage to where the work begins.

    ``view`` leaves out of what a file holds what makes no difference to anybody; ``settles`` says
    that the work, done again, always ends in the same.
    """

    name: str
    prepare: Work
    work: Work
    changes: bool = False
    closes: bool = False
    settles: bool = False
    view: Callable[[Dump], Dump] = lambda dump: dump


def _opened(stage: Stage) -> None:
    stage.open()
    stage.warm()


def _with_wal(stage: Stage) -> None:
    _opened(stage)
    for number in range(4):
        commit(stage.engine, f"w{number}", node(f"w{number}", 5_000.0 + 400 * number))


def _left_behind(stage: Stage) -> None:
    """A killed process's file: its WAL is there, nobody has it open."""
    _with_wal(stage)
    left = stage.folder / "left"
    left.mkdir()
    stage.controller.crash_into(left, "written")
    stage.close()
    for found in left.iterdir():
        shutil.copy(found, stage.folder / found.name)
    shutil.rmtree(left)
    stage.controller.images.clear()
    for name in (FILE, f"{FILE}-wal"):
        stage.controller.image(str(stage.folder / name))


def _prune(stage: Stage) -> None:
    database = stage.engine.database
    with database.read() as tx:
        row = projects.find(tx, PRUNED)
    assert row is not None
    prune_step(database, row.project_key, budget=4)


def _arrival(stage: Stage) -> None:
    _opened(stage)
    arrival.prepare(stage)


def _checkpoint(stage: Stage) -> None:
    fault = stage.engine.database.checkpoint()
    if fault is not None:
        raise fault


def _grow(stage: Stage) -> None:
    fault = grow_wal(stage.engine.database)
    if fault is not None:
        raise fault


def _open(stage: Stage) -> None:
    stage.open()
    stage.warm()


def _copy(stage: Stage) -> None:
    with stage.engine.database.read() as tx:
        copy_to(tx, str(stage.folder / "copy.db"), vfs=stage.name)


UPKEEP: Final = (
    Upkeep(name="prune", prepare=_opened, work=_prune, changes=True),
    Upkeep(
        name="session-in-pieces",
        prepare=_arrival,
        work=arrival.arrive,
        changes=True,
        settles=True,
        view=arrival.of_sessions,
    ),
    Upkeep(name="checkpoint", prepare=_with_wal, work=_checkpoint),
    Upkeep(name="grow", prepare=_with_wal, work=_grow),
    Upkeep(name="backup", prepare=_with_wal, work=_copy),
    Upkeep(name="close", prepare=_with_wal, work=Stage.close, closes=True),
    Upkeep(name="open-after-a-kill", prepare=_left_behind, work=_open, closes=True),
)


def steps_of(folder: Path, template: Path, upkeep: Upkeep) -> tuple[int, list[Dump]]:
    """Return the steps of some upkeep, and what is in the file before and after."""
    with staged(folder, template) as stage:
        upkeep.prepare(stage)
        before = upkeep.view(dumped(stage.path))
        stage.controller.arm()
        upkeep.work(stage)
        steps = stage.controller.count
        stage.controller.disarm()
        stage.close()
        after = upkeep.view(dumped(stage.path))
    shutil.rmtree(folder)
    assert (before != after) == upkeep.changes
    return steps, [before, after]


def try_upkeep(
    folder: Path, template: Path, upkeep: Upkeep, states: list[Dump], point: Point
) -> Trial:
    """Let one step fail; the file has to be as it was, or as it should become."""
    trial = Trial(point)
    with staged(folder, template) as stage:
        upkeep.prepare(stage)
        stage.controller.arm(point.fault())
        trial.verdict = _refusal(upkeep, stage) or "landed"
        stage.controller.disarm()
        trial.hit = stage.controller.hit
        allowed = states[1:] if trial.verdict == "landed" else states
        for image in _images(stage, trial):
            trial.check(upkeep.view(image) in allowed, "lost")
        copy = stage.folder / "copy.db"
        trial.check(
            copy.exists() == (upkeep.name == "backup" and trial.verdict == "landed"), "torn"
        )
        if copy.exists():
            trial.check(dumped(copy) == states[1], "torn", "copy")
        names = sorted(found.name for found in stage.folder.iterdir() if ".new" in found.name)
        trial.check(not names, "torn", names)
        _use_again(stage, upkeep, states, trial)
    shutil.rmtree(folder)
    return trial


def _use_again(stage: Stage, upkeep: Upkeep, states: list[Dump], trial: Trial) -> None:
    """The disk is well: the file serves, and the work is done another time."""
    if upkeep.closes:
        with contextlib.suppress(AttributeError):
            stage.close()
        stage.open()
    trial.check(upkeep.view(living(stage.engine)) in states, "lost", "living")
    with contextlib.suppress(FileNotFoundError):
        (stage.folder / "copy.db").unlink()
    refused = _refusal(upkeep, stage)
    trial.check(refused is None, "stuck", refused)
    if upkeep.name == "close":
        stage.open()
    if upkeep.settles or not upkeep.changes:
        found = living(stage.engine)
        trial.check(upkeep.view(found) == states[1], "lost", differences(found, states[1]))
        left = [name for name, rows in states[1].items() if len(rows) != len(found[name])]
        trial.check(not left, "torn", left)
    commit(stage.engine, "again", node("again", 9_000))
    stage.close()
    dumped(stage.path)


def _refusal(upkeep: Upkeep, stage: Stage) -> str | None:
    try:
        upkeep.work(stage)
    except StorageError as fault:
        return fault.code
    except SystemError:
        # apsw ends a backup whose cleaning up fails in Python code with this; C code sets no
        # exception that it could trip over.
        return "storage-io"
    return None


def _images(stage: Stage, trial: Trial) -> Iterator[Dump]:
    for survival, seed in CRASHES:
        crash = stage.folder / "crash"
        crash.mkdir()
        stage.controller.crash_into(crash, survival, seed)
        trial.images += 1
        yield dumped(crash / stage.path.name)
        shutil.rmtree(crash)
