"""A client that goes on with its work whatever dies under it.

Each life of the process ends by kill -9: at work, between an answer and the next request, while
old versions are pruned, or while it starts.  What was not answered is sent again.
"""

import random
import time
from collections import Counter
from pathlib import Path
from typing import Final

from attrs import define, field

from tests.faults.author import PROJECT, Author
from tests.faults.history import COMMANDS, Call, History, Plan
from tests.faults.lives import Births, Life, pause

SESSION: Final = "s"
MOST_AT_ONCE: Final = 6
REPEATED: Final = COMMANDS | {"applySessionCommands", "recordSessionEvents"}


@define
class KillLoop:
    """Kills until it has killed ``kills`` times, then reads everything."""

    database: Path
    seed: int
    kills: int
    program: tuple[str, ...] = ("-m", "sidecar")
    moments: Counter[str] = field(factory=Counter)
    """How often which moment was chosen."""
    history: History = field(factory=History)
    quiet_bursts: int = 0
    """How much is done at the end in a life that nobody kills."""
    _pending: list[Call] = field(factory=list)
    _start_seconds: float = 0.5

    def run(self) -> History:
        rng = random.Random(self.seed)
        author = Author.make("k", self.seed + 1, SESSION)
        births = Births(self.database, self.history, self.program)
        self._pending = [self._unsent(plan) for plan in author.begin()]
        while len(self.history.deaths) < self.kills:
            self._live(rng, author, births)
        self._audit(rng, author, births)
        return self.history

    def _live(self, rng: random.Random, author: Author, births: Births) -> None:
        """One process, from its start to its kill."""
        born = time.perf_counter()
        life = births.start()
        if rng.random() < 0.15:
            self._kill(life, "start", rng.random() * 1.1 * self._start_seconds)
            return
        births.greet(life)
        self._start_seconds = time.perf_counter() - born
        if not self._catch_up(rng, life, author):
            return
        self._work(rng, life, author, rng.randint(0, 6))
        calls = life.send("k", author.burst(MOST_AT_ONCE))
        self._end(rng, life, calls)

    def _catch_up(self, rng: random.Random, life: Life, author: Author) -> bool:
        """Send again what has no answer; False where the process was killed over it."""
        again, self._pending = self._pending, []
        calls = life.send("k", [Plan(one.method, one.params, one.valid) for one in again])
        if calls and rng.random() < 0.2:
            self.moments["resending"] += 1
            pause(rng.random() * 0.002)
            self._note(life)
            return False
        for call in calls:
            assert life.take(call), "a process died by itself"
        self._answered(life, author, author.look())
        return True

    def _work(self, rng: random.Random, life: Life, author: Author, bursts: int) -> None:
        for _ in range(bursts):
            self._answered(life, author, self._echo(rng) + author.burst(MOST_AT_ONCE))

    def _echo(self, rng: random.Random) -> list[Plan]:
        """A host that is not sure of an answer asks again, although it had it."""
        if rng.random() < 0.7:
            return []
        commands = [
            call
            for call in self.history.calls[-200:]
            if call.method in REPEATED and call.answered is not None
        ]
        picked = rng.sample(commands, min(2, len(commands)))
        return [Plan(call.method, call.params, valid=False) for call in picked]

    def _answered(self, life: Life, author: Author, plans: list[Plan]) -> None:
        for call in life.send("k", plans):
            assert life.take(call), "a process died by itself"
            author.learn(call)
        if plans and plans[0].method != "getProject":
            self._answered(life, author, author.look())

    def _end(self, rng: random.Random, life: Life, calls: list[Call]) -> None:
        draw = rng.random()
        if draw < 0.55:
            self._kill(life, "working", rng.random() * 0.003 * len(calls))
        elif draw < 0.75:
            for call in calls[: rng.randint(1, len(calls))]:
                assert life.take(call)
            self._kill(life, "answered", rng.random() * 0.0005)
        else:
            # Pruning waits for a quiet moment: 55 milliseconds after the last request.
            for call in calls:
                assert life.take(call)
            self._kill(life, "pruning", 0.045 + rng.random() * 0.03)

    def _kill(self, life: Life, moment: str, after: float) -> None:
        self.moments[moment] += 1
        pause(after)
        self._note(life)

    def _note(self, life: Life) -> None:
        life.kill()
        self._pending += [
            call for call in life.waiting.values() if call.answered is None and _matters(call)
        ]

    def _audit(self, rng: random.Random, author: Author, births: Births) -> None:
        """Read all there is with a process that nobody kills."""
        life = births.start()
        births.greet(life)
        while not self._catch_up(rng, life, author):
            life = births.start()
            births.greet(life)
        self._work(rng, life, author, self.quiet_bursts)
        self._read_all(life, author)
        assert life.close() == 0

    def _read_all(self, life: Life, author: Author) -> None:
        for call in life.send(
            "auditor",
            [
                *author.look(),
                Plan("listRevisions", {"projectId": PROJECT, "limit": 500}),
                Plan("listRuns", {"projectId": PROJECT, "limit": 500}),
                Plan("checkDatabase", {}),
            ],
        ):
            assert life.take(call)
            if call.method == "listRevisions":
                kept = [item["revisionId"] for item in call.result["items"]]
        plans = [Plan("getRevision", {"projectId": PROJECT, "revisionId": one}) for one in kept]
        for call in life.send("auditor", plans):
            assert life.take(call)

    def _unsent(self, plan: Plan) -> Call:
        return Call("k", 0, plan.method, plan.params, 0, valid=plan.valid)


def _matters(call: Call) -> bool:
    """Whether a call without an answer is sent again: what reads alone is not."""
    return not call.method.startswith(("get", "list", "export", "check"))
