"""Runs: at most one is open, and what ended stays ended, as it was told."""

from typing import Any

from tests.faults.checks.findings import Findings
from tests.faults.history import Call, History

_LASTING = ("startRevisionId", "startedAt", "endedAt", "endReason", "arrangement", "status")


def check(history: History, findings: Findings) -> None:
    """Judge every run that was shown."""
    ended: dict[str, tuple[Call, dict[str, Any]]] = {}
    for call in sorted(history.calls, key=lambda one: one.sent):
        shown = _shown(call)
        if call.method == "listRuns" and call.result is not None:
            openings = [run["runId"] for run in shown if run["status"] in ("running", "paused")]
            if len(openings) > 1:
                findings.add("two-open-runs", f"{openings}", call)
        for run in shown:
            known = ended.get(run["runId"])
            if known is None:
                if run["status"] in ("closed", "cancelled"):
                    ended[run["runId"]] = (call, run)
            elif (known[0].answered or 0) < call.sent and any(
                run[name] != known[1][name] for name in _LASTING
            ):
                findings.add("run-changed", f"{run['runId']} ended, then changed", call)


def _shown(call: Call) -> list[dict[str, Any]]:
    if not isinstance(call.result, dict):
        return []
    if call.method == "listRuns":
        items: list[dict[str, Any]] = call.result["items"]
        return items
    return [call.result] if "startRevisionId" in call.result else []
