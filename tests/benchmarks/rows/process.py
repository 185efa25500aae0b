"""The process itself: start, echo, memory; and what a session's length costs an append."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.benchmarks import sessions
from tests.benchmarks.bench import PEERS, Bench, opened
from tests.benchmarks.measure import Result, Turn, in_turns, milliseconds, ratio
from tests.benchmarks.surroundings import host_environment
from tests.benchmarks.wire import Wire

BARE = "python -c 'import asyncio, json'"


def start(bench: Bench) -> Result:
    """From spawn to the first answer, beside bare Python from spawn to its end."""
    path = bench.filled([10])
    ours = [sys.executable, "-m", "sidecar", "--database", str(path)]
    turns: dict[str, Turn] = {
        BARE: lambda _: [_spawned([sys.executable, "-c", "import asyncio, json"])],
        "python -c pass": lambda _: [_spawned([sys.executable, "-c", "pass"])],
        "ours": lambda _: [_first_answer(ours)],
        "ours, first commit": lambda _: [_first_commit(ours)],
        "stock peer": lambda _: [_first_answer(bench.stock_peer())],
    }
    peer = bench.node_peer()
    if not isinstance(peer, str):
        turns["Node peer"] = lambda _: [_first_answer(peer)]
    found = in_turns(turns, rounds=max(9, bench.rounds), times=1)
    name = f"spawn to first answer / {BARE}"
    later = "spawn to the first commit's answer, sent at once / the same"
    ratios = [
        ratio(name, found["ours"], found[BARE], bound=4),
        ratio(later, found["ours, first commit"], found[BARE]),
    ]
    return Result(figures=milliseconds(found), ratios=ratios)


def echo(bench: Bench) -> Result:
    """getStatus, and an echo, beside a bare loop with stdlib json whose answers are as long."""
    with ExitStack() as stack:
        wire = stack.enter_context(Wire.sidecar(bench.filled([10])))
        size = len(json.dumps(wire.request("getStatus"), separators=(",", ":")))
        loop = [sys.executable, str(PEERS / "loop.py"), str(size)]
        bare = stack.enter_context(Wire(loop))

        echoing = [sys.executable, "-m", "tests.server.echo_engine"]
        transport = stack.enter_context(Wire(echoing))
        transport.request("initialize", capabilities={})
        text = {"text": "x" * size}

        def asked(wire: Wire, method: str, params: dict[str, str], count: int) -> list[float]:
            return [wire.timed(method, **params)[0] for _ in range(count)]

        turns: dict[str, Turn] = {
            "bare loop": lambda count: asked(bare, "getStatus", {}, count),
            "ours, getStatus": lambda count: asked(wire, "getStatus", {}, count),
            "bare loop, asked as much": lambda count: asked(bare, "echo", text, count),
            "our transport, an echo": lambda count: asked(transport, "echo", text, count),
        }
        found = in_turns(turns, rounds=bench.rounds * 2, times=500)
    bare_status, status, bare_echo, echoed = found.values()
    # With one processor the host needs it: nothing is waited for awake, and being woken takes time.
    bound = 1.5 if (os.cpu_count() or 1) > 1 else 2.5
    ratios = [
        ratio("getStatus / bare loop", status, bare_status, bound=bound, goal=1.5),
        ratio("echo through our transport / bare loop", echoed, bare_echo, bound=1.5),
    ]
    return Result(figures=milliseconds(found), ratios=ratios)


def memory(bench: Bench) -> Result:
    """Resident memory: greeted and idle, and with 10,000 nodes open."""
    path = bench.filled([10_000])
    figures: dict[str, tuple[float, str]] = {}
    with Wire.sidecar(path) as wire:
        figures["ours, greeted"] = (wire.resident() / 1e6, "MB")
        time.sleep(2)
        figures["ours, idle for 2 s"] = (wire.resident() / 1e6, "MB")
        wire.request("getProject", projectId="p10000", projection="none")
        figures["ours, 10,000 nodes open"] = (wire.resident() / 1e6, "MB")
    peer = bench.node_peer()
    if isinstance(peer, str):
        return Result(figures=figures, skipped=[f"Node peer: {peer}"])
    with Wire(peer) as node:
        node.request("initialize")
        figures["Node peer, greeted"] = (node.resident() / 1e6, "MB")
    with opened(peer, 10_000, as_text=False) as node:
        figures["Node peer, 10,000 nodes open"] = (node.resident() / 1e6, "MB")
    return Result(figures=figures)


def session(bench: Bench) -> Result:
    """Appending to a session of 10,000 messages beside one of 10 (benchmark `sessions`)."""
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        found = sessions.run(Path(folder), 10_000, output_mib=16, count=100 * bench.rounds)
    small, large = found["appendMs"]["small"], found["appendMs"]["large"]
    name = "session append at 10,000 messages / at 10"
    compared = ratio(name, [large["p50"]], [small["p50"]], bound=1.3)
    figures = {"at 10": (small["p50"], "ms"), "at 10,000": (large["p50"], "ms")}
    return Result(figures=figures, ratios=[compared])


def _spawned(command: Sequence[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=host_environment(), check=True)
    return time.perf_counter() - started


def _first_answer(command: Sequence[str]) -> float:
    started = time.perf_counter()
    with Wire(command) as wire:
        wire.request("initialize", capabilities={})
        return time.perf_counter() - started


def _first_commit(command: Sequence[str]) -> float:
    """From spawn to the answer of a commit that is sent as soon as its version is known."""
    started = time.perf_counter()
    with Wire(command) as wire:
        wire.request("initialize", capabilities={})
        shown = wire.request("getProject", projectId="p10", projection="none")
        payload = {"kind": "set-parameter", "nodeId": "n1", "name": "seed", "value": time.time_ns()}
        answer = wire.request(
            "commitCommand",
            projectId="p10",
            actionId=f"first-{time.time_ns()}",
            expectedRevisionId=shown["revisionId"],
            actor="manual",
            runId=None,
            payload=payload,
            projection="changes",
        )
        took = time.perf_counter() - started
    assert answer["status"] == "applied"
    return took
