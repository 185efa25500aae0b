"""Commits beside the floor and the peers."""

import json
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from attrs import frozen

from sidecar.store.connection import PAGE_SIZE
from tests.benchmarks.bench import PEERS, Bench, opened
from tests.benchmarks.floors import BareTransactions
from tests.benchmarks.measure import Result, Turn, in_turns, milliseconds, ratio
from tests.benchmarks.project import Project
from tests.benchmarks.wire import Wire

PIPELINED = 10_000
FREE_SYNC = 0.0001
"""Seconds of a bare transaction below which nothing was synced: memory, or a disk that pretends.

What Python takes is no ratio of that.
"""


def at_1000(bench: Bench) -> Result:
    """set-parameter at 1,000 nodes: a bare transaction, ours, both peers."""
    bounds = Bounds(floor=6, floor_goal=2.5, peer=4.5, peer_goal=8)
    return _beside_peers(bench, 1_000, times=100, bounds=bounds)


def at_10000(bench: Bench) -> Result:
    """set-parameter at 10,000 nodes: a bare transaction, ours, both peers."""
    return _beside_peers(bench, 10_000, times=20, bounds=Bounds(peer=60))


def pipelined(bench: Bench) -> Result:
    """10,000 commits sent at once, chained by newRevisionId, beside the Node peer's."""
    with ExitStack() as stack:
        turns: dict[str, Turn] = {}
        project = Project(stack.enter_context(Wire.sidecar(bench.filled([1_000]))), 1_000)
        turns["ours"] = lambda _: [_burst(project, PIPELINED)]
        peer = bench.node_peer()
        if not isinstance(peer, str):
            node = stack.enter_context(opened(peer, 1_000, as_text=False))
            turns["Node peer"] = lambda _: [_peer_burst(node, 200)]
        found = in_turns(turns, rounds=bench.rounds, times=1)
    figures = {name: (1 / value, "commits/s") for name, (value, _) in _seconds(found).items()}
    if isinstance(peer, str):
        return Result(figures=figures, skipped=[f"Node peer: {peer}"])
    name = "pipelined commits a second, ours / Node peer"
    compared = ratio(name, found["Node peer"], found["ours"], bound=15, goal=20, at_most=False)
    return Result(figures=figures, ratios=[compared])


@frozen(kw_only=True)
class Bounds:
    """At most ``floor`` times the floor, at least ``peer`` times as fast as the Node peer."""

    floor: float | None = None
    floor_goal: float | None = None
    peer: float
    peer_goal: float | None = None


def _beside_peers(bench: Bench, size: int, *, times: int, bounds: Bounds) -> Result:
    with ExitStack() as stack:
        bare = BareTransactions(bench.fresh(), page_size=PAGE_SIZE)
        stack.callback(bare.close)
        project = Project(stack.enter_context(Wire.sidecar(bench.filled([size]))), size)
        project.warm_up()
        behind = stack.enter_context(Wire(_behind_a_loop(bench)))
        stock = stack.enter_context(opened(bench.stock_peer(), size, as_text=True))
        turns: dict[str, Turn] = {
            "bare transaction, one row": bare.commit_row,
            "bare transaction, as many pages": bare.commit_pages,
            "the same behind a bare loop over stdio": lambda count: _asked(behind, count),
            "ours": project.set_parameter,
            "stock peer": lambda count: _peer_commits(stock, size, count),
        }
        found = in_turns(turns, rounds=bench.rounds, times=times)
        # What the Node peer writes keeps the disk busy: it takes turns with ours alone.
        peer = bench.node_peer()
        beside: dict[str, list[float]] = {}
        if not isinstance(peer, str):
            node = stack.enter_context(opened(peer, size, as_text=False))
            turns = {
                "ours, in turns with the Node peer": project.set_parameter,
                "Node peer": lambda count: _peer_commits(node, size, count),
            }
            beside = in_turns(turns, rounds=bench.rounds, times=times)
    ours = found["ours"]
    floor = found["bare transaction, as many pages"]
    syncs = min(found["bare transaction, one row"]) >= FREE_SYNC
    behind_loop = found["the same behind a bare loop over stdio"]
    ratios = [
        ratio(
            f"commit at {size:,} / bare transaction of as many pages",
            ours,
            floor,
            bound=bounds.floor if syncs else None,
            goal=bounds.floor_goal,
        ),
        ratio(
            f"commit at {size:,} / bare transaction of one row",
            ours,
            found["bare transaction, one row"],
        ),
        ratio(f"commit at {size:,} / the same behind a bare loop over stdio", ours, behind_loop),
        ratio(f"stock peer / ours, commit at {size:,}", found["stock peer"], ours),
    ]
    skipped = [f"Node peer: {peer}"] if isinstance(peer, str) else []
    if not syncs:
        skipped.append("the bound to the floor: a sync takes no time here")
    if beside:
        own, theirs = beside.values()
        name = f"Node peer / ours, commit at {size:,}"
        ratios.append(
            ratio(name, theirs, own, bound=bounds.peer, goal=bounds.peer_goal, at_most=False)
        )
    return Result(figures=milliseconds({**found, **beside}), ratios=ratios, skipped=skipped)


def _behind_a_loop(bench: Bench) -> list[str]:
    """Return the floor's command; its answers are as long as ours with their notifications."""
    return [sys.executable, str(PEERS / "transactions.py"), str(bench.fresh()), "4000"]


def _asked(wire: Wire, count: int) -> list[float]:
    return [wire.timed("commit", **_peer_edit(1_000))[0] for _ in range(count)]


def _peer_commits(wire: Wire, size: int, count: int) -> list[float]:
    return [wire.timed("commit", **_peer_edit(size))[0] for _ in range(count)]


def _peer_edit(size: int) -> dict[str, Any]:
    value = time.perf_counter_ns()
    payload = {"nodeId": f"n{value % size}", "name": "seed", "value": value}
    return {"projectId": "p", "payload": payload}


def _burst(project: Project, count: int) -> float:
    """Send commits without waiting and return the seconds a commit took."""
    frames: list[bytes] = []
    started_at = project.revision
    for number in range(count):
        revision = f"{started_at[:40]}-{time.perf_counter_ns()}-{number}"
        params = project.params(project.edit(), newRevisionId=revision, projection="none")
        frames.append(project.wire.frame("commitCommand", params))
        project.revision = revision
    answers, took = _sent_at_once(project.wire, frames)
    assert all(json.loads(answer)["result"]["status"] == "applied" for answer in answers)
    return took / count


def _peer_burst(wire: Wire, count: int) -> float:
    frames = [wire.frame("commit", _peer_edit(1_000)) for _ in range(count)]
    return _sent_at_once(wire, frames)[1] / count


def _sent_at_once(wire: Wire, frames: Sequence[bytes]) -> tuple[list[bytes], float]:
    """Write as fast as the process reads, and read meanwhile: pipes hold little."""
    import threading  # noqa: PLC0415

    def write() -> None:
        for start in range(0, len(frames), 64):
            wire.stdin.write(b"".join(frames[start : start + 64]))
            wire.stdin.flush()

    writer = threading.Thread(target=write)
    started = time.perf_counter()
    writer.start()
    answers = list(wire.answers(len(frames)))
    took = time.perf_counter() - started
    writer.join()
    return answers, took


def _seconds(found: dict[str, list[float]]) -> dict[str, tuple[float, str]]:
    return {name: (value / 1000, "s") for name, (value, _) in milliseconds(found).items()}
