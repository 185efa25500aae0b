"""Many points, drawn by a seed, and what was counted on the way."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from attrs import define, field

from tests.faults.faultvfs import Kind
from tests.faults.sweep import migration, upkeep
from tests.faults.sweep.operations import Operation
from tests.faults.sweep.points import Finding, Point, Trial, reference_of, try_point
from tests.faults.sweep.upkeep import Upkeep

KINDS: Final[tuple[Kind, ...]] = ("full", "ioerr", "short", "late")


@define
class Tally:
    """What a sweep did and found."""

    seed: int
    points: int = 0
    hits: int = 0
    images: int = 0
    verdicts: Counter[str] = field(factory=Counter)
    calls: Counter[str] = field(factory=Counter)
    findings: list[Finding] = field(factory=list)

    def add(self, trial: Trial) -> None:
        self.points += 1
        self.images += trial.images
        self.verdicts[trial.verdict] += 1
        if trial.hit is not None:
            self.hits += 1
            self.calls[f"{trial.hit.call} {_role(trial.hit.file)}"] += 1
        self.findings += trial.findings

    def join(self, other: Tally) -> None:
        """Add another tally of the same seed."""
        self.points += other.points
        self.hits += other.hits
        self.images += other.images
        self.verdicts += other.verdicts
        self.calls += other.calls
        self.findings += other.findings

    def __str__(self) -> str:
        broken = Counter(finding.promise for finding in self.findings)
        promises = ", ".join(f"{broken[name]} {name}" for name in ("lost", "torn", "twice"))
        others = sum(broken.values()) - broken["lost"] - broken["torn"] - broken["twice"]
        return (
            f"seed {self.seed}: {self.points} points, {self.hits} faults, {self.images} crashes, "
            f"answers {dict(self.verdicts)}, {promises}, {others} otherwise wrong; "
            f"calls {dict(sorted(self.calls.items()))}"
        )


def points_of(operation: str, steps: int, reads: int = 0) -> list[Point]:
    """Return every point of an operation, and for each kind the first one that hits nothing."""
    writing = [
        Point(operation=operation, at=at, kind=kind, forever=forever)
        for at, kind, forever in itertools.product(range(1, steps + 2), KINDS, (False, True))
    ]
    reading = [
        Point(operation=operation, at=at, kind="read", forever=forever)
        for at, forever in itertools.product(range(1, reads + 1), (False, True))
    ]
    return writing + reading


def drawn(points: Sequence[Point], most: int, rng: random.Random) -> list[Point]:
    return list(points) if len(points) <= most else rng.sample(points, most)


def sweep_operation(
    folder: Path, template: Path, operation: Operation, *, seed: int, most: int
) -> Tally:
    """Try up to ``most`` points of an operation."""
    reference = reference_of(folder / "reference", template, operation)
    return _tried(
        points_of(operation.name, reference.steps, reference.reads),
        lambda point: try_point(folder / "point", template, operation, reference, point),
        (seed, most // operation.cost),
    )


def sweep_upkeep(folder: Path, template: Path, work: Upkeep, *, seed: int, most: int) -> Tally:
    """Try up to ``most`` points of some upkeep."""
    steps, states = upkeep.steps_of(folder / "reference", template, work)
    return _tried(
        points_of(work.name, steps),
        lambda point: upkeep.try_upkeep(folder / "point", template, work, states, point),
        (seed, most),
    )


def sweep_migration(folder: Path, template: Path, *, seed: int, most: int) -> Tally:
    """Try up to ``most`` points of a migration."""
    with migration.newer_program():
        steps, states = migration.steps_of(folder / "reference", template)
        return _tried(
            points_of("migration", steps),
            lambda point: migration.try_migration(folder / "point", template, states, point),
            (seed, most),
        )


def _tried(
    points: Sequence[Point], attempt: Callable[[Point], Trial], draw: tuple[int, int]
) -> Tally:
    seed, most = draw
    tally = Tally(seed)
    for point in drawn(points, most, random.Random(f"{seed} {points[0].operation}")):
        tally.add(attempt(point))
    return tally


def _role(file: str) -> str:
    for ending in ("-wal", "-journal", "-shm"):
        if file.endswith(ending):
            return ending[1:]
    return "database"
