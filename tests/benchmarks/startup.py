"""From spawn to the first answer, for each form of the sidecar, as a ratio to bare Python.

Bare Python is ``python -c "import asyncio, json"``, from spawn to its end.  A sidecar is spawned on
a database that exists and is sent initialize; the time is that of its answer.  The forms take
turns, so that a noisy machine is noisy for all of them; medians are compared.

    python -m tests.benchmarks.startup [--rounds N] [--binaries FOLDER] [--json]

``--binaries`` is a folder that ``python -m sidecar.cli.binary -o FOLDER`` built into.
"""

import argparse
import json
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from sidecar.cli.binary.targets import target_triple
from sidecar.testing.frames import framed, read_frame
from tests.benchmarks.surroundings import host_environment

BARE: Final = "python -c 'import asyncio, json'"
INITIALIZE: Final = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
).encode()


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--binaries", type=Path)
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        times = measure(forms(options.binaries), Path(folder) / "app.db", options.rounds)
    report = summary(times)
    print(json.dumps(report, indent=2) if options.as_json else table(report))
    return 0


def forms(binaries: Path | None) -> dict[str, list[str]]:
    """Return the command lines that can be measured here."""
    script = Path(sysconfig.get_path("scripts")) / "graph-sidecar"
    found = {"module": [sys.executable, "-m", "sidecar"], "console script": [str(script)]}
    if binaries is not None:
        found["one folder"] = [str(binaries / "graph-sidecar" / "graph-sidecar")]
        found["one file"] = [str(binaries / f"graph-sidecar-{target_triple()}")]
    return {name: command for name, command in found.items() if Path(command[0]).exists()}


def measure(commands: dict[str, list[str]], database: Path, rounds: int) -> dict[str, list[float]]:
    """Return seconds by form; the first round warms caches and is not counted."""
    times: dict[str, list[float]] = {BARE: [], **{name: [] for name in commands}}
    for turn in range(rounds + 1):
        took = {BARE: _bare()} | {
            name: _first_answer([*command, "--database", str(database)])
            for name, command in commands.items()
        }
        if turn:
            for name, seconds in took.items():
                times[name].append(seconds)
    return times


def summary(times: dict[str, list[float]]) -> dict[str, Any]:
    """Return the median of each form in milliseconds, and its ratio to bare Python's."""
    medians = {name: statistics.median(values) for name, values in times.items()}
    return {
        "rounds": len(times[BARE]),
        "forms": {
            name: {
                "medianMs": round(median * 1000, 1),
                "fastestMs": round(min(times[name]) * 1000, 1),
                "ratio": round(median / medians[BARE], 2),
            }
            for name, median in medians.items()
        },
    }


def table(report: dict[str, Any]) -> str:
    lines = [f"{'':32}{'median ms':>10}{'fastest':>10}{'ratio':>8}"]
    lines += [
        f"{name:32}{form['medianMs']:>10}{form['fastestMs']:>10}{form['ratio']:>8}"
        for name, form in report["forms"].items()
    ]
    return "\n".join([*lines, f"{report['rounds']} rounds"])


def _bare() -> float:
    started = time.perf_counter()
    bare = [sys.executable, "-c", "import asyncio, json"]
    subprocess.run(bare, env=host_environment(), check=True)
    return time.perf_counter() - started


def _first_answer(command: list[str]) -> float:
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=host_environment()
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(framed(INITIALIZE))
        process.stdin.flush()
        body = read_frame(process.stdout)
        took = time.perf_counter() - started
        assert body is not None
        assert "result" in json.loads(body), body
        process.stdin.close()
        process.stdout.read()
    return took


if __name__ == "__main__":
    sys.exit(main())
