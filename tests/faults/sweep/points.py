"""One fault at one point of one operation, and everything that has to hold afterwards."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import apsw
from attrs import define, field, frozen

from sidecar.handlers.closing import close_without_arranging
from sidecar.store.faults import StorageError, storage_error
from sidecar.store.paths import InvalidPathError
from tests.faults.faultvfs import Fault, Kind, Step, Survival
from tests.faults.sweep.operations import Operation
from tests.faults.sweep.stage import (
    Dump,
    Stage,
    differences,
    dumped,
    in_a_new_process,
    living,
    memory,
    staged,
)
from tests.faults.sweep.template import RUN
from tests.handlers.sessions.inside import Call

READS: Final = frozenset({"xRead"})
Promise = Literal["lost", "torn", "twice", "damaged", "memory", "told", "stuck"]
CRASHES: Final[tuple[tuple[Survival, int], ...]] = (
    ("written", 0),
    ("synced", 0),
    ("torn", 1),
)
"""What a kill leaves, what a power cut leaves at worst, and what it may leave besides."""
KEYED: Final = frozenset(
    {"commitCommand", "undo", "redo", "renameProject", "applyDraft", "restoreToMessage"}
)
"""Methods whose second time is told from the first."""


@frozen(kw_only=True)
class Point:
    """Which step of which operation fails, and how."""

    operation: str
    at: int
    kind: Kind | Literal["read"]
    """``read`` fails reads, in a process that has nothing in memory yet."""
    forever: bool

    def __str__(self) -> str:
        return f"{self.operation} {self.at} {self.kind}{' for ever' if self.forever else ''}"

    def fault(self) -> Fault:
        if self.kind == "read":
            return Fault(at=self.at, forever=self.forever, calls=READS)
        return Fault(at=self.at, kind=self.kind, forever=self.forever)


@frozen(kw_only=True)
class Reference:
    """An operation on a disk without faults."""

    before: Dump
    after: Dump
    alone: dict[str, Dump]
    """What closing a run without arranging leaves, by the code that kept it from arranging."""
    answers: list[Any]
    notes: list[Any]
    steps: int
    reads: int


@frozen
class Finding:
    """A promise that did not hold."""

    promise: Promise
    point: Point
    what: str


@frozen
class Sent:
    """Requests of an operation, and where they were sent."""

    stage: Stage
    operation: Operation
    calls: Sequence[Call]


@define
class Trial:
    """One point: what it hit, what was answered, what was wrong."""

    point: Point
    hit: Step | None = None
    verdict: str = ""
    findings: list[Finding] = field(factory=list)
    images: int = 0

    def check(self, ok: object, promise: Promise, what: object = "") -> None:
        if not ok:
            self.findings.append(Finding(promise, self.point, f"{self.verdict} {self.hit}: {what}"))


def reference_of(folder: Path, template: Path, operation: Operation) -> Reference:
    """Carry an operation out without a fault."""
    with staged(folder, template) as stage:
        stage.open()
        stage.warm()
        before = living(stage.engine)
        calls = operation.calls(stage.engine)
        stage.controller.arm()
        answers, notes = _serve(stage, operation, calls)
        steps = stage.controller.count
        stage.controller.disarm()
        after = living(stage.engine)
        stage.close()
        reads = _reads_of(folder.with_name("reads"), template, operation)
    assert [one for one in answers if isinstance(one, Exception)] == []
    assert differences(before, after), f"{operation.name} changes nothing"
    shutil.rmtree(folder)
    alone = {}
    if operation.name == "closeRun":
        codes = ("storage-full", "storage-io", "storage-indeterminate")
        alone = {code: _alone(folder, template, code) for code in codes}
    return Reference(
        before=before,
        after=after,
        alone=alone,
        answers=answers,
        notes=notes,
        steps=steps,
        reads=reads,
    )


def try_point(
    folder: Path, template: Path, operation: Operation, reference: Reference, point: Point
) -> Trial:
    """Let one step fail, and look at everything."""
    trial = Trial(point)
    with staged(folder, template) as stage:
        try:
            _try(stage, operation, reference, trial)
        except (StorageError, apsw.Error, InvalidPathError, AssertionError) as error:
            trial.check(ok=False, promise="stuck", what=repr(error)[:500])
    shutil.rmtree(folder)
    return trial


def _try(stage: Stage, operation: Operation, reference: Reference, trial: Trial) -> None:
    point = trial.point
    stage.open()
    stage.warm()
    calls = operation.calls(stage.engine)
    if point.kind == "read":
        stage.forget()
    stage.controller.arm(point.fault())
    answers, notes = _serve(stage, operation, calls)
    stage.controller.disarm()
    trial.hit = stage.controller.hit
    trial.verdict = _verdict(answers, reference)
    allowed = _allowed(trial.verdict, reference, answers)
    if not allowed:
        trial.check(ok=False, promise="torn", what=answers)
        return
    for image in _crashed(stage, trial):
        trial.check(image in allowed, "lost", differences(image, allowed[0]))
    found = living(stage.engine)
    trial.check(found in allowed, "lost", differences(found, allowed[0]))
    _check_memory(stage, trial, found)
    if trial.verdict == "refused":
        trial.check(notes == [], "told", notes)
    elif trial.verdict == "landed":
        trial.check(notes == reference.notes, "told", notes)
    final = allowed[0] if trial.verdict == "alone" else reference.after
    _send_again(Sent(stage, operation, calls), reference, trial, final)
    stage.close()
    trial.check(dumped(stage.path) == final, "lost", "after closing")


def _send_again(sent: Sent, reference: Reference, trial: Trial, final: Dump) -> None:
    """The disk is well: the same requests land if they did not, and once."""
    stage, operation, calls = sent.stage, sent.operation, sent.calls
    answers, _ = _serve(stage, operation, calls)
    if trial.verdict == "refused":
        trial.check(answers == reference.answers, "stuck", answers)
    found = living(stage.engine)
    trial.check(found == final, "twice", differences(found, final))
    _check_memory(stage, trial, final)
    for image in _crashed(stage, trial, CRASHES[1:2]):
        trial.check(image == final, "lost", differences(image, final))
    answers, notes = _serve(stage, operation, calls)
    found = living(stage.engine)
    trial.check(found == final, "twice", differences(found, final))
    for (method, _), first, again in zip(calls, reference.answers, answers, strict=True):
        if method in KEYED and first["status"] == "applied":
            trial.check(again["status"] == "historical", "twice", again)
    trial.check(not operation.quiet or notes == [], "told", notes)


def _serve(stage: Stage, operation: Operation, calls: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    stage.ids.begin(operation.name)
    stage.engine.notes.clear()
    answers = stage.engine.together(*calls)
    return answers, list(stage.engine.notes)


def _verdict(answers: Sequence[Any], reference: Reference) -> str:
    """Return what the answers claim, together: one transaction has one fate."""
    codes = {_storage_code(answer) for answer in answers}
    if codes == {None}:
        if list(answers) == reference.answers:
            return "landed"
        arrangement = answers[0].get("arrangement") if isinstance(answers[0], dict) else None
        return "alone" if (arrangement or {}).get("status") == "failed" else "wrong"
    if codes == {"storage-indeterminate"}:
        return "unknown"
    return "refused" if None not in codes and len(codes) == 1 else "wrong"


def _storage_code(answer: Any) -> str | None:
    if isinstance(answer, StorageError):
        return answer.code
    if isinstance(answer, dict):
        code = (answer.get("reason") or {}).get("code", "")
        return code if code.startswith("storage-") else None
    return None


def _allowed(verdict: str, reference: Reference, answers: Sequence[Any]) -> list[Dump]:
    match verdict:
        case "landed":
            return [reference.after]
        case "alone":
            return [reference.alone[answers[0]["arrangement"]["code"]]]
        case "refused":
            return [reference.before]
        case "unknown":
            return [reference.before, reference.after, *reference.alone.values()]
        case _:
            return []


def _crashed(
    stage: Stage, trial: Trial, crashes: Sequence[tuple[Survival, int]] = CRASHES
) -> Iterator[Dump]:
    """Yield what the next process finds after each crash; each file has to be sound."""
    for survival, seed in crashes:
        folder = stage.folder / "crash"
        folder.mkdir()
        stage.controller.crash_into(folder, survival, seed)
        trial.images += 1
        yield dumped(folder / stage.path.name)
        shutil.rmtree(folder)


def _check_memory(stage: Stage, trial: Trial, found: Dump) -> None:
    if trial.verdict == "unknown":
        # What such a commit left is told as another process's changes are.
        stage.engine.context.watch.poll(stage.engine.database)
    other = dumped(stage.path)
    trial.check(other == found, "torn", differences(other, found))
    held, fresh = memory(stage.engine), in_a_new_process(stage.path)
    wrong = [name for name in held.keys() | fresh.keys() if held.get(name) != fresh.get(name)]
    trial.check(not wrong, "memory", wrong)


def _reads_of(folder: Path, template: Path, operation: Operation) -> int:
    """Return how often a process reads that serves the operation first of all."""
    with staged(folder, template) as stage:
        stage.open()
        calls = operation.calls(stage.engine)
        stage.forget()
        stage.controller.arm(Fault(at=1 << 30, calls=READS))
        _serve(stage, operation, calls)
        stage.controller.disarm()
        reads = stage.controller.count
        stage.close()
    shutil.rmtree(folder)
    return reads


def _alone(folder: Path, template: Path, code: str) -> Dump:
    with staged(folder, template) as stage:
        stage.open()
        stage.warm()
        stage.ids.begin("closeRun")
        close_without_arranging(stage.engine.context, {"runId": RUN}, storage_error(code))
        found = living(stage.engine)
        stage.close()
    shutil.rmtree(folder)
    return found
