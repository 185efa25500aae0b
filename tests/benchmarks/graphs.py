"""The graphs that benchmarks work on: nodes like those of image workflows, in one long chain."""

from typing import Any

COMPONENT = "KSampler"


def node(number: int) -> dict[str, Any]:
    return {
        "nodeId": f"n{number}",
        "componentId": COMPONENT,
        "position": {"x": number % 100 * 280, "y": number // 100 * 200},
        "inputs": [
            {"name": "model", "dataType": "MODEL"},
            {"name": "latent", "dataType": "LATENT", "multiple": True},
        ],
        "outputs": [{"name": "LATENT", "dataType": "LATENT"}],
        "parameters": {"seed": number, "steps": 20, "cfg": 7.5, "sampler": "euler"},
    }


def edge(source: int, target: int) -> dict[str, Any]:
    return {
        "edgeId": f"e{source}-{target}",
        "source": {"nodeId": f"n{source}", "portId": "LATENT"},
        "target": {"nodeId": f"n{target}", "portId": "latent"},
    }


def graph(size: int) -> dict[str, Any]:
    """Return ``size`` nodes, each but the first fed by the one before."""
    return {
        "nodes": [node(number) for number in range(size)],
        "edges": [edge(number - 1, number) for number in range(1, size)],
        "groups": [],
        "subgraphs": [],
    }
