"""What appends to a session and opening it cost over stdio, by the size of the session.

`python -m tests.benchmarks.sessions [--json] [--messages N] [--output MIB] [--appends N]`
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.client import Client

PROJECT = "p"
WORDS = [
    "amber",
    "basin",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heath",
    "inlet",
    "jetty",
    "knoll",
    "marsh",
    "nectar",
]


class Sidecar:
    """One process on one database."""

    def __init__(self, database: Path) -> None:
        command = [sys.executable, "-m", "sidecar", "--database", str(database)]
        self.client = Client.spawn(command)
        self.client.initialize(timeout=120)

    def request(self, method: str, **params: Any) -> Any:
        return self.client.request(method, params, timeout=600)

    def timed(self, method: str, **params: Any) -> float:
        """Milliseconds from the first byte of a request to its parsed answer."""
        start = time.perf_counter()
        self.request(method, **params)
        return (time.perf_counter() - start) * 1000

    def close(self) -> None:
        assert self.client.close(timeout=60) == 0


def prose(number: int, length: int) -> str:
    chooser = random.Random(number)
    return " ".join(chooser.choice(WORDS) for _ in range(length))


def session_file(path: Path, session_id: str, messages: int, output_bytes: int) -> None:
    """Write a session of the public format: prompts and replies, a tool call for each reply."""
    pairs = messages // 2
    piece = "x" * (output_bytes // max(pairs, 1))
    with path.open("w", encoding="ascii") as file:
        for part in _parts(session_id, pairs, piece):
            file.write(part)


def _parts(session_id: str, pairs: int, piece: str) -> Iterator[str]:
    frame_id, branch = f"root-frame-{session_id}", f"message-branch-{session_id}"
    segment = f"runtime-segment-{session_id}"
    head = f"r{pairs - 1}" if pairs else None
    fields = {
        "id": session_id,
        "projectId": PROJECT,
        "title": session_id,
        "status": "idle",
        "messages": [],
        "createdAt": 1,
        "updatedAt": 2,
    }
    graph = {"schemaVersion": 1, "rootFrameId": frame_id, "activeFrameId": frame_id}
    frames = {
        "id": frame_id,
        "originBindingState": "root",
        "kind": "root",
        "status": "completed",
        "activeBranchId": branch,
        "createdAt": 1,
    }
    branches = {"id": branch, "agentFrameId": frame_id, "createdAt": 1, "updatedAt": 2}
    if head is not None:
        branches["headMessageId"] = head
    segments = {
        "id": segment,
        "agentFrameId": frame_id,
        "frameworkId": "claude-code",
        "startedAt": 1,
    }
    yield json.dumps(fields)[:-1] + ', "conversationGraph": ' + json.dumps(graph)[:-1]
    yield f', "frames": [{json.dumps(frames)}], "branches": [{json.dumps(branches)}]'
    yield f', "runtimeSegments": [{json.dumps(segments)}], "activityGroups": [], "messages": ['
    place = {"agentFrameId": frame_id, "introducedOnBranchId": branch, "runtimeSegmentId": segment}
    for number in range(pairs):
        yield ", " if number else ""
        yield ", ".join(json.dumps(message) for message in _pair(number, place))
    yield '], "activities": ['
    for number in range(pairs):
        yield ", " if number else ""
        yield json.dumps(_activity(number, place))[:-1] + f', "rawOutput": "{piece}"}}'
    yield "]}}"


def _pair(number: int, place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    common = {"status": "complete", "eventIds": [], "createdAt": number, "updatedAt": number}
    prompt = {"id": f"m{number}", "role": "user", "content": prose(number, 20), **common, **place}
    if number:
        prompt["parentMessageId"] = f"r{number - 1}"
    yield {**prompt, "revisionRootMessageId": f"m{number}"}
    yield {
        "id": f"r{number}",
        "role": "agent",
        "content": prose(-number - 1, 60),
        **common,
        **place,
        "parentMessageId": f"m{number}",
        "responseToMessageId": f"m{number}",
    }


def _activity(number: int, place: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"a{number}",
        "kind": "tool",
        "title": "read",
        "status": "completed",
        "sortIndex": number,
        "eventIds": [],
        "createdAt": number,
        "updatedAt": number,
        "agentFrameId": place["agentFrameId"],
        "messageBranchId": place["introducedOnBranchId"],
        "runtimeSegmentId": place["runtimeSegmentId"],
        "promptMessageId": f"m{number}",
    }


def appends(sidecar: Sidecar, sizes: dict[str, int], count: int) -> dict[str, dict[str, float]]:
    """Append to each session in turn, so that they meet the same noise; milliseconds."""
    heads = {name: f"r{size // 2 - 1}" for name, size in sizes.items()}
    times: dict[str, list[float]] = {name: [] for name in sizes}
    for number in range(count):
        for name in sizes:
            message_id = f"new-{number}"
            command = {
                "id": f"c-{number}",
                "kind": "append-user",
                "timestamp": 10_000 + number,
                "branchId": f"message-branch-{name}",
                "parentMessageId": heads[name],
                "message": {"id": message_id, "role": "user", "content": prose(number, 30)},
            }
            times[name].append(
                sidecar.timed("applySessionCommands", sessionId=name, commands=[command])
            )
            heads[name] = message_id
    return {name: _spread(found[count // 10 :]) for name, found in times.items()}


def _spread(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "p50": statistics.median(ordered),
        "p99": ordered[int(len(ordered) * 0.99)],
        "mean": statistics.fmean(ordered),
    }


def run(folder: Path, messages: int, output_mib: int, count: int) -> dict[str, Any]:
    database = folder / "graphs.db"
    sizes = {"small": 10, "large": messages}
    sidecar = Sidecar(database)
    sidecar.request("createProject", projectId=PROJECT, title="Benchmark")
    imported: dict[str, float] = {}
    for name, size in sizes.items():
        file = folder / f"{name}.json"
        session_file(file, name, size, (output_mib << 20) if name == "large" else 1000)
        imported[name] = sidecar.timed("importSession", path=str(file))
        file.unlink()
    peak = sidecar.client.peak_rss() >> 20
    sidecar.close()
    page = {"sessionId": "large", "view": "active", "limit": 50}
    opened = []
    for _ in range(3):
        sidecar = Sidecar(database)
        opened.append(sidecar.timed("getSession", **page))
        again = sidecar.timed("getSession", **page)
        sidecar.close()
    sidecar = Sidecar(database)
    appended = appends(sidecar, sizes, count)
    searched = sidecar.timed("searchSessions", query="amber fjord grove")
    sidecar.close()
    return {
        "messages": messages,
        "outputMiB": output_mib,
        "importMs": imported,
        "importPeakMiB": peak,
        "openMs": opened,
        "openAgainMs": again,
        "appendMs": appended,
        "appendRatioP50": appended["large"]["p50"] / appended["small"]["p50"],
        "searchMs": searched,
        "databaseMiB": database.stat().st_size >> 20,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--output", type=int, default=1024, help="MiB of tool output")
    parser.add_argument("--appends", type=int, default=1_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), options.messages, options.output, options.appends)
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:16} {value}")


if __name__ == "__main__":
    main()
