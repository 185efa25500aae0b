"""Requests of which nothing fits: the first faults are told, the rest costs no memory."""

from pathlib import Path

import pytest

from protocol.issues import MAX_FAULTS
from tests.handlers.desk import Desk, Json

MIB = 1 << 20
PORT = {"name": 1, "dataType": 2, "multiple": 3}
NODE = {"nodeId": 1, "inputs": [PORT] * 100, "outputs": [PORT] * 100}
DEFINITION = {"subgraphId": "s", "name": "S", "nodes": [NODE] * 500}
FAULTY: dict[str, Json] = {
    "an array of numbers": {"kind": "move-nodes", "nodeIds": [1] * 1_000_000},
    "an array of objects": {"kind": "add-node", "componentId": "c", "inputs": [PORT] * 300_000},
    "arrays in arrays": {"kind": "insert-subgraph", "definition": DEFINITION},
    "a mapping": {
        "kind": "set-process",
        "process": None,
        "renames": {str(number): number for number in range(500_000)},
    },
    "unknown keys": {"kind": "remove-edge", **{f"no{number}": 1 for number in range(300_000)}},
}


@pytest.mark.spec("W6", "C3")
@pytest.mark.parametrize("name", FAULTY)
def test_of_very_many_faults_the_first_are_told_in_bounded_memory(
    tmp_path: Path, name: str
) -> None:
    with Desk.begin(tmp_path / "graphs.db") as desk:
        before = desk.client.peak_rss()
        status, code, details = desk.refused(FAULTY[name], projection="none")

        assert (status, code) == ("rejected", "invalid-command")
        assert len(details["issues"]) == MAX_FAULTS
        assert desk.client.peak_rss() - before < 200 * MIB


@pytest.mark.spec("W6", "D3")
def test_of_very_many_faults_of_a_draft_the_first_are_told(tmp_path: Path) -> None:
    with Desk.begin(tmp_path / "graphs.db") as desk:
        of = {"projectId": desk.project, "title": "D"}
        before = desk.client.peak_rss()
        payloads = desk.issues(
            "createDraft", **of, nodeIds=[], payloads=[FAULTY["arrays in arrays"]] * 4
        )
        add = {"kind": "add-node", "componentId": "c"}
        nodes = desk.issues("createDraft", **of, nodeIds=["x"] * 500_000, payloads=[add])

        assert (len(payloads), len(nodes)) == (MAX_FAULTS, MAX_FAULTS)
        assert desk.client.peak_rss() - before < 200 * MIB
