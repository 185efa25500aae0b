"""A client's mind: what it knows of the project, and what it asks for next.

Everything it decides comes from its random numbers and from the answers that it was given.
"""

import random
from typing import Any, Final, Self

from attrs import define, field

from tests.faults import model
from tests.faults.history import LANDED, Call, Plan
from tests.faults.model import Graph
from tests.faults.talker import Talker

PROJECT: Final = "p"
MOST_NODES: Final = 24


@define
class Author:
    """Plans bursts of requests that need not wait for each other's answers."""

    name: str
    rng: random.Random
    chat: Talker
    revision: str = ""
    graph: Graph = field(factory=Graph)
    can_undo: bool = False
    can_redo: bool = False
    undo_target: str | None = None
    run: dict[str, Any] | None = None
    old: list[str] = field(factory=list)
    """Versions that were current once."""
    count: int = 0

    @classmethod
    def make(cls, name: str, seed: int, session_id: str) -> Self:
        """Return an author whose decisions follow from ``seed`` and from answers."""
        rng = random.Random(seed)
        return cls(name, rng, Talker(name, random.Random(rng.random()), session_id))

    # What it learns.

    def learn(self, call: Call) -> None:
        """Take in an answer."""
        projection = call.projection
        if projection is not None and call.status in {None, "conflict", *LANDED}:
            self._learn_project(projection)
        self.chat.learn(call)

    def _learn_project(self, projection: dict[str, Any]) -> None:
        if self.revision and self.revision != projection["revisionId"]:
            self.old = [*self.old[-20:], self.revision]
        self.revision = projection["revisionId"]
        self.run = projection["openRun"]
        undo, redo = projection["undo"], projection["redo"]
        self.can_undo, self.can_redo = undo is not None, redo is not None
        self.undo_target = undo["targetRevisionId"] if undo else None
        if "graph" in projection:
            self.graph = model.read(projection)

    # What it asks for.

    def look(self) -> list[Plan]:
        """Ask how all stands."""
        return [
            Plan("getProject", {"projectId": PROJECT}),
            Plan("exportSession", {"sessionId": self.chat.session_id}),
        ]

    def begin(self) -> list[Plan]:
        """Ask for the project and the session, which others may have made already."""
        return [
            Plan("createProject", {"projectId": PROJECT, "title": "Project"}),
            Plan("createSession", {"projectId": PROJECT, "sessionId": self.chat.session_id}),
        ]

    def burst(self, most: int) -> list[Plan]:
        """Plan up to ``most`` requests, each made for what the ones before it lead to."""
        plans: list[Plan] = []
        wanted = self.rng.randint(1, most)
        while len(plans) < wanted:
            more, ends = self._next()
            plans += more
            if ends:
                break
        return plans

    def _next(self) -> tuple[list[Plan], bool]:
        draw = self.rng.random()
        if draw < 0.45:
            return [self._edit()], False
        if draw < 0.55:
            return self._step(), True
        if draw < 0.60:
            return self._useless(), False
        if draw < 0.64:
            return self._draft(), True
        if draw < 0.68:
            return self._restore(), True
        if draw < 0.82:
            return self.chat.talk(), False
        if draw < 0.94:
            return self._run(), True
        if draw < 0.97:
            return [self._limits()], False
        return [Plan("listRevisions", {"projectId": PROJECT, "limit": 40})], False

    def _id(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}-{self.name}-{self.count}"

    def _command(self, **more: Any) -> dict[str, Any]:
        return {
            "projectId": PROJECT,
            "actionId": self._id("a"),
            "expectedRevisionId": self.revision,
            "projection": self.rng.choice(("full", "full", "changes", "none")),
            **more,
        }

    def _edit(self) -> Plan:
        """Plan an edit that changes something, and expect its version from now on."""
        payload = self._payload(self.graph)
        actor, run_id = "manual", None
        if self.run is not None and self.run["status"] == "running" and self.rng.random() < 0.7:
            actor, run_id = "ai", self.run["runId"]
        revision = self._id("r")
        params = self._command(actor=actor, runId=run_id, payload=payload, newRevisionId=revision)
        after = model.apply(self.graph, payload)
        if after != self.graph:
            self.graph, self.revision, self.can_undo = after, revision, True
        return Plan("commitCommand", params)

    def _payload(self, graph: Graph) -> dict[str, Any]:
        kinds = ["add-node"] * (1 if len(graph.nodes) >= 6 else 4)
        if graph.nodes:
            kinds += ["move-node", "move-nodes", "rename-node", "annotate-node"]
            kinds += ["set-parameter", "connect", "connect"]
            kinds += ["remove-node"] * (4 if len(graph.nodes) > MOST_NODES else 1)
        kinds += ["remove-edge"] if graph.edges else []
        kinds += ["remove-group", "rename-group"] if graph.groups else ["add-group"]
        kind = self.rng.choice(kinds)
        return {"kind": kind, **self._fields(kind, graph)}

    def _fields(self, kind: str, graph: Graph) -> dict[str, Any]:
        rng = self.rng
        nodes = list(graph.nodes)
        match kind:
            case "add-node":
                return self._new_node(graph)
            case "move-nodes":
                return {"moves": [{"nodeId": one, "position": self._place()} for one in nodes]}
            case "connect":
                ends = {"nodeId": rng.choice(nodes), "portId": "out"}
                target = {"nodeId": rng.choice(nodes), "portId": rng.choice(("in", "one"))}
                return {"edgeId": self._id("e"), "source": ends, "target": target}
            case "remove-edge":
                return {"edgeId": rng.choice(list(graph.edges))}
            case "add-group":
                members = rng.sample(nodes, rng.randint(0, len(nodes)))
                bounds = {"x": 0, "y": 0, "width": 900, "height": 900}
                named = {"groupId": self._id("g"), "name": "Group", "nodeIds": members}
                return named if members else {**named, "bounds": bounds}
            case "remove-group":
                return {"groupId": rng.choice(list(graph.groups))}
            case "rename-group":
                return {"groupId": rng.choice(list(graph.groups)), "name": self._id("Group")}
            case _:
                return self._node_fields(kind, rng.choice(nodes))

    def _node_fields(self, kind: str, node_id: str) -> dict[str, Any]:
        rng, node = self.rng, {"nodeId": node_id}
        match kind:
            case "remove-node":
                return node
            case "move-node":
                return {**node, "position": self._place()}
            case "rename-node":
                return {**node, "name": self._id("Name é")}
            case "annotate-node":
                return {**node, "annotation": "words " * rng.randint(1, 400)}
            case _:
                return {**node, "name": "value", "value": [rng.random(), {"a": 2**60}]}

    def _new_node(self, graph: Graph) -> dict[str, Any]:
        node = {
            "nodeId": self._id("n"),
            "componentId": "Any",
            "position": self._place(),
            "parameters": {"seed": self.rng.getrandbits(64)},
            **model.PORTS,
        }
        if graph.groups and self.rng.random() < 0.3:
            node["groupId"] = self.rng.choice(list(graph.groups))
        return node

    def _place(self) -> dict[str, int]:
        return {"x": self.rng.randint(-5_000, 5_000), "y": self.rng.randint(-5_000, 5_000)}

    def _step(self) -> list[Plan]:
        """Undo or redo; the version that undo leads to is read before."""
        way = "undo" if self.rng.random() < 0.6 else "redo"
        plans = []
        if way == "undo" and self.undo_target is not None:
            target = {"projectId": PROJECT, "revisionId": self.undo_target}
            plans.append(Plan("getRevision", target, valid=False))
        return [*plans, Plan(way, self._command())]

    def _useless(self) -> list[Plan]:
        """A command for a version that is gone, or about a node that never was."""
        if self.old and self.rng.random() < 0.6:
            late = self._command(actor="manual", runId=None, payload=self._payload(self.graph))
            late["expectedRevisionId"] = self.rng.choice(self.old)
            return [Plan("commitCommand", late)]
        payload = {"kind": "rename-node", "nodeId": "nobody", "name": "x"}
        params = self._command(actor="manual", runId=None, payload=payload)
        return [Plan("commitCommand", params, valid=False)]

    def _draft(self) -> list[Plan]:
        graph = self.graph
        payloads = []
        for _ in range(self.rng.randint(2, 4)):
            payloads.append(self._payload(graph))
            graph = model.apply(graph, payloads[-1])
        draft_id = self._id("d")
        draft = {"projectId": PROJECT, "draftId": draft_id, "title": "Draft", "nodeIds": []}
        command = self._command(actor="manual", runId=None, draftId=draft_id)
        del command["projectId"]
        return [
            Plan("createDraft", {**draft, "payloads": payloads}),
            Plan("applyDraft", command),
        ]

    def _restore(self) -> list[Plan]:
        if not self.old:
            return [self._edit()]
        payload = {"kind": "restore-revision", "revisionId": self.rng.choice(self.old)}
        params = self._command(actor="manual", runId=None, payload=payload)
        return [
            Plan("getRevision", {"projectId": PROJECT, **_only(payload)}, valid=False),
            # The version may have been planned for, and never made.
            Plan("commitCommand", params, valid=False),
        ]

    def _run(self) -> list[Plan]:
        if self.run is None:
            params: dict[str, Any] = {"projectId": PROJECT, "runId": self._id("run")}
            if self.rng.random() < 0.3:
                params["stepLimit"] = 3
            return [Plan("startRun", params)]
        run = {"runId": self.run["runId"]}
        calls = ["closeRun", "closeRun", "cancelRun", "pauseRun"]
        if self.run["status"] == "paused":
            calls.append("resumeRun")
        return [Plan(self.rng.choice(calls), run)]

    def _limits(self) -> Plan:
        """Let history be long, or so short that the next commits have much to prune."""
        most = self.rng.choice((5, 12, 1_000))
        return Plan("updateSettings", {"maxRevisions": most, "minRevisions": min(most, 5)})


def _only(payload: dict[str, Any]) -> dict[str, Any]:
    return {"revisionId": payload["revisionId"]}
