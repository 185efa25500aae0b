"""Undo and redo heads: which version a press of undo or redo leads to, stored with each version."""

from typing import Protocol

from attrs import evolve

from sidecar.core.values import value


@value
class Step:
    """What one undo takes back (or one redo brings back).

    ``target`` is the number of the version it restores; ``commands`` counts the versions it
    spans.
    """

    target: int
    run_id: str | None
    label: str
    commands: int


@value
class Heads:
    """A version's undo and redo steps; None where there is none."""

    undo: Step | None = None
    redo: Step | None = None


NO_HEADS = Heads()


class Version(Protocol):
    """A version as far as the heads of the next one depend on it."""

    @property
    def number(self) -> int: ...
    @property
    def run_id(self) -> str | None: ...
    @property
    def heads(self) -> Heads: ...


def after_edit(
    current: Version, *, run_id: str | None, label: str, extends_step: bool = False
) -> Heads:
    """Return the heads of an edit.

    Contiguous versions of one run are one step; ``extends_step`` makes any edit part of the step
    before it (an applied draft is one step).
    """
    undo = current.heads.undo
    same_run = (
        run_id is not None
        and current.run_id == run_id
        and undo is not None
        and undo.run_id == run_id
    )
    if undo is not None and (same_run or extends_step):
        return Heads(undo=evolve(undo, commands=undo.commands + 1))
    return Heads(undo=Step(current.number, run_id, label, 1))


def after_undo(current: Version, target: Heads) -> Heads:
    """Return the heads of an undo; ``target`` are those of the version it restores."""
    step = current.heads.undo
    assert step is not None
    return Heads(undo=target.undo, redo=evolve(step, target=current.number))


def after_redo(target: Heads) -> Heads:
    """Return the heads of a redo; ``target`` are those of the version it restores."""
    return target
