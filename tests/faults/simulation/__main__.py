"""``python -m tests.faults.simulation --seeds 200 --commands 100 --first 1``: what was simulated."""

import argparse
import secrets
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.faults import checker, reports
from tests.faults.history import Violation
from tests.faults.simulation.world import World


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.simulation")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--commands", type=int, default=100)
    parser.add_argument("--first", type=int, default=secrets.randbits(31), help="the first seed")
    options = parser.parse_args()
    began = time.monotonic()
    counts: Counter[str] = Counter()
    found: list[Violation] = []
    slowest = 0.0
    for seed in range(options.first, options.first + options.seeds):
        with tempfile.TemporaryDirectory() as folder:
            world = World(Path(folder), seed, options.commands)
            world.run()
        counts += Counter(checker.counts(world.history))
        counts += Counter({"refused by a full disk": world.refusals})
        counts += Counter({"versions led to by notifications": world.mirrored})
        slowest = max(slowest, *world.notices, 0.0)
        broken = checker.check(world.history)
        broken += [Violation("notification", fault) for fault in world.faults]
        if broken:
            print(f"seed {seed}: {len(broken)} promises broken: {broken[0]}", flush=True)
        found += broken
    last = options.first + options.seeds - 1
    print(f"seeds {options.first} to {last}, {time.monotonic() - began:.0f} s")
    print(f"another process's version was told of after {slowest:.2f} s at most")
    return reports.show(counts, found)


if __name__ == "__main__":
    sys.exit(main())
