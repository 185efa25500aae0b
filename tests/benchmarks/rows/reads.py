"""Whole graphs out and in."""

import json
import sys
import time
from contextlib import ExitStack
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

from tests.benchmarks.bench import PEERS, Bench
from tests.benchmarks.measure import Result, in_turns, milliseconds, ratio
from tests.benchmarks.project import Project
from tests.benchmarks.wire import Wire

SIZE = 10_000


def projection(bench: Bench) -> Result:
    """The whole of 10,000 nodes, beside a process that encodes the same object and writes it."""
    with ExitStack() as stack:
        wire = stack.enter_context(Wire.sidecar(bench.filled([SIZE])))
        shown = wire.request("getProject", projectId=f"p{SIZE}")
        held = bench.fresh()
        held.write_text(json.dumps(shown), encoding="utf-8")
        dumps = stack.enter_context(Wire([sys.executable, str(PEERS / "dumps.py"), str(held)]))

        def asked(wire: Wire, count: int) -> list[float]:
            return [_whole(wire, f"p{SIZE}") for _ in range(count)]

        turns = {
            f"{_encoder()} and a write": lambda count: asked(dumps, count),
            "ours": lambda count: asked(wire, count),
        }
        found = in_turns(turns, rounds=bench.rounds * 2, times=5)
    floor, ours = found.values()
    name = f"full projection at {SIZE:,} / {_encoder()} and a write"
    return Result(figures=milliseconds(found), ratios=[ratio(name, ours, floor, bound=2)])


def largest_template(bench: Bench) -> Result:
    """Opening the largest published template, beside json.loads of its text."""
    found = _templates()
    if found is None:
        return Result(skipped=["comfyui_workflow_templates_json is not installed"])
    path = max(found, key=lambda one: one.stat().st_size)
    text = path.read_text(encoding="utf-8")
    times: dict[str, list[float]] = {"json.loads": [], "ours": []}
    with Wire.sidecar(bench.filled([10])) as wire:
        project = Project(wire, 10)
        payload = {"kind": "open-native", "content": text, "format": "comfyui"}
        for number in range(bench.rounds + 1):
            parsed = _loads(text)
            opened = project.timed(payload, projection="none")
            if number:
                times["json.loads"].append(parsed)
                times["ours"].append(opened)
    name = f"open {path.name} ({len(text) >> 10} KiB) / json.loads of its text"
    compared = ratio(name, times["ours"], times["json.loads"])
    return Result(figures=milliseconds(times), ratios=[compared])


def _whole(wire: Wire, project_id: str) -> float:
    frame = wire.frame("getProject", {"projectId": project_id})
    started = time.perf_counter()
    wire.exchange(frame)
    return time.perf_counter() - started


def _encoder() -> str:
    return "orjson.dumps" if find_spec("orjson") else "msgspec.json.encode"


def _loads(text: str) -> float:
    started = time.perf_counter()
    json.loads(text)
    return time.perf_counter() - started


def _templates() -> list[Path] | None:
    if find_spec("comfyui_workflow_templates_json") is None:
        return None
    folder = Path(str(resources.files("comfyui_workflow_templates_json")))
    return [path for path in folder.rglob("*.json") if "nodes" in path.read_text("utf-8")[:100_000]]
