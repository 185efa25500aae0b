"""The chain of versions as all answers together show it, and which action made which version."""

from collections.abc import Iterator
from typing import Any

from attrs import define, field

from tests.faults.checks.findings import Findings
from tests.faults.history import COMMANDS, LANDED, Call, History


@define
class Landing:
    """What a command's first good answer says, and the call that carried it."""

    call: Call
    revision_id: str
    changed: bool
    effects: dict[str, Any]


@define
class Chain:
    """Versions by number and by id; landings by action."""

    findings: Findings
    ids: dict[int, str] = field(factory=dict)
    numbers: dict[str, int] = field(factory=dict)
    listed: dict[int, dict[str, Any]] = field(factory=dict)
    """What listRevisions and getRevision say of a version, by number."""
    landings: dict[str, Landing] = field(factory=dict)
    actions: dict[str, list[Call]] = field(factory=dict)
    """The calls of each command, in the order of their sending."""

    def see(self, number: int, revision_id: str, call: Call) -> None:
        known = self.ids.setdefault(number, revision_id)
        if known != revision_id:
            self.findings.add("forked-chain", f"version {number}: {known} and {revision_id}", call)
        placed = self.numbers.setdefault(revision_id, number)
        if placed != number:
            self.findings.add("forked-chain", f"{revision_id}: {placed} and {number}", call)

    @property
    def last(self) -> int:
        return max(self.ids, default=0)


def build(history: History, findings: Findings) -> Chain:
    """Read the chain off a history; what contradicts itself is a finding."""
    chain = Chain(findings)
    for call in history.calls:
        for number, revision_id in _sightings(call):
            chain.see(number, revision_id, call)
        _list(chain, call)
        if call.method in COMMANDS:
            chain.actions.setdefault(call.params["actionId"], []).append(call)
    for action_id, calls in chain.actions.items():
        _land(chain, action_id, calls)
    _check_parents(chain)
    check_reads(history, findings)
    return chain


def check_reads(history: History, findings: Findings) -> None:
    """No answer shows an older version than one that was shown before it was asked for."""
    marks: list[tuple[int, int, Call, int]] = []
    for call in history.calls:
        if call.answered is not None and call.projection is not None:
            number = call.projection["revisionNumber"]
            marks += [(call.sent, 1, call, number), (call.answered, 0, call, number)]
    newest = 0
    for _, is_sending, asked, number in sorted(marks, key=lambda mark: mark[:2]):
        if not is_sending:
            newest = max(newest, number)
        elif number < newest:
            findings.add("read-went-back", f"{number} after {newest}", asked)


def _sightings(call: Call) -> Iterator[tuple[int, str]]:
    if call.projection is not None:
        yield call.projection["revisionNumber"], call.projection["revisionId"]
    for revision in _revisions(call):
        yield revision["number"], revision["revisionId"]


def _revisions(call: Call) -> list[dict[str, Any]]:
    if call.result is None:
        return []
    if call.method == "listRevisions":
        items: list[dict[str, Any]] = call.result["items"]
        return items
    return [call.result["revision"]] if call.method == "getRevision" else []


def _list(chain: Chain, call: Call) -> None:
    for revision in _revisions(call):
        number = revision["number"]
        known = chain.listed.setdefault(number, revision)
        if known != revision:
            chain.findings.add("version-changed", f"version {number} is told otherwise", call)


def _land(chain: Chain, action_id: str, calls: list[Call]) -> None:
    applied = [call for call in calls if call.status == "applied"]
    if len(applied) > 1:
        chain.findings.add("applied-twice", action_id, applied[1])
    for call in calls:
        if call.status not in LANDED:
            continue
        landing = Landing(
            call, call.result["revisionId"], call.result["changed"], call.result["effects"]
        )
        known = chain.landings.setdefault(action_id, landing)
        if (known.revision_id, known.changed, known.effects) != (
            landing.revision_id,
            landing.changed,
            landing.effects,
        ):
            chain.findings.add("retold-differently", action_id, call)
    _check_memory(chain, action_id, calls)


def _check_memory(chain: Chain, action_id: str, calls: list[Call]) -> None:
    """What landed is historical for whoever asks later."""
    answered = [
        call.answered for call in calls if call.status in LANDED and call.answered is not None
    ]
    for call in calls:
        if call.answered is None or call.status == "historical" or not answered:
            continue
        if call.sent > min(answered) and not _is_storage(call):
            chain.findings.add("forgot-action", f"{action_id}: {call.status}", call)


def _is_storage(call: Call) -> bool:
    return str(call.reason["code"]).startswith("storage-")


def _check_parents(chain: Chain) -> None:
    for number, revision in chain.listed.items():
        parent = chain.ids.get(number - 1)
        if parent is not None and revision["parentRevisionId"] not in (parent, None):
            chain.findings.add("forked-chain", f"the parent of version {number} is another")
