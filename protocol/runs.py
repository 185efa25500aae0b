"""Runs on the wire: one turn of the assistant that may change the graph."""

from typing import Literal

from attrs import frozen

from protocol.graph import JsonObject

RunStatus = Literal["running", "paused", "closed", "cancelled"]
PauseReason = Literal["requested", "checkpoint"]


@frozen(kw_only=True)
class Arrangement:
    """What became of the arrangement when the run was closed."""

    status: Literal["applied", "nothing", "failed"]
    revision_id: str | None = None
    code: str | None = None


@frozen(kw_only=True)
class Run:
    """A run; open while it is running or paused.

    ``steps`` counts applied commits since it was started or resumed.  ``owner`` names the process
    that started or resumed it last; times are milliseconds since 1970 UTC.
    """

    run_id: str
    project_id: str
    status: RunStatus
    pause_reason: PauseReason | None
    start_revision_id: str
    expected_revision_id: str
    steps: int
    step_limit: int | None
    session_id: str | None
    prompt_message_id: str | None
    owner: JsonObject
    started_at: int
    ended_at: int | None
    end_reason: str | None
    arrangement: Arrangement | None


@frozen(kw_only=True)
class StartRunParams:
    project_id: str
    run_id: str | None = None
    step_limit: int | None = None
    session_id: str | None = None
    prompt_message_id: str | None = None


@frozen(kw_only=True)
class RunParams:
    run_id: str


@frozen(kw_only=True)
class PauseRunParams:
    run_id: str
    reason: PauseReason = "requested"


@frozen(kw_only=True)
class ResumeRunParams:
    """Exactly one of both."""

    project_id: str | None = None
    run_id: str | None = None


@frozen(kw_only=True)
class ListRunsParams:
    project_id: str
    before: str | None = None
    limit: int = 50


@frozen(kw_only=True)
class RunList:
    items: tuple[Run, ...]
    before: str | None


@frozen(kw_only=True)
class ClosedRuns:
    closed_runs: tuple[str, ...]


@frozen(kw_only=True)
class RunChanged:
    run: Run
