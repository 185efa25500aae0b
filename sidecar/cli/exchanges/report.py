"""What became of played files, for a person and as JSON."""

import json
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console
from rich.markup import escape

from sidecar.cli.exchanges.patterns import ABSENT, Difference
from sidecar.cli.exchanges.player import Fault, Outcome, Report

_MARKS: Final = {
    "passed": "[green]✓[/]",
    "failed": "[red]✗[/]",
    "skipped": "[yellow]-[/]",
}
_SHOWN: Final = 20
"""Differences of one message that are shown to a person."""
_WIDTH: Final = 160


def show(console: Console, report: Report, *, verbose: bool) -> None:
    """Print one file: a line where all is well, each fault where it is not."""
    outcomes = report.outcomes
    passed = sum(outcome.verdict == "passed" for outcome in outcomes)
    mark = _MARKS["passed" if report.passed else "failed"]
    console.print(f"{mark} [bold]{escape(report.script.name)}[/]  {passed}/{len(outcomes)}")
    for outcome in outcomes:
        if verbose or outcome.verdict != "passed":
            console.print(f"  {_MARKS[outcome.verdict]} {outcome.line:>4}  {escape(outcome.title)}")
        for fault in outcome.faults:
            _show_fault(console, fault)


def totals(reports: Sequence[Report]) -> dict[str, int]:
    """Return how many exchanges passed, failed and were skipped."""
    verdicts = [outcome.verdict for report in reports for outcome in report.outcomes]
    return {verdict: verdicts.count(verdict) for verdict in ("passed", "failed", "skipped")}


def as_json(reports: Sequence[Report]) -> dict[str, Any]:
    """Return all reports as one JSON value."""
    return {
        "ok": all(report.passed for report in reports),
        **totals(reports),
        "files": [
            {
                "file": report.script.name,
                "description": report.script.description,
                "ok": report.passed,
                "exchanges": [_outcome(outcome) for outcome in report.outcomes],
            }
            for report in reports
        ],
    }


def _show_fault(console: Console, fault: Fault) -> None:
    if fault.text:
        console.print(f"       line {fault.line}: {escape(fault.text)}", style="red")
    for difference in fault.differences[:_SHOWN]:
        place = difference.path or "(the whole)"
        console.print(f"       line {fault.line} at [bold]{escape(place)}[/]")
        console.print(f"         [green]expected[/] {escape(_text(difference.expected))}")
        console.print(f"         [red]found   [/] {escape(_text(difference.found))}")
    if (more := len(fault.differences) - _SHOWN) > 0:
        console.print(f"         … {more} more")


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "line": outcome.line,
        "title": outcome.title,
        "verdict": outcome.verdict,
        "faults": [
            {
                "line": fault.line,
                "text": fault.text,
                "differences": [_difference(d) for d in fault.differences],
            }
            for fault in outcome.faults
        ],
    }


def _difference(difference: Difference) -> dict[str, Any]:
    sides = {"expected": difference.expected, "found": difference.found}
    return {
        "path": difference.path,
        **{name: side for name, side in sides.items() if side is not ABSENT},
    }


def _text(value: Any) -> str:
    text = repr(value) if value is ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
