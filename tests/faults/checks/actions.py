"""Commands: each landed one made the version after the one it was made for; the others nothing."""

from typing import Final

from tests.faults.checks.chain import Chain, Landing
from tests.faults.history import Call, History

ALWAYS_ALLOWED: Final = frozenset({"nothing-to-undo", "nothing-to-redo", "pruned-revision"})
"""Refusals that depend on the history's limits; the replay judges the first two."""


def check(history: History, chain: Chain) -> None:
    """Judge every command of a history."""
    for action_id, calls in chain.actions.items():
        landing = chain.landings.get(action_id)
        if landing is not None:
            _check_place(chain, action_id, landing)
        for call in calls:
            if call.status == "conflict":
                _check_conflict(history, chain, call, landing)
            elif call.status == "rejected":
                _check_rejection(history, chain, call)
            elif call.error is not None:
                chain.findings.add("command-error", f"{action_id}: {call.error['code']}", call)
    _check_left(chain)


def expected_of(call: Call) -> str:
    expected: str = call.params["expectedRevisionId"]
    return expected


def _check_place(chain: Chain, action_id: str, landing: Landing) -> None:
    before = chain.numbers.get(expected_of(landing.call))
    if before is None:
        chain.findings.add("lost-update", f"{action_id} landed on an unknown version", landing.call)
        return
    if not landing.changed:
        if landing.revision_id != expected_of(landing.call):
            chain.findings.add(
                "lost-update", f"{action_id} changed nothing elsewhere", landing.call
            )
        return
    if landing.call.method == "applyDraft":
        return
    chain.see(before + 1, landing.revision_id, landing.call)


def _check_conflict(history: History, chain: Chain, call: Call, landing: Landing | None) -> None:
    reason, action_id = call.reason, call.params["actionId"]
    assert call.projection is not None
    current, expected = call.projection["revisionId"], expected_of(call)
    if reason["code"] == "revision-moved":
        # A version that its author chose, and that came to be later, was not there yet.
        number, shown = chain.numbers.get(expected), call.projection["revisionNumber"]
        if landing is not None and number is not None and number <= shown:
            chain.findings.add("false-conflict", f"{action_id} landed all the same", call)
        if current == expected or reason["details"]["current"] != current:
            chain.findings.add("false-conflict", f"{action_id}: {expected} is current", call)
    elif reason["code"] in ("run-not-running", "run-open"):
        _check_run_conflict(history, chain, call)
    else:
        chain.findings.add("false-conflict", f"{action_id}: {reason['code']}", call)


def _check_run_conflict(history: History, chain: Chain, call: Call) -> None:
    assert call.projection is not None
    run = call.projection["openRun"]
    running = None if run is None or run["status"] != "running" else run["runId"]
    if call.reason["code"] == "run-open":
        honest = running is not None
    else:
        wanted = call.params["runId"]
        honest = running != wanted and (
            # Somebody must have stopped it.
            any(
                one.sent < (call.answered or 0) and _stops(one, wanted)
                for one in history.calls
                if one.method in STOPPING or one.params.get("runId") == wanted
            )
            or any(death.tick < (call.answered or 0) for death in history.deaths)
        )
    if not honest:
        chain.findings.add("false-conflict", f"{call.params['actionId']}: the run runs", call)


STOPPING: Final = frozenset({"startRun", "pauseRun", "cancelRun", "closeRun", "resumeRun"})


def _stops(call: Call, run_id: str) -> bool:
    if call.method == "startRun":
        # Another run ends it; before its own start was answered it was not there.
        return call.params.get("runId") != run_id or "stepLimit" in call.params
    return call.params.get("runId") == run_id and call.method in STOPPING


def _check_rejection(history: History, chain: Chain, call: Call) -> None:
    code, details = call.reason["code"], call.reason["details"]
    if str(code).startswith("storage-"):
        if "retryable" not in details:
            chain.findings.add("refused-without-cause", f"{code} says nothing of a retry", call)
    elif code == "unknown-draft":
        draft_id = call.params["draftId"]
        if any(_made_before(one, draft_id, call) for one in history.calls):
            chain.findings.add("lost-update", f"the draft {draft_id}", call)
    elif call.valid and code not in ALWAYS_ALLOWED:
        chain.findings.add("refused-without-cause", f"{call.params['actionId']}: {code}", call)


def _made_before(one: Call, draft_id: str, call: Call) -> bool:
    made = one.method == "createDraft" and one.params["draftId"] == draft_id
    return made and one.result is not None and (one.answered or 0) < call.sent


def _check_left(chain: Chain) -> None:
    """What was refused, and never landed, made no version."""
    makers = {
        str(revision["actionId"]).partition("/")[0]
        for revision in chain.listed.values()
        if revision["actionId"] is not None
    }
    for action_id, calls in chain.actions.items():
        answered = [call for call in calls if call.answered is not None]
        refused = bool(answered) and answered[-1] is calls[-1]
        if refused and action_id not in chain.landings and action_id in makers:
            chain.findings.add("left-something", f"{action_id} was refused", calls[-1])
    made: dict[str, int] = {}
    for number, revision in chain.listed.items():
        action_id = revision["actionId"]
        if action_id is not None and made.setdefault(action_id, number) != number:
            chain.findings.add("applied-twice", f"{action_id}: {made[action_id]} and {number}")
