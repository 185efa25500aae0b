"""``python -m tests.faults.fuzz --sequences 100000 --seed 1``: fuzzing, and what it counted."""

import argparse
import secrets
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.fuzz import drive


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.fuzz")
    parser.add_argument("--sequences", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--per-process", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="the number of the first process")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = drive.run_all(
            Path(folder),
            options.seed,
            options.sequences,
            per_process=options.per_process,
            first=options.first,
        )
    print(f"seed {options.seed}, {time.monotonic() - began:.0f} s")
    print(f"{report.sequences} sequences, {report.frames} frames, {report.answers} answers")
    largest = max(report.growth, default=0) / drive.MEBIBYTE
    print(f"{report.exits} processes ended as they should, none grew by over {largest:.1f} MiB")
    print(f"{len(report.faults)} unanswered, answered twice, or ended otherwise")
    for fault in report.faults[:20]:
        print(f"  {fault}")
    return 1 if report.faults or largest * drive.MEBIBYTE >= drive.MOST_GROWTH else 0


if __name__ == "__main__":
    sys.exit(main())
