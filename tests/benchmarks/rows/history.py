"""What history costs: bytes, reading back, and a long run of edits."""

import statistics
import time
from pathlib import Path
from typing import Final

from tests.benchmarks.bench import Bench
from tests.benchmarks.fill import text_of
from tests.benchmarks.measure import Ratio, Result
from tests.benchmarks.project import Project
from tests.benchmarks.wire import Wire

EDITS: Final = 2_000
LONG: Final = 5_000


def bytes_of_edits(bench: Bench) -> Result:
    """2,000 edits of 1,000 nodes: whole rows against the growth of our file, both checkpointed."""
    path = bench.filled([1_000])
    before = path.stat().st_size
    with Wire.sidecar(path) as wire:
        project = Project(wire, 1_000)
        whole = len(text_of(1_000))
        project.set_parameter(EDITS)
    grown = _size(path) - before
    value = whole * EDITS / grown
    figures = {
        "whole rows": (whole * EDITS / 1e6, "MB"),
        "ours": (grown / 1e6, "MB"),
        "ours, an edit": (grown / EDITS, "bytes"),
    }
    name = "history bytes, 2,000 edits of 1,000 nodes: whole rows / ours"
    compared = Ratio(
        name=name, value=value, low=value, high=value, noise=0.0, bound=300, at_most=False
    )
    return Result(figures=figures, ratios=[compared])


def distances(bench: Bench) -> Result:
    """getRevision of versions 1, 100 and 2,000 edits back, at 1,000 nodes."""
    with Wire.sidecar(bench.filled([1_000])) as wire:
        project = Project(wire, 1_000)
        wire.request("updateSettings", maxRevisions=10 * EDITS, minRevisions=10 * EDITS)
        known = [project.revision]
        for _ in range(EDITS):
            project.timed(project.edit(), projection="none")
            known.append(project.revision)
        figures = {
            f"getRevision {distance:,} back": (
                1000 * _median_of(wire, known[-1 - distance], bench.rounds * 2),
                "ms",
            )
            for distance in (0, 1, 100, EDITS)
        }
        whole = _timed(wire, "getProject", {"projectId": "p1000"}, bench.rounds * 2)
    figures["getProject, full"] = (whole * 1000, "ms")
    value = figures[f"getRevision {EDITS:,} back"][0] / (whole * 1000)
    name = "getRevision 2,000 back / full projection"
    compared = Ratio(name=name, value=value, low=value, high=value, noise=0.0, bound=20)
    return Result(figures=figures, ratios=[compared])


def long_run(bench: Bench) -> Result:
    """5,000 commits: the slowest of the first and of the last 1,000, and the versions kept."""
    with Wire.sidecar(bench.filled([1_000])) as wire:
        project = Project(wire, 1_000)
        times = project.set_parameter(LONG)
        kept = _versions(wire)
    first, last = _p99(times[:1_000]), _p99(times[-1_000:])
    figures = {
        "p50 of the first 1,000": (statistics.median(times[:1_000]) * 1000, "ms"),
        "p50 of the last 1,000": (statistics.median(times[-1_000:]) * 1000, "ms"),
        "p99 of the first 1,000": (first * 1000, "ms"),
        "p99 of the last 1,000": (last * 1000, "ms"),
        "versions kept": (kept, ""),
    }
    value = last / first
    name = "5,000 commits, p99 of the last 1,000 / of the first"
    compared = Ratio(name=name, value=value, low=value, high=value, noise=0.0, bound=2)
    return Result(figures=figures, ratios=[compared])


def _median_of(wire: Wire, revision_id: str, count: int) -> float:
    return _timed(wire, "getRevision", {"projectId": "p1000", "revisionId": revision_id}, count)


def _timed(wire: Wire, method: str, params: dict[str, str], count: int) -> float:
    times = []
    wire.request(method, **params)
    for _ in range(count):
        frame = wire.frame(method, params)
        started = time.perf_counter()
        wire.exchange(frame)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def _versions(wire: Wire) -> int:
    count, before = 0, None
    while True:
        page = wire.request("listRevisions", projectId="p1000", before=before, limit=500)
        count += len(page["items"])
        before = page["before"]
        if before is None:
            return count


def _p99(times: list[float]) -> float:
    return sorted(times)[len(times) * 99 // 100]


def _size(path: Path) -> int:
    """Return the bytes of a closed database: its last connection moved the WAL into it."""
    assert not Path(f"{path}-wal").exists()
    return path.stat().st_size
