"""``python -m tests.faults.sweep --points 20 --seed 1``: the fault sweep, and what it counted.

``--points`` are the most of each operation; only the largest commit has more than 1,000.
"""

import argparse
import secrets
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.sweep import template
from tests.faults.sweep.operations import OPERATIONS
from tests.faults.sweep.run import Tally, sweep_migration, sweep_operation, sweep_upkeep
from tests.faults.sweep.upkeep import UPKEEP


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.sweep")
    parser.add_argument("--points", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    options = parser.parse_args()
    began = time.monotonic()
    tally = Tally(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepared = folder / "template"
        prepared.mkdir()
        template.prepare(prepared)
        draw = {"seed": options.seed, "most": options.points}
        for operation in OPERATIONS:
            tally.join(_shown(operation.name, sweep_operation(folder, prepared, operation, **draw)))
        for work in UPKEEP:
            tally.join(_shown(work.name, sweep_upkeep(folder, prepared, work, **draw)))
        tally.join(_shown("migration", sweep_migration(folder, prepared, **draw)))
    print(f"{time.monotonic() - began:.0f} s, {tally}")
    for finding in tally.findings[:20]:
        print(f"  {finding.promise} at {finding.point}: {finding.what}")
    return 1 if tally.findings else 0


def _shown(name: str, tally: Tally) -> Tally:
    print(f"{name}: {tally.points} points, {len(tally.findings)} wrong", flush=True)
    return tally


if __name__ == "__main__":
    sys.exit(main())
