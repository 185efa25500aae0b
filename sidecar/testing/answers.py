"""The shapes of the answers that the client's helpers give, as they are on the wire.

``protocol/openrpc.json`` has all of them; these are the ones that tests of hosts look into.
"""

from typing import Any, Literal, NotRequired, TypedDict


class Run(TypedDict):
    """One turn of the assistant."""

    runId: str
    projectId: str
    status: Literal["running", "paused", "closed", "cancelled"]
    pauseReason: Literal["requested", "checkpoint"] | None
    startRevisionId: str
    expectedRevisionId: str
    steps: int
    stepLimit: int | None
    endReason: str | None
    arrangement: dict[str, Any] | None


class Step(TypedDict):
    """What one undo or redo would restore."""

    targetRevisionId: str
    label: str
    runId: str | None
    commands: int


class Projection(TypedDict):
    """A project as it is now; the last three are there in full projections alone."""

    projectId: str
    title: str
    revisionId: str
    revisionNumber: int
    openRun: Run | None
    undo: Step | None
    redo: Step | None
    document: NotRequired[dict[str, Any] | None]
    components: NotRequired[list[dict[str, Any]]]
    graph: NotRequired[dict[str, Any]]


class Reason(TypedDict):
    """Why a command did not land."""

    code: str
    message: str
    details: dict[str, Any]


class CommitAnswer(TypedDict):
    """What became of a command."""

    status: Literal["applied", "historical", "conflict", "rejected"]
    actionId: str | None
    revisionId: str | None
    changed: bool
    effects: dict[str, Any] | None
    reason: Reason | None
    projection: Projection | None
    changes: list[dict[str, Any]] | None
