"""``python -m tests.faults.kills --kills 1000 --seed 1``: the kill loop, and what it counted."""

import argparse
import secrets
import sys
import tempfile
import time
from pathlib import Path

from tests.faults import checker, reports
from tests.faults.kills.loop import KillLoop


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.kills")
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        loop = KillLoop(Path(folder) / "graphs.db", options.seed, options.kills)
        history = loop.run()
    found = checker.check(history)
    print(f"seed {options.seed}, {time.monotonic() - began:.0f} s")
    print(f"moments of the kills: {dict(loop.moments)}")
    return reports.show(checker.counts(history), found)


if __name__ == "__main__":
    sys.exit(main())
