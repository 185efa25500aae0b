"""One project of a sidecar under measurement: commits that always find the current version."""

import itertools
import time
from typing import Any

from tests.benchmarks.wire import Wire

_actions = itertools.count(1)


class Project:
    """Commits one after the other; ``revision`` is the version after the last."""

    def __init__(self, wire: Wire, size: int) -> None:
        self.wire = wire
        self.size = size
        self.project_id = f"p{size}"
        shown = wire.request("getProject", projectId=self.project_id, projection="none")
        self.revision: str = shown["revisionId"]
        self._values = itertools.count(1_000_000)

    def warm_up(self) -> None:
        """Grow the WAL and let it be emptied in a quiet moment, as any process has done once."""
        self.set_parameter(500)
        time.sleep(0.3)

    def params(self, payload: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {
            "projectId": self.project_id,
            "actionId": f"action-{next(_actions)}",
            "expectedRevisionId": self.revision,
            "actor": "manual",
            "runId": None,
            "payload": payload,
            "projection": "changes",
            **more,
        }

    def timed(self, payload: dict[str, Any], **more: Any) -> float:
        """Commit and return the seconds it took."""
        return self._timed("commitCommand", self.params(payload, **more))

    def undo(self) -> float:
        params = self.params({})
        for name in ("actor", "runId", "payload"):
            del params[name]
        return self._timed("undo", params)

    def set_parameter(self, count: int) -> list[float]:
        """Commit so many edits of one parameter, each of another node."""
        return [self.timed(self.edit()) for _ in range(count)]

    def edit(self) -> dict[str, Any]:
        value = next(self._values)
        node_id = f"n{value % self.size}"
        return {"kind": "set-parameter", "nodeId": node_id, "name": "seed", "value": value}

    def _timed(self, method: str, params: dict[str, Any]) -> float:
        took, answer = self.wire.timed(method, **params)
        if answer["status"] != "applied":
            raise RuntimeError(f"{method}: {answer['reason']}")
        self.revision = answer["revisionId"]
        return took
