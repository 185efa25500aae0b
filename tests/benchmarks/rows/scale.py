"""What the size of the graph costs a commit."""

import statistics
from collections.abc import Callable
from typing import Any

from tests.benchmarks.bench import Bench
from tests.benchmarks.measure import Ratio, Result, in_turns, milliseconds, ratio
from tests.benchmarks.project import Project
from tests.benchmarks.wire import Wire

SIZES = (10, 100, 1_000, 10_000, 100_000)
ENDS = (10, 100_000)


def set_parameter(bench: Bench) -> Result:
    """set-parameter at both ends; all projects in one process and one file."""
    with Wire.sidecar(bench.filled(ENDS)) as wire:
        projects = {f"{size:,} nodes": Project(wire, size) for size in ENDS}
        projects["10 nodes"].warm_up()
        turns = {name: project.set_parameter for name, project in projects.items()}
        found = in_turns(turns, rounds=bench.rounds * 2, times=100)
    name = "commit at 100,000 / at 10"
    compared = ratio(name, found["100,000 nodes"], found["10 nodes"], bound=1.3)
    return Result(figures=milliseconds(found), ratios=[compared])


def commands(bench: Bench) -> Result:
    """Each command, and undo, at every size."""
    figures: dict[str, tuple[float, str]] = {}
    with Wire.sidecar(bench.filled(SIZES)) as wire:
        projects = {size: Project(wire, size) for size in SIZES}
        for name, once in COMMANDS.items():
            times: dict[int, list[float]] = {size: [] for size in SIZES}
            for number in range(bench.rounds * 5):
                for size, project in projects.items():
                    times[size].append(once(project, number))
            for size, found in times.items():
                median = statistics.median(found[bench.rounds :])
                figures[f"{name} at {size:,}"] = (median * 1000, "ms")
    value = figures["undo at 1,000"][0] / figures["set-parameter at 1,000"][0]
    name = "undo / commit, at 1,000"
    compared = Ratio(name=name, value=value, low=value, high=value, noise=0.0, bound=5)
    return Result(figures=figures, ratios=[compared])


def _add_node(project: Project, number: int) -> float:
    return project.timed({"kind": "add-node", "componentId": "Made", "nodeId": f"made{number}"})


def _connect(project: Project, number: int) -> float:
    _add_node_with_ports(project, f"sink{number}")
    return project.timed(_edge("n0", f"sink{number}"))


def _remove_node(project: Project, number: int) -> float:
    """Remove a node that ten edges lead to."""
    name = f"hub{number}"
    _add_node_with_ports(project, name)
    for source in range(10):
        project.timed(_edge(f"n{source}", name))
    return project.timed({"kind": "remove-node", "nodeId": name})


def _move_nodes(project: Project, number: int) -> float:
    """Move 100 nodes, or all where there are fewer."""
    count = min(100, project.size)
    nodes = [f"n{(number * 100 + place) % project.size}" for place in range(count)]
    return project.timed({"kind": "move-nodes", "nodeIds": nodes, "delta": {"x": 1, "y": 1}})


def _undo(project: Project, _: int) -> float:
    project.timed(project.edit())
    return project.undo()


def _add_node_with_ports(project: Project, name: str) -> None:
    ports = [{"name": "latent", "dataType": "LATENT", "multiple": True}]
    project.timed({"kind": "add-node", "componentId": "Sink", "nodeId": name, "inputs": ports})


def _edge(source: str, target: str) -> dict[str, Any]:
    return {
        "kind": "connect",
        "source": {"nodeId": source, "portId": "LATENT"},
        "target": {"nodeId": target, "portId": "latent"},
    }


COMMANDS: dict[str, Callable[[Project, int], float]] = {
    "set-parameter": lambda project, _: project.timed(project.edit()),
    "add-node": _add_node,
    "connect": _connect,
    "remove-node with 10 edges": _remove_node,
    "move-nodes of 100": _move_nodes,
    "undo": _undo,
}
