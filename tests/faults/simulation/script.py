"""What goes wrong when: a pure function of the seed."""

import random
from collections.abc import Iterator
from typing import Final

from attrs import field, frozen

CLIENTS: Final = 3
SLOTS: Final = 2


@frozen(kw_only=True)
class Burst:
    """A client plans up to ``most`` requests and sends them through a process.

    ``order`` says in which order they leave, ``doubled`` how many are sent again through the other
    process at once, ``dropped`` which answers the client never sees.  ``waits`` False: others go
    on before the answers are taken.
    """

    client: int
    slot: int
    most: int
    order: random.Random = field(eq=False)
    shuffled: bool
    doubled: int
    dropped: float
    waits: bool


@frozen(kw_only=True)
class Retry:
    """A client sends again what it has no answer to, as far as it knows."""

    client: int
    slot: int


@frozen(kw_only=True)
class Kill:
    """Kill -9, so many seconds after the last request left."""

    slot: int
    after: float


@frozen(kw_only=True)
class Start:
    """Start what was killed."""

    slot: int


@frozen(kw_only=True)
class Disk:
    """How many bytes a file of a process may have; None: no limit."""

    slot: int
    room: int | None


@frozen(kw_only=True)
class Clock:
    """Set how far the clock of all processes stands off, in milliseconds."""

    offset: int


@frozen
class Quiet:
    """All answers are taken, and the notifications of both processes waited for."""


Decision = Burst | Retry | Kill | Start | Disk | Clock | Quiet


def script(seed: int) -> Iterator[Decision]:
    """Yield decisions without end."""
    rng = random.Random(f"script {seed}")
    while True:
        draw = rng.random()
        slot, client = rng.randrange(SLOTS), rng.randrange(CLIENTS)
        if draw < 0.60:
            yield _burst(rng, client, slot)
        elif draw < 0.70:
            yield Retry(client=client, slot=slot)
        elif draw < 0.77:
            yield Kill(slot=slot, after=rng.random() * 0.004)
            for _ in range(rng.randint(0, 2)):
                yield _burst(rng, client, 1 - slot)
            yield Start(slot=slot)
        elif draw < 0.85:
            yield Disk(slot=slot, room=rng.choice((0, 4_096, 100_000)))
            for _ in range(rng.randint(1, 3)):
                yield _burst(rng, client, slot)
            if rng.random() < 0.3:
                # What the full disk cut off is in the file when the next process opens it.
                yield Kill(slot=slot, after=0.0)
                yield Start(slot=slot)
            yield Disk(slot=slot, room=None)
        elif draw < 0.92:
            yield Clock(offset=rng.randint(-600_000, 600_000))
        else:
            yield Quiet()


def _burst(rng: random.Random, client: int, slot: int) -> Burst:
    return Burst(
        client=client,
        slot=slot,
        most=rng.randint(1, 5),
        order=random.Random(rng.random()),
        shuffled=rng.random() < 0.25,
        doubled=rng.choice((0, 0, 0, 1, 2)),
        dropped=rng.choice((0.0, 0.0, 0.3, 0.8)),
        waits=rng.random() < 0.5,
    )
