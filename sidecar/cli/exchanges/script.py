"""Reading a file of recorded exchanges.

Whatever is not understood is refused with its line: a line that nobody checks proves nothing.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from attrs import frozen

How = Literal["close", "kill"]


@frozen
class Send:
    """A message to send, with references still in it."""

    line: int
    message: Any


@frozen
class Expect:
    """What the next message must look like."""

    line: int
    pattern: Any


@frozen
class Exit:
    """The process has to end with this code."""

    line: int
    code: int


@frozen
class Restart:
    """The process is ended and another one started: by closing its stdin, or by killing it."""

    line: int
    how: How


Step = Send | Expect | Exit | Restart


@frozen
class Exchange:
    """What is sent at once, and all that has to come before anything else is sent."""

    steps: tuple[Step, ...]

    @property
    def line(self) -> int:
        return self.steps[0].line

    @property
    def title(self) -> str:
        """What is asked: the method, and what tells such requests apart."""
        for step in self.steps:
            match step:
                case Send(message={"method": str(method), "params": {"payload": {"kind": kind}}}):
                    return f"{method} {kind}"
                case Send(message={"method": str(method)}):
                    return method
                case Send():
                    return "a message without a method"
                case Exit():
                    return "the end of the process"
                case Restart(how=how):
                    return f"restart ({how})"
                case Expect():
                    continue
        return "what came by itself"


@frozen
class Script:
    """One file: its name, what it says of itself, its exchanges."""

    name: str
    description: str
    exchanges: tuple[Exchange, ...]


class ScriptError(Exception):
    """A file that cannot be played; its text names the file and the line."""


def read_script(path: Path) -> Script:
    """Read a file; raises ScriptError, or OSError where it cannot be read."""
    description = ""
    steps: list[Step] = []
    for number, text in enumerate(_lines(path), start=1):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except ValueError as error:
            raise ScriptError(f"{path}:{number}: this line is not JSON ({error})") from error
        if number == 1 and isinstance(value, dict) and "description" in value:
            description = str(value["description"])
            continue
        step = _step(number, value)
        if step is None:
            raise ScriptError(f"{path}:{number}: expected one of {', '.join(_KEYS)}")
        steps.append(step)
    return Script(path.name, description, tuple(_exchanges(steps)))


_KEYS: Final = ('"->"', '"<-"', '"exit"', '"restart"')


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ScriptError(f"{path}: this is not UTF-8 text") from error


def _step(line: int, value: Any) -> Step | None:
    match value:
        case {"->": message, **rest} if not rest:
            return Send(line, message)
        case {"<-": pattern, **rest} if not rest:
            return Expect(line, pattern)
        case {"exit": int(code), **rest} if not rest:
            return Exit(line, code)
        case {"restart": "close" | "kill" as how, **rest} if not rest:
            return Restart(line, how)
        case _:
            return None


def _exchanges(steps: list[Step]) -> Iterator[Exchange]:
    """Group the steps: whatever is sent after something was awaited begins another exchange."""
    group: list[Step] = []
    for step in steps:
        begins = isinstance(step, Restart) or (
            isinstance(step, Send) and any(not isinstance(known, Send) for known in group)
        )
        if begins and group:
            yield Exchange(tuple(group))
            group = []
        group.append(step)
    if group:
        yield Exchange(tuple(group))
