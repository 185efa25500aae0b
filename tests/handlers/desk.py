"""A host that edits graphs over real stdio, and the few shapes that its tests need."""

from __future__ import annotations

import json
import sys
from itertools import count
from pathlib import Path
from typing import Any, Self

import pytest

from tests.client import Client, RpcError

Json = dict[str, Any]

_actions = count(1)


class Desk:
    """One project seen through one sidecar.

    ``revision`` is the version that this host knows of; commands expect it unless told otherwise.
    """

    def __init__(self, client: Client, project: str, revision: str = "") -> None:
        self.client = client
        self.project = project
        self.revision = revision

    @classmethod
    def spawn(cls, database: Path, *arguments: str, project: str = "p", **popen: Any) -> Self:
        """Return a desk on a new process; ``look`` takes the project's version for known."""
        command = [sys.executable, "-m", "sidecar", "--database", str(database), *arguments]
        client = Client.spawn(command, **popen)
        try:
            client.initialize()
        except BaseException:
            client.kill()
            raise
        return cls(client, project)

    @classmethod
    def begin(cls, database: Path, *arguments: str, project: str = "p", **popen: Any) -> Self:
        """Return a desk on a new process, its project created unless it is there."""
        desk = cls.spawn(database, *arguments, project=project, **popen)
        desk.create()
        return desk

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.client.kill()

    def create(self) -> Json:
        shown = self.request("createProject", projectId=self.project, title="Project")
        self.revision = shown["revisionId"]
        return dict(shown)

    def request(self, method: str, **params: Any) -> Any:
        return self.client.request(method, params)

    def refusal(self, method: str, **params: Any) -> tuple[str, Json]:
        """Return code and details of a request that has to fail with -32803."""
        with pytest.raises(RpcError) as caught:
            self.client.request(method, params)
        assert caught.value.code == -32803
        assert caught.value.message
        return caught.value.data["code"], caught.value.data["details"]

    def issues(self, method: str, **params: Any) -> set[str]:
        """Return the places of all faults of a request that has to fail with -32602."""
        with pytest.raises(RpcError) as caught:
            self.client.request(method, params)
        assert caught.value.code == -32602
        return {issue["path"] for issue in caught.value.data["issues"]}

    # Commands.

    def commit(self, payload: object, **over: Any) -> Json:
        """Send a command and return its answer, whatever it is."""
        params: Json = {"actor": "manual", "runId": None, "payload": payload, **over}
        return self.command("commitCommand", **params)

    def command(self, method: str, **over: Any) -> Json:
        """Send a command-like request with a new action id for the version known."""
        params: Json = {"actionId": new_action(), "expectedRevisionId": self.revision, **over}
        if method != "applyDraft":
            params.setdefault("projectId", self.project)
        answer: Json = self.client.request(method, params)
        self.see(answer["projection"])
        return answer

    def do(self, kind: str, *, run: str | None = None, **fields: Any) -> Json:
        """Have a payload applied, by the person or in a run."""
        actor: Json = {} if run is None else {"actor": "ai", "runId": run}
        answer = self.commit({"kind": kind, **fields}, projection="none", **actor)
        assert answer["status"] == "applied", answer["reason"]
        return answer

    def refused(self, payload: object, **over: Any) -> tuple[str, str, Json]:
        """Return status, code and details of a command that has to be refused."""
        return reason(self.commit(payload, **over))

    def undo(self, **over: Any) -> Json:
        return self.command("undo", **over)

    def redo(self, **over: Any) -> Json:
        return self.command("redo", **over)

    def see(self, projection: Json | None) -> None:
        if projection is not None and projection["projectId"] == self.project:
            self.revision = projection["revisionId"]

    # Runs.

    def run(self, **params: Any) -> str:
        """Start a run and return its id."""
        found: str = self.request("startRun", projectId=self.project, **params)["runId"]
        return found

    # What there is.

    def look(self, projection: str = "full") -> Json:
        """Return the project as it is now; from now on this host knows that version."""
        shown: Json = self.request("getProject", projectId=self.project, projection=projection)
        self.see(shown)
        return shown

    def state(self) -> Json:
        return state_of(self.look())

    def at(self, revision: str) -> Json:
        """Return the state of a version."""
        found: Json = self.request("getRevision", projectId=self.project, revisionId=revision)[
            "state"
        ]
        return found

    def revisions(self) -> list[Json]:
        """Return all versions, newest first."""
        found: list[Json] = []
        before = None
        while True:
            page = self.request("listRevisions", projectId=self.project, before=before, limit=500)
            found += page["items"]
            before = page["before"]
            if before is None:
                return found

    def nodes(self) -> dict[str, Json]:
        return {one["nodeId"]: one for one in self.look()["graph"]["nodes"]}


def new_action() -> str:
    """Return an action id that no test used."""
    return f"action-{next(_actions)}"


def reason(answer: Json) -> tuple[str, str, Json]:
    """Return status, code and details of an answer that refuses; nothing may have landed."""
    assert answer["reason"] is not None, answer["status"]
    assert (answer["revisionId"], answer["changed"], answer["effects"]) == (None, False, None)
    assert answer["reason"]["message"]
    return answer["status"], answer["reason"]["code"], answer["reason"]["details"]


def state_of(shown: Json) -> Json:
    return {name: shown[name] for name in ("title", "document", "components", "graph")}


def canonical(value: object) -> str:
    """Return JSON text that is the same for the same value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def ports(*names: str, **fields: Any) -> list[Json]:
    return [{"name": name, "dataType": "*", **fields} for name in names]


def node(id_: str, *, x: float = 0, y: float = 0, **fields: Any) -> Json:
    """Return the fields of an add-node with one input ``in`` and one output ``out``."""
    return {
        "nodeId": id_,
        "componentId": "any",
        "position": {"x": x, "y": y},
        "inputs": ports("in"),
        "outputs": ports("out"),
        **fields,
    }


def add(id_: str, **fields: Any) -> Json:
    return {"kind": "add-node", **node(id_, **fields)}


def end(node_id: str, port: str) -> Json:
    return {"nodeId": node_id, "portId": port}


def wire(source: str, target: str, **fields: Any) -> Json:
    """Return the fields of a connect from ``a.out`` to ``b.in``."""
    return {"source": end(*source.split(".")), "target": end(*target.split(".")), **fields}
