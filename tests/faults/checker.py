"""Judges a history: nothing lost, nothing torn, nothing twice, nothing unanswered.

Pure: it sees what clients saw, and knows of the engine only what the protocol promises.
"""

from collections import Counter

from tests.faults.checks import actions, chain, content, runs, sessions
from tests.faults.checks.findings import Findings
from tests.faults.history import History, Violation


def check(history: History) -> list[Violation]:
    """Return every promise that the history shows broken."""
    findings = Findings()
    versions = chain.build(history, findings)
    actions.check(history, versions)
    content.check(history, versions)
    sessions.check(history, findings)
    runs.check(history, findings)
    _check_answers(history, findings)
    return findings.found


def counts(history: History) -> dict[str, int]:
    """Return what a history holds, for reports."""
    statuses = Counter(call.status for call in history.calls if call.status is not None)
    return {
        "calls": len(history.calls),
        "kills": len(history.deaths),
        "cut off": sum(call.answered is None for call in history.calls),
        **{name: statuses[name] for name in ("applied", "historical", "conflict", "rejected")},
    }


def _check_answers(history: History, findings: Findings) -> None:
    dead = {death.life for death in history.deaths}
    for call in history.calls:
        if call.answered is None and call.life not in dead:
            findings.add("unanswered", f"{call.method} of a process that lives", call)
        if call.method == "checkDatabase" and call.result is not None and not call.result["ok"]:
            findings.add("damaged", f"{call.result['problems']}", call)
        if call.error is not None and call.error["code"] == -32603:
            findings.add("internal-error", call.method, call)
    for what in history.doubled:
        findings.add("answered-twice", what)
