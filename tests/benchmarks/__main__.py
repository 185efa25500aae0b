"""Speed as ratios, measured in one run: `python -m tests.benchmarks [--only NAME] [--json]`.

Every ratio's two sides take turns in the same run, since a noisy machine is noisy for both; a
figure is the median of the rounds' medians.  The files lie on a real file system.  `--check` fails
when a ratio leaves its bound by more than the noise that the run itself showed, three times over.
"""

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import asdict

from tests.benchmarks.bench import CACHE, Bench
from tests.benchmarks.measure import Ratio, Result
from tests.benchmarks.rows import ROWS

TRIES = 3
"""How often a row is measured that is out of its bound, before it counts: others work too."""
CHECKED = ("start", "echo", "commit-1000", "commit-scale", "pipelined", "projection", "history")


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", action="append", choices=list(ROWS), metavar="NAME")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", dest="as_json")
    parser.add_argument("--check", action="store_true", help="the bounds alone, quickly")
    parser.add_argument("--install", action="store_true", help="fetch the Node peer with npm")
    options = parser.parse_args(words)
    names = options.only or (CHECKED if options.check else list(ROWS))
    found: dict[str, Result] = {}
    CACHE.mkdir(exist_ok=True)
    _step_ahead()
    for name in names:
        for _ in range(TRIES if options.check else 1):
            started = time.monotonic()
            with tempfile.TemporaryDirectory(dir=CACHE) as folder:
                found[name] = ROWS[name](Bench(Path(folder), options.rounds, options.install))
            if not options.as_json:
                _show(name, found[name], time.monotonic() - started)
            if all(map(_is_well, found[name].ratios)):
                break
    if options.as_json:
        print(json.dumps({name: _value(result) for name, result in found.items()}, indent=2))
    broken = [one for result in found.values() for one in result.ratios if not _is_well(one)]
    for one in broken:
        print(f"out of its bound: {one.name}: {_number(one.value)}", file=sys.stderr)
    return 1 if options.check and broken else 0


def _step_ahead() -> None:
    """Run ahead of ordinary processes where the system lets us; so do all contenders.

    Else a busy machine's time slices, of milliseconds, are what is measured.
    """
    with contextlib.suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(5))


def _show(name: str, result: Result, seconds: float) -> None:
    print(f"\n== {name} ({(ROWS[name].__doc__ or '').strip()}) {seconds:.0f} s")
    for what, (value, unit) in result.figures.items():
        print(f"   {what:<44}{_number(value):>12} {unit}")
    for one in result.ratios:
        print(f"   {one.name:<66}{_number(one.value):>8}  {_verdict(one)}")
    for reason in result.skipped:
        print(f"   skipped: {reason}")
    sys.stdout.flush()


def _verdict(one: Ratio) -> str:
    rounds = f"[{_number(one.low)} – {_number(one.high)}, noise {one.noise:.0%}]"
    if one.bound is None:
        return rounds
    sign = "≤" if one.at_most else "≥"
    word = "holds" if one.holds else "within noise" if one.holds_but_for_noise else "BROKEN"
    goal = ""
    if one.goal is not None:
        goal = f", goal {sign} {one.goal:g} {'reached' if one.reaches_goal else 'missed'}"
    return f"{sign} {one.bound:g} {word}{goal} {rounds}"


def _is_well(one: Ratio) -> bool:
    return one.holds_but_for_noise


def _value(result: Result) -> dict[str, Any]:
    value = asdict(result)
    for given, one in zip(value["ratios"], result.ratios, strict=True):
        given["holds"] = one.holds
    return value


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    sys.exit(main())
