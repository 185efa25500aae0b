"""Playing recorded exchanges against a process, each file on a fresh folder and database."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from attrs import define, field, frozen

from protocol.json_text import dumps
from sidecar.cli.exchanges.inbox import Inbox, is_notification
from sidecar.cli.exchanges.patterns import (
    ABSENT,
    Bindings,
    Difference,
    PatternError,
    differences,
    fill,
)
from sidecar.cli.exchanges.pipe import Pipe, SilenceError
from sidecar.cli.exchanges.raw import raw_body
from sidecar.cli.exchanges.script import Exchange, Exit, Expect, Restart, Script, Send, Step

Verdict = Literal["passed", "failed", "skipped"]


@frozen
class Fault:
    """What was not as recorded: the line, and the differences or a sentence."""

    line: int
    differences: tuple[Difference, ...] = ()
    text: str = ""


@frozen
class Outcome:
    """What became of an exchange."""

    line: int
    title: str
    verdict: Verdict
    faults: tuple[Fault, ...] = ()


@frozen
class Report:
    """What became of a file."""

    script: Script
    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> bool:
        return all(outcome.verdict == "passed" for outcome in self.outcomes)


def play(script: Script, command: Sequence[str], *, timeout: float = 30.0) -> Report:
    """Play a file.  Raises OSError where the command cannot be started."""
    # Where a process goes on for a moment after its end, a launcher's, Windows keeps its files.
    with tempfile.TemporaryDirectory(
        prefix="graph-sidecar-replay-", ignore_cleanup_errors=True
    ) as folder:
        player = _Player(command, Path(folder).resolve(), timeout)
        try:
            return Report(script, tuple(player.outcomes(script)))
        finally:
            player.end()


@define
class _Player:
    command: Sequence[str]
    folder: Path
    timeout: float
    pipe: Pipe = field(init=False)
    inbox: Inbox = field(init=False)
    bindings: Bindings = field(init=False)
    over: bool = False
    ended: bool = False
    """Whether the file itself awaited the end of the process."""
    answered: int | None = None
    """The place of the first answer of this exchange."""

    def __attrs_post_init__(self) -> None:
        self.bindings = Bindings(self.folder, {"processId": os.getpid()})
        self._start()

    def outcomes(self, script: Script) -> Iterator[Outcome]:
        for exchange in script.exchanges:
            yield self._exchange(exchange)
        last = max((e.steps[-1].line for e in script.exchanges), default=0)
        if not self.over and (faults := tuple(self._leave(last))):
            yield Outcome(last, "the end", "failed", faults)

    def end(self) -> None:
        self.pipe.kill()

    def _start(self) -> None:
        self.pipe = Pipe(self.command, self.folder, timeout=self.timeout)
        self.inbox = Inbox(self.pipe.receive)
        self.ended = False

    def _exchange(self, exchange: Exchange) -> Outcome:
        if self.over:
            return Outcome(exchange.line, exchange.title, "skipped")
        self.answered = None
        faults: list[Fault] = []
        for step in exchange.steps:
            try:
                faults += self._step(step)
            except PatternError as error:
                faults.append(Fault(step.line, text=str(error)))
            except SilenceError as error:
                faults.append(Fault(step.line, text=str(error)))
                self.over = True
                break
        verdict: Verdict = "failed" if faults else "passed"
        return Outcome(exchange.line, exchange.title, verdict, tuple(faults))

    def _step(self, step: Step) -> Iterator[Fault]:
        match step:
            case Send(message=message):
                self.pipe.send(_body(message, self.bindings))
            case Expect(line=line, pattern=pattern):
                yield from self._expect(line, pattern)
            case Exit(line=line, code=code):
                yield from self._finish(line, self.pipe.wait(), code)
                self.ended = True
            case Restart(line=line, how=how):
                yield from self._restart(line, how)

    def _expect(self, line: int, pattern: Any) -> Iterator[Fault]:
        notification = is_notification(pattern)
        arrival = self.inbox.next(notification=notification)
        found = differences(pattern, arrival.message, self.bindings)
        if found:
            yield Fault(line, tuple(found))
        if not notification and self.answered is None:
            self.answered = arrival.place
        elif notification and self.answered is not None and arrival.place < self.answered:
            yield Fault(line, text="this came before the answer that it should follow")

    def _restart(self, line: int, how: str) -> Iterator[Fault]:
        if how == "close":
            yield from self._leave(line)
        self.pipe.kill()
        self._start()

    def _leave(self, line: int) -> Iterator[Fault]:
        """Close the process as a host does that goes away, unless the file saw it end."""
        if self.ended:
            return
        try:
            yield from self._finish(line, self.pipe.close(), 0)
        except SilenceError as error:
            yield Fault(line, text=str(error))

    def _finish(self, line: int, code: int, expected: int) -> Iterator[Fault]:
        surplus = tuple(Difference("", ABSENT, message) for message in self._rest())
        if surplus:
            yield Fault(line, surplus, "messages that nobody expected")
        if code != expected:
            yield Fault(line, (Difference("", expected, code),), "the exit code")

    def _rest(self) -> list[Any]:
        return [*self.inbox.rest(), *self.pipe.rest()]


def _body(message: Any, bindings: Bindings) -> bytes:
    match message:
        case {"$raw": str(text)}:
            return raw_body(text)
        case _:
            return dumps(fill(message, bindings))
