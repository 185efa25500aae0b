"""Several clients, two processes on one file, and a network, a disk and a clock that misbehave."""

import os
import resource
import time
from pathlib import Path
from typing import Final, assert_never

from attrs import define, field

from tests.faults.author import PROJECT, Author
from tests.faults.history import COMMANDS, LANDED, Call, History, Plan
from tests.faults.lives import Births, Life, pause
from tests.faults.simulation.mirror import follow
from tests.faults.simulation.script import (
    CLIENTS,
    SLOTS,
    Burst,
    Clock,
    Decision,
    Disk,
    Kill,
    Quiet,
    Retry,
    Start,
    script,
)
from tests.patience import is_late

NOTICE_SECONDS: Final = 1.0
"""Within what the host hears of another process's changes."""
PATIENCE: Final = 5.0
"""Beyond what a late notification is a fault even on a machine that is busy with other things."""
CLOCKED: Final = Path(__file__).with_name("clocked.py")
LOOKING: Final = frozenset({"getProject", "exportSession", "listRevisions", "getRevision"})


@define
class World:
    """Carries out the decisions of a seed until so many commands were sent."""

    folder: Path
    seed: int
    commands: int
    history: History = field(factory=History)
    faults: list[str] = field(factory=list)
    """What was wrong with notifications and ends of processes."""
    notices: list[float] = field(factory=list)
    """Seconds until the other process's host had heard of a version."""
    refusals: int = 0
    """Answers that said that the disk is full."""
    mirrored: int = 0
    """Versions that mirrors were led to."""
    _authors: list[Author] = field(init=False)
    _births: Births = field(init=False)
    _lives: list[Life | None] = field(factory=lambda: [None] * SLOTS)
    _ended: list[Life] = field(factory=list)
    _open: list[tuple[Life, Call, Author, bool]] = field(factory=list)
    """Calls whose answers were not taken yet, and whether the client will see them."""
    _retries: list[list[Plan]] = field(factory=lambda: [[] for _ in range(CLIENTS)])

    def __attrs_post_init__(self) -> None:
        self._authors = [
            Author.make(f"c{number}", self.seed * CLIENTS + number, f"s{number // 2}")
            for number in range(CLIENTS)
        ]
        clock = self.folder / "clock"
        clock.write_text("0", "ascii")
        self._births = Births(self.folder / "graphs.db", self.history, (str(CLOCKED), str(clock)))

    def run(self) -> None:
        for slot in range(SLOTS):
            self._start(slot)
        for author in self._authors:
            self._send(self._alive(0), author, author.begin())
        self._take_all()
        for decision in script(self.seed):
            self._carry_out(decision)
            if sum(_writes(call) for call in self.history.calls) >= self.commands:
                break
        self._finish()

    def _carry_out(self, decision: Decision) -> None:
        match decision:
            case Burst():
                self._burst(decision)
            case Retry(client=client, slot=slot):
                self._retry(client, self._alive(slot))
            case Kill(slot=slot, after=after):
                self._kill(slot, after)
            case Start(slot=slot):
                if self._lives[slot] is None:
                    self._start(slot)
            case Disk(slot=slot, room=room):
                self._limit(slot, room)
            case Clock(offset=offset):
                self._set_clock(offset)
            case Quiet():
                self._take_all()
                self._wait_for_notices()
            case _:
                assert_never(decision)

    # Clients.

    def _burst(self, burst: Burst) -> None:
        author, life = self._authors[burst.client], self._alive(burst.slot)
        self._take_all(author)
        self._send(life, author, author.look())
        self._take_all(author)
        plans = author.burst(burst.most)
        if burst.shuffled:
            burst.order.shuffle(plans)
        dropped = [burst.order.random() < burst.dropped for _ in plans]
        for plan, drop in zip(plans, dropped, strict=True):
            self._send(life, author, [plan], seen=not drop)
        for plan in plans[: burst.doubled]:
            self._send(self._alive(1 - burst.slot), author, [_again(plan)], seen=False)
        if burst.waits:
            self._take_all(author)

    def _retry(self, client: int, life: Life) -> None:
        again, self._retries[client] = self._retries[client], []
        self._send(life, self._authors[client], [_again(plan) for plan in again])

    def _send(self, life: Life, author: Author, plans: list[Plan], *, seen: bool = True) -> None:
        for call in life.send(author.name, plans):
            self._open.append((life, call, author, seen))

    def _take_all(self, author: Author | None = None) -> None:
        """Take the answers that are due, one client's or everybody's."""
        waiting, self._open = self._open, []
        for life, call, owner, seen in waiting:
            if author is not None and owner is not author:
                self._open.append((life, call, owner, seen))
                continue
            answered = call.answered is not None or life.take(call)
            self._digest(call, owner, seen=seen and answered)

    def _digest(self, call: Call, author: Author, *, seen: bool) -> None:
        full = str(call.reason["code"]).startswith("storage-")
        self.refusals += full
        if seen and not full:
            author.learn(call)
        elif call.method not in LOOKING:
            plan = Plan(call.method, call.params, call.valid)
            self._retries[self._authors.index(author)].append(plan)

    # Processes.

    def _alive(self, slot: int) -> Life:
        """Return the process of a slot, the other one where it is down."""
        life = self._lives[slot] or self._lives[1 - slot]
        if life is None:
            return self._start(slot)
        return life

    def _start(self, slot: int) -> Life:
        life = self._births.start()
        self._births.greet(life)
        self._lives[slot] = life
        self._send(life, self._authors[0], [Plan("getProject", {"projectId": PROJECT})])
        return life

    def _kill(self, slot: int, after: float) -> None:
        life = self._lives[slot]
        if life is None:
            return
        pause(after)
        life.kill()
        self._lives[slot] = None
        self._end(life)

    def _end(self, life: Life) -> None:
        mirror, faults = follow(life)
        self.mirrored += mirror.applied
        self.faults += faults

    def _limit(self, slot: int, room: int | None) -> None:
        life = self._lives[slot]
        if life is not None:
            pid = life.client.process.pid
            hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
            soft = resource.RLIM_INFINITY if room is None else room
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))

    def _set_clock(self, offset: int) -> None:
        new = self.folder / "clock.new"
        new.write_text(str(offset), "ascii")
        os.replace(new, self.folder / "clock")  # noqa: PTH105 -- at once, whoever reads it

    # What was told.

    def _wait_for_notices(self) -> None:
        """Wait until both processes told of the newest version."""
        began = time.monotonic()
        for slot in range(SLOTS):
            life = self._lives[slot]
            if life is None:
                continue
            (call,) = life.send("auditor", [Plan("getProject", {"projectId": PROJECT})])
            if not life.take(call):
                continue
            newest = call.result["revisionId"]
            while not self._knows(life, newest):
                if is_late(time.monotonic() - began, PATIENCE):
                    self.faults.append(f"life {life.number} never told of {newest}")
                    break
                pause(0.01)
            self.notices.append(time.monotonic() - began)

    def _knows(self, life: Life, revision: str) -> bool:
        for note in reversed(life.client.notifications):
            if note["method"] in ("projectChanged", "projectCreated"):
                return bool(note["params"]["revisionId"] == revision)
        # Nothing was ever told, so what was shown at the start is still so.
        mirror, _ = follow(life)
        return mirror.revision == revision

    # The end.

    def _finish(self) -> None:
        """Repair everything, send all that is open until it is answered, read it all."""
        for slot in range(SLOTS):
            self._limit(slot, None)
            if self._lives[slot] is None:
                self._start(slot)
        self._take_all()
        while any(self._retries):
            for client in range(CLIENTS):
                self._retry(client, self._alive(client % SLOTS))
            self._take_all()
        self._wait_for_notices()
        self._audit(self._alive(0))
        for life in self._lives:
            assert life is not None
            self._compare(life)
            if (code := life.close()) != 0:
                self.faults.append(f"life {life.number} ended with {code}")
            self._end(life)

    def _compare(self, life: Life) -> None:
        """Each process leads its mirror to the same state."""
        (call,) = life.send("auditor", [Plan("getProject", {"projectId": PROJECT})])
        assert life.take(call)
        mirror, _ = follow(life)
        shown = {key: call.result[key] for key in ("title", "document", "components", "graph")}
        if mirror.host is not None and mirror.host.state() != shown:
            self.faults.append(f"the mirror of life {life.number} differs")

    def _audit(self, life: Life) -> None:
        looks = [plan for author in self._authors[1:] for plan in author.look()]
        calls = life.send(
            "auditor",
            [
                *looks,
                Plan("listRuns", {"projectId": PROJECT, "limit": 500}),
                Plan("checkDatabase", {}),
                Plan("listRevisions", {"projectId": PROJECT, "limit": 500}),
            ],
        )
        for call in calls:
            assert life.take(call), call.method
        ids = [item["revisionId"] for item in calls[-1].result["items"]]
        plans = [Plan("getRevision", {"projectId": PROJECT, "revisionId": id_}) for id_ in ids]
        for call in life.send("auditor", plans):
            assert life.take(call)


def _writes(call: Call) -> bool:
    return call.method in COMMANDS or call.status in LANDED


def _again(plan: Plan) -> Plan:
    return Plan(plan.method, plan.params, plan.valid)
