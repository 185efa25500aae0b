"""Chat sessions: every acknowledged message is there, once and whole; nothing else is."""

from typing import Any

from attrs import define, field

from tests.faults.checks.findings import Findings
from tests.faults.history import Call, History


@define
class Session:
    """What was asked of one session."""

    batches: dict[str, list[Call]] = field(factory=dict)
    """applySessionCommands by the first command's id: a batch is sent again as it was."""
    events: list[Call] = field(factory=list)
    reads: list[Call] = field(factory=list)


def check(history: History, findings: Findings) -> None:
    """Judge every session of a history."""
    for session_id, session in _sessions(history).items():
        _check_revisions(history, findings, session_id)
        for calls in session.batches.values():
            _check_batch(findings, calls)
        for read in session.reads:
            _check_read(findings, session, read)


def _sessions(history: History) -> dict[str, Session]:
    found: dict[str, Session] = {}
    for call in history.calls:
        session_id = call.params.get("sessionId")
        if session_id is None:
            continue
        session = found.setdefault(session_id, Session())
        if call.method == "applySessionCommands":
            key = call.params["commands"][0]["id"]
            session.batches.setdefault(key, []).append(call)
        elif call.method == "recordSessionEvents":
            session.events.append(call)
        elif call.method == "exportSession" and call.result is not None:
            session.reads.append(call)
    return found


def _check_revisions(history: History, findings: Findings, session_id: str) -> None:
    """No answer shows an older state of a session than one before it."""
    marks: list[tuple[int, int, Call]] = []
    for call in history.calls:
        if call.params.get("sessionId") == session_id and _revision(call) is not None:
            assert call.answered is not None
            marks += [(call.sent, 1, call), (call.answered, 0, call)]
    newest = 0
    for _, is_sending, call in sorted(marks, key=lambda mark: mark[:2]):
        revision = _revision(call) or 0
        if not is_sending:
            newest = max(newest, revision)
        elif revision < newest:
            findings.add("read-went-back", f"session revision {revision} after {newest}", call)


def _revision(call: Call) -> int | None:
    if not isinstance(call.result, dict) or call.answered is None:
        return None
    found = call.result.get("revision")
    if found is None and isinstance(call.result.get("session"), dict):
        found = call.result["session"].get("revision")
    return found


def _check_batch(findings: Findings, calls: list[Call]) -> None:
    applied = [call for call in calls if call.status == "applied"]
    ids = [command["id"] for command in calls[0].params["commands"]]
    for call in applied:
        if call.result["acknowledged"] != ids:
            findings.add("lost-message", f"{ids} acknowledged as other ids", call)
    first = min((call.answered for call in applied if call.answered), default=None)
    for call in calls:
        code = str(call.reason["code"])
        if call.status == "conflict" and code == "branch-moved":
            _check_moved(findings, call)
        refused = call.status in ("conflict", "rejected", "deferred")
        if refused and first is not None and call.sent > first and "storage" not in code:
            findings.add("forgot-action", f"{ids[0]}: {call.status} {code}", call)


def _check_moved(findings: Findings, call: Call) -> None:
    head = call.reason["details"]["headMessageId"]
    expected = next(
        (
            command.get("parentMessageId")
            for command in call.params["commands"]
            if command["kind"] == "append-user"
        ),
        None,
    )
    if head == expected:
        findings.add("false-conflict", f"{head} is the head", call)


def _check_read(findings: Findings, session: Session, read: Call) -> None:
    messages = read.result["session"]["messages"]
    places: dict[str, int] = {}
    for place, message in enumerate(messages):
        if places.setdefault(message["id"], place) != place:
            findings.add("applied-twice", f"message {message['id']}", read)
    contents = {message["id"]: message["content"] for message in messages}
    known: set[str] = set()
    for calls in session.batches.values():
        known |= _check_presence(findings, calls, read, contents, places)
    known |= _check_events(findings, session, read, contents)
    for message_id in contents.keys() - known:
        findings.add("left-something", f"message {message_id} came from nobody", read)


def _check_presence(
    findings: Findings,
    calls: list[Call],
    read: Call,
    contents: dict[str, str],
    places: dict[str, int],
) -> set[str]:
    appends = [one for one in calls[0].params["commands"] if one["kind"] == "append-user"]
    wanted = {one["message"]["id"]: one["message"]["content"] for one in appends}
    present = wanted.keys() & contents.keys()
    before = [call for call in calls if call.sent < (read.answered or 0)]
    acknowledged = any(
        call.status == "applied" and (call.answered or 0) < read.sent for call in before
    )
    if acknowledged and present != wanted.keys():
        findings.add("lost-message", f"{sorted(wanted.keys() - present)}", read)
    elif present and present != wanted.keys():
        findings.add("torn-batch", f"{sorted(present)} of {sorted(wanted)}", read)
    if present and not any(_may_have_landed(call) for call in before):
        findings.add("left-something", f"{sorted(present)} was refused or not sent", read)
    for message_id in present:
        if contents[message_id] != wanted[message_id]:
            findings.add("torn-batch", f"the text of {message_id} is another", read)
    for one in appends:
        place, parent = places.get(one["message"]["id"]), one.get("parentMessageId")
        if place is not None and parent is not None and places.get(parent, place) >= place:
            findings.add("lost-message", f"{parent} does not stand before its answer", read)
    return present


def _may_have_landed(call: Call) -> bool:
    return call.answered is None or call.status == "applied"


def _check_events(
    findings: Findings, session: Session, read: Call, contents: dict[str, str]
) -> set[str]:
    known: set[str] = set()
    for call in session.events:
        for message in call.params.get("messages", []):
            message_id = message["id"]
            known.add(message_id)
            acknowledged = _recorded(call) and (call.answered or 0) < read.sent
            if acknowledged and message["content"] not in contents.get(message_id, ""):
                findings.add("lost-message", f"the reply {message_id}", read)
    return known


def _recorded(call: Call) -> bool:
    result: Any = call.result
    return isinstance(result, dict) and bool(result["changed"]) and result["ignored"] is None
