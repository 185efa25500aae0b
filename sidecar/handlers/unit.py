"""Units of work: one transaction for one or for several waiting requests.

Each request has a savepoint of its own; nothing is answered or announced before the COMMIT
returned, and memory is taken back wherever the file was.
"""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field

from sidecar.core.values import value
from sidecar.store.database import Database, Transaction
from sidecar.store.faults import StorageError


@define
class Unit:
    """What one request does inside a transaction.

    ``on_commit`` runs after the COMMIT (announcements), ``on_rollback`` newest first when the
    request's writes are taken back.  ``is_recorded`` tells, after a COMMIT that failed, whether
    it landed all the same.
    """

    tx: Transaction
    on_commit: list[Callable[[], None]] = field(factory=list)
    on_rollback: list[Callable[[], None]] = field(factory=list)
    is_recorded: Callable[[Transaction], bool] | None = None

    def take_back(self) -> None:
        """Bring memory back to where it was before this unit."""
        while self.on_rollback:
            self.on_rollback.pop()()
        self.on_commit.clear()


@value
class Job:
    """A request to be served inside a transaction: returns the answer, or raises."""

    work: Callable[[Unit], Any]


@value
class Done:
    """The answer of a job whose transaction is committed."""

    answer: Any


@value
class Failed:
    """Why a job has no answer; nothing of it is in the file."""

    error: Exception


Outcome = Done | Failed


def run_jobs(database: Database, jobs: Sequence[Job]) -> list[Outcome]:
    """Serve jobs in one transaction and return an outcome for each, in order.

    A job that raises leaves no trace and does not disturb the others; a storage fault fails all.
    """
    if len(jobs) == 1:
        return [_run_alone(database, jobs[0])]
    units: list[Unit] = []
    try:
        tx = database.begin()
        outcomes = [_run_among(database, tx, job, units) for job in jobs]
        database.commit(_witness(units))
    except Exception as error:  # noqa: BLE001 -- whatever it is, nothing is in the file
        _take_back(units)
        database.rollback()
        return [Failed(error) for _ in jobs]
    _announce(units)
    return outcomes


def _run_alone(database: Database, job: Job) -> Outcome:
    unit: Unit | None = None
    try:
        unit = Unit(database.begin())
        with database.translated():
            answer = job.work(unit)
        database.commit(unit.is_recorded)
    except Exception as error:  # noqa: BLE001 -- the dispatcher maps it
        if unit is not None:
            unit.take_back()
        database.rollback()
        return Failed(error)
    _announce([unit])
    return Done(answer)


def _run_among(database: Database, tx: Transaction, job: Job, units: list[Unit]) -> Outcome:
    unit = Unit(tx)
    try:
        with database.command():
            answer = job.work(unit)
    except StorageError:
        unit.take_back()
        raise
    except Exception as error:  # noqa: BLE001 -- the dispatcher maps it; the others go on
        unit.take_back()
        return Failed(error)
    units.append(unit)
    return Done(answer)


def _witness(units: Sequence[Unit]) -> Callable[[Transaction], bool] | None:
    # All commands of a transaction land together, so one of them speaks for all: the last one,
    # since what an earlier one left behind may not be there any more.
    witnesses = (unit.is_recorded for unit in reversed(units) if unit.is_recorded is not None)
    return next(witnesses, None)


def _announce(units: Sequence[Unit]) -> None:
    for unit in units:
        for announce in unit.on_commit:
            announce()


def _take_back(units: list[Unit]) -> None:
    while units:
        units.pop().take_back()
