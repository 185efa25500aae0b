"""What simulation found once."""

import sys
from pathlib import Path
from typing import Any

from tests.client import Client
from tests.faults import model
from tests.faults.simulation.mirror import lead


def spawn(database: Path) -> Client:
    client = Client.spawn([sys.executable, "-m", "sidecar", "--database", str(database)])
    client.initialize()
    return client


def test_a_run_is_closed_after_another_process_changed_the_graph_and_the_host_hears_of_both(
    tmp_path: Path,
) -> None:
    database = tmp_path / "graphs.db"
    with spawn(database) as one, spawn(database) as other:
        one.request("createProject", {"projectId": "p", "title": "P"})
        one.request("startRun", {"projectId": "p", "runId": "run"})
        shown = {"id": 1, "result": one.request("getProject", {"projectId": "p"})}
        for number, payload in enumerate(drawn_backwards()):
            current = one.request("getProject", {"projectId": "p"})["revisionId"]
            command(one, f"a{number}x", current, payload, "run")
        # The first read of the other process takes a while; what follows must not be polled first.
        current = other.request("getProject", {"projectId": "p"})["revisionId"]
        command(other, "bx", current, {"kind": "rename-node", "nodeId": "left", "name": "L"}, None)

        run = one.request("closeRun", {"runId": "run"})

        state = one.request("getProject", {"projectId": "p"})
        mirror, faults = lead([shown, *one.notifications], {1: "getProject"})
        assert run["arrangement"]["status"] == "applied"
        assert faults == []
        assert mirror.revision == state["revisionId"]
        assert mirror.others == 1


def drawn_backwards() -> list[dict[str, Any]]:
    """Two nodes whose connection runs from right to left, so that arranging moves them."""
    node = {"kind": "add-node", "componentId": "C", **model.PORTS}
    source = {"nodeId": "right", "portId": "out"}
    return [
        {**node, "nodeId": "left", "position": {"x": 0, "y": 0}},
        {**node, "nodeId": "right", "position": {"x": 2_000, "y": 900}},
        {"kind": "connect", "source": source, "target": {"nodeId": "left", "portId": "in"}},
    ]


def command(
    client: Client, action_id: str, expected: str, payload: dict[str, Any], run_id: str | None
) -> None:
    answer = client.request(
        "commitCommand",
        {
            "projectId": "p",
            "actionId": action_id,
            "expectedRevisionId": expected,
            "actor": "manual" if run_id is None else "ai",
            "runId": run_id,
            "payload": payload,
        },
    )
    assert answer["status"] == "applied", answer["reason"]
